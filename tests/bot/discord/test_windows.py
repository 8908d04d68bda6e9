"""Rate limits: a long window is no wait while requests are left, and a long wait is told."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from discord import RateLimited

from bot.discord.windows import LONGEST_LIMIT_S, Window
from bot.discord.wire import Rest
from bot.playground.discord import PracticeDiscord
from core.errors import TryLater
from tests.bot.discord.conftest import config

CHANNEL_CALL = ("GET", "/channels/{channel_id}")


def told(limit: int, left: int, seconds: float) -> Any:
    """An answer of Discord's, as far as a window looks at it."""
    return SimpleNamespace(
        headers={
            "X-Ratelimit-Limit": str(limit),
            "X-Ratelimit-Remaining": str(left),
            "X-Ratelimit-Reset-After": str(seconds),
        }
    )


async def call(window: Window, answer: Any = None) -> None:
    async with window:
        if answer is not None:
            window.update(answer)


async def test_a_window_of_minutes_lets_through_what_is_left_in_it():
    window = Window(LONGEST_LIMIT_S)
    for left in (2, 1, 0):
        await call(window, told(3, left, 300))
    with pytest.raises(RateLimited) as error:
        await call(window)
    assert 290 < error.value.retry_after <= 300


async def test_whoever_waits_for_a_window_that_proves_long_is_told():
    window, answered = Window(LONGEST_LIMIT_S), asyncio.Event()

    async def first() -> None:
        async with window:
            await answered.wait()
            window.update(told(1, 0, 300))

    one = asyncio.create_task(first())
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(call(window)) for _ in range(3)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    answered.set()
    await one
    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 20)
    assert all(isinstance(outcome, RateLimited) for outcome in outcomes)


async def test_the_last_request_of_a_window_has_its_answer_at_once_and_the_next_one_waits():
    window, loop = Window(LONGEST_LIMIT_S), asyncio.get_running_loop()
    await call(window, told(1, 0, 0.2))
    assert window.expires is not None and window.expires > loop.time()
    ends = window.expires
    await call(window, told(1, 0, 0.2))
    assert loop.time() > ends


async def test_no_more_are_let_through_than_a_window_holds():
    window, inside, most = Window(LONGEST_LIMIT_S), 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with window:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            window.update(told(3, max(0, 3 - inside), 0.01))
            inside -= 1

    await asyncio.gather(*(work() for _ in range(20)))
    assert 1 <= most <= 3


async def test_a_wait_that_is_given_up_takes_no_turn_from_the_others():
    window, release = Window(LONGEST_LIMIT_S), asyncio.Event()

    async def first() -> None:
        async with window:
            await release.wait()

    one = asyncio.create_task(first())
    await asyncio.sleep(0)
    two, three = asyncio.create_task(call(window)), asyncio.create_task(call(window))
    await asyncio.sleep(0)
    release.set()
    await one
    two.cancel()
    await asyncio.wait_for(three, 20)
    assert two.cancelled()


async def test_a_used_up_window_of_minutes_is_to_be_tried_later(practice: PracticeDiscord):
    rest = Rest(config(practice))
    await rest.open()
    try:
        number = practice.place("random")
        await rest.call(*CHANNEL_CALL, channel_id=number)
        # All that is known of the channel's calls: five minutes, and first one left, then none.
        windows = [w for k, w in rest._buckets.items() if number in k and isinstance(w, Window)]
        for window in windows:
            window.update(told(2, 1, 300))
        await rest.call(*CHANNEL_CALL, channel_id=number)
        for window in windows:
            window.update(told(2, 0, 300))
        with pytest.raises(TryLater) as error:
            await rest.call(*CHANNEL_CALL, channel_id=number)
        assert error.value.seconds > LONGEST_LIMIT_S
    finally:
        await rest.close()
