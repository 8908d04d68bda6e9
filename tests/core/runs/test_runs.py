"""Runs: durable, once, in thread order, over the death of a process; on the real engine."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from core.errors import StoreBusy, StoreError, StoreFull
from core.journal import claim_run, write_step
from core.runs import Runs
from core.runs import queue as queue_module
from core.runs.executors import Executor, dead, known
from core.store.sqlite import SqliteStore

NOW = 1_795_000_000.0

Handler = Callable[[str, str], Awaitable[None]]


class Works:
    """A handler that notes what it does; payload `fail` fails, `hold` waits for `go`."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.ended: list[str] = []
        self.go = asyncio.Event()
        self.changed = asyncio.Condition()

    async def __call__(self, key: str, payload: str) -> None:
        await self._note(self.started, key)
        if payload == "hold":
            await self.go.wait()
        if payload == "fail":
            raise RuntimeError("as asked")
        await self._note(self.ended, key)

    async def _note(self, where: list[str], key: str) -> None:
        async with self.changed:
            where.append(key)
            self.changed.notify_all()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with self.changed, asyncio.timeout(20):
            await self.changed.wait_for(condition)


@pytest.fixture
async def works() -> Works:
    return Works()


@pytest.fixture
async def runs(tmp_path: Path, store: SqliteStore, works: Works) -> AsyncIterator[Runs]:
    made = Runs(tmp_path, store, works)
    await made.start()
    yield made
    works.go.set()
    await made.drain(5)


async def test_a_second_arrival_of_a_key_starts_no_second_run(runs: Runs, works: Works) -> None:
    assert await runs.enqueue("slack:T1:C1:1.1", "t1", "x")
    assert not await runs.enqueue("slack:T1:C1:1.1", "t1", "x")
    await works.until(lambda: len(works.ended) == 1)
    assert not await runs.enqueue("slack:T1:C1:1.1", "t1", "x"), "known also when it is over"
    await runs.enqueue("slack:T1:C1:1.2", "t1", "x")
    await works.until(lambda: len(works.ended) == 2)
    assert works.started == ["slack:T1:C1:1.1", "slack:T1:C1:1.2"]


async def test_twenty_arrivals_of_one_key_at_once_start_one_run(runs: Runs, works: Works) -> None:
    answers = await asyncio.gather(*(runs.enqueue("k", "t", "x") for _ in range(20)))
    assert answers.count(True) == 1


async def test_a_thread_is_worked_in_order_and_threads_side_by_side(
    runs: Runs, works: Works
) -> None:
    await runs.enqueue("a1", "C/a", "hold")
    await runs.enqueue("a2", "C/a", "x")
    await runs.enqueue("a3", "C/a", "x")
    await runs.enqueue("b1", "C/b", "x")
    await works.until(lambda: "b1" in works.ended and "a1" in works.started)
    assert works.started.count("a2") == 0
    assert await runs.ahead("C/a") == 3
    assert [run.key for run in await runs.unfinished("C/a")] == ["a1", "a2", "a3"]
    assert [run.key for run in await runs.unfinished_below("C/a", "")] == ["a1", "a2", "a3"]
    assert [run.payload for run in await runs.unfinished_below("C/", "hol")] == ["hold"]
    works.go.set()
    await works.until(lambda: "a3" in works.ended)
    assert [key for key in works.started if key[0] == "a"] == ["a1", "a2", "a3"]
    async with asyncio.timeout(10):
        while await runs.ahead("C/a"):  # noqa: ASYNC110 - the engine notes the end a moment later
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("text", ['"kind":"file"', "50%", "a_b", "!x", "文件", "back\\slash"])
async def test_the_line_of_a_channel_is_searched_for_text_as_it_is(
    runs: Runs, works: Works, text: str
) -> None:
    await runs.enqueue("a1", "C/a", "hold")
    await works.until(lambda: works.started == ["a1"])
    await runs.enqueue("a2", "C/a", f"before {text} after")
    await runs.enqueue("a3", "C/a", "kind:file 50 aXb x")
    assert [run.key for run in await runs.unfinished_below("C/", text)] == ["a2"]


async def test_what_was_said_first_goes_first_even_if_it_arrives_later(
    runs: Runs, works: Works
) -> None:
    await runs.enqueue("a1", "t", "hold", said_at=NOW)
    await works.until(lambda: works.started == ["a1"])
    await runs.enqueue("a3", "t", "x", said_at=NOW + 2)
    await runs.enqueue("a2", "t", "x", said_at=NOW + 1)
    works.go.set()
    await works.until(lambda: len(works.ended) == 3)
    assert works.started == ["a1", "a2", "a3"]


async def test_a_run_that_fails_ends_and_the_next_of_its_thread_goes_on(
    runs: Runs, works: Works, caplog: pytest.LogCaptureFixture
) -> None:
    await runs.enqueue("a1", "t", "fail")
    await runs.enqueue("a2", "t", "x")
    await works.until(lambda: works.ended == ["a2"])
    assert "run a1 failed" in caplog.text


async def test_a_drain_finishes_what_is_at_work_and_leaves_the_rest_for_the_next_start(
    tmp_path: Path, store: SqliteStore, works: Works
) -> None:
    first = Runs(tmp_path, store, works)
    await first.start()
    await first.enqueue("long", "t1", "hold")
    await works.until(lambda: works.started == ["long"])
    await first.enqueue("later", "t1", "x")
    before = time.monotonic()
    await first.drain(0.2)
    assert time.monotonic() - before < 20
    assert works.ended == []
    assert known(tmp_path / "executors") == []
    works.go.set()
    second = Runs(tmp_path, store, works)
    await second.start()
    await works.until(lambda: works.ended == ["long", "later"])
    await second.drain(5)


