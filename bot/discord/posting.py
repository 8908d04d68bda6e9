"""Posting and editing: into the thread, as us or as a teammate, once."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.discord import ids, render
from bot.discord.account import Account
from bot.discord.errors import (
    NO_ACCESS,
    NO_PERMISSION,
    NOT_OURS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    Refused,
)
from bot.discord.excuses import Excuses
from bot.discord.origins import Origin, Origins
from bot.discord.posted import Posted, nonce
from bot.discord.threads import NO_THREAD_HERE, Threads, Where
from bot.discord.typing import Typing
from bot.discord.webhooks import Hook, Webhooks
from bot.discord.wire import Rest
from bot.platform import Draft
from bot.text.outbound import clean
from core.errors import Undeliverable
from core.messages import Place

log = logging.getLogger(__name__)

OPEN_S = 3.0
"""How long the adapter may take to answer a command before its root is posted by us."""
HELD = 5_000
NO_FORM = frozenset({50035, 50006})
"""Discord refuses the form of a message; a teammate's name may be what it does not take."""

_MARK = re.compile(r"discord:(\d+)(?::\w+)?#(.*)", re.S)
_FIRST = re.compile(r"post:(?:answer:1|receipt|notice:.*|need:.*)\Z")
"""Keys of posts that answer the message they reply to."""

MESSAGES = "/channels/{channel_id}/messages"
MESSAGE = MESSAGES + "/{message_id}"


def asked_number(mark: str) -> tuple[str, str]:
    """Discord's id of the message or interaction that a post's run came from, and its key."""
    found = _MARK.fullmatch(mark)
    return (found[1], found[2]) if found else ("", mark)


@dataclass(frozen=True)
class Said:
    """How a message was said, as far as this process knows: its later edits go the same way."""

    hook_of: str = ""
    """The channel whose webhook said it."""
    origin: str = ""
    """The interaction whose token said it."""


