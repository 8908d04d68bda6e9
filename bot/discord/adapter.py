"""The Discord adapter: events in over the gateway, posts out over the REST API.

Discord brings no event twice. What cannot be written is tried until it can, and the cursor of its
channel waits before it: after a stop, or a session that was lost, the history is asked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from bot.discord import events, ids
from bot.discord.account import Account, DiscordConfig
from bot.discord.answers import Answers
from bot.discord.bursts import NEARLY_FULL, Bursts
from bot.discord.catchup import CatchUp
from bot.discord.channels import Channel
from bot.discord.commands import register
from bot.discord.context import Context
from bot.discord.cursor import Cursor
from bot.discord.errors import Refused
from bot.discord.guilds import Guilds
from bot.discord.port import DiscordPort
from bot.discord.wire import Gateway, Rest
from bot.talk import BotPairs, Spoken, Talk
from core.errors import PlatformError, StoreError, TryLater, UnknownOutcome, WrongConfig
from core.messages import Message, Place
from core.store.port import Store
from core.texts import say

log = logging.getLogger(__name__)

FINISH_S = 2.0
"""At a stop, events in hand may finish this long; the history brings the rest again."""
KEEP_S = 2.0
"""How often cursors are written."""
PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0

Forget = Callable[[Place, str], Awaitable[None]]
"""A message was deleted: forget what is held of it."""
Heard = Callable[[Message, bool], None]
"""Somebody said something that is not for us, or (True) said it otherwise."""
Free = Callable[[Place], bool]
"""True where every message is a question to us."""


class Inbox(Protocol):
    """Where messages go, on disk."""

    async def accept(self, message: Message) -> Any:
        """Queue the run that `message` asks for; StoreError if it cannot be written."""
        ...

    async def edited(self, message: Message) -> None:
        """A message was edited that may have been asked before."""
        ...

    async def active(self, thread: str, now: float) -> bool:
        """True if untagged replies in `thread` are for us."""
        ...


class DiscordAdapter(DiscordPort):
    """`open`, then `listen`; it takes events until `stop`. It is the Platform of its outbox too."""

    def __init__(
        self,
        config: DiscordConfig,
        store: Store,
        inbox: Inbox | None = None,
        forget: Forget | None = None,
        free: Free | None = None,
    ) -> None:
        super().__init__(config, store)
        self.inbox = inbox
        self.forget = forget
        self.heard: Heard | None = None
        self.free: Free = free or nowhere
        self.bursts = Bursts()
        self.pairs = BotPairs()
        self.cursor = Cursor(store)
        self.gateway: Gateway | None = None
        self._taking = False
        self._in_hand: set[asyncio.Task[Any]] = set()
        self._keepers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the port and take events. WrongConfig names the token; TryLater: no Discord."""
        await self.open()
        try:
            await self.listen()
        except BaseException:
            await self.stop()
            await self.close()
            raise

    async def build(self, account: Account, rest: Rest) -> None:
        await super().build(account, rest)
        self._talk = Talk(self.account.user)
        self.context = Context(self)
        self.answers = Answers(self)
        self.guilds = Guilds(self)
        self.catch_up = CatchUp(self, self.cursor)

    async def listen(self) -> None:
        """Take events, the port being open. After a TryLater it may be called again."""
        assert self.inbox is not None, "the Discord adapter has no inbox"
        await self.cursor.load()
        await self._register()
        self._taking = True
        self.gateway = Gateway(self.config, self._heard, content=self.account.sees_content)
        await self.gateway.open()
        self._keepers = [
            asyncio.create_task(self._keep_cursors(), name="discord-cursors"),
            asyncio.create_task(self._keep_open(), name="discord-open"),
        ]
        log.info("connected to Discord as %s", self.account.name)

    async def _register(self) -> None:
        """Without its commands the bot still hears mentions, replies and private words."""
        try:
            await register(self.rest, self._store, self.account.application)
        except UnknownOutcome as error:
            raise TryLater(f"the commands could not be registered: {error}") from error
        except Refused as error:
            log.error("Discord takes no commands from us: %s", error)

    async def stop(self) -> None:
        """Take no more events and finish those in hand. Posts still go out until `close`."""
        self._taking = False
        for task in self._keepers:
            task.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        if self.gateway is not None:
            await self.gateway.close()
            self.gateway = None
        if self._in_hand:
            await asyncio.wait(self._in_hand, timeout=FINISH_S)
        for task in self._in_hand:
            task.cancel()
        await asyncio.gather(*self._in_hand, return_exceptions=True)
        try:
            await self.cursor.keep()
        except StoreError as error:
            log.warning(
                "cursors could not be written; more history is read at the start: %s", error
            )

    async def connected(self) -> bool:
        """For readiness."""
        return self.gateway is not None and self.gateway.connected

    @property
    def in_hand(self) -> frozenset[asyncio.Task[Any]]:
        """Events that are being dealt with."""
        return frozenset(self._in_hand)

    def _heard(self, name: str, data: Any) -> None:
        """A gateway event; never waits."""
        if not self._taking:
            return
        match name:
            case "MESSAGE_CREATE":
                self.later(self.said(data))
            case "MESSAGE_UPDATE":
                if data.get("edited_timestamp"):
                    self.later(self.said(data, edited=True))
            case "MESSAGE_DELETE":
                self.later(self._gone(data, [data["id"]]))
            case "MESSAGE_DELETE_BULK":
                self.later(self._gone(data, data.get("ids") or []))
            case "INTERACTION_CREATE":
                self.later(self.answers.take(data))
            case _:
                self.us = self.guilds.heard(name, data, self.us)

    def later(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Work beside the gateway; `stop` waits for it a little."""
        task = asyncio.create_task(self._bordered(work))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)
        return task

    async def _bordered(self, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except PlatformError as error:
            log.warning("an event was given up: %s", error)
        except Exception:  # The adapter's border: one bad event must not end the others.
            log.exception("an event could not be taken")

    async def said(
        self, data: Any, *, channel: Channel | None = None, edited: bool = False
    ) -> None:
        """A message, from the gateway or from the history."""
        where, number = str(data["channel_id"]), str(data["id"])
        guild = str(data.get("guild_id") or (channel.guild if channel else ""))
        if edited:
            await self._persistently(lambda: self._take(data, channel, edited=True))
            return
        self.cursor.begin(where, guild, number)
        await self._persistently(lambda: self._take(data, channel))
        # Not in a `finally`: what was broken off is read again from the history.
        self.cursor.end(where, number)

    async def _persistently(self, take: Callable[[], Awaitable[None]]) -> None:
        """Until it is on disk: nobody brings it again. Discord's own trouble is waited for too."""
        pause = PAUSE_S
        while True:
            try:
                await take()
                return
            except StoreError as error:
                log.error("not kept, tried again in %.1f s: %s", pause, error)
                wait = pause
            except (TryLater, UnknownOutcome) as error:
                log.warning("an event waits for Discord: %s", error)
                wait = max(pause, error.seconds if isinstance(error, TryLater) else 0.0)
            await asyncio.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def _take(self, data: Any, channel: Channel | None, *, edited: bool = False) -> None:
        channel = channel or await self._channel_of(data)
        person = (channel.id, str((data.get("author") or {}).get("id")))
        if self.bursts.waits(person) and not edited:
            part = events.part(data, channel, self.us)
            if part.text or part.attachments:
                await self.bursts.join(person, part, is_full(data))
                return
        place = events.place_of(channel, str(data["id"]))
        speaker = self.account.user if events.is_ours(data, self.us) else person[1]
        tagged = events.is_tagged(data, self.us)
        chatting = not edited and self._talk.hear(Spoken(place.thread, speaker, tagged))
        outcome = events.translate(
            data,
            channel,
            self.us,
            free=self.free(place),
            edited=edited,
            language_of=self.language_of,
        )
        match outcome:
            case events.Nothing(reason, said):
                log.debug("not for us: %s", reason)
                self._overhear(said)
                return
            case events.Reply():
                message = await self._reply(outcome, data, chatting)
                if message is None:
                    self._overhear(outcome.message)
                    return
            case events.Edited():
                await self._edited(outcome, data)
                return
            case events.Ours(message):
                message = await self._in_its_thread(message, data)
        if is_full(data) and message.kind == "ask":
            async with self.bursts.whole(person, message) as joined:
                await self._accept(joined, data, channel)
        else:
            await self._accept(message, data, channel)

    async def _reply(self, reply: events.Reply, data: Any, chatting: bool) -> Message | None:
        assert self.inbox is not None
        message = await self._in_its_thread(reply.message, data)
        # As of when it was said: what is read from the history is judged like what came at once.
        if not (reply.to_another or chatting) and await self.inbox.active(
            message.place.thread, message.sent_at or time.time()
        ):
            return message
        return reply.otherwise

    async def _edited(self, edited: events.Edited, data: Any) -> None:
        """A run of the message's key may be there already; then only a word is said about it."""
        assert self.inbox is not None
        message = await self._in_its_thread(edited.message, data)
        self._overhear(message, edited=True)
        if edited.asks and await self.inbox.accept(message):
            self.threads.name(ids.raw(message.place.thread), message.text)
            return
        await self.inbox.edited(message)

    def _overhear(self, message: Message | None, *, edited: bool = False) -> None:
        """What people say to each other: for the log of a channel where we listen."""
        if message is not None and self.heard is not None:
            self.heard(message, edited)

    async def _accept(self, message: Message, data: Any, channel: Channel) -> None:
        assert self.inbox is not None
        if message.kind == "ask":
            fresh = channel.is_thread and not await self.inbox.active(
                message.place.thread, time.time()
            )
            message = await self.context.completed(message, data, channel, self.us, fresh=fresh)
        author = ids.raw(message.author.id)
        if author in self.config.allowed_bots and not self.pairs.admit(author, channel.id):
            log.warning("bot %s asks too often in channel %s; left alone", author, channel.id)
            return
        self.learn(message.author.id, message.author.name)
        self.threads.name(ids.raw(message.place.thread), message.text)
        await self.inbox.accept(message)

    async def _in_its_thread(self, message: Message, data: Any) -> Message:
        """The message, its thread named as the run knows it that began there."""
        place = message.place
        if place.direct:
            return message
        root = ids.raw(place.thread)
        guild, parent = ids.guild_of(place.channel), ids.raw(place.channel)
        begun = root if root != ids.raw(message.id) else events.answered(data)
        if not begun:
            return message
        thread = await self.origins.thread_of(ids.message_id(guild, parent, begun))
        if not thread:
            return message
        return message.model_copy(update={"place": place.model_copy(update={"thread": thread})})

    async def _channel_of(self, data: Any) -> Channel:
        number = str(data["channel_id"])
        known = self.channels.peek(number)
        if known is not None:
            return known
        if not data.get("guild_id"):
            return self.channels.learn(Channel(number, kind=1))
        try:
            return await self.channels.of(number)
        except Refused as error:
            log.info("channel %s is not known: %s", number, error)
            return Channel(number, str(data["guild_id"]))

    async def _gone(self, data: Any, numbers: list[Any]) -> None:
        if self.forget is None:
            return
        channel = await self._channel_of(data)
        for number in numbers:
            place = events.place_of(channel, str(number))
            spot = ids.message_id(channel.guild, channel.id, str(number))
            await self.forget(place, spot)

    async def _keep_cursors(self) -> None:
        while True:
            await asyncio.sleep(KEEP_S)
            try:
                await self.cursor.keep()
            except StoreError as error:
                log.warning("cursors could not be written: %s", error)

    async def _keep_open(self) -> None:
        """discord.py reconnects by itself; what it gives up at is begun again here."""
        pause = PAUSE_S
        while self.gateway is not None:
            try:
                await self.gateway.ended()
                log.warning("the gateway ended")
            except WrongConfig as error:
                log.error("Discord took us off: %s", say(error.key, "en", **error.values))
                pause = LONGEST_PAUSE_S
            except TryLater as error:
                log.warning("the gateway ended: %s", error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)
            await self._reopen()

    async def _reopen(self) -> None:
        if self.gateway is None:
            return
        await self.gateway.close()
        try:
            await self.gateway.open()
        except (TryLater, WrongConfig) as error:
            log.warning("the gateway stays closed: %s", say(error.key, "en", **error.values))


def is_full(data: Any) -> bool:
    """Nearly as long as Discord allows: a paste may go on in the next message."""
    return len(str(data.get("content") or "")) >= NEARLY_FULL


def nowhere(place: Place) -> bool:
    del place
    return False
