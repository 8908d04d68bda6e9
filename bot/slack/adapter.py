"""The Slack adapter: events in over Socket Mode, posts out over the Web API.

An envelope is acknowledged only when what it asks for is on disk. If it cannot be written, it is
not acknowledged, and Slack delivers it again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from slack_bolt.adapter.socket_mode.async_internals import (
    run_async_bolt_app,
    send_async_response,
)
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.platform import Draft
from bot.slack import events, ids
from bot.slack.account import SlackConfig, socket_address
from bot.slack.payload import whole
from bot.slack.port import SlackPort
from bot.slack.socket import Socket
from bot.slack.twins import Twins
from bot.talk import BotPairs, Talk
from core.errors import PlatformError, StoreError, TryLater
from core.language import answer_language
from core.messages import Message, Place
from core.store.port import Store
from core.texts import both, told

log = logging.getLogger(__name__)

FINISH_S = 2.0
"""At a stop, envelopes in hand may finish this long; Slack's own patience is three seconds."""
LOOK_UP_S = 1.0
"""How long a mention whose message event did not come may be looked up for its files."""

Forget = Callable[[Place, str], Awaitable[None]]
"""A message was deleted: forget what is held of it."""
Heard = Callable[[Message, bool], None]
"""Somebody said something that is not for us, or (True) said it otherwise."""


class Inbox(Protocol):
    """Where messages go, on disk, before they are acknowledged."""

    async def accept(self, message: Message) -> Any:
        """Queue the run that `message` asks for; StoreError if it cannot be written."""
        ...

    async def active(self, thread: str, now: float) -> bool:
        """True if untagged replies in `thread` are for us."""
        ...

    async def edited(self, message: Message) -> None:
        """A message was edited that may have asked for a run."""
        ...


