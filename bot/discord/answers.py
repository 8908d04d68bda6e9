"""Interactions answered: at once, while what they ask for is kept; neither waits for the other."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.discord import ids, interactions
from bot.discord.origins import Origin
from core.errors import PlatformError, StoreError
from core.messages import Message
from core.texts import say, told

if TYPE_CHECKING:
    from bot.discord.adapter import DiscordAdapter

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answers:
    """Takes interactions for the adapter."""

    adapter: DiscordAdapter

    async def take(self, data: Any) -> None:
        known = self.adapter.channels.peek(str(data.get("channel_id")))
        outcome = interactions.read(data, self.adapter.us, time.time(), known)
        person = interactions.person_of(data)
        self.adapter.learn(person.id, person.name, person.language)
        match outcome:
            case interactions.Asked():
                await self._asked(outcome, data)
            case interactions.Aside(first):
                await self._answer(data, first)
            case None:
                log.debug("an interaction that means nothing to us")

    async def _asked(self, asked: interactions.Asked, data: Any) -> None:
        """Answer within three seconds, and keep what is asked for; neither waits for the other."""
        assert self.adapter.inbox is not None
        number, origin = str(data["id"]), asked.origin
        self.adapter.posting.opening(number)
        answering = asyncio.create_task(self._answer(data, asked.first))
        try:
            message = await self._clicked_in(asked.message)
            self.adapter.whispers.note(message.author.id, message.place.thread, str(data["token"]))
            self.adapter.threads.name(ids.raw(message.place.thread), message.text)
            if origin is not None:
                await self.adapter.origins.note(origin)
            await self.adapter.inbox.accept(message)
            await self._open(origin, await answering)
        except StoreError as error:
            log.error("an interaction was not kept: %s", error)
            await answering
            await self._tell_failed(asked.message, data, error)
        finally:
            self.adapter.posting.opened(number)
            await asyncio.gather(answering, return_exceptions=True)

    async def _open(self, origin: Origin | None, response: str) -> None:
        """The response is the first message of the command's thread."""
        if origin is None or origin.kind != "ask" or not response:
            return
        await self.adapter.origins.opened(origin, response)
        if ids.is_command_thread(origin.thread):
            self.adapter.threads.name(ids.raw(response), origin.line.partition(" ")[2])

    async def _clicked_in(self, message: Message) -> Message:
        if message.click is None:
            return message
        place = message.place
        guild, parent = ids.guild_of(place.channel), ids.raw(place.channel)
        begun = ids.message_id(guild, parent, ids.raw(place.thread))
        thread = await self.adapter.origins.thread_of(begun)
        if not thread:
            return message
        return message.model_copy(update={"place": place.model_copy(update={"thread": thread})})

    async def _answer(self, data: Any, first: dict[str, Any]) -> str:
        """Give an interaction its first answer; our id of the message that it made, if it did.

        If it came too late the work is done all the same, and said in the channel.
        """
        path = f"/interactions/{data['id']}/{data['token']}/callback"
        try:
            made: Any = await self.adapter.rest.once(
                "POST", path, json=first, params={"with_response": "true"}
            )
        except PlatformError as error:
            log.warning("interaction %s could not be answered: %s", data["id"], error)
            return ""
        resource: Any = (made or {}).get("resource") or {}
        message: Any = resource.get("message") or {}
        if not message.get("id") or message.get("flags", 0) & 64:
            return ""
        guild = str(data.get("guild_id") or "")
        where = str(message.get("channel_id") or data.get("channel_id"))
        return ids.message_id(guild, where, str(message["id"]))

    async def _tell_failed(self, message: Message, data: Any, error: StoreError) -> None:
        language = message.author.language or "en"
        text = say("discord.failed", language, reason=told(error, language))
        path = f"/webhooks/{self.adapter.account.application}/{data['token']}/messages/@original"
        body = {"content": text, "allowed_mentions": {"parse": []}}
        try:
            await self.adapter.rest.once("PATCH", path, json=body)
        except PlatformError as trouble:
            log.warning("the person could not be told either: %s", trouble)
