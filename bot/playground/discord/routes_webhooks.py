"""Webhooks: a name and a face of one's own for each message."""

from __future__ import annotations

from bot.playground.discord import views
from bot.playground.discord.call import Call
from bot.playground.discord.compose import Composer, posted
from bot.playground.discord.errors import DiscordError, invalid_form, unknown
from bot.playground.discord.guild import BOT, DM, FORUM, GUILD, THREAD, Guild
from bot.playground.discord.limits import name_faults, thread_faults
from bot.playground.discord.rest import Routes
from bot.playground.rows import Json


class WebhookRoutes:
    def __init__(self, guild: Guild, composer: Composer) -> None:
        self._guild = guild
        self._composer = composer

    def add(self, routes: Routes) -> None:
        one = "/webhooks/{webhook_id}"
        free = f"{one}/{{token}}"
        of_channel = "/channels/{channel_id}/webhooks"
        routes.add(f"POST {of_channel}", "webhook.create", self.create)
        routes.add(f"GET {of_channel}", "webhook.list", self.of_channel)
        routes.add("GET /guilds/{guild_id}/webhooks", "webhook.list", self.of_guild)
        routes.add(f"GET {one}", "webhook.get", self.get)
        routes.add(f"PATCH {one}", "webhook.change", self.change)
        routes.add(f"DELETE {one}", "webhook.delete", self.delete)
        routes.add(f"GET {free}", "webhook.get", self.get, free=True)
        routes.add(f"PATCH {free}", "webhook.change", self.change, free=True)
        routes.add(f"DELETE {free}", "webhook.delete", self.delete, free=True)

    async def create(self, call: Call) -> Json:
        channel, body = call.params["channel_id"], call.fields
        row = self._guild.need(BOT, channel, "MANAGE_WEBHOOKS")
        if row["type"] in (DM, THREAD):
            raise DiscordError(400, 50024, "Cannot execute action on this channel type")
        self._composer.check(call, [*name_faults("name", body.get("name"))])
        made = self._guild.add_webhook(channel, body["name"], BOT, body.get("avatar"))
        return views.webhook(self._guild, made)

    async def of_channel(self, call: Call) -> list[Json]:
        channel = call.params["channel_id"]
        self._guild.need(BOT, channel, "MANAGE_WEBHOOKS")
        held = [w for w, row in self._guild.webhooks.items() if row["channel"] == channel]
        return [views.webhook(self._guild, webhook) for webhook in held]

    async def of_guild(self, call: Call) -> list[Json]:
        if call.params["guild_id"] != GUILD:
            raise unknown("Guild")
        return [views.webhook(self._guild, webhook) for webhook in self._guild.webhooks]

    async def get(self, call: Call) -> Json:
        self._row(call)
        return views.webhook(self._guild, call.params["webhook_id"])

    async def change(self, call: Call) -> Json:
        row, body = self._row(call), call.fields
        if "name" in body:
            self._composer.check(call, [*name_faults("name", body["name"])])
        kept = {key: body[key] for key in ("name", "avatar") if key in body}
        if "channel_id" in body:
            kept["channel"] = str(body["channel_id"])
        self._guild.rows.put("webhook", call.params["webhook_id"], {**row, **kept})
        return views.webhook(self._guild, call.params["webhook_id"])

    async def delete(self, call: Call) -> None:
        self._row(call)
        self._guild.remove_webhook(call.params["webhook_id"])

    # Executing

    async def execute(self, call: Call) -> Json | None:
        row, body, query = self._row(call), call.fields, call.query
        channel, thread = row["channel"], query.get("thread_id")
        if thread is not None:
            channel = self._thread_of(row, thread)
        elif self._guild.channel(channel)["type"] == FORUM and not body.get("thread_name"):
            raise DiscordError(
                400,
                220001,
                "Webhooks posted to forum channels must have a thread_name or thread_id",
            )
        fields = self._composer.new(call, body, channel, crowd=True)
        # Webhooks know no replies and no nonce: both are ignored, not refused.
        for name in ("reference", "replied", "nonce"):
            fields.pop(name, None)
        if thread is None and body.get("thread_name"):
            self._composer.check(call, thread_faults({"name": body["thread_name"]}))
            opened = self._guild.open_thread(channel, BOT, body["thread_name"])
            channel, fields["id"] = opened["id"], opened["id"]
        face = {
            "webhook_id": call.params["webhook_id"],
            "username": body.get("username") or row["name"],
            "avatar_url": body.get("avatar_url") or row["avatar"],
            "type": 0,
        }
        # Not the bot's own account: its author is the webhook.
        author = call.params["webhook_id"]
        made = posted(self._guild, channel, author, fields, **face)
        shown = views.message(self._guild, made)
        return shown if query.get("wait", "").lower() in ("1", "true") else None

    async def message(self, call: Call) -> Json:
        return views.message(self._guild, self._held(call))

    async def edit(self, call: Call) -> Json:
        before = self._held(call)
        fields = self._composer.edit(call, call.fields, before, crowd=True)
        changed = self._guild.change(before["channel"], before["id"], fields)
        return views.message(self._guild, changed)

    async def remove(self, call: Call) -> None:
        held = self._held(call)
        self._guild.remove(held["channel"], held["id"])

    def _row(self, call: Call) -> Json:
        webhook, token = call.params["webhook_id"], call.params.get("token")
        row = self._guild.webhook(webhook, token)
        if token is None:
            self._guild.need(BOT, row["channel"], "MANAGE_WEBHOOKS")
        return row

    def _thread_of(self, row: Json, thread: str) -> str:
        held = self._guild.channels.get(thread)
        if held is None or held["type"] != THREAD or held["parent"] != row["channel"]:
            raise unknown("Channel")
        return thread

    def _held(self, call: Call) -> Json:
        """The webhook's own message; one in a thread is found only with its `thread_id`."""
        row = self._row(call)
        thread = call.query.get("thread_id")
        channel = self._thread_of(row, thread) if thread else row["channel"]
        held = self._guild.find(channel, call.params["message_id"])
        if held.get("webhook_id") != call.params["webhook_id"]:
            raise invalid_form(["message_id: not a message of this webhook"])
        return held
