"""A library on a folder, with a parser and an embedder that need no files and no weights."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.index.embed import Vectors
from core.index.tokens import query_tokens
from core.knowledge.library import Library
from core.knowledge.parse.model import Block, Parsed, Skipped
from core.store.sqlite import SqliteStore

SCOPE = "channel:slack:T1/C1"


class TextParser:
    """Reads a file as UTF-8; `#lock` is an encrypted one, form feeds part pages."""

    def __init__(self) -> None:
        self.read = 0

    async def parse(self, path: Path, name: str) -> Parsed:
        self.read += 1
        text = path.read_text(encoding="utf-8")
        if text.startswith("#lock"):
            return Parsed(status="encrypted", reason="parse.encrypted", values={"name": name})
        parts = text.split("\f")
        pages = len(parts) if len(parts) > 1 else 0
        blocks = [Block(page=n if pages else None, text=part) for n, part in enumerate(parts, 1)]
        if text.startswith("#part"):
            skipped = (Skipped(page=9, key="parse.page"),)
            return Parsed(status="partial", pages=9, blocks=tuple(blocks), skipped=skipped)
        return Parsed(status="ready", pages=pages, blocks=tuple(blocks), parser="text/1")


@dataclass
class HashEmbedder:
    """A vector of hashed tokens: equal words are near, and nothing is loaded."""

    model: str = "hash/1"
    dimension: int = 128
    calls: list[int] = field(default_factory=list[int])

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(len(texts))
        made = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            made[row, 0] = 0.01
            for token in query_tokens(text):
                digest = hashlib.blake2b(token.encode(), digest_size=4).digest()
                made[row, int.from_bytes(digest) % self.dimension] += 1
        return made / np.linalg.norm(made, axis=1, keepdims=True)


@dataclass
class Desk:
    """An open library and the folder it lives in."""

    library: Library
    store: SqliteStore
    folder: Path
    parser: TextParser
    embedder: HashEmbedder

    def file(self, text: str, name: str = "file.txt") -> Path:
        path = self.folder / f"{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}-{name}"
        if not path.exists():
            path.write_text(text, encoding="utf-8")
        return path

    def blobs(self) -> list[str]:
        folder = self.folder / "blobs"
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    async def count(self, table: str) -> int:
        counted = await self.store.read(lambda tx: tx.one("SELECT count(*) FROM " + table))
        assert counted is not None
        return int(counted[0])


@contextlib.asynccontextmanager
async def opened(folder: Path, embedder: HashEmbedder | None = None) -> AsyncGenerator[Desk]:
    store = await SqliteStore.open(folder / "app.db")
    parser, embedder = TextParser(), embedder or HashEmbedder()
    library = Library(store, parser, embedder, folder / "blobs")
    await library.start()
    try:
        yield Desk(library, store, folder, parser, embedder)
    finally:
        await library.close()
        await store.close()
