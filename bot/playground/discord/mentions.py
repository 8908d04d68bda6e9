"""Who a text mentions, and whom of them it may ring."""

from __future__ import annotations

import re

from bot.playground.discord.guild import Guild
from bot.playground.rows import Json

_PERSON = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CROWD = re.compile(r"@(everyone|here)\b")


def mentioned(guild: Guild, text: str, allowed: Json | None, crowd: bool) -> Json:
    """The `mentions`, `mention_roles` and `mention_everyone` of a message.

    `allowed` is the body's `allowed_mentions`; None allows everything. `crowd`: the author may
    ring everyone.
    """
    people = [p for p in dict.fromkeys(_PERSON.findall(text)) if p in guild.people]
    roles = [r for r in dict.fromkeys(_ROLE.findall(text)) if r in guild.roles]
    everyone = bool(_CROWD.search(text))
    if allowed is not None:
        parse = allowed.get("parse") or []
        people = people if "users" in parse else _among(people, allowed.get("users"))
        roles = roles if "roles" in parse else _among(roles, allowed.get("roles"))
        everyone = everyone and "everyone" in parse
    return {
        "mentions": people,
        "mention_roles": roles if crowd else [],
        "mention_everyone": everyone and crowd,
    }


def _among(found: list[str], listed: list[str | int] | None) -> list[str]:
    names = {str(name) for name in listed or ()}
    return [name for name in found if name in names]


def mentions_any(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_PERSON, _ROLE, _CROWD))
