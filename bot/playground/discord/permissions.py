"""Permission bits, and what a member may do in a channel (Discord: topics/permissions)."""

from __future__ import annotations

from collections.abc import Iterable

from bot.playground.rows import Json

BITS = {
    "ADMINISTRATOR": 3,
    "MANAGE_CHANNELS": 4,
    "MANAGE_GUILD": 5,
    "ADD_REACTIONS": 6,
    "VIEW_CHANNEL": 10,
    "SEND_MESSAGES": 11,
    "MANAGE_MESSAGES": 13,
    "EMBED_LINKS": 14,
    "ATTACH_FILES": 15,
    "READ_MESSAGE_HISTORY": 16,
    "MENTION_EVERYONE": 17,
    "MANAGE_WEBHOOKS": 29,
    "USE_APPLICATION_COMMANDS": 31,
    "MANAGE_THREADS": 34,
    "CREATE_PUBLIC_THREADS": 35,
    "CREATE_PRIVATE_THREADS": 36,
    "SEND_MESSAGES_IN_THREADS": 38,
    "PIN_MESSAGES": 51,
}


def mask(*names: str) -> int:
    """The bits of the named permissions."""
    return sum(1 << BITS[name] for name in names)


ALL = mask(*BITS)
PEOPLE = mask(
    *("ADD_REACTIONS", "VIEW_CHANNEL", "SEND_MESSAGES", "EMBED_LINKS", "ATTACH_FILES"),
    *("READ_MESSAGE_HISTORY", "USE_APPLICATION_COMMANDS", "CREATE_PUBLIC_THREADS"),
    "SEND_MESSAGES_IN_THREADS",
)
"""What everybody in the practice server may do."""
BOT = mask("MANAGE_WEBHOOKS", "MENTION_EVERYONE", "PIN_MESSAGES")
"""What the bot's own role adds; MENTION_EVERYONE so that a careless ping would really ring."""
DIRECT = PEOPLE
"""Within a direct conversation."""


def granted(roles: Iterable[Json]) -> int:
    """The bits of all `roles` together; an administrator has every one."""
    bits = 0
    for role in roles:
        bits |= int(role["permissions"])
    return ALL if bits & mask("ADMINISTRATOR") else bits


def within(base: int, overwrites: Iterable[Json], everyone: str, roles: set[str], me: str) -> int:
    """`base` after a channel's overwrites: everyone's, then those of roles, then one's own."""
    if base == ALL:
        return ALL
    by_id = {str(o["id"]): o for o in overwrites}
    bits = _after(base, [by_id[everyone]] if everyone in by_id else [])
    bits = _after(bits, [o for role, o in by_id.items() if role in roles and role != everyone])
    return _after(bits, [by_id[me]] if me in by_id else [])


def _after(bits: int, overwrites: list[Json]) -> int:
    for overwrite in overwrites:
        bits &= ~int(overwrite["deny"])
    for overwrite in overwrites:
        bits |= int(overwrite["allow"])
    return bits
