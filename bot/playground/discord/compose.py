"""From the body of a request to the fields of a message, checked against the limits."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Sequence
from typing import Any

from bot.playground.discord.call import Call
from bot.playground.discord.errors import DiscordError, invalid_form, unknown
from bot.playground.discord.guild import BOT, DM, REPLY, Guild
from bot.playground.discord.limits import message_faults
from bot.playground.discord.mentions import mentioned, mentions_any
from bot.playground.rows import Json


class Composer:
    """Makes messages of bodies; what is beyond a limit is noted in `faults` and refused."""

    def __init__(self, guild: Guild, fault: Callable[[str], None]) -> None:
        self._guild = guild
        self.fault = fault

    def check(self, call: Call, lines: Sequence[str]) -> None:
        """Refuse with 50035, and note every line."""
        for line in lines:
            self.fault(f"{call.route}: {line}")
        if lines:
            raise invalid_form(lines)

    def new(self, call: Call, body: Json, channel: str, *, crowd: bool) -> Json:
        """The fields of a message to be posted; `crowd`: the author may ring everyone."""
        self.check(call, message_faults(body))
        content = str(body.get("content") or "")
        held = [content.strip(), body.get("embeds"), body.get("components"), call.uploads]
        if not any([*held, body.get("sticker_ids"), body.get("poll")]):
            self.fault(f"{call.route}: empty message")
            raise DiscordError(400, 50006, "Cannot send an empty message")
        self.rings(call, body, content)
        fields = {
            "content": content,
            "embeds": body.get("embeds") or [],
            "components": body.get("components") or [],
            "flags": int(body.get("flags") or 0),
            "files": self.files(call, body, channel, []),
            **mentioned(self._guild, content, body.get("allowed_mentions"), crowd),
        }
        if body.get("nonce") is not None:
            fields["nonce"] = body["nonce"]
        return fields | self.reference(body, channel)

    def reference(self, body: Json, channel: str) -> Json:
        """The fields of a reply: the reference, and the mention of whom it answers."""
        asked = body.get("message_reference")
        if not asked:
            return {}
        message = str(asked["message_id"])
        try:
            answered = self._guild.find(channel, message)
        except DiscordError:
            if not asked.get("fail_if_not_exists", True):
                return {}
            raise invalid_form(["message_reference: Unknown message"]) from None
        allowed = body.get("allowed_mentions")
        pings = allowed is None or bool(allowed.get("replied_user"))
        fields: Json = {
            "type": REPLY,
            "reference": {"channel_id": channel, "message_id": message},
        }
        if pings and answered["author"] in self._guild.people:
            fields["replied"] = answered["author"]
        return fields

    def edit(self, call: Call, body: Json, before: Json, *, crowd: bool) -> Json:
        """The fields that an edit changes."""
        self.check(call, message_faults(body))
        fields: Json = {}
        if "content" in body:
            content = str(body["content"] or "")
            self.rings(call, body, content)
            fields |= {"content": content, "edited": self._guild.clock.now()}
            fields |= mentioned(self._guild, content, body.get("allowed_mentions"), crowd)
        for name in ("embeds", "components"):
            if name in body:
                fields[name] = body[name] or []
        if body.get("flags") is not None:
            fields["flags"] = int(body["flags"])
        if "attachments" in body or call.uploads:
            fields["files"] = self.files(call, body, before["channel"], before["files"])
        after = {**before, **fields}
        kept = (after["content"].strip(), after["embeds"], after["components"], after["files"])
        if not any(kept):
            self.fault(f"{call.route}: empty message")
            raise DiscordError(400, 50006, "Cannot send an empty message")
        return fields

    def rings(self, call: Call, body: Json, content: str) -> None:
        """Note a body that leaves it to Discord's default whom its text rings, or rings a crowd."""
        allowed = body.get("allowed_mentions")
        if allowed is None:
            what = "allowed_mentions: missing"
            if mentions_any(content):
                what += ", and the text mentions somebody"
            self.fault(f"{call.route}: {what}")
        rung = mentioned(self._guild, content, allowed, True)
        if rung["mention_everyone"] or rung["mention_roles"]:
            self.fault(f"{call.route}: would ring a crowd")

    def files(self, call: Call, body: Json, channel: str, held: Sequence[str]) -> list[str]:
        """Ids of the message's files after this body: kept ones, then new ones."""
        listed: list[Json] | None = body.get("attachments")
        kept = list(held)
        if listed is not None:
            names = {str(a["id"]) for a in listed}
            kept = [file for file in held if file in names]
        described = {str(a["id"]): a for a in listed or []}
        for number, upload in call.uploads.items():
            name = str(described.get(str(number), {}).get("filename") or upload.name)
            mime = mimetypes.guess_type(name)[0]
            kept.append(self._guild.add_file(channel, name, upload.data, mime))
        return kept


def posted(guild: Guild, channel: str, author: str, fields: Json, **more: Any) -> Json:
    """Post what `Composer.new` made; a reply mentions whom it answers."""
    fields = {**fields, **more}
    replied = fields.pop("replied", None)
    if replied is not None and replied not in fields["mentions"]:
        fields["mentions"] = [*fields["mentions"], replied]
    return guild.post(channel, author, fields.pop("content"), **fields)


def needs_to_send(guild: Guild, channel: str, uploads: bool) -> None:
    """The bot's permissions to post into a channel or thread; 40058 for a forum itself."""
    row = guild.channel(channel)
    if row["type"] == DM:
        if row["person"] not in guild.people:
            raise unknown("User")
        return
    if row["type"] not in (0, 11):
        raise DiscordError(400, 50008, "Cannot send messages in a non-text channel")
    send = "SEND_MESSAGES_IN_THREADS" if row["type"] == 11 else "SEND_MESSAGES"
    guild.need(BOT, channel, send, *(("ATTACH_FILES",) if uploads else ()))
