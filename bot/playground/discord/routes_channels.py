"""Channels, threads, forum posts, members and the guild."""

from __future__ import annotations

from bot.playground.discord import views
from bot.playground.discord.call import Call
from bot.playground.discord.compose import Composer, posted
from bot.playground.discord.errors import DiscordError, invalid_form, unknown
from bot.playground.discord.guild import BOT, FORUM, GUILD, STARTER, TEXT, THREAD, Guild
from bot.playground.discord.limits import thread_faults
from bot.playground.discord.rest import Routes
from bot.playground.rows import Json

ACTIVE_THREADS = 1_000
"""Discord: 160006 above it."""


class ChannelRoutes:
    def __init__(self, guild: Guild, composer: Composer) -> None:
        self._guild = guild
        self._composer = composer

    def add(self, routes: Routes) -> None:
        one = "/channels/{channel_id}"
        members = f"{one}/thread-members"
        routes.add(f"GET {one}", "channel.get", self.get)
        routes.add(f"PATCH {one}", "channel.edit", self.edit)
        routes.add(f"DELETE {one}", "channel.delete", self.delete)
        routes.add(f"POST {one}/messages/{{message_id}}/threads", "thread.create", self.hang)
        routes.add(f"POST {one}/threads", "thread.open", self.open, bucket="thread.create")
        routes.add(f"GET {one}/threads/archived/public", "thread.archived", self.archived)
        routes.add(f"GET {members}", "thread.members", self.members)
        routes.add(f"GET {members}/{{user_id}}", "thread.member", self.member)
        routes.add(f"PUT {members}/{{user_id}}", "thread.join", self.join)
        routes.add(f"DELETE {members}/{{user_id}}", "thread.leave", self.leave)
        routes.add("GET /guilds/{guild_id}", "guild.get", self.guild)
        routes.add("GET /guilds/{guild_id}/channels", "guild.channels", self.channels)
        routes.add("GET /guilds/{guild_id}/roles", "guild.roles", self.roles)
        routes.add("GET /guilds/{guild_id}/threads/active", "thread.active", self.active)
        routes.add("GET /guilds/{guild_id}/members", "member.list", self.people)
        routes.add("GET /guilds/{guild_id}/members/{user_id}", "member.get", self.person)
        routes.add("PATCH /guilds/{guild_id}/members/@me", "member.edit", self.myself)

    async def get(self, call: Call) -> Json:
        row = self._guild.need(BOT, call.params["channel_id"])
        return views.channel(self._guild, row)

    async def edit(self, call: Call) -> Json:
        channel, body = call.params["channel_id"], call.fields
        row = self._guild.channel(channel)
        if row["type"] != THREAD:
            self._guild.need(BOT, channel, "MANAGE_CHANNELS")
            wanted = {"name": "name", "topic": "topic"}
        else:
            self._may_edit_thread(row, body)
            wanted = {
                "name": "name",
                "archived": "archived",
                "locked": "locked",
                "auto_archive_duration": "minutes",
                "applied_tags": "tags",
            }
        faults = thread_faults({"name": row["name"], **body}) if row["type"] == THREAD else []
        self._composer.check(call, faults)
        fields = {ours: body[theirs] for theirs, ours in wanted.items() if theirs in body}
        changed = self._guild.change_channel(
            channel, {**fields, "changed": self._guild.clock.now()}
        )
        return views.channel(self._guild, changed)

    def _may_edit_thread(self, row: Json, body: Json) -> None:
        own = row["owner"] == BOT and "locked" not in body
        only_archive = set(body) <= {"archived"} and not row["locked"]
        if not (own or only_archive):
            self._guild.need(BOT, row["id"], "MANAGE_THREADS")
        elif row["archived"] and body.get("archived", True):
            raise DiscordError(400, 50083, "Thread is archived")

    async def delete(self, call: Call) -> Json:
        channel = call.params["channel_id"]
        row = self._guild.channel(channel)
        name = "MANAGE_THREADS" if row["type"] == THREAD else "MANAGE_CHANNELS"
        self._guild.need(BOT, channel, name)
        shown = views.channel(self._guild, row)
        self._guild.remove_channel(channel)
        return shown

    # Threads

    async def hang(self, call: Call) -> Json:
        """A thread on a message; it has the message's id."""
        channel, message, body = call.params["channel_id"], call.params["message_id"], call.fields
        row = self._guild.need(BOT, channel, "CREATE_PUBLIC_THREADS", "READ_MESSAGE_HISTORY")
        if row["type"] != TEXT:
            raise DiscordError(400, 50024, "Cannot execute action on this channel type")
        self._guild.find(channel, message)
        if message in self._guild.channels:
            raise DiscordError(400, 160004, "A thread has already been created for this message")
        self._composer.check(call, thread_faults(body))
        self._few_enough()
        return views.thread(self._guild, hang_thread(self._guild, channel, message, BOT, body))

    async def open(self, call: Call) -> Json:
        """A post in a forum, or a thread that hangs on no message."""
        channel, body = call.params["channel_id"], call.fields
        row = self._guild.channel(channel)
        self._few_enough()
        if row["type"] != FORUM:
            self._guild.need(BOT, channel, "CREATE_PUBLIC_THREADS")
            self._composer.check(call, thread_faults(body))
            minutes = body.get("auto_archive_duration") or 1_440
            opened = self._guild.open_thread(channel, BOT, body["name"], minutes=minutes)
            return views.thread(self._guild, opened)
        # In forums it is SEND_MESSAGES that lets a member open a post.
        self._guild.need(BOT, channel, "SEND_MESSAGES")
        self._composer.check(call, thread_faults(body))
        tags = [str(tag) for tag in body.get("applied_tags") or []]
        if row.get("flags", 0) & 1 << 4 and not tags:
            raise DiscordError(400, 40067, "A tag is required to create a forum post")
        known = {tag["id"] for tag in row.get("tags", [])}
        if not set(tags) <= known:
            raise invalid_form(["applied_tags: unknown tag"])
        if "message" not in body:
            raise invalid_form(["message: This field is required"])
        fields = self._composer.new(call, body["message"], channel, crowd=False)
        thread = self._guild.open_thread(channel, BOT, body["name"], tags=tags)
        first = posted(self._guild, thread["id"], BOT, fields, id=thread["id"])
        return {
            **views.thread(self._guild, self._guild.channel(thread["id"])),
            "message": views.message(self._guild, first),
        }

    def _few_enough(self) -> None:
        if sum(not row["archived"] for row in self._guild.threads()) >= ACTIVE_THREADS:
            raise DiscordError(400, 160006, "Maximum number of active threads reached")

    async def archived(self, call: Call) -> Json:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "READ_MESSAGE_HISTORY")
        rows = [row for row in self._guild.threads(channel) if row["archived"]]
        shown = [views.thread(self._guild, row) for row in reversed(rows)]
        return {"threads": shown, "members": [], "has_more": False}

    async def active(self, call: Call) -> Json:
        rows = [
            row
            for row in self._guild.threads()
            if not row["archived"] and self._guild.allowed(BOT, row["id"], "VIEW_CHANNEL")
        ]
        members = [views.thread_member(row, BOT) for row in rows if BOT in row["members"]]
        return {"threads": [views.thread(self._guild, row) for row in rows], "members": members}

    async def members(self, call: Call) -> list[Json]:
        row = self._guild.need(BOT, call.params["channel_id"])
        return [views.thread_member(row, person) for person in row["members"]]

    async def member(self, call: Call) -> Json:
        row = self._guild.need(BOT, call.params["channel_id"])
        person = self._whom(call)
        if person not in row["members"]:
            raise unknown("Member")
        return views.thread_member(row, person)

    async def join(self, call: Call) -> None:
        channel = call.params["channel_id"]
        row = self._guild.need(BOT, channel)
        if row["archived"]:
            raise DiscordError(400, 50083, "Thread is archived")
        self._guild.join(channel, self._whom(call))

    async def leave(self, call: Call) -> None:
        self._guild.need(BOT, call.params["channel_id"])
        self._guild.leave(call.params["channel_id"], self._whom(call))

    def _whom(self, call: Call) -> str:
        person = BOT if call.params["user_id"] == "@me" else call.params["user_id"]
        self._guild.person(person)
        return person

    # The guild

    async def guild(self, call: Call) -> Json:
        self._here(call)
        held = self._guild
        count = len(held.people)
        counts = {"approximate_member_count": count, "approximate_presence_count": count}
        return views.guild(held) | counts

    async def channels(self, call: Call) -> list[Json]:
        self._here(call)
        rows = [r for r in self._guild.channels.values() if r["type"] in (0, 4, 15)]
        return [views.channel(self._guild, row) for row in rows]

    async def roles(self, call: Call) -> list[Json]:
        self._here(call)
        return [views.role(self._guild, role) for role in self._guild.roles]

    async def people(self, call: Call) -> list[Json]:
        self._here(call)
        limit, after = int(call.query.get("limit", 1)), int(call.query.get("after", 0))
        found = sorted((p for p in self._guild.people if int(p) > after), key=int)[:limit]
        return [views.member(self._guild, person) for person in found]

    async def person(self, call: Call) -> Json:
        self._here(call)
        person = call.params["user_id"]
        if person not in self._guild.people:
            raise unknown("Member")
        return views.member(self._guild, person)

    async def myself(self, call: Call) -> Json:
        self._here(call)
        return views.member(self._guild, BOT)

    def _here(self, call: Call) -> None:
        if call.params["guild_id"] != GUILD:
            raise unknown("Guild")


def hang_thread(guild: Guild, channel: str, message: str, owner: str, body: Json) -> Json:
    """Open a thread on a message: it gets the message's id and a reference as its first line."""
    minutes = body.get("auto_archive_duration") or 1_440
    thread = guild.open_thread(channel, owner, body["name"], thread=message, minutes=minutes)
    reference = {"channel_id": channel, "message_id": message}
    guild.post(thread["id"], owner, "", type=STARTER, reference=reference)
    # The message shows that it has a thread now.
    guild.change(channel, message, {})
    return guild.channel(thread["id"])
