"""Where a post goes: its thread, made at the first post; or the channel, if it must be."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.discord import ids
from bot.discord.channels import HOLDS_THREADS, Channel, Channels, channel_from
from bot.discord.errors import (
    MOST_THREADS,
    NO_ACCESS,
    NO_PERMISSION,
    THREAD_EXISTS,
    THREAD_LOCKED,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    Refused,
)
from bot.discord.render import thread_name
from bot.discord.wire import Rest
from core.errors import PlatformError

log = logging.getLogger(__name__)

ARCHIVE_MINUTES = 1_440
"""Discord: a thread without a word for so long is archived; a word brings it back."""
THREADS = 5_000
NO_THREAD_HERE = frozenset({NO_ACCESS, NO_PERMISSION, MOST_THREADS, THREAD_LOCKED, 50024, 40058})
"""Refusals after which the answer stands in the channel instead, under the message it answers."""


@dataclass(frozen=True)
class Where:
    """Where a post is sent to, by Discord's ids."""

    guild: str
    channel: str
    """The channel or the thread that takes the post."""
    parent: str
    """The channel that webhooks belong to."""
    root: str = ""
    """In a channel: the message that the posts of this thread reply to."""
    refused: int = 0
    """Why the posts stand in the channel: Discord's number; 0 if they stand where they belong."""

    @property
    def thread(self) -> str:
        """`thread_id` of a webhook's post."""
        return self.channel if self.channel != self.parent else ""


@dataclass
class Threads:
    """Finds or makes the thread of a message."""

    rest: Rest
    channels: Channels
    otherwise: Callable[[], str]
    """The name of a thread whose question is not known."""
    _where: OrderedDict[str, Where] = field(default_factory=OrderedDict[str, Where])
    _names: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])
    _gone: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    """Threads that people deleted: none is made anew at the same message."""
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)

    def name(self, root: str, text: str) -> None:
        """What the thread that begins at message `root` will be called."""
        self._names[root] = text
        if len(self._names) > THREADS:
            self._names.popitem(last=False)

    async def where(self, guild: str, channel: str, root: str) -> Where:
        """Where the posts of the thread that begins at `root` go; it is made if it is not there."""
        if root == channel:
            return Where(guild, channel, channel)
        known = self._where.get(root)
        if known is not None:
            return known
        if root in self._gone:
            raise Refused(UNKNOWN_CHANNEL, "the thread was deleted")
        async with self._making:
            found = self._where.get(root) or await self._found(guild, channel, root)
            self._where[root] = found
            if len(self._where) > THREADS:
                self._where.popitem(last=False)
            return found

    def lost(self, root: str, error: Refused) -> Where | None:
        """A thread that takes no posts any more: the channel, if that may serve instead."""
        known = self._where.pop(root, None)
        self.channels.forget(root)
        if error.code == UNKNOWN_CHANNEL:
            self._gone[root] = None
            if len(self._gone) > THREADS:
                self._gone.popitem(last=False)
        if known is None or known.refused or error.code not in NO_THREAD_HERE:
            return None
        moved = replace(known, channel=known.parent, root=root, refused=error.code)
        self._where[root] = moved
        return moved

    async def _found(self, guild: str, channel: str, root: str) -> Where:
        thread = self.channels.peek(root)
        if thread is not None and thread.is_thread:
            return self._in(thread)
        parent = self.channels.peek(channel)
        if parent is not None and parent.kind not in HOLDS_THREADS:
            return Where(guild, channel, channel, root, refused=50024)
        try:
            return self._in(await self._made(channel, root))
        except Refused as error:
            if error.code == THREAD_EXISTS:
                return Where(guild, root, channel)
            if error.code in (UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                return await self._asked(root, error)
            if error.code not in NO_THREAD_HERE:
                raise
            log.info("no thread at %s in channel %s: %s", root, channel, error)
            return Where(guild, channel, channel, root, refused=error.code)

    async def _made(self, channel: str, root: str) -> Channel:
        name = thread_name(await self._called(channel, root), self.otherwise())
        made = await self.rest.call(
            "POST",
            "/channels/{channel_id}/messages/{message_id}/threads",
            json={"name": name, "auto_archive_duration": ARCHIVE_MINUTES},
            channel_id=channel,
            message_id=root,
        )
        return self.channels.learn(channel_from(made))

    async def _called(self, channel: str, root: str) -> str:
        if root in self._names:
            return self._names[root]
        try:
            message = await self.rest.call(
                "GET",
                "/channels/{channel_id}/messages/{message_id}",
                channel_id=channel,
                message_id=root,
            )
        except PlatformError:
            return ""
        return str(message.get("content") or "")

    async def _asked(self, root: str, error: Refused) -> Where:
        """A thread that hangs on no message of the channel: a forum's post, or one of its own."""
        try:
            return self._in(await self.channels.of(root))
        except Refused:
            raise error from None

    def _in(self, thread: Channel) -> Where:
        return Where(thread.guild, thread.id, thread.parent or thread.id)


def place_parts(channel: str, thread: str) -> tuple[str, str, str]:
    """Server, channel and root of a thread's place, by Discord's ids."""
    return ids.guild_of(channel), ids.raw(channel), ids.raw(thread)
