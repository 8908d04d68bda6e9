"""The "is typing" line: from the moment a message is seen to the first word of an answer.

One owner: whoever posts stops it first, so that it never stands under a finished answer. Discord
has no call that ends it; a message of ours does, and it fades after ten seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from core.errors import PlatformError

log = logging.getLogger(__name__)

RENEW_S = 8.0
"""Discord: shown for ten seconds."""
LONGEST_S = 40.0
"""By then the plan stands there, or another process works the run."""


@dataclass
class Typing:
    """Which messages we are typing an answer to."""

    call: Callable[[str], Awaitable[None]]
    """Shows the line in a channel once."""
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])

    def begin(self, message: str, channel: str) -> None:
        if message not in self._tasks:
            task = asyncio.create_task(self._type(channel), name="typing")
            self._tasks[message] = task
            task.add_done_callback(lambda _: self._tasks.pop(message, None))

    def end(self, message: str) -> None:
        """Nothing is sent for `message` after this returns."""
        task = self._tasks.pop(message, None)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def under_way(self) -> frozenset[str]:
        return frozenset(self._tasks)

    async def _type(self, channel: str) -> None:
        for _ in range(int(LONGEST_S / RENEW_S)):
            try:
                await self.call(channel)
            except PlatformError as error:
                log.debug("typing was not shown in %s: %s", channel, error)
                return
            await asyncio.sleep(RENEW_S)