async def test_a_process_that_only_enqueues_works_nothing(
    tmp_path: Path, store: SqliteStore, works: Works
) -> None:
    door = Runs(tmp_path, store, works)
    await door.start(work=False)
    assert await door.enqueue("k", "t", "x")
    # The engine looks for work within 1.2 s of its start; nothing may have begun by then.
    await asyncio.sleep(1.5)
    assert works.started == []
    await door.drain(0)
    worker = Runs(tmp_path, store, works)
    await worker.start()
    await works.until(lambda: works.ended == ["k"])
    await worker.drain(5)


async def test_a_locked_database_is_told_in_time_for_the_platform_to_ask_again(
    runs: Runs, works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_module, "ENQUEUE_S", 0.2)
    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        await runs.enqueue("k", "t", "x")
    other.execute("ROLLBACK")
    other.close()
    await runs.enqueue("k", "t", "x")
    await works.until(lambda: works.ended == ["k"])
    assert works.started == ["k"], "the late write and the second arrival are one run"


async def test_a_full_disk_is_told_as_such(runs: Runs, works: Works) -> None:
    engine = runs._engine  # pyright: ignore[reportPrivateUsage]
    assert engine is not None

    def cap(connection: Any, *_: object) -> None:
        # The smallest cap that SQLite takes is the file's present size.
        connection.execute("PRAGMA max_page_count = 1")

    event.listen(engine._database, "checkout", cap)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(StoreFull):
        await runs.enqueue("big", "t", "x" * 5_000_000)


async def test_a_queue_that_is_not_open_refuses(tmp_path: Path, store: SqliteStore) -> None:
    closed = Runs(tmp_path, store, Works())
    with pytest.raises(StoreError):
        await closed.enqueue("k", "t", "x")


async def test_finished_runs_are_forgotten_with_their_steps(
    runs: Runs, works: Works, store: SqliteStore, tmp_path: Path
) -> None:
    claim = await store.write(
        lambda tx: claim_run(tx, "old", "me", thread="t", scope="channel:c", person="p")
    )
    await store.write(lambda tx: write_step(tx, claim, "request", "{}"))
    await runs.enqueue("old", "t", "something private")
    await works.until(lambda: works.ended == ["old"])
    async with asyncio.timeout(10):
        while await runs.ahead("t"):  # noqa: ASYNC110 - the engine notes the end a moment later
            await asyncio.sleep(0.02)
    assert await runs.forget(time.time() - 3600) == 0, "it ended just now"
    assert await runs.forget(time.time() + 3600) == 1
    rows = await store.read(lambda tx: tx.all("SELECT run FROM journal"))
    assert rows == []
    kept = sqlite3.connect(tmp_path / "runs.db")
    assert "something private" not in "\n".join(kept.iterdump())
    kept.close()
    assert await runs.enqueue("old", "t", "x"), "its key is free again"


@contextlib.contextmanager
def child(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that works the folder's runs; ready when this is entered, dead after it."""
    command = [sys.executable, "-m", "tests.rigs.runs_child", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def log_of(folder: Path) -> list[str]:
    path = folder / "log"
    return path.read_text().split("\n")[:-1] if path.exists() else []


async def until_log(folder: Path, line: str) -> None:
    async with asyncio.timeout(20):
        while line not in log_of(folder):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)


async def test_the_runs_of_a_killed_process_are_taken_over_at_once_and_in_order(
    tmp_path: Path, store: SqliteStore
) -> None:
    door = Runs(tmp_path, store, Works())
    await door.start(work=False)
    with child(tmp_path) as first:
        await door.enqueue("a1", "t", "30")
        await door.enqueue("a2", "t", "0")
        await until_log(tmp_path, "start a1")
        with child(tmp_path):
            first.kill()
            killed = time.monotonic()
            async with asyncio.timeout(20):
                while log_of(tmp_path).count("start a1") < 2:  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.02)
            assert time.monotonic() - killed < 15
            assert "start a2" not in log_of(tmp_path), "the thread's order holds over the takeover"
    await door.drain(0)


async def test_sigterm_lets_runs_at_work_finish(tmp_path: Path, store: SqliteStore) -> None:
    door = Runs(tmp_path, store, Works())
    await door.start(work=False)
    with child(tmp_path) as process:
        await door.enqueue("a1", "t", "1")
        await until_log(tmp_path, "start a1")
        process.terminate()
        assert await asyncio.to_thread(process.wait, 20) == 0
    assert log_of(tmp_path) == ["start a1", "end a1"]
    assert await door.ahead("t") == 0
    await door.drain(0)


def test_a_living_executor_is_never_taken_for_dead(tmp_path: Path) -> None:
    living = Executor(tmp_path)
    with dead(tmp_path, living.id) as ours:
        assert not ours
    assert known(tmp_path) == [living.id]
    assert living.scratch.is_dir()
    living.end()
    assert known(tmp_path) == []


def test_a_dead_executor_is_taken_by_one_and_its_scratch_is_removed(tmp_path: Path) -> None:
    (tmp_path / "gone" / "scratch").mkdir(parents=True)
    (tmp_path / "gone" / "scratch" / "left.pdf").write_bytes(b"x")
    with dead(tmp_path, "gone") as first, dead(tmp_path, "gone") as second:
        assert (first, second) == (True, False)
    assert known(tmp_path) == []
