"""Sources of a run: numbered as tools touch them, shown as the answer's marks name them.

The model never makes a source: it only repeats marks, and code knows what each mark stands for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.journal import Journal
from core.sources import Source, marks_of, rewrite_marks
from core.texts import LANGUAGES, say

SHOWN_WITHOUT_MARKS = 5
"""Sources shown when the answer names none of those that were touched."""

Place = tuple[str, int, int | None, str]
"""Document, version, page, heading path: what makes two touches the same source."""


def place_of(source: Source) -> Place:
    return source.document_id, source.version, source.page, source.heading


@dataclass
class SourceBook:
    """The run-local numbers of document places, from 1, in order of first touch.

    Numbers are journal steps (`sources:1`, `sources:2`, ...): a resumed run repeats kept tool
    results with the numbers that stand in their texts, also where reads ran side by side.
    """

    journal: Journal
    known: list[Source] = field(default_factory=list[Source])
    _steps: int = 0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Read the numbers that an earlier life of this run gave."""
        async with self._lock:
            await self._read()

    async def touch(self, sources: Sequence[Source]) -> list[Source]:
        """The same sources with their numbers; places not seen before get the next ones."""
        async with self._lock:
            await self._read()
            numbers = {place_of(source): source.mark for source in self.known}
            fresh: list[Source] = []
            for source in sources:
                place = place_of(source)
                if place not in numbers:
                    numbers[place] = len(self.known) + len(fresh) + 1
                    fresh.append(source.model_copy(update={"mark": numbers[place]}))
            if fresh:
                await self._keep(fresh)
        return [source.model_copy(update={"mark": numbers[place_of(source)]}) for source in sources]

    def by_mark(self, mark: int) -> Source | None:
        """The source with that number, or None."""
        return self.known[mark - 1] if 0 < mark <= len(self.known) else None

    async def _read(self) -> None:
        while (kept := await self.journal.kept(self._key(), list[Source])) is not None:
            self._take(kept)

    async def _keep(self, fresh: list[Source]) -> None:
        async def given() -> list[Source]:
            return fresh

        self._take(await self.journal.step(self._key(), list[Source], given))

    def _take(self, sources: list[Source]) -> None:
        self.known += sources
        self._steps += 1

    def _key(self) -> str:
        return f"sources:{self._steps + 1}"


@dataclass(frozen=True)
class Cited:
    """An answer's text with its sources."""

    text: str
    refused: bool
    sources: tuple[Source, ...]


def cite(text: str, known: Sequence[Source]) -> Cited:
    """Fit an answer and the sources of its run together.

    Marks that stand for nothing are removed. Shown are the sources that marks name, else all that
    were touched, at most `SHOWN_WITHOUT_MARKS`. A refusal has neither marks nor sources.
    """
    if is_refusal(text):
        return Cited(rewrite_marks(text, lambda _: []), True, ())
    by_mark = {source.mark: source for source in known}
    text = rewrite_marks(text, lambda group: [mark for mark in group if mark in by_mark])
    named = [by_mark[mark] for mark in marks_of(text)]
    if not named and not _says_it_is_from_outside(text):
        named = list(known)[:SHOWN_WITHOUT_MARKS]
    return Cited(text, False, tuple(named))


def is_refusal(text: str) -> bool:
    """True if an answer begins with the refusal sentence of either language."""
    start = text.lstrip(" \n\t*_>#\"'「“").casefold()
    return any(
        start.startswith(say("prompt.refusal", language).casefold()) for language in LANGUAGES
    )


def _says_it_is_from_outside(text: str) -> bool:
    """True if the answer carries the label "not from your documents" of either language."""
    return any(say("prompt.outside_label", language) in text for language in LANGUAGES)
