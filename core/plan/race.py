"""A race: several works for one result. The first success wins, then the others are over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from core.context import ended

K = TypeVar("K")
R = TypeVar("R")


async def first(
    works: Mapping[K, Awaitable[R]],
    *,
    wins: Callable[[R], bool],
    gives_way: Callable[[K], bool],
    grace_s: float,
) -> tuple[K | None, dict[K, R]]:
    """The winner's key, or None if all lost, and the results of all that came to an end.

    Of winners that `gives_way` is true for, the first is only taken when nobody else has won
    within `grace_s` seconds. On return every other work was cancelled and is over. An error of a
    work ends the race and is raised.
    """
    loop = asyncio.get_running_loop()
    tasks = {asyncio.ensure_future(work): key for key, work in works.items()}
    over: dict[K, R] = {}
    held: K | None = None
    until = 0.0
    try:
        while pending := [task for task, key in tasks.items() if key not in over]:
            if held is not None and all(gives_way(tasks[task]) for task in pending):
                break
            timeout = None if held is None else max(0.0, until - loop.time())
            done, _ = await asyncio.wait(
                pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                break
            new = {tasks[task]: task.result() for task in pending if task in done}
            over |= new
            winners = [key for key, result in new.items() if wins(result)]
            best = next((key for key in winners if not gives_way(key)), None)
            if best is not None:
                return best, over
            if winners and held is None:
                held, until = winners[0], loop.time() + grace_s
        return held, over
    finally:
        await ended(*tasks)
