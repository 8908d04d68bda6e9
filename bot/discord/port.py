"""What the outbox and the worker can do on Discord: `bot.platform.Platform` over its REST API."""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.discord import ids, render
from bot.discord.account import Account, DiscordConfig, who_are_we
from bot.discord.channels import Channels
from bot.discord.errors import NO_ACCESS, NO_PERMISSION, UNKNOWN_CHANNEL, Refused
from bot.discord.events import Us, is_ours
from bot.discord.files import Files
from bot.discord.origins import Origins
from bot.discord.posted import Posted
from bot.discord.posting import Posting
from bot.discord.threads import Threads
from bot.discord.typing import Typing
from bot.discord.webhooks import Webhooks
from bot.discord.whispers import Whispers
from bot.discord.wire import Rest
from bot.platform import Download, Draft, PlatformLimits, Sign
from core.messages import Attachment, Language, Person, Place
from core.store.port import Store
from core.texts import say

log = logging.getLogger(__name__)

EMOJI: dict[Sign, str] = {
    "seen": "👀",
    "working": "⏳",
    "done": "✅",
    "failed": "❌",
    "stopped": "🛑",
}
NO_PLACE_FOR_A_SIGN = frozenset({10008, 10014, 30010, 50083, 90001, NO_ACCESS, NO_PERMISSION})
"""Refusals of a sign that are no worry: the message is gone, closed, full, or not ours to mark."""
PEOPLE = 5_000


class DiscordPort:
    """Posts, edits, looks up, downloads. `await open()` first, `await close()` last.

    A process that works runs without a gateway (`threadmate worker`) needs no more than this.
    """

    name = ids.NAME
    limits: PlatformLimits = render.LIMITS

    def __init__(self, config: DiscordConfig, store: Store) -> None:
        self.config = config
        self.origins = Origins(store)
        self.whispers = Whispers()
        self._store = store
        self._account: Account | None = None
        self._names: OrderedDict[str, Person] = OrderedDict()

    async def open(self) -> None:
        """Ask Discord who we are; WrongConfig names what is wrong."""
        account = await who_are_we(self.config)
        rest = Rest(self.config)
        await rest.open()
        await self.build(account, rest)

    async def build(self, account: Account, rest: Rest) -> None:
        """What posts and looks up, on a way to Discord that is open."""
        self._account = account
        self.rest = rest
        self.us = Us(self.account.user, self.account.application, self.config.allowed_bots)
        self.channels = Channels(self._channel)
        self.typing = Typing(self._type)
        self._files = Files(self.message, self.config.api_url)
        self.threads = Threads(self.rest, self.channels, lambda: say("discord.thread", "en"))
        self.posting = Posting(
            rest=self.rest,
            account=self.account,
            threads=self.threads,
            webhooks=Webhooks(self.rest, self.account.application),
            posted=Posted(self._store, self.page, lambda data: is_ours(data, self.us)),
            origins=self.origins,
            typing=self.typing,
        )
        await self.origins.sweep()
        await self.posting.posted.sweep()

    async def close(self) -> None:
        """Let the connections go; nothing can be said any more."""
        if self._account is not None:
            await self.typing.close()
            await self.rest.close()
            self._account = None

    @property
    def account(self) -> Account:
        """Who we are; known once `open` has returned."""
        assert self._account is not None, "the Discord port was not opened"
        return self._account

    async def post(self, place: Place, draft: Draft, mark: str) -> str:
        return await self.posting.post(place, draft, mark)

    async def find(self, place: Place, mark: str) -> str | None:
        found = await self.posting.posted.find(mark)
        if found is None:
            return None
        where, message = found
        return ids.message_id(ids.guild_of(place.channel), where, message)

    async def edit(self, place: Place, message: str, draft: Draft) -> None:
        await self.posting.edit(place, message, draft)

    async def delete(self, place: Place, message: str) -> None:
        try:
            await self._on(message, "DELETE", "")
        except Refused as error:
            if error.code != 10008:
                raise

    async def react(self, place: Place, message: str, sign: Sign, on: bool) -> None:
        number = ids.raw(message)
        if sign == "seen" and on:
            self.typing.begin(number, ids.where_of(message))
        elif sign in ("done", "failed", "stopped"):
            self.typing.end(number)
        try:
            method = "PUT" if on else "DELETE"
            await self._on(message, method, "/reactions/{emoji}/@me", emoji=EMOJI[sign])
        except Refused as error:
            if error.code not in NO_PLACE_FOR_A_SIGN:
                raise

    async def whisper(self, place: Place, person: str, draft: Draft) -> None:
        """Ephemeral where an interaction of the person is fresh; else a silent word in place.

        A direct message would be private too, but bots that send many are closed down.
        """
        token = self.whispers.token(person, place.thread)
        if token:
            body = render.body(draft) | {"flags": render.NO_EMBEDS | render.EPHEMERAL}
            path = f"/webhooks/{self.account.application}/{token}"
            try:
                await self.rest.once("POST", path, json=body)
                return
            except Refused as error:
                log.info("an interaction took no answer any more: %s", error)
        await self.posting.mutter(place, person, draft)

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        return await self._files.download(attachment, folder, limit)

    async def person(self, person: str) -> Person:
        """Discord tells a bot neither language nor time zone; interactions tell the former."""
        known = self._names.get(person)
        if known is not None and known.name:
            return known
        user: Any = await self.rest.call("GET", "/users/{user_id}", user_id=ids.raw(person))
        name = str(user.get("global_name") or user.get("username") or "")
        return self.learn(person, name, known.language if known else None)

    def learn(self, person: str, name: str = "", language: Language | None = None) -> Person:
        """Keep what an event tells of a person."""
        known = self._names.get(person) or Person(id=person)
        found = Person(id=person, name=name or known.name, language=language or known.language)
        self._names[person] = found
        self._names.move_to_end(person)
        if len(self._names) > PEOPLE:
            self._names.popitem(last=False)
        return found

    def language_of(self, user: str) -> Language | None:
        known = self._names.get(ids.person_id(user))
        return known.language if known else None

    def link(self, place: Place, message: str) -> str:
        guild = ids.guild_of(place.channel) or ids.DIRECT
        if not re.fullmatch(r"discord:[^/]+/\d+/\d+", message):
            return ""
        return f"https://discord.com/channels/{guild}/{ids.where_of(message)}/{ids.raw(message)}"

    async def message(self, channel: str, number: str) -> Any:
        """A message, by Discord's ids."""
        return await self.rest.call("GET", MESSAGE, channel_id=channel, message_id=number)

    async def page(self, channel: str, asked: Mapping[str, Any]) -> list[Any]:
        """Messages of a channel, newest first; nothing where it may not be read."""
        try:
            found: Any = await self.rest.call(
                "GET", "/channels/{channel_id}/messages", params=asked, channel_id=channel
            )
        except Refused as error:
            if error.code in (NO_ACCESS, NO_PERMISSION, UNKNOWN_CHANNEL):
                log.info("channel %s cannot be read: %s", channel, error)
                return []
            raise
        return list(found or [])

    async def _on(self, message: str, method: str, below: str, emoji: str = "") -> Any:
        where, number = ids.where_of(message), ids.raw(message)
        return await self.rest.call(
            method, MESSAGE + below, channel_id=where, message_id=number, emoji=emoji
        )

    async def _channel(self, channel: str) -> Any:
        return await self.rest.call("GET", "/channels/{channel_id}", channel_id=channel)

    async def _type(self, channel: str) -> None:
        await self.rest.call("POST", "/channels/{channel_id}/typing", channel_id=channel)


MESSAGE = "/channels/{channel_id}/messages/{message_id}"
