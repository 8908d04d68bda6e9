"""What is known of channels: kind, server, parent. From gateway events; asked for where missing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

CHANNELS = 20_000
"""Channels and threads remembered; the one longest unused is forgotten first."""

DIRECT, GROUP = 1, 3
FORUM, MEDIA = 15, 16
THREADS = frozenset({10, 11, 12})
HOLDS_THREADS = frozenset({0, 5, FORUM, MEDIA})
"""Discord: kinds of channels in which threads can be started."""
SPEAKS = frozenset({0, 2, 5, 13}) | THREADS | {DIRECT, GROUP}
"""Kinds that hold messages of their own."""


@dataclass(frozen=True)
class Channel:
    """A channel or a thread, by Discord's ids."""

    id: str
    guild: str = ""
    """Empty for a direct conversation."""
    kind: int = 0
    parent: str = ""
    """Of a thread: the channel that it hangs in."""
    name: str = ""
    newest: str = ""
    """Its newest message, as of when this was learned."""
    locked: bool = False

    @property
    def is_thread(self) -> bool:
        return self.kind in THREADS

    @property
    def is_direct(self) -> bool:
        return self.kind in (DIRECT, GROUP)


def channel_from(data: Mapping[str, Any], guild: str = "") -> Channel:
    """A Channel from Discord's JSON; inside GUILD_CREATE the server's id is not repeated."""
    kind = int(data.get("type") or 0)
    meta: Any = data.get("thread_metadata")
    return Channel(
        id=str(data["id"]),
        guild=str(data.get("guild_id") or guild),
        kind=kind,
        # A channel's parent is its category, which is nothing to us.
        parent=str(data.get("parent_id") or "") if kind in THREADS else "",
        name=str(data.get("name") or ""),
        newest=str(data.get("last_message_id") or ""),
        locked=bool(meta.get("locked")) if isinstance(meta, Mapping) else False,
    )


@dataclass
class Channels:
    """A cache in front of `ask`, which GETs one channel."""

    ask: Callable[[str], Awaitable[Any]]
    _known: OrderedDict[str, Channel] = field(default_factory=OrderedDict[str, Channel])

    def learn(self, channel: Channel) -> Channel:
        self._known[channel.id] = channel
        self._known.move_to_end(channel.id)
        if len(self._known) > CHANNELS:
            self._known.popitem(last=False)
        return channel

    def learn_guild(self, data: Mapping[str, Any]) -> list[Channel]:
        """All that a GUILD_CREATE tells, threads included."""
        guild = str(data.get("id") or "")
        listed: Iterable[Any] = [*(data.get("channels") or []), *(data.get("threads") or [])]
        return [self.learn(channel_from(one, guild)) for one in listed]

    def forget(self, channel: str) -> None:
        self._known.pop(channel, None)

    def peek(self, channel: str) -> Channel | None:
        """What is known now, without asking."""
        return self._known.get(channel)

    async def of(self, channel: str) -> Channel:
        """The channel; raises what the call raises if it is unknown and cannot be asked for."""
        known = self._known.get(channel)
        if known is not None:
            self._known.move_to_end(channel)
            return known
        return self.learn(channel_from(await self.ask(channel)))
