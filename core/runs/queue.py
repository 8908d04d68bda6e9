"""Runs: the durable queue. A run is on disk before its event is acknowledged, and is worked once.

Threads are worked side by side, the runs of one thread in order. Runs of a process that died are
queued again by whoever notices first; finished steps are then read from the journal.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.errors import StoreBusy, StoreError, ThreadmateError
from core.runs.executors import Executor, dead, known
from core.store import Store, Transaction

if TYPE_CHECKING:
    from core.runs.engine import Engine

T = TypeVar("T")
Handler = Callable[[str, str], Awaitable[None]]
"""Works one run: (key, payload). What it raises is logged and ends the run."""

log = logging.getLogger(__name__)

CONCURRENCY = 150
"""Runs at once in one process; they wait for models and platforms most of the time."""

ENQUEUE_S = 2.5
"""A platform wants its acknowledgement within 3 s; after this, better to be asked again."""

TAKEOVER_S = 1.0
"""How often dead executors are looked for."""

KEEP_S = 30 * 86_400.0
"""How long finished runs are kept. Platforms repeat an event for hours: never under a day."""

FORGET_EVERY_S = 6 * 3600.0

RANKED_FROM = 1_767_225_600.0
"""2026-01-01. Until the middle of 2032, order is by when something was said; then by arrival."""

HIGHEST_RANK = 2**31 - 1

LAST = "\U0010ffff"
"""Sorts after every id: the end of a range of threads with a common start."""


@dataclass(frozen=True)
class Waiting:
    """A run that is queued or in work."""

    key: str
    thread: str
    payload: str


class Runs:
    """The queue in `folder/runs.db`. `start`, then `enqueue`; end with `drain`."""

    def __init__(
        self, folder: Path, store: Store, handler: Handler, concurrency: int = CONCURRENCY
    ) -> None:
        self._folder = folder
        self._executors = folder / "executors"
        self._store = store
        self._handler = handler
        self._concurrency = concurrency
        self._engine: Engine | None = None
        self._executor: Executor | None = None
        self._watch: asyncio.Task[None] | None = None
        self._active: set[asyncio.Task[str]] = set()
        self._draining = False
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="runs")
        # SQLite lets writers of one file sleep and try again; in a line of our own they do not.
        self._door = ThreadPoolExecutor(2, thread_name_prefix="runs-door")

    @property
    def executor(self) -> str:
        """The id of this process start."""
        return self._started_executor().id

    @property
    def scratch(self) -> Path:
        """A folder for temporary files; removed at the end, by others if this process dies."""
        return self._started_executor().scratch

    async def start(self, work: bool = True) -> None:
        """Open the queue; with `work` also take runs from it, and over from dead processes.

        Raises StoreError if the data folder cannot be used.
        """
        self._loop = asyncio.get_running_loop()
        self._executor = Executor(self._executors)
        try:
            self._engine = await self._in_thread(lambda: self._launch(work))
            if work:
                await self.take_over()
        except BaseException:
            await self.drain(0)
            raise
        if work:
            self._watch = asyncio.create_task(self._look_after(), name="runs-takeover")

    async def enqueue(self, key: str, thread: str, payload: str, said_at: float = 0.0) -> bool:
        """Queue a run, durable on return; False if the key is known already.

        Runs that wait in one thread go by `said_at` (Unix seconds), then by arrival: after an
        outage a platform delivers what was said meanwhile in any order.
        Raises StoreError if it could not be written: then the event must not be acknowledged.
        """
        engine = self._started_engine()
        rank = rank_of(said_at or time.time())
        putting = self._loop.run_in_executor(
            self._door, lambda: engine.put(key, thread, payload, rank)
        )
        try:
            return await asyncio.wait_for(putting, ENQUEUE_S)
        except TimeoutError as error:
            raise StoreBusy(f"run {key} was not queued within {ENQUEUE_S} s") from error

    async def ahead(self, thread: str) -> int:
        """How many unfinished runs the thread has."""
        engine = self._started_engine()
        return len(await self._in_thread(lambda: engine.waiting(thread, thread + "\0")))

    async def unfinished(self, thread: str) -> list[Waiting]:
        """The unfinished runs of a thread: the one at work, if any, then the line."""
        return await self._waiting(thread, thread + "\0")

    async def unfinished_below(self, start: str, holding: str) -> list[Waiting]:
        """The unfinished runs of all threads whose id begins with `start` (a channel).

        Only those whose payload has the text `holding` in it.
        """
        return await self._waiting(start, start + LAST, holding)

    async def take_over(self) -> list[str]:
        """Queue the runs of dead executors again; their keys."""
        engine = self._started_engine()
        return await self._in_thread(lambda: self._release(engine))

    async def forget(self, before: float) -> int:
        """Delete runs, with their steps, that ended before a Unix time; how many."""
        engine = self._started_engine()
        keys = await self._in_thread(lambda: engine.forget(before))
        if keys:
            await self._store.write(lambda tx: forget_runs(tx, keys))
        return len(keys)

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Blank what ended runs were asked; the keys of those that hold nothing any more.

        None while the queue is not open.
        """
        engine = self._engine
        if engine is None:
            return []
        return await self._in_thread(lambda: engine.erase(list(keys)))

    async def drain(self, seconds: float) -> None:
        """Take no more runs, finish those at work within `seconds`, leave the rest for others."""
        self._draining = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        if self._engine is not None:
            # Open to the end: runs that finish meanwhile may still look into the line.
            await self._close(self._engine, seconds)
            self._engine = None
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.end()
        for pool in (self._pool, self._door):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _close(self, engine: Engine, seconds: float) -> None:
        # The engine stops polling at once and waits a little longer than we do, so that what
        # finishes in time is also recorded. It counts in whole seconds: none, when nothing runs.
        patience = seconds + 2.0 if self._active else 0.0
        closing = self._loop.run_in_executor(self._pool, engine.close, patience)
        if self._active and seconds > 0:
            await asyncio.wait(set(self._active), timeout=seconds)
        for task in self._active:
            task.cancel()
        await asyncio.gather(*self._active, return_exceptions=True)
        await closing

    def _launch(self, work: bool) -> Engine:
        # Imported late: 0.4 s and 35 MiB that the shell commands do not need.
        from core.runs.engine import Engine

        path = self._folder / "runs.db"
        hop = self._hop if work else None
        return Engine(path, self._started_executor().id, hop, self._concurrency)

    async def _hop(self, key: str, payload: str) -> str:
        """Runs on the engine's loop: hands the work to ours and waits for it."""
        if self._draining:
            # Taken in the moment of closing: cancelled, it stays in the queue's books as ours.
            raise asyncio.CancelledError
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._work(key, payload), self._loop)
        )

    async def _work(self, key: str, payload: str) -> str:
        task = asyncio.current_task()
        assert task is not None
        self._active.add(task)
        try:
            await self._handler(key, payload)
        except Exception:
            # The border of a run: one run must not end the queue.
            log.exception("run %s failed outside its handler's own care", key)
            return "failed"
        finally:
            self._active.discard(task)
        return "done"

    async def _look_after(self) -> None:
        forgotten = 0.0
        while True:
            try:
                await self.take_over()
                if time.monotonic() - forgotten > FORGET_EVERY_S or not forgotten:
                    forgotten = time.monotonic()
                    await self.forget(time.time() - KEEP_S)
            except ThreadmateError as error:
                log.warning("the queue could not be looked after: %s", error)
            await asyncio.sleep(TAKEOVER_S)

    def _release(self, engine: Engine) -> list[str]:
        taken: list[str] = []
        for executor in {*engine.holders(), *known(self._executors)}:
            if executor == self.executor:
                continue
            with dead(self._executors, executor) as ours:
                if ours:
                    taken += engine.release(executor)
        if taken:
            log.info("took over %d runs of processes that ended", len(taken))
        return taken

    async def _waiting(self, first: str, last: str, holding: str = "") -> list[Waiting]:
        engine = self._started_engine()
        rows = await self._in_thread(lambda: engine.rows(engine.waiting(first, last, holding)))
        return [Waiting(row.key, row.thread, row.payload) for row in rows]

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _started_engine(self) -> Engine:
        if self._engine is None:
            raise StoreError("the run queue is not open")
        return self._engine

    def _started_executor(self) -> Executor:
        if self._executor is None:
            raise StoreError("the run queue is not open")
        return self._executor


def rank_of(said_at: float) -> int:
    """A moment as the queue ranks it: tenths of a second, as far as its integers go."""
    return min(max(1, int((said_at - RANKED_FROM) * 10)), HIGHEST_RANK)


FORGET = (
    "DELETE FROM journal WHERE run = :run",
    "DELETE FROM outbox WHERE run = :run",
    "DELETE FROM need WHERE run = :run",
    "DELETE FROM stop_request WHERE run = :run",
    "DELETE FROM run_claim WHERE run = :run",
)


def forget_runs(tx: Transaction, keys: list[str]) -> None:
    """Remove everything that is kept about runs."""
    for statement in FORGET:
        tx.many(statement, [{"run": key} for key in keys])
