"""Discord's rate limits: a window is closed only when nothing is left in it.

discord.py has buckets of its own, and three of their habits do not suit a run that somebody waits
for. Once a longest wait is set, a window longer than it is refused although requests are left (new
threads have windows of 300 s). The call that took a window's last request keeps its answer until
the window ends. And whoever waits for a window that turns out to be too long is not told.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

from discord import RateLimited
from discord.http import Ratelimit

LONGEST_LIMIT_S = 60.0
"""A wait for a rate limit beyond this is raised instead: a run never hangs unseen."""
TICK_S = 0.01
"""Past a window's end, so that it is over whatever the clock's grain."""


class Window(Ratelimit):
    """One bucket. Entering waits for a free request, or raises RateLimited with the time to wait.

    What the answers tell (`update`) is counted by discord.py.
    """

    async def acquire(self) -> None:
        began = self._last_request = self._loop.time()
        while not self._free():
            left = self._left()
            if self._loop.time() - began + left > LONGEST_LIMIT_S:
                raise RateLimited(max(left, 1.0))
            await self._one_given_back(left)
        self.remaining -= 1
        self.outgoing += 1

    async def __aexit__(
        self,
        type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        del type, value, traceback
        self.outgoing -= 1
        if self.expires is None and self.remaining <= self.outgoing:
            # No answer told of a window: what was taken is given back.
            self.reset()
        # Where nothing is left, all look again: now the window's end is known.
        self._wake(max(0, self.remaining - self.outgoing) or len(self._pending_requests))

    def _free(self) -> bool:
        if self.is_expired():
            self.reset()
        return self.remaining > 0

    def _left(self) -> float:
        """Seconds until the window ends; 0 while no answer has told of one."""
        return max(0.0, self.expires - self._loop.time()) if self.expires is not None else 0.0

    async def _one_given_back(self, left: float) -> None:
        """Until a call ends that may leave something, or the window does."""
        given = self._loop.create_future()
        self._pending_requests.append(given)
        ends = left + TICK_S if self.expires is not None else LONGEST_LIMIT_S
        try:
            await asyncio.wait([given], timeout=ends)
        except asyncio.CancelledError:
            if given.done():
                self._wake(1)
            raise
        finally:
            if not given.done():
                self._pending_requests.remove(given)
