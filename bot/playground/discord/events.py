"""What Discord tells the bot about: changes of the guild as gateway events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.playground.discord import views
from bot.playground.discord.guild import BOT, DM, GUILD, THREAD, Guild
from bot.playground.rows import Json

if TYPE_CHECKING:
    from bot.playground.discord.gateway import Session

GUILDS, MEMBERS, WEBHOOKS, MESSAGES, REACTIONS, TYPING = 0, 1, 5, 9, 10, 11
DIRECT_MESSAGES, DIRECT_REACTIONS, DIRECT_TYPING, CONTENT = 12, 13, 14, 15
PRIVILEGED = {1, 8, CONTENT}
"""Intents that the application's page must switch on: members, presences, message content."""

Emit = Callable[[str, "str | None", Callable[["Session"], "Json | None"]], None]


def tell(guild: Guild, emit: Emit, event: str, data: Json) -> None:
    """Send the gateway's events of one change to every session that may see it."""
    if event.startswith("MESSAGE_REACTION"):
        _reaction(guild, emit, event, data)
    elif event == "MESSAGE_DELETE":
        shown = {"id": data["id"], "channel_id": data["channel"]}
        _in_channel(guild, emit, event, data["channel"], MESSAGES, DIRECT_MESSAGES, shown)
    elif event.startswith("MESSAGE"):
        _message(guild, emit, event, data)
    elif event.startswith(("CHANNEL", "THREAD")):
        _channel(guild, emit, event, data)
    elif event == "WEBHOOKS_UPDATE":
        shown = {"guild_id": GUILD, "channel_id": data["channel"]}
        emit(event, GUILD, lambda session: shown if session.has(WEBHOOKS) else None)
    elif event == "TYPING_START" and data["person"] != BOT:
        shown = {
            "channel_id": data["channel"],
            "user_id": data["person"],
            "timestamp": int(guild.clock.now()),
        }
        if guild.channel(data["channel"])["type"] != DM:
            shown["member"] = views.member(guild, data["person"])
        _in_channel(guild, emit, event, data["channel"], TYPING, DIRECT_TYPING, shown)


def _message(guild: Guild, emit: Emit, event: str, row: Json) -> None:
    channel = guild.channel(row["channel"])
    direct = channel["type"] == DM
    if not guild.allowed(BOT, row["channel"], "VIEW_CHANNEL"):
        return
    free = views.free(guild, row)
    extra: Json = {} if direct else {"guild_id": GUILD}
    if not direct and "webhook_id" not in row:
        extra["member"] = views.member(guild, row["author"], with_user=False)
    if event == "MESSAGE_CREATE" and "nonce" in row:
        # A nonce is for those who hear of the message at once; later answers have none.
        extra["nonce"] = row["nonce"]
    full = views.message(guild, row) | extra
    bare = full if free else views.message(guild, row, readable=False) | extra

    def view(session: Session) -> Json | None:
        if not session.has(DIRECT_MESSAGES if direct else MESSAGES):
            return None
        return full if session.has(CONTENT) else bare

    emit(event, None if direct else GUILD, view)


def _reaction(guild: Guild, emit: Emit, event: str, data: Json) -> None:
    message = guild.find(data["channel"], data["message"])
    shown: Json = {
        "user_id": data["person"],
        "channel_id": data["channel"],
        "message_id": data["message"],
        "emoji": {"id": None, "name": data["emoji"]},
        "burst": False,
        "type": 0,
    }
    if event == "MESSAGE_REACTION_ADD":
        if guild.channel(data["channel"])["type"] != DM:
            shown["member"] = views.member(guild, data["person"])
        shown["message_author_id"] = message["author"]
    _in_channel(guild, emit, event, data["channel"], REACTIONS, DIRECT_REACTIONS, shown)


def _in_channel(
    guild: Guild, emit: Emit, event: str, channel: str, bit: int, direct_bit: int, shown: Json
) -> None:
    direct = guild.channel(channel)["type"] == DM
    if guild.allowed(BOT, channel, "VIEW_CHANNEL"):
        told = shown if direct else {**shown, "guild_id": GUILD}
        wanted = direct_bit if direct else bit
        emit(event, None if direct else GUILD, lambda s: told if s.has(wanted) else None)


def _channel(guild: Guild, emit: Emit, event: str, data: Json) -> None:
    if event == "THREAD_MEMBERS_UPDATE":
        row = guild.channel(data["thread"])
        shown: Json = {
            "id": row["id"],
            "guild_id": GUILD,
            "member_count": len(row["members"]),
            "added_members": [views.thread_member(row, data["person"])],
        }
    elif event.endswith("DELETE"):
        shown = {"id": data["id"], "guild_id": GUILD, "type": data["type"]}
        parent = data.get("parent")
        shown["parent_id"] = parent
        if data["type"] != THREAD:
            shown |= {"name": data["name"], "position": data.get("position", 0)}
            shown |= {"permission_overwrites": [], "nsfw": False}
    else:
        if not guild.allowed(BOT, data["id"], "VIEW_CHANNEL"):
            return
        shown = views.channel(guild, data)
        if event == "THREAD_CREATE":
            shown["newly_created"] = True
    emit(event, GUILD, lambda session: shown if session.has(GUILDS) else None)
