"""Collects a document's blocks: paragraphs gather under their heading path, page by page."""

from __future__ import annotations

from core.knowledge.parse.clean import clean, clean_code, one_line
from core.knowledge.parse.model import Block, Kind

MAX_CHARACTERS = 20_000_000
"""Text kept of one document: about 40 long novels. More is a mistake or an attack."""

MAX_HEADING = 200
"""Longer headings are paragraphs that were styled as one; they are cut for the path."""


class Outline:
    """Takes headings, paragraphs, tables and code in reading order and gives blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.characters = 0
        self.full = False
        """Set once `MAX_CHARACTERS` is reached; what comes after is not kept."""
        self._path: list[tuple[int, str]] = []
        self._page: int | None = None
        self._paragraphs: list[str] = []
        self._listed = False
        self._silent = False
        """The last heading has no text under it yet."""

    def page(self, number: int | None) -> None:
        if number != self._page:
            self._flush()
            self._page = number

    def heading(self, level: int, text: str) -> None:
        text = one_line(text)[:MAX_HEADING]
        if not text:
            return
        # A heading over deeper ones is in their paths and needs no block of its own.
        if self._path and self._path[-1][0] < level:
            self._flush()
        else:
            self._close_heading()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, text))
        self._silent = True

    def paragraph(self, text: str) -> None:
        self._listed = False
        text = clean(text)
        if text.strip():
            self._paragraphs.append(text)
            self._silent = False

    def item(self, text: str) -> None:
        """One entry of a list: lines of one paragraph."""
        text = clean(text)
        if self._listed and self._paragraphs:
            self._paragraphs[-1] += "\n" + text
        else:
            self.paragraph(text)
            self._listed = True

    def table(self, text: str) -> None:
        self._piece("table", clean(text))

    def code(self, text: str) -> None:
        self._piece("code", clean_code(text))

    def done(self) -> tuple[Block, ...]:
        self._close_heading()
        return tuple(self.blocks)

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._path)

    def _piece(self, kind: Kind, text: str) -> None:
        if not text.strip():
            return
        self._flush()
        self._silent = False
        self._add(kind, text)

    def _close_heading(self) -> None:
        self._flush()
        if self._silent:
            # A heading without text of its own is still something that people search for.
            self._add("text", self._path[-1][1])
            self._silent = False

    def _flush(self) -> None:
        if self._paragraphs:
            text = "\n\n".join(self._paragraphs)
            self._paragraphs = []
            self._add("text", text)

    def _add(self, kind: Kind, text: str) -> None:
        room = MAX_CHARACTERS - self.characters
        if len(text) > room:
            self.full = True
            text = text[:room]
        if text:
            self.characters += len(text)
            self.blocks.append(Block(page=self._page, heading=self.path, kind=kind, text=text))
