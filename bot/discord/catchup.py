"""What was said while we could not hear: read from the history, judged by the same rules.

Bounded: a day back, some pages of a channel, a few channels at a time. Runs are known by their
message's id, so what was answered before is found there, however often we start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.discord import ids
from bot.discord.channels import SPEAKS, Channel
from bot.discord.cursor import Cursor
from core.errors import TryLater, UnknownOutcome

if TYPE_CHECKING:
    from bot.discord.adapter import DiscordAdapter

log = logging.getLogger(__name__)

BACK_S = 86_400.0
"""An answer to what was asked earlier would only surprise."""
PAGE, PAGES = 100, 10
AT_ONCE = 2
PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
DIRECT = 50
"""Direct conversations that are looked at; those of the latest messages."""


@dataclass
class CatchUp:
    """Reads what came after the cursors."""

    adapter: DiscordAdapter
    cursor: Cursor
    clock: Callable[[], float] = time.time
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def guild(self, channels: list[Channel]) -> None:
        """The channels of a server, as the gateway tells them with their newest message."""
        known = {channel.guild for channel in channels if self.cursor.knows(channel.guild)}
        for channel in channels:
            if channel.kind not in SPEAKS:
                continue
            is_new = channel.guild in known
            read = self.cursor.first(channel.id, channel.guild, channel.newest, is_new=is_new)
            if read is not None and int(channel.newest or 0) > read:
                self.adapter.later(self.channel(channel, read))

    async def direct(self) -> None:
        """Direct conversations that we know."""
        known = sorted(self.cursor.direct(), key=lambda one: -self.cursor.marks[one].safe)
        for number in known[:DIRECT]:
            channel = Channel(number, kind=1)
            self.adapter.later(self.channel(channel, self.cursor.marks[number].safe))

    async def channel(self, channel: Channel, read: int) -> None:
        """Take what was said in a channel after `read`, oldest first."""
        async with self._gate:
            after = max(read, int(ids.snowflake_at(self.clock() - BACK_S)))
            for _ in range(PAGES):
                page = await self._page(channel, {"after": str(after), "limit": PAGE})
                found: list[Any] = sorted(page, key=lambda one: int(one["id"]))
                for data in found:
                    after = int(data["id"])
                    self.adapter.later(self.adapter.said(data, channel=channel))
                if len(found) < PAGE:
                    break
            else:
                log.warning("channel %s has more to catch up with than is read", channel.id)
        log.debug("channel %s was caught up with", channel.id)

    async def _page(self, channel: Channel, asked: dict[str, Any]) -> list[Any]:
        """However long Discord is down: what is missed here is missed for good."""
        pause = PAUSE_S
        while True:
            try:
                return await self.adapter.page(channel.id, asked)
            except (TryLater, UnknownOutcome) as error:
                log.warning("channel %s is caught up with later: %s", channel.id, error)
                wait = error.seconds if isinstance(error, TryLater) else pause
            await asyncio.sleep(max(pause, wait))
            pause = min(pause * 2, LONGEST_PAUSE_S)
