"""A stop acts at once and leaves nothing running."""

import asyncio

import pytest

from core.context import StopSignal
from core.errors import RunStopped


async def test_work_that_ends_before_a_stop_gives_its_result() -> None:
    async def work() -> int:
        return 3

    assert await StopSignal().during(work()) == 3
    assert len(asyncio.all_tasks()) == 1


async def test_a_stop_cancels_the_work_and_waits_for_its_end() -> None:
    stop, ended = StopSignal(), asyncio.Event()

    async def work() -> None:
        try:
            stop.set("slack:T1/U1")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    with pytest.raises(RunStopped) as caught:
        await stop.during(work())
    assert caught.value.detail == "slack:T1/U1"
    assert ended.is_set()


async def test_the_first_to_stop_is_the_one_who_stopped() -> None:
    stop = StopSignal()
    stop.set("a")
    stop.set("b")
    assert stop.by == "a"


async def test_an_error_of_the_work_is_let_through() -> None:
    async def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await StopSignal().during(work())


async def test_a_second_cancel_does_not_leave_the_work_running() -> None:
    started, slow_end = asyncio.Event(), asyncio.Event()
    over: list[bool] = []

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            await slow_end.wait()
            over.append(True)

    outer = asyncio.create_task(StopSignal().during(work()))
    await started.wait()
    outer.cancel()
    await asyncio.sleep(0)
    outer.cancel()
    await asyncio.sleep(0)
    assert not outer.done()
    slow_end.set()
    with pytest.raises(asyncio.CancelledError):
        await outer
    assert over == [True]
