"""A file's way into a KB: hash, parse in a child, cut, tokenise, put in place. Safe to repeat."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from core.index.tokens import tokens
from core.knowledge.blobs import BlobFolder, Staged, sha256_of
from core.knowledge.chunk import Piece, chunk
from core.knowledge.documents import READABLE, Receipt
from core.knowledge.embedding import passage_text
from core.knowledge.names import name_key, shown_name
from core.knowledge.parse.model import Parsed, Skipped
from core.knowledge.parse.parser import MAX_FILE
from core.knowledge.versions import (
    Arrival,
    Outcome,
    check_kb,
    kept_receipt,
    put_in_place,
    sign,
    unchanged,
)
from core.store import Store, Transaction

T = TypeVar("T")

AT_ONCE = 4
"""Files worked on side by side; the parser's children are fewer, the rest is threads."""

MAX_CHARACTERS = 3_000_000
"""Of one document. More would hold the writer for seconds while other runs wait."""

OPENING = 200
"""Characters of a document's beginning that lists show."""

SENTENCE_ENDS = "。！？.!?\n"


class Reads(Protocol):
    """What reads files; see `core.knowledge.parse.Parser`."""

    async def parse(self, path: Path, name: str) -> Parsed: ...


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on disk and who brought it where."""

    kb: int
    scope: str
    owner: str
    name: str
    path: Path
    link: str = ""
    key: str = ""
    asked_by: str = ""
    """Of what a teammate wrote: the person for whom."""


class Ingest:
    """Takes uploads in, a few at a time; equal names of one person one after another."""

    def __init__(
        self, store: Store, parser: Reads, blobs: BlobFolder, added: Callable[[], None]
    ) -> None:
        self._store = store
        self._parser = parser
        self._blobs = blobs
        self._added = added
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._turns: dict[tuple[int, str, str], asyncio.Lock] = {}
        self._waiting: Counter[tuple[int, str, str]] = Counter()

    async def take(self, upload: Upload) -> Receipt:
        """Searchable by words on return, or a receipt that says why not.

        Raises KnowledgeError for a KB that is not of this scope, StoreError if the store refuses;
        then nothing was changed.
        """
        name = shown_name(upload.name)
        async with self._turn((upload.kb, upload.owner, name_key(name))), self._slots:
            return await self._take(upload, name)

    async def _take(self, upload: Upload, name: str) -> Receipt:
        sha256, size = await asyncio.to_thread(_identity, upload.path)
        told, same = await self._store.read(lambda tx: _known(tx, upload, name, sha256))
        if told is not None:
            return told
        if same is not None:
            await self._store.write(lambda tx: sign(tx, upload, upload.key, same, time.time()))
            return same
        parsed = await self._parser.parse(upload.path, name)
        arrival = await asyncio.to_thread(cut, upload, name, sha256, size, parsed)
        staged = None
        if arrival.readable:
            staged = await asyncio.to_thread(self._blobs.stage, upload.path)
        outcome = await self._put(arrival, staged)
        for file in outcome.erase:
            await asyncio.to_thread(self._blobs.erase, file)
        self._added()
        return outcome.receipt

    async def _put(self, arrival: Arrival, staged: Staged | None) -> Outcome:
        try:
            return await unbroken(
                self._store.write(
                    lambda tx: put_in_place(tx, arrival, self._blobs, staged, time.time())
                )
            )
        finally:
            if staged is not None:
                staged.close()

    @contextlib.asynccontextmanager
    async def _turn(self, key: tuple[int, str, str]) -> AsyncGenerator[None]:
        """One upload of a name at a time, in the order they came."""
        lock = self._turns.setdefault(key, asyncio.Lock())
        self._waiting[key] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._turns[key]


def _known(
    tx: Transaction, upload: Upload, name: str, sha256: str
) -> tuple[Receipt | None, Receipt | None]:
    """(what this key was told before, the receipt of a duplicate)."""
    check_kb(tx, upload.kb, upload.scope)
    return (
        kept_receipt(tx, upload.kb, upload.key),
        unchanged(tx, upload.kb, upload.owner, name, sha256),
    )


def _identity(path: Path) -> tuple[str, int]:
    """(sha256, size); no hash of what is gone or larger than any parser takes."""
    try:
        size = path.stat().st_size
        return (sha256_of(path) if size <= MAX_FILE else ""), size
    except OSError:
        # The parser says what is wrong with it, in a sentence.
        return "", 0


def cut(upload: Upload, name: str, sha256: str, size: int, parsed: Parsed) -> Arrival:
    """The upload as passages with their tokens."""
    pieces = chunk(parsed.blocks) if parsed.status in READABLE else []
    fitting = _fitting(pieces)
    if parsed.status in READABLE and not pieces:
        values = {"name": name}
        parsed = parsed.model_copy(
            update={"status": "empty", "reason": "parse.empty", "values": values}
        )
    elif len(fitting) < len(pieces):
        parsed = _cut_short(parsed, name)
    return Arrival(
        kb=upload.kb,
        scope=upload.scope,
        owner=upload.owner,
        name=name,
        link=upload.link,
        key=upload.key,
        sha256=sha256,
        size=size,
        # Blocks are not needed any more, and may be large.
        parsed=parsed.model_copy(update={"blocks": ()}),
        pieces=fitting,
        words=[tokens(passage_text(" > ".join(one.heading), one.text)) for one in fitting],
        opening=_opening(fitting),
        asked_by=upload.asked_by,
    )


def _fitting(pieces: list[Piece]) -> list[Piece]:
    total = 0
    for place, piece in enumerate(pieces):
        total += len(piece.text)
        if total > MAX_CHARACTERS:
            return pieces[:place]
    return pieces


def _cut_short(parsed: Parsed, name: str) -> Parsed:
    values = {"name": name, "limit": f"{MAX_CHARACTERS:,}"}
    left_out = Skipped(key="knowledge.too_long", values=values)
    return parsed.model_copy(
        update={
            "status": "partial",
            "reason": parsed.reason or "knowledge.too_long",
            "values": parsed.values if parsed.reason else values,
            "skipped": (*parsed.skipped, left_out),
        }
    )


def _opening(pieces: list[Piece]) -> str:
    """The beginning of a document, to its last whole sentence if there is one."""
    text = " ".join(" ".join(piece.text for piece in pieces[:3]).split())
    if len(text) <= OPENING:
        return text
    start = text[:OPENING]
    end = max(start.rfind(sign) for sign in SENTENCE_ENDS)
    return start[: end + 1] if end > OPENING // 3 else start + "…"


async def unbroken(work: Awaitable[T]) -> T:
    """Await `work` to its end, also if we are cancelled meanwhile: no commit is half-known."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