@dataclass
class Posting:
    """Sends. Errors are those of `bot.platform`."""

    rest: Rest
    account: Account
    threads: Threads
    webhooks: Webhooks
    posted: Posted
    origins: Origins
    typing: Typing
    excuses: Excuses = field(init=False)
    _said: OrderedDict[str, Said] = field(default_factory=OrderedDict[str, Said])
    _opening: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    def __post_init__(self) -> None:
        self.excuses = Excuses(self.rest)

    async def post(self, place: Place, draft: Draft, mark: str) -> str:
        """Post into the place's thread; our id of the message."""
        number, _ = asked_number(mark)
        self.typing.end(number)
        origin = await self.origins.get(number)
        if origin is None and ids.is_command_thread(place.thread):
            origin = await self.origins.get(command_number(place.thread))
        if origin is not None and origin.kind == "reply" and origin.mark in ("", mark):
            said = await self._respond(origin, draft, mark)
            if said is not None:
                return said
        where = await self._where(place, origin)
        try:
            return await self._into(where, place, draft, mark, by_command=origin is not None)
        except Refused as error:
            return await self._refused(place, draft, mark, origin, where, error)

    async def edit(self, place: Place, message: str, draft: Draft) -> None:
        """Change a message of ours, whichever way it was said."""
        said = self._said.get(message)
        if said is not None and said.origin:
            await self._edit_response(said.origin, message, draft)
            return
        hooked = said.hook_of if said else ids.raw(place.channel) if draft.speaker else ""
        try:
            await self._edit(message, draft, hooked)
        except Refused as error:
            # After a restart nobody knows who said it; Discord does.
            if said is not None or error.code not in (NOT_OURS, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK):
                raise
            await self._edit(message, draft, "" if hooked else ids.raw(place.channel))

    async def mutter(self, place: Place, person: str, draft: Draft) -> None:
        """A word to one person where everybody may read it, without a ring."""
        named = draft.model_copy(update={"people": (person, *draft.people)})
        body = render.body(named.model_copy(update={"text": f"<@{ids.raw(person)}> {draft.text}"}))
        body["flags"] |= render.SILENT
        guild, channel, root = ids.guild_of(place.channel), ids.raw(place.channel), ""
        if not ids.is_command_thread(place.thread):
            root = ids.raw(place.thread)
            channel = (await self.threads.where(guild, channel, root)).channel
        await self.rest.call("POST", MESSAGES, json=body, channel_id=channel)

    def opening(self, interaction: str) -> asyncio.Event:
        """Set by the adapter once an interaction's first answer is a message, or failed."""
        return self._opening.setdefault(interaction, asyncio.Event())

    def opened(self, interaction: str) -> None:
        event = self._opening.pop(interaction, None)
        if event is not None:
            event.set()

    async def _where(self, place: Place, origin: Origin | None) -> Where:
        guild, channel = ids.guild_of(place.channel), ids.raw(place.channel)
        if not ids.is_command_thread(place.thread):
            return await self.threads.where(guild, channel, ids.raw(place.thread))
        if origin is None:
            raise Undeliverable(f"no such command: {place.thread}")
        if origin.kind == "reply":
            return Where(guild, channel, channel, ids.raw(origin.message))
        message = origin.message or await self._root(place, origin)
        if place.direct or ids.where_of(message) != channel:
            return Where(guild, ids.where_of(message), channel)
        return await self.threads.where(guild, channel, ids.raw(message))

    async def _root(self, place: Place, origin: Origin) -> str:
        """The message that a command's thread begins at; ours, if its response did not come."""
        opening = self._opening.get(origin.id)
        if opening is not None:
            try:
                async with asyncio.timeout(OPEN_S):
                    await opening.wait()
            except TimeoutError:
                log.info("interaction %s was not answered in time", origin.id)
        known = await self.origins.get(origin.id)
        if known is not None and known.message:
            return known.message
        message = await self._response(origin) or await self._root_of_ours(place, origin)
        await self.origins.opened(origin, message)
        return message

    async def _response(self, origin: Origin) -> str:
        """The response that an earlier process gave, if it did."""
        token = origin.live_token(self.origins.clock())
        if not token:
            return ""
        path = f"/webhooks/{self.account.application}/{token}/messages/@original"
        try:
            found: Any = await self.rest.once("GET", path)
        except Refused:
            return ""
        return ids.message_id(
            ids.guild_of(origin.channel), str(found["channel_id"]), str(found["id"])
        )

    async def _root_of_ours(self, place: Place, origin: Origin) -> str:
        guild, channel = ids.guild_of(place.channel), ids.raw(place.channel)
        body = render.body(quoted(origin.line, origin.person))
        return await self._send(guild, channel, body, f"root:{origin.id}", place.channel)

    async def _into(
        self, where: Where, place: Place, draft: Draft, mark: str, *, by_command: bool = False
    ) -> str:
        draft = self.excuses.with_reason(where, place, draft)
        hook = await self._hook(where, draft)
        if hook is not None:
            said = await self._as_teammate(hook, where, place, draft, mark)
            if said is not None:
                return said
        body = render.body(draft, name=True)
        number, key = asked_number(mark)
        reply = self._reply_to(where, place, number, key, by_command)
        if reply:
            body["message_reference"] = {"message_id": reply, "fail_if_not_exists": False}
            pings = key == "post:answer:1"
            body["allowed_mentions"] = render.mentions(draft.people, replied=pings)
        said = await self._send(where.guild, where.channel, body, mark, place.channel)
        await self._belongs(where, place, said)
        return said

    async def _belongs(self, where: Where, place: Place, message: str) -> None:
        if where.root and not ids.is_command_thread(place.thread):
            # A reply to it in the channel goes on with this thread.
            await self.origins.alias(message, place.thread, place.channel)

    def _reply_to(self, where: Where, place: Place, number: str, key: str, by_command: bool) -> str:
        """The message that a post replies to: the question, where it stands in the same place."""
        if where.root or by_command:
            return where.root
        in_place = where.channel == ids.raw(place.thread) != number
        return number if in_place and _FIRST.search(key) else ""

    async def _hook(self, where: Where, draft: Draft) -> Hook | None:
        if draft.speaker is None or not where.guild or not render.username(draft.speaker):
            return None
        return await self.webhooks.of(where.parent)

    async def _as_teammate(
        self, hook: Hook, where: Where, place: Place, draft: Draft, mark: str
    ) -> str | None:
        """Post through a webhook; None if it cannot be, so that we say it ourselves."""
        speaker = draft.speaker
        assert speaker is not None
        body = render.body(draft) | {"username": render.username(speaker)}
        if render.is_address(speaker.avatar):
            body["avatar_url"] = speaker.avatar
        params = {"wait": "true"} | ({"thread_id": where.thread} if where.thread else {})
        await self.posted.begin(mark, where.channel, body["content"], place.channel)
        try:
            made: Any = await self.rest.once(
                "POST", f"/webhooks/{hook.id}/{hook.token}", json=body, params=params
            )
        except Refused as error:
            if error.code == UNKNOWN_WEBHOOK:
                self.webhooks.forget(where.parent)
            elif error.code not in NO_FORM:
                raise
            log.info("a teammate's webhook took no post: %s", error)
            return None
        message = ids.message_id(where.guild, where.channel, str(made["id"]))
        self._remember(message, Said(hook_of=where.parent))
        await self.posted.done(mark, str(made["id"]))
        await self._belongs(where, place, message)
        return message

    async def _send(
        self, guild: str, channel: str, body: Mapping[str, Any], mark: str, scope_of: str
    ) -> str:
        """Post as us. Discord takes one message of a nonce, however often it is sent."""
        await self.posted.begin(mark, channel, str(body["content"]), scope_of)
        made: Any = await self.rest.call(
            "POST",
            MESSAGES,
            json={**body, "nonce": nonce(mark), "enforce_nonce": True},
            channel_id=channel,
        )
        message = ids.message_id(guild, channel, str(made["id"]))
        self._remember(message, Said())
        await self.posted.done(mark, str(made["id"]))
        return message

    async def _respond(self, origin: Origin, draft: Draft, mark: str) -> str | None:
        """Make a post the response of its command; None if its token is over."""
        token = origin.live_token(self.origins.clock())
        if not token:
            return None
        opening = self._opening.get(origin.id)
        if opening is not None:
            await opening.wait()
        await self.origins.taking(origin, mark)
        path = f"/webhooks/{self.account.application}/{token}/messages/@original"
        try:
            made: Any = await self.rest.once("PATCH", path, json=render.body(draft, name=True))
        except Refused as error:
            log.info("a command's response cannot be given any more: %s", error)
            return None
        where = str(made.get("channel_id") or ids.raw(origin.channel))
        message = ids.message_id(ids.guild_of(origin.channel), where, str(made["id"]))
        self._remember(message, Said(origin=origin.id))
        await self.origins.opened(origin, message, mark)
        return message

    async def _edit_response(self, interaction: str, message: str, draft: Draft) -> None:
        origin = await self.origins.get(interaction)
        token = origin.live_token(self.origins.clock()) if origin else ""
        if not token:
            await self._edit(message, draft, "")
            return
        path = f"/webhooks/{self.account.application}/{token}/messages/{ids.raw(message)}"
        await self.rest.once("PATCH", path, json=render.body(draft, name=True))

    async def _edit(self, message: str, draft: Draft, hook_of: str) -> None:
        where, number = ids.where_of(message), ids.raw(message)
        if not hook_of:
            await self.rest.call(
                "PATCH",
                MESSAGE,
                json=render.body(draft, name=True),
                channel_id=where,
                message_id=number,
            )
            return
        hook = await self.webhooks.of(hook_of)
        if hook is None:
            raise Refused(UNKNOWN_WEBHOOK)
        params = {} if where == hook_of else {"thread_id": where}
        path = f"/webhooks/{hook.id}/{hook.token}/messages/{number}"
        await self.rest.once("PATCH", path, json=render.body(draft), params=params)
        self._remember(message, Said(hook_of=hook_of))

    async def _refused(
        self,
        place: Place,
        draft: Draft,
        mark: str,
        origin: Origin | None,
        where: Where,
        error: Refused,
    ) -> str:
        """A place that takes no post: another one, or a word to the asker about it."""
        root = ids.raw(place.thread)
        if where.thread and error.code in NO_THREAD_HERE:
            moved = self.threads.lost(root, error)
            if moved is not None:
                try:
                    return await self._into(moved, place, draft, mark)
                except Refused as another:
                    error = another
        if error.code in (NO_ACCESS, NO_PERMISSION):
            said = await self._by_token(origin, draft, mark, place)
            if said is not None:
                return said
            await self.excuses.not_allowed(place, draft)
        elif error.code == UNKNOWN_CHANNEL and where.thread:
            self.threads.lost(root, error)
            await self.excuses.gone(where, root, draft)
        raise error

    async def _by_token(
        self, origin: Origin | None, draft: Draft, mark: str, place: Place
    ) -> str | None:
        """A command works where we may not write; so does its answer, while its token is good."""
        token = origin.live_token(self.origins.clock()) if origin else ""
        if origin is None or not token:
            return None
        path = f"/webhooks/{self.account.application}/{token}"
        body = render.body(draft, name=True)
        await self.posted.begin(mark, ids.raw(place.channel), body["content"], place.channel)
        try:
            made: Any = await self.rest.once("POST", path, json=body, params={"wait": "true"})
        except Refused:
            return None
        message = ids.message_id(
            ids.guild_of(place.channel), ids.raw(place.channel), str(made["id"])
        )
        self._remember(message, Said(origin=origin.id))
        await self.posted.done(mark, str(made["id"]))
        return message

    def _remember(self, message: str, said: Said) -> None:
        self._said[message] = said
        self._said.move_to_end(message)
        if len(self._said) > HELD:
            self._said.popitem(last=False)


def command_number(thread: str) -> str:
    return ids.raw(thread).removeprefix(ids.COMMAND_THREAD)


def quoted(line: str, person: str) -> Draft:
    """The first message of a command's thread: who typed what."""
    line = render.fitted(line, ROOT)
    quote = "\n".join(f"> {part}" for part in line.splitlines())
    return clean(Draft(text=f"<@{ids.raw(person)}>\n{quote}", people=(person,)), ids.NAME)


ROOT = 1_000
"""How much of a typed command its thread's first message quotes."""