class SlackAdapter(SlackPort):
    """`await start()` takes events until `await stop()`. It is the Platform of its outbox too.

    The inbox posts through the outbox and the outbox through this adapter, so the inbox may be
    given after construction: `adapter.inbox = inbox`, before `start`.
    """

    def __init__(
        self,
        config: SlackConfig,
        store: Store,
        inbox: Inbox | None = None,
        forget: Forget | None = None,
    ) -> None:
        super().__init__(config, store)
        self.inbox = inbox
        self.forget = forget
        self.heard: Heard | None = None
        self.twins = Twins()
        self.pairs = BotPairs()
        self.socket: Socket | None = None
        self._taking = False
        self._greeting = asyncio.Lock()
        self._in_hand: set[asyncio.Task[Any]] = set()
        self._behind: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Open the port and take events. WrongConfig names a wrong token; TryLater: no Slack."""
        await self.open()
        try:
            await self.listen()
        except BaseException:
            await self.stop()
            raise

    async def listen(self) -> None:
        """Take events, the port being open. After a TryLater it may be called again."""
        assert self.inbox is not None, "the Slack adapter has no inbox"
        us = self.account.us
        self._talk = Talk(us.user)
        self._app = AsyncApp(
            name="threadmate",
            # Only its dispatch is used: what is said goes out through the outbox.
            token=self.config.bot_token.get_secret_value(),
            # Socket Mode signs nothing; the socket itself is the proof.
            request_verification_enabled=False,
            before_authorize=self._persist,
        )
        self.socket = self._new_socket(self.config.app_token.get_secret_value())
        self._taking = True
        await self.socket.open()
        log.info("connected to Slack as %s in %s", us.user, us.team)

    async def stop(self) -> None:
        """Take no more events, finish those in hand, close. The rest was not acknowledged."""
        self._taking = False
        if self._in_hand:
            await asyncio.wait(self._in_hand, timeout=FINISH_S)
        if self.socket is not None:
            await self.socket.close()
            self.socket = None
        for task in (*self._in_hand, *self._behind):
            task.cancel()
        await asyncio.gather(*self._in_hand, *self._behind, return_exceptions=True)
        await self.close()

    async def connected(self) -> bool:
        """For readiness."""
        return self.socket is not None and await self.socket.connected()

    def _new_socket(self, app_token: str) -> Socket:
        return Socket(
            web=self.reads,
            app_token=app_token,
            address=lambda: socket_address(self.writes, self.config),
            handler=self._handle,
        )

    async def _handle(self, client: SocketModeClient, request: SocketModeRequest) -> None:
        """One envelope: kept, then acknowledged."""
        if not self._taking:
            return
        task = asyncio.current_task()
        assert task is not None
        self._in_hand.add(task)
        started = time.time()
        try:
            response = await run_async_bolt_app(self._app, request)
            await send_async_response(client, request, response, started)
        finally:
            self._in_hand.discard(task)

    async def _persist(self, body: dict[str, Any]) -> BoltResponse:
        """Bolt's first middleware. Any status but 200 is no acknowledgement."""
        try:
            await self.take(whole(body))
        except StoreError as error:
            log.error("not kept, so not acknowledged: %s", error)
            return self._refused(body, error)
        except PlatformError as error:
            log.warning("not acknowledged, Slack will deliver it again: %s", error)
            return BoltResponse(status=503)
        except Exception:  # The adapter's border: one bad event must not end the others.
            log.exception("an event could not be taken; not acknowledged")
            return BoltResponse(status=500)
        return BoltResponse(status=200, body="")

    def _refused(self, body: dict[str, Any], error: StoreError) -> BoltResponse:
        """Events come again. A command does not, so the person is told."""
        if "command" not in body:
            return BoltResponse(status=503)
        person = self.people.peek(ids.person_id(self.account.us.team, str(body.get("user_id"))))
        language = answer_language(str(body.get("text") or ""), person, "en")
        text = told(error, language)
        return BoltResponse(status=200, body={"response_type": "ephemeral", "text": text})

    async def take(self, body: dict[str, Any]) -> None:
        """Keep what one payload asks for; returns when it is on disk, or is nothing to us."""
        us = self.account.us
        spoken = events.spoken(body, us)
        chatting = self._talk.hear(spoken) if spoken else False
        match events.translate(body, us, self.people.peek):
            case events.Ours(message):
                await self._accept(message)
            case events.Twin(message):
                await self._accept_mention(message)
            case events.Reply() as reply:
                await self._accept_reply(reply, chatting)
            case events.Command() as command:
                await self.roots.note(command)
                await self._accept(command.message)
            case events.Edited(message):
                assert self.inbox is not None
                self._overhear(message, edited=True)
                await self.inbox.edited(await self._in_its_thread(message))
            case events.Gone(place, message_id):
                await self._forget(place, message_id)
            case events.Joined(place, key):
                await self._greet(place, key)
            case events.Nothing(reason, said):
                log.debug("not for us: %s", reason)
                self._overhear(said)

    async def _accept(self, message: Message) -> None:
        assert self.inbox is not None
        author = ids.raw(message.author.id)
        if author in self.config.allowed_bots and not self.pairs.admit(
            author, message.place.channel
        ):
            log.warning("bot %s asks too often in %s; left alone", author, message.place.channel)
            return
        await self.inbox.accept(await self._in_its_thread(message))
        self.twins.accepted(message.key)
        if not self.people.is_fresh(message.author.id):
            # The run will want the profile; asked for now, nothing waits for it then.
            self._later(self.people.get(message.author.id))

    async def _accept_mention(self, message: Message) -> None:
        if not await self.twins.came(message.key):
            await self._accept(await self._with_files(message))

    async def _accept_reply(self, reply: events.Reply, chatting: bool) -> None:
        assert self.inbox is not None
        message = await self._in_its_thread(reply.message)
        ours = not (chatting or reply.to_another) and await self.inbox.active(
            message.place.thread, time.time()
        )
        chosen = message if ours else reply.otherwise
        if chosen is None:
            log.debug("a reply that is not for us")
            self._overhear(message)
            return
        await self._accept(chosen)

    def _overhear(self, message: Message | None, *, edited: bool = False) -> None:
        """What people say to each other: for the log of a channel where we listen."""
        if message is not None and self.heard is not None:
            self.heard(message, edited)

    async def _in_its_thread(self, message: Message) -> Message:
        """The message, its thread named as the run of a slash command knows it."""
        if message.place.thread == message.id or ids.is_command_thread(message.place.thread):
            return message
        thread = await self.roots.thread_of(message.place.thread)
        if thread == message.place.thread:
            return message
        place = message.place.model_copy(update={"thread": thread})
        return message.model_copy(update={"place": place})

    async def _with_files(self, message: Message) -> Message:
        """A mention whose message event did not come: its files are on the message itself."""
        if message.attachments:
            return message
        place, ts = message.place, ids.raw(message.id)
        try:
            async with asyncio.timeout(LOOK_UP_S):
                answer = await self._sent(
                    self.writes.conversations_replies,
                    channel=ids.raw(place.channel),
                    ts=ids.raw(place.thread),
                    oldest=ts,
                    latest=ts,
                    inclusive=True,
                )
        except (PlatformError, TimeoutError) as error:
            log.warning("a mention is taken without looking for files: %s", error)
            return message
        for found in answer.get("messages") or []:
            if found.get("ts") == ts:
                return events.with_files(message, found)
        return message

    async def _forget(self, place: Place, message: str) -> None:
        if self.forget is not None:
            thread = await self.roots.thread_of(place.thread)
            await self.forget(place.model_copy(update={"thread": thread}), message)

    async def _greet(self, place: Place, key: str) -> None:
        """Once per invitation: a second delivery finds the greeting there."""
        try:
            async with self._greeting:
                if await self.find(place, key) is not None:
                    return
                await self.post(place, Draft(text="\n\n".join(both("slack.greeting"))), key)
        except TryLater:
            raise
        except PlatformError as error:
            log.warning("no greeting in %s: %s", place.channel, error)

    def _later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)
