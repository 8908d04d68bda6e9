"""The product's own parts on a folder that is thrown away: store, parser, library, queue."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.hashed import Hashed
from core.knowledge.library import Library
from core.knowledge.parse import Parser
from core.store.sqlite import SqliteStore

SCOPE = "channel:slack:T1/C1"
OWNER = "slack:T1/U1"
DEEP = "a/b/c/d/e/f"
"""The data folder lies so deep that a path that climbs still lands where we look."""


@dataclass(frozen=True)
class Shop:
    root: Path
    """Everything that may be written lies below; most of it below `data`."""
    data: Path
    store: SqliteStore
    parser: Parser
    library: Library

    def files(self) -> set[Path]:
        """Every file below the root, links included."""
        return {path for path in self.root.rglob("*") if path.is_file() or path.is_symlink()}

    def strangers(self) -> list[str]:
        """Files outside the data folder and the upload folder."""
        homes = (self.data, self.root / "uploads")
        return [str(p) for p in self.files() if not any(p.is_relative_to(home) for home in homes)]

    def upload(self, data: bytes) -> Path:
        """The bytes as the platform's adapter leaves them: under a name of ours."""
        folder = self.root / "uploads"
        folder.mkdir(exist_ok=True)
        path = folder / "upload"
        path.write_bytes(data)
        return path

    def queue(self, name: str) -> Path:
        """A folder for a queue of its own: runs that one row left are not worked by the next."""
        folder = self.data / "queues" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def holds(self, secret: str) -> list[str]:
        """Files of the data folder that hold `secret` in clear."""
        raw = secret.encode()
        return [path.name for path in self.files() if raw in path.read_bytes()]


@asynccontextmanager
async def open_shop() -> AsyncGenerator[Shop]:
    with tempfile.TemporaryDirectory(prefix="attacks-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        data = root / DEEP / "data"
        data.mkdir(parents=True)
        store = await SqliteStore.open(data / "threadmate.db")
        parser = Parser()
        library = Library(store, parser, Hashed(), data / "blobs")
        await library.start()
        try:
            yield Shop(root, data, store, parser, library)
        finally:
            await library.close()
            await parser.close()
            await store.close()
