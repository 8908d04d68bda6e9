"""Teammates as webhook identities: one webhook of ours a channel, a name and a face a message."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.discord.errors import Refused
from bot.discord.wire import Rest

log = logging.getLogger(__name__)

LABEL = "Threadmate"
DENIED_S = 600.0
"""After a refusal (no permission, too many webhooks) the channel is asked again this much later."""


@dataclass(frozen=True)
class Hook:
    """A webhook of ours, and the token that posts through it; never written down."""

    id: str
    token: str


@dataclass
class Webhooks:
    """The webhooks of our application, found or made when a teammate first speaks in a channel."""

    rest: Rest
    application: str
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, Hook] = field(default_factory=dict[str, Hook])
    _denied: dict[str, float] = field(default_factory=dict[str, float])
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def of(self, channel: str) -> Hook | None:
        """The webhook of a channel; None if we may not have one there."""
        if self._denied.get(channel, 0.0) > self.clock():
            return None
        async with self._lock:
            if channel not in self._known:
                try:
                    self._known[channel] = await self._found(channel) or await self._made(channel)
                except Refused as error:
                    log.info("no webhook in channel %s: %s", channel, error)
                    self._denied[channel] = self.clock() + DENIED_S
                    return None
            return self._known[channel]

    def forget(self, channel: str) -> None:
        """Somebody deleted it."""
        self._known.pop(channel, None)

    async def _found(self, channel: str) -> Hook | None:
        listed: Any = await self.rest.call(
            "GET", "/channels/{channel_id}/webhooks", channel_id=channel
        )
        for one in listed or []:
            if one.get("application_id") == self.application and one.get("token"):
                return Hook(str(one["id"]), str(one["token"]))
        return None

    async def _made(self, channel: str) -> Hook:
        made: Any = await self.rest.call(
            "POST", "/channels/{channel_id}/webhooks", json={"name": LABEL}, channel_id=channel
        )
        return Hook(str(made["id"]), str(made["token"]))
