"""An event loop whose clock only moves when nothing else can happen: hours of waiting in no time.

A run that waits for something that nobody will ever do raises Stuck instead of hanging.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(AssertionError):
    """Every task waits and no timer is set."""


class _Selector(selectors.SelectSelector):
    """Moves the clock by what the loop would have slept."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise Stuck("every task waits for something that nobody will do")
        if timeout > 0:
            # At least one step of the float: less would not move the clock at all.
            self.skipped = max(self.skipped + timeout, math.nextafter(self.skipped, math.inf))
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """For coroutines that wait for each other and for time; not for threads or sockets."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.skipped


def in_virtual_time(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """The result of `work` and the virtual seconds that it took; no task of it is alive after."""

    async def alone() -> T:
        result = await work
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"still alive: {left}"
        return result

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        return runner.run(alone()), loop.time()
