"""Answers to interactions: the callback, the original, follow-ups."""

from __future__ import annotations

from bot.playground.discord import views
from bot.playground.discord.call import Call
from bot.playground.discord.compose import Composer
from bot.playground.discord.errors import DiscordError, invalid_form, unknown
from bot.playground.discord.guild import APP, BOT, DM, Guild
from bot.playground.discord.interactions import COMMAND, Interaction, Interactions, called
from bot.playground.discord.limits import EPHEMERAL, SLASH, V2, modal_faults, walk
from bot.playground.discord.rest import Routes
from bot.playground.discord.routes_webhooks import WebhookRoutes
from bot.playground.rows import Json

LOADING = 1 << 7
ANSWER, DEFER, DEFER_UPDATE, UPDATE, COMPLETE, FORM = 4, 5, 6, 7, 8, 9
COMMAND_ANSWER, MENU_ANSWER = 20, 23
"""Types of messages that answer a slash command or a context menu."""


class InteractionRoutes:
    """`/webhooks/{id}/{token}` belongs to a webhook, or with the app's id to an interaction."""

    def __init__(
        self, guild: Guild, composer: Composer, interactions: Interactions, hooks: WebhookRoutes
    ) -> None:
        self._guild = guild
        self._composer = composer
        self._interactions = interactions
        self._hooks = hooks

    def add(self, routes: Routes) -> None:
        hook = "/webhooks/{webhook_id}/{token}"
        one = f"{hook}/messages/{{message_id}}"
        callback = "POST /interactions/{interaction_id}/{token}/callback"
        routes.add(callback, "interaction.callback", self.callback, free=True)
        routes.add(f"POST {hook}", "webhook.execute", self.followup, free=True)
        routes.add(f"GET {one}", "webhook.message", self.get, free=True)
        routes.add(f"PATCH {one}", "webhook.edit", self.edit, free=True)
        routes.add(f"DELETE {one}", "webhook.remove", self.delete, free=True)

    async def callback(self, call: Call) -> Json | None:
        made = self._interactions.first(call.params["interaction_id"], call.params["token"])
        kind, data = int(call.fields.get("type", 0)), call.fields.get("data") or {}
        if kind in (DEFER_UPDATE, UPDATE) and made.message is None:
            raise invalid_form(["type: not for this interaction"])
        self._first_answer(call, made, kind, data)
        self._interactions.settle(made, "answered")
        if call.query.get("with_response", "").lower() not in ("1", "true"):
            return None
        return self._response(made, kind)

    def _first_answer(self, call: Call, made: Interaction, kind: int, data: Json) -> None:
        made.ephemeral = bool(int(data.get("flags") or 0) & EPHEMERAL)
        if kind == ANSWER:
            fields = self._composer.new(call, data, made.channel, crowd=False)
            self._say(made, fields)
        elif kind == DEFER:
            made.loading = True
            self._say(made, {"content": "", "flags": LOADING})
        elif kind == DEFER_UPDATE:
            made.original, made.original_channel = made.message, made.channel
        elif kind == UPDATE:
            made.original, made.original_channel = made.message, made.channel
            self._change(call, made.channel, str(made.message), data)
        elif kind == FORM:
            self._composer.check(call, modal_faults(data))
            made.modal = data
        elif kind != COMPLETE:
            raise invalid_form([f"type: {kind} is no type of answer"])

    def _response(self, made: Interaction, kind: int) -> Json:
        told: Json = {"id": made.id, "type": made.kind}
        if made.original is None:
            return {"interaction": told}
        told |= {
            "response_message_id": made.original,
            "response_message_loading": made.loading,
            "response_message_ephemeral": made.ephemeral,
        }
        held = self._guild.find(made.original_channel, made.original)
        resource = {"type": kind, "message": views.message(self._guild, held)}
        return {"interaction": told, "resource": resource if kind != DEFER_UPDATE else None}

    # After the first answer

    async def followup(self, call: Call) -> Json | None:
        if call.params["webhook_id"] != APP:
            return await self._hooks.execute(call)
        made = self._interactions.later(call.params["token"])
        body = call.fields
        fields = self._composer.new(call, body, made.channel, crowd=False)
        fields.pop("replied", None)
        if made.loading and made.original is not None:
            # The first word after a deferral takes the place of "thinking", and its visibility.
            made.loading = False
            held = self._guild.find(made.original_channel, made.original)
            fields["flags"] = fields["flags"] & ~EPHEMERAL | held["flags"] & EPHEMERAL
            changed = self._guild.change(made.original_channel, made.original, fields)
            return views.message(self._guild, changed)
        ephemeral = bool(fields["flags"] & EPHEMERAL)
        shown = self._post(made, fields, ephemeral)
        return views.message(self._guild, shown)

    async def get(self, call: Call) -> Json:
        if call.params["webhook_id"] != APP:
            return await self._hooks.message(call)
        return views.message(self._guild, self._held(call))

    async def edit(self, call: Call) -> Json:
        if call.params["webhook_id"] != APP:
            return await self._hooks.edit(call)
        held = self._held(call)
        made = self._interactions.later(call.params["token"])
        if held["id"] == made.original:
            made.loading = False
        changed = self._change(call, held["channel"], held["id"], call.fields)
        return views.message(self._guild, changed)

    async def delete(self, call: Call) -> None:
        if call.params["webhook_id"] != APP:
            return await self._hooks.remove(call)
        held = self._held(call)
        self._guild.remove(held["channel"], held["id"])
        return None

    # Within

    def _held(self, call: Call) -> Json:
        made = self._interactions.later(call.params["token"])
        message = call.params["message_id"]
        if message == "@original":
            if made.original is None:
                raise unknown("Message")
            return self._guild.find(made.original_channel, made.original)
        held = self._guild.find(made.channel, message)
        if held["author"] != BOT:
            raise DiscordError(403, 50005, "Cannot edit a message authored by another user")
        return held

    def _change(self, call: Call, channel: str, message: str, body: Json) -> Json:
        before = self._guild.find(channel, message)
        fields = self._composer.edit(call, body, before, crowd=False)
        flags = fields.get("flags", before["flags"])
        kept = before["flags"] & (EPHEMERAL | V2)
        fields["flags"] = flags & ~LOADING | kept
        return self._guild.change(channel, message, fields)

    def _say(self, made: Interaction, fields: Json) -> None:
        shown = self._post(made, fields, made.ephemeral)
        made.original, made.original_channel = shown["id"], made.channel

    def _post(self, made: Interaction, fields: Json, ephemeral: bool) -> Json:
        guild, fields = self._guild, dict(fields)
        kind = 0
        if made.kind == COMMAND:
            kind = COMMAND_ANSWER if made.data.get("type") == SLASH else MENU_ANSWER
        fields |= {"type": fields.get("type") or kind}
        fields |= {"webhook_id": APP, "interaction": self._interactions.metadata(made)}
        fields["command"] = called(made)
        content = fields.pop("content")
        for name in ("replied", "nonce"):
            fields.pop(name, None)
        if ephemeral:
            return guild.whisper(made.channel, made.person, content, **fields)
        if guild.channel(made.channel)["type"] == DM:
            fields["flags"] &= ~EPHEMERAL
        return guild.post(made.channel, BOT, content, **fields)


def button(message: Json, custom_id: str) -> Json | None:
    """The component of a message with this `custom_id`."""
    found = (c for c in walk(message["components"]) if c.get("custom_id") == custom_id)
    return next(found, None)
