"""The store on SQLite (apsw): one writer thread, readers beside it, WAL."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from core.errors import StoreBusy, StoreError, StoreFull
from core.store.disk import is_full, refused
from core.store.migrate import migrate
from core.store.port import Row, Values

T = TypeVar("T")
log = logging.getLogger(__name__)

BUSY_MS = 10_000
"""How long a write waits for another process before it says so."""

CHECKPOINT_TRIES = 20
CHECKPOINT_PAUSE_S = 0.05

READERS = 3
"""Reader threads: searches of several threads at once, on few cores."""

MMAP_BYTES = 256 * 2**20
"""Pages read through the page cache are shared and reclaimable, unlike SQLite's own cache."""


class SqliteTransaction:
    """Statements on one apsw connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def all(self, sql: str, values: Values | None = None) -> list[Row]:
        return list(self.connection.execute(sql, dict(values or {})))

    def one(self, sql: str, values: Values | None = None) -> Row | None:
        return next(iter(self.connection.execute(sql, dict(values or {}))), None)

    def run(self, sql: str, values: Values | None = None) -> int:
        before = self.connection.total_changes()
        self.connection.execute(sql, dict(values or {}))
        return self.connection.total_changes() - before

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        self.connection.executemany(sql, (dict(row) for row in rows))


class SqliteStore:
    """One SQLite file. Open with `await SqliteStore.open(path)`, end with `await store.close()`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")

    @classmethod
    async def open(cls, path: Path) -> SqliteStore:
        """Create or open the file and bring its schema up to date.

        Raises SchemaTooNew if a newer release wrote it, StoreError if it cannot be opened.
        """
        store = cls(path)
        try:
            await store._in(store._writer, lambda: migrate(store._connection()))
        except BaseException:
            await store.close()
            raise
        return store

    async def read(self, work: Callable[[SqliteTransaction], T]) -> T:
        return await self._in(self._readers, lambda: self._transact("BEGIN", work))

    async def write(self, work: Callable[[SqliteTransaction], T]) -> T:
        return await self._in(self._writer, lambda: self._transact("BEGIN IMMEDIATE", work))

    async def scrub(self) -> None:
        """Take what was deleted out of the write-ahead log too: into the file, and cut to nothing.

        Readers under way hold the log up; then it is cut by the next one that asks.
        """
        await self._in(self._writer, self._checkpoint)

    def _checkpoint(self) -> None:
        for _ in range(CHECKPOINT_TRIES):
            busy, *_ = next(iter(self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")))
            if not busy:
                return
            threading.Event().wait(CHECKPOINT_PAUSE_S)
        log.warning("%s: the log could not be cut, readers are at work", self.path)

    async def close(self) -> None:
        """Wait for work under way, then close every connection."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._readers.shutdown(wait=True)
        self._writer.shutdown(wait=True)
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    async def _in(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        def guarded() -> T:
            with store_errors(self.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(pool, guarded)

    def _transact(self, begin: str, work: Callable[[SqliteTransaction], T]) -> T:
        connection = self._connection()
        connection.execute(begin)
        try:
            result = work(SqliteTransaction(connection))
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have ended the transaction already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _connection(self) -> apsw.Connection:
        held: apsw.Connection | None = getattr(self._local, "connection", None)
        if held is None:
            held = connect(self.path)
            self._local.connection = held
            self._connections.append(held)
        return held


def connect(path: Path) -> apsw.Connection:
    """A connection with our settings. apsw carries its own SQLite, so any Python will do."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        # What is deleted is overwritten: a memory that was forgotten leaves no bytes in free pages.
        "secure_delete=ON",
        "temp_store=MEMORY",
        "cache_size=-4096",
        f"mmap_size={MMAP_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


@contextlib.contextmanager
def store_errors(path: Path) -> Generator[None]:
    """Turn the database's own errors into ours, each with a sentence for people."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(str(error)) from error
    except apsw.FullError as error:
        raise StoreFull(str(error)) from error
    except apsw.IOError as error:
        # A full disk shows as an I/O error where SQLite cannot make its log.
        raise (StoreFull if is_full(path) else StoreError)(f"{path}: {error}") from error
    except (apsw.CantOpenError, apsw.NotADBError, apsw.CorruptError, apsw.ReadOnlyError) as error:
        raise StoreError(f"{path}: {error}") from error
    except OSError as error:
        raise refused(error, path) from error
