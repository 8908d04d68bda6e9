"""A stop acts at once and leaves nothing running."""

import asyncio

import pytest

from core.context import Depth, Kind, StopSignal
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


async def until_waiting() -> None:
    """Let every task come as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_call_with_effects_is_let_finish_and_gives_its_result() -> None:
    stop, paid = StopSignal(), asyncio.Event()

    async def pay() -> str:
        await paid.wait()
        return "paid"

    paying = asyncio.create_task(stop.during(pay(), "effect"))
    waiting = asyncio.create_task(stop.wait())
    await until_waiting()
    stop.set("a")
    await until_waiting()
    assert stop.finishing and not paying.done() and not waiting.done()
    paid.set()
    assert await paying == "paid"
    await waiting
    assert not stop.finishing


async def test_a_second_stop_cuts_what_the_first_let_finish() -> None:
    stop = StopSignal()
    paying = asyncio.create_task(stop.during(asyncio.Event().wait(), "effect"))
    await until_waiting()
    stop.set("a")
    await until_waiting()
    assert not paying.done()
    stop.set("b", "now")
    with pytest.raises(RunStopped) as caught:
        await paying
    assert caught.value.detail == "a"


async def test_neighbours_that_end_at_once_do_not_cancel_what_is_let_finish() -> None:
    stop, paid = StopSignal(), asyncio.Event()
    results: list[str] = []

    async def pay() -> None:
        await paid.wait()
        results.append("paid and noted")

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stop.during(pay(), "effect"))
            group.create_task(stop.during(asyncio.Event().wait()))

    working = asyncio.create_task(both())
    await until_waiting()
    stop.set("a")
    await until_waiting()
    assert not working.done()
    paid.set()
    with pytest.raises(ExceptionGroup):
        await working
    assert results == ["paid and noted"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_cancel_without_a_stop_ends_a_call_with_effects_at_once() -> None:
    working = asyncio.create_task(StopSignal().during(asyncio.Event().wait(), "effect"))
    await until_waiting()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working


DEPTHS_AND_KINDS: list[tuple[Depth, list[Kind], list[Kind]]] = [
    ("after_tools", ["read", "model", "effect"], ["read", "effect"]),
    ("after_model", ["model", "effect"], []),
    ("soon", ["effect"], []),
    ("now", [], []),
]


@pytest.mark.parametrize(("depth", "finish", "begin"), DEPTHS_AND_KINDS)
async def test_each_depth_says_what_may_finish_and_what_may_begin(
    depth: Depth, finish: list[Kind], begin: list[Kind]
) -> None:
    stop, go = StopSignal(), asyncio.Event()
    kinds: list[Kind] = ["read", "model", "effect"]
    working = {kind: asyncio.create_task(stop.during(go.wait(), kind)) for kind in kinds}
    await until_waiting()
    stop.set("a", depth)
    await until_waiting()
    assert [kind for kind in kinds if not working[kind].done()] == finish
    go.set()
    ends = await asyncio.gather(*working.values(), return_exceptions=True)
    assert [kind for kind, end in zip(kinds, ends, strict=True) if end is True] == finish
    begun: list[Kind] = []
    for kind in kinds:
        try:
            stop.check(kind)
            begun.append(kind)
        except RunStopped:
            pass
    assert begun == begin


async def test_a_stop_never_grows_shallower() -> None:
    stop = StopSignal()
    stop.set("a", "soon")
    stop.set("b", "after_tools")
    assert stop.depth == "soon"


async def test_a_stop_that_takes_too_long_becomes_now() -> None:
    stop = StopSignal()
    working = asyncio.create_task(stop.during(asyncio.Event().wait(), "model"))
    await until_waiting()
    stop.set("a", "after_model", escalate_after=0.01)
    with pytest.raises(RunStopped):
        await working
    assert stop.depth == "now"
