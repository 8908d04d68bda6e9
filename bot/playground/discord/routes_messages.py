"""Messages, reactions and typing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from bot.playground.discord import views
from bot.playground.discord.call import Call
from bot.playground.discord.compose import Composer, needs_to_send, posted
from bot.playground.discord.errors import DiscordError, unknown
from bot.playground.discord.guild import BOT, DM, FORUM, THREAD, Guild
from bot.playground.discord.rest import Routes
from bot.playground.rows import Json

LISTED = 100
"""Most messages of one answer."""


class MessageRoutes:
    def __init__(self, guild: Guild, composer: Composer, content: bool) -> None:
        self._guild = guild
        self._composer = composer
        self._content = content
        """The Message Content switch: without it REST answers hide content as well."""

    def add(self, routes: Routes) -> None:
        one = "/channels/{channel_id}/messages/{message_id}"
        reaction = f"{one}/reactions/{{emoji}}"
        routes.add("GET /channels/{channel_id}/messages", "message.list", self.listed)
        routes.add("POST /channels/{channel_id}/messages", "message.create", self.create)
        routes.add("GET /channels/{channel_id}/messages/pins", "message.pins", self.pins)
        routes.add("POST /channels/{channel_id}/messages/bulk-delete", "message.bulk", self.bulk)
        routes.add(f"GET {one}", "message.get", self.get)
        routes.add(f"PATCH {one}", "message.edit", self.edit)
        routes.add(f"DELETE {one}", "message.delete", self.delete)
        routes.add(f"PUT {reaction}/@me", "reaction.add", self.react, bucket="reaction")
        routes.add(f"DELETE {reaction}/@me", "reaction.remove", self.unreact, bucket="reaction")
        routes.add(f"DELETE {reaction}/{{user_id}}", "reaction.take", self.take, bucket="reaction")
        routes.add(f"DELETE {reaction}", "reaction.clear", self.clear, bucket="reaction")
        routes.add(f"DELETE {one}/reactions", "reaction.clear", self.clear, bucket="reaction")
        routes.add(f"GET {reaction}", "reaction.list", self.reactors)
        routes.add("POST /channels/{channel_id}/typing", "typing", self.typing)

    def view(self, row: Json) -> Json:
        readable = self._content or views.free(self._guild, row)
        return views.message(self._guild, row, readable)

    async def listed(self, call: Call) -> list[Json]:
        channel = call.params["channel_id"]
        row = self._guild.need(BOT, channel)
        if row["type"] == FORUM:
            raise DiscordError(400, 50008, "Cannot send messages in a non-text channel")
        limit = min(int(call.query.get("limit", 50)), LISTED)
        messages = self._guild.timeline(channel)
        if row["type"] != DM and not self._guild.allowed(BOT, channel, "READ_MESSAGE_HISTORY"):
            return []
        if "after" in call.query:
            later = [m for m in messages if int(m["id"]) > int(call.query["after"])]
            # Discord takes those next to the mark, and lists them newest first all the same.
            later = sorted(later, key=lambda m: int(m["id"]))[:limit]
            return [self.view(m) for m in newest(later, limit)]
        if "before" in call.query:
            messages = [m for m in messages if int(m["id"]) < int(call.query["before"])]
        if "around" in call.query:
            return [self.view(m) for m in _around(messages, int(call.query["around"]), limit)]
        return [self.view(m) for m in newest(messages, limit)]

    async def create(self, call: Call) -> Json:
        channel, body = call.params["channel_id"], call.fields
        if self._guild.channel(channel)["type"] == FORUM:
            raise DiscordError(400, 40058, "Cannot send messages in a forum channel")
        needs_to_send(self._guild, channel, bool(call.uploads))
        if body.get("enforce_nonce") and body.get("nonce") is not None:
            first = self._guild.by_nonce(BOT, str(body["nonce"]))
            if first is not None:
                return self.view(first)
        crowd = self._guild.allowed(BOT, channel, "MENTION_EVERYONE")
        fields = self._composer.new(call, body, channel, crowd=crowd)
        if "reference" in fields:
            self._guild.need(BOT, channel, "READ_MESSAGE_HISTORY")
        made = posted(self._guild, channel, BOT, fields)
        return self.view(made) | ({"nonce": made["nonce"]} if "nonce" in made else {})

    async def get(self, call: Call) -> Json:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "READ_MESSAGE_HISTORY")
        return self.view(self._kept(channel, call.params["message_id"]))

    async def edit(self, call: Call) -> Json:
        channel, message = call.params["channel_id"], call.params["message_id"]
        self._guild.need(BOT, channel)
        before = self._kept(channel, message)
        if before["author"] != BOT:
            raise DiscordError(403, 50005, "Cannot edit a message authored by another user")
        self._awake(channel)
        crowd = self._guild.allowed(BOT, channel, "MENTION_EVERYONE")
        fields = self._composer.edit(call, call.fields, before, crowd=crowd)
        return self.view(self._guild.change(channel, message, fields))

    async def delete(self, call: Call) -> None:
        channel, message = call.params["channel_id"], call.params["message_id"]
        self._guild.need(BOT, channel)
        held = self._kept(channel, message)
        if held["author"] != BOT:
            self._guild.need(BOT, channel, "MANAGE_MESSAGES")
        self._guild.remove(channel, message)

    async def bulk(self, call: Call) -> None:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "MANAGE_MESSAGES")
        for message in call.fields["messages"]:
            self._guild.remove(channel, self._kept(channel, str(message))["id"])

    async def pins(self, call: Call) -> Json:
        self._guild.need(BOT, call.params["channel_id"])
        return {"items": [], "has_more": False}

    # Reactions and typing

    async def react(self, call: Call) -> None:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "READ_MESSAGE_HISTORY")
        held = self._kept(channel, call.params["message_id"])
        emoji = unquote(call.params["emoji"])
        if emoji.isascii() and ":" not in emoji:
            raise DiscordError(400, 10014, "Unknown Emoji")
        if emoji not in held["reactions"]:
            self._guild.need(BOT, channel, "ADD_REACTIONS")
        self._awake(channel)
        self._guild.react(channel, held["id"], emoji, BOT, True)

    async def unreact(self, call: Call) -> None:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel)
        held = self._kept(channel, call.params["message_id"])
        self._awake(channel)
        self._guild.react(channel, held["id"], unquote(call.params["emoji"]), BOT, False)

    async def take(self, call: Call) -> None:
        channel, who = call.params["channel_id"], call.params["user_id"]
        if who != BOT:
            self._guild.need(BOT, channel, "MANAGE_MESSAGES")
        held = self._kept(channel, call.params["message_id"])
        self._guild.react(channel, held["id"], unquote(call.params["emoji"]), who, False)

    async def clear(self, call: Call) -> None:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "MANAGE_MESSAGES")
        held = self._kept(channel, call.params["message_id"])
        only = unquote(call.params.get("emoji", ""))
        for emoji, users in list(held["reactions"].items()):
            for who in users if only in ("", emoji) else ():
                self._guild.react(channel, held["id"], emoji, who, False)

    async def reactors(self, call: Call) -> list[Json]:
        held = self._kept(call.params["channel_id"], call.params["message_id"])
        users = held["reactions"].get(unquote(call.params["emoji"]), [])
        return [views.user(self._guild, who) for who in users]

    async def typing(self, call: Call) -> None:
        channel = call.params["channel_id"]
        needs_to_send(self._guild, channel, uploads=False)
        self._guild.type(channel, BOT)

    # Within

    def _kept(self, channel: str, message: str) -> Json:
        held = self._guild.find(channel, message)
        if "to" in held:
            # An ephemeral message is reached through its interaction alone.
            raise unknown("Message")
        return held

    def _awake(self, channel: str) -> None:
        row = self._guild.channel(channel)
        if row["type"] == THREAD and row["archived"]:
            raise DiscordError(400, 50083, "Thread is archived")


def _around(messages: list[Json], mark: int, limit: int) -> list[Json]:
    near = sorted(messages, key=lambda m: abs(int(m["id"]) - mark))[:limit]
    return [*newest(near, limit)]


def newest(messages: Iterable[Json], limit: int) -> Iterator[Json]:
    """The last `limit` of messages that are in order, newest first, as Discord lists them."""
    yield from sorted(messages, key=lambda m: int(m["id"]), reverse=True)[:limit]
