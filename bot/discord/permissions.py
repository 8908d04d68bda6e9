"""What we may do where: Discord's permission bits, and how they come about. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

BITS = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Manage Webhooks": 1 << 29,
    "Embed Links": 1 << 14,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
    "Add Reactions": 1 << 6,
    "Create Public Threads": 1 << 35,
    "Send Messages in Threads": 1 << 38,
}
"""What we ask for, by the names that Discord shows."""
ADMINISTRATOR = 1 << 3
ALL = (1 << 53) - 1
MEMBER = 1
"""Discord: the kind of a channel overwrite that is a person's; 0 is a role's."""


def asked_for() -> int:
    """All that an invitation asks for."""
    return sum(BITS.values())


def missing(held: int) -> list[str]:
    return [name for name, bit in BITS.items() if not held & bit]


def in_channel(
    channel: Mapping[str, Any],
    guild: str,
    owner: str,
    roles: Mapping[str, int],
    member: str,
    member_roles: Iterable[str],
) -> int:
    """Permissions of a member in a channel, as Discord's documents compute them.

    The server's rights of the member's roles; then the channel's overwrites for everyone, for the
    roles (all refusals before all grants), and for the member.
    """
    held = [*member_roles]
    base = roles.get(guild, 0)
    for role in held:
        base |= roles.get(role, 0)
    if member == owner or base & ADMINISTRATOR:
        return ALL
    overwrites: dict[str, tuple[int, int]] = {
        str(one["id"]): (int(one.get("allow") or 0), int(one.get("deny") or 0))
        for one in channel.get("permission_overwrites") or []
    }
    steps = [overwrites.get(guild, (0, 0))]
    of_roles = [overwrites[role] for role in held if role in overwrites]
    steps.append((_any(allow for allow, _ in of_roles), _any(deny for _, deny in of_roles)))
    steps.append(overwrites.get(member, (0, 0)))
    for allow, deny in steps:
        base = base & ~deny | allow
    return base


def _any(bits: Iterable[int]) -> int:
    found = 0
    for one in bits:
        found |= one
    return found
