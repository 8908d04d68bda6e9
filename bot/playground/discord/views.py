"""The objects that Discord sends: users, members, channels, messages, attachments."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import quote

from bot.playground.discord import permissions
from bot.playground.discord.clock import iso
from bot.playground.discord.guild import (
    APP,
    BOT,
    BOT_ROLE,
    DM,
    FORUM,
    GUILD,
    GUILD_NAME,
    HAS_THREAD,
    THREAD,
    Guild,
)
from bot.playground.rows import Json

LINK_S = 24 * 3600
"""How long a link to a file works; the documents say only that it is preset."""
JOINED = iso(1_700_000_000)


def user(guild: Guild, person: str) -> Json:
    row = guild.person(person)
    return {
        "id": person,
        "username": row["username"],
        "discriminator": "0",
        "global_name": row["name"],
        "avatar": None,
        "bot": row["bot"],
        "flags": 0,
        "public_flags": 0,
    }


def member(guild: Guild, person: str, with_user: bool = True) -> Json:
    shown: Json = {
        "nick": None,
        "avatar": None,
        "roles": guild.person(person)["roles"],
        "joined_at": JOINED,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }
    return {**shown, "user": user(guild, person)} if with_user else shown


def role(guild: Guild, role: str) -> Json:
    row = guild.roles[role]
    shown = {
        "id": role,
        "name": row["name"],
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": 0 if role == GUILD else 1,
        "permissions": row["permissions"],
        "managed": role == BOT_ROLE,
        "mentionable": False,
        "flags": 0,
    }
    return {**shown, "tags": {"bot_id": BOT}} if role == BOT_ROLE else shown


def channel(guild: Guild, row: Json) -> Json:
    """A channel, thread or direct conversation."""
    if row["type"] == DM:
        people = [user(guild, row["person"])]
        last = _last(guild, row["id"])
        return {"id": row["id"], "type": DM, "last_message_id": last, "recipients": people}
    if row["type"] == THREAD:
        return thread(guild, row)
    shown: Json = {
        "id": row["id"],
        "type": row["type"],
        "guild_id": GUILD,
        "name": row["name"],
        "position": row.get("position", 0),
        "parent_id": row.get("parent"),
        "topic": row.get("topic"),
        "nsfw": False,
        "rate_limit_per_user": 0,
        "last_message_id": _last(guild, row["id"]),
        "flags": row.get("flags", 0),
        "permission_overwrites": [
            {"id": whom, "type": o["type"], "allow": o["allow"], "deny": o["deny"]}
            for whom, o in row["overwrites"].items()
        ],
    }
    if row["type"] == FORUM:
        shown |= {
            "available_tags": row.get("tags", []),
            "default_reaction_emoji": None,
            "default_sort_order": None,
            "default_forum_layout": 0,
        }
    return shown


def thread(guild: Guild, row: Json) -> Json:
    count = guild.replies(row["id"])
    shown: Json = {
        "id": row["id"],
        "type": THREAD,
        "guild_id": GUILD,
        "parent_id": row["parent"],
        "owner_id": row["owner"],
        "name": row["name"],
        "last_message_id": _last(guild, row["id"]),
        "message_count": count,
        "total_message_sent": count,
        "member_count": len(row["members"]),
        "rate_limit_per_user": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": row["archived"],
            "auto_archive_duration": row["minutes"],
            "archive_timestamp": iso(row["changed"]),
            "locked": row["locked"],
            "create_timestamp": iso(row["created"]),
        },
    }
    if "tags" in row:
        shown["applied_tags"] = row["tags"]
    if BOT in row["members"]:
        shown["member"] = thread_member(row, BOT)
    return shown


def thread_member(row: Json, person: str) -> Json:
    at = iso(row["created"])
    return {"id": row["id"], "user_id": person, "join_timestamp": at, "flags": 0}


def _last(guild: Guild, channel: str) -> str | None:
    held = guild.timeline(channel)
    return held[-1]["id"] if held else None


def guild(guild: Guild) -> Json:
    """The guild itself, as answers carry it."""
    return {
        "id": GUILD,
        "name": GUILD_NAME,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "owner_id": next((p for p, row in guild.people.items() if not row["bot"]), BOT),
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "roles": [role(guild, r) for r in guild.roles],
        "emojis": [],
        "stickers": [],
        "features": [],
        "mfa_level": 0,
        "application_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
        "description": None,
        "banner": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": "en-US",
        "nsfw_level": 0,
        "premium_progress_bar_enabled": False,
    }


def guild_create(held: Guild) -> Json:
    """What comes after READY: the guild with the channels that the bot may see."""
    seen = [
        row
        for row in held.channels.values()
        if row["type"] != DM and held.allowed(BOT, row["id"], "VIEW_CHANNEL")
    ]
    shown = guild(held)
    return {
        **shown,
        "joined_at": JOINED,
        "large": False,
        "unavailable": False,
        "member_count": len(held.people),
        "voice_states": [],
        "members": [member(held, BOT)],
        "channels": [channel(held, row) for row in seen if row["type"] != THREAD],
        "threads": [
            thread(held, row) for row in seen if row["type"] == THREAD and not row["archived"]
        ],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


# Messages


def message(held: Guild, row: Json, readable: bool = True, depth: int = 1) -> Json:
    """A message. Not `readable`: its content is empty, as without the Message Content intent."""
    hangs = row["id"] in held.channels and row["channel"] != row["id"]
    shown: Json = {
        "id": row["id"],
        "channel_id": row["channel"],
        "author": author(held, row),
        "content": row["content"] if readable else "",
        "timestamp": iso(row["at"]),
        "edited_timestamp": iso(row["edited"]) if row["edited"] else None,
        "tts": False,
        "mention_everyone": row["mention_everyone"],
        "mentions": [user(held, person) for person in row["mentions"]],
        "mention_roles": row["mention_roles"],
        "attachments": [attachment(held, file) for file in row["files"]] if readable else [],
        "embeds": row["embeds"] if readable else [],
        "components": row["components"] if readable else [],
        "reactions": [_reaction(name, users) for name, users in row["reactions"].items()],
        "pinned": False,
        "type": row["type"],
        "flags": row["flags"] | (HAS_THREAD if hangs else 0),
    }
    if "webhook_id" in row:
        shown["webhook_id"] = row["webhook_id"]
    if row["author"] == BOT or "webhook_id" in row:
        shown["application_id"] = APP
    if "interaction" in row:
        shown["interaction_metadata"] = row["interaction"]
    if hangs:
        shown["thread"] = thread(held, held.channels[row["id"]])
    return shown | _references(held, row, readable, depth)


def author(held: Guild, row: Json) -> Json:
    """A person, or the name and face that a webhook message was sent with."""
    if "webhook_id" not in row or row["author"] == BOT:
        return user(held, row["author"])
    return {
        "id": row["webhook_id"],
        "username": row["username"],
        "discriminator": "0000",
        "global_name": None,
        "avatar": None,
        "bot": True,
    }


def _references(held: Guild, row: Json, readable: bool, depth: int) -> Json:
    shown: Json = {}
    if "snapshots" in row:
        shown["message_snapshots"] = row["snapshots"] if readable else []
    if "reference" not in row:
        return shown
    reference: Json = {**row["reference"], "type": 1 if "snapshots" in row else 0}
    if held.channel(row["channel"])["type"] != DM:
        reference["guild_id"] = GUILD
    shown["message_reference"] = reference
    if depth and "snapshots" not in row:
        shown["referenced_message"] = _referenced(held, reference, readable)
    return shown


def _referenced(held: Guild, reference: Json, readable: bool) -> Json | None:
    for found in held.timeline(reference["channel_id"]):
        if found["id"] == reference["message_id"]:
            return message(held, found, readable or free(held, found), depth=0)
    return None


def free(held: Guild, row: Json) -> bool:
    """Whether an app without the Message Content intent may read a message all the same."""
    own = row["author"] == BOT or row.get("webhook_id") in held.webhooks
    return own or BOT in row["mentions"] or held.channel(row["channel"])["type"] == DM


def _reaction(name: str, users: list[str]) -> Json:
    return {
        "count": len(users),
        "count_details": {"burst": 0, "normal": len(users)},
        "me": BOT in users,
        "me_burst": False,
        "burst_colors": [],
        "emoji": {"id": None, "name": name},
    }


def attachment(held: Guild, file: str) -> Json:
    row = held.files[file]
    url = file_url(held, file)
    shown: Json = {
        "id": file,
        "filename": row["name"],
        "size": row["size"],
        "url": url,
        "proxy_url": url,
        "flags": 0,
    }
    return {**shown, "content_type": row["mime"]} if row["mime"] else shown


def file_url(held: Guild, file: str) -> str:
    """A signed link that works for `LINK_S`."""
    row = held.files[file]
    now = held.clock.now()
    until, since = f"{int(now + LINK_S):x}", f"{int(now):x}"
    path = f"/attachments/{row['channel']}/{file}/{quote(row['name'], safe='')}"
    mark = signature(held, file, until, since)
    return f"{held.base_url}{path}?ex={until}&is={since}&hm={mark}&"


def signature(held: Guild, file: str, until: str, since: str) -> str:
    key = held.secrets["cdn"].encode()
    return hmac.new(key, f"{file}/{until}/{since}".encode(), hashlib.sha256).hexdigest()


def webhook(held: Guild, webhook: str) -> Json:
    row = held.webhook(webhook)
    return {
        "id": webhook,
        "type": 1,
        "guild_id": GUILD,
        "channel_id": row["channel"],
        "name": row["name"],
        "avatar": None,
        "token": row["token"],
        "application_id": APP if row["owner"] == BOT else None,
        "user": user(held, row["owner"]),
        "url": f"{held.base_url}/api/webhooks/{webhook}/{row['token']}",
    }


def app_permissions(held: Guild, channel: str, person: str = BOT) -> str:
    return str(held.may(person, channel) & permissions.ALL)
