"""Discord's marks in a text (`<@1>`, `<#2>`, `<:smile:3>`, `<t:4>`) to what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

_PERSON = re.compile(r"<@!?(\d+)>")
_OPENING = re.compile(r"\s*<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_TOKEN = re.compile(r"<(@!?|@&|#|t:|a?:\w+:|/[^<>:]+:)(\d+)(?::[tTdDfFR])?>")
_LEADING = " \t,，:：、"

NameOf = Callable[[str, str], str]
"""A name by kind (`@`, `@&`, `#`) and Discord's id; an empty text if it is not known."""


def decode(text: str, us: str, name_of: NameOf, our_roles: frozenset[str] = frozenset()) -> str:
    """What the person typed: our mention removed, other marks readable."""
    opened = _OPENING.match(text)
    first = opened is not None and opened.group(1) == us
    bare = re.sub(rf"[ \t]?<@!?{re.escape(us)}>", "", text) if us else text
    for role in our_roles:
        bare = re.sub(rf"[ \t]?<@&{re.escape(role)}>", "", bare)
    bare = bare.lstrip().lstrip(_LEADING) if first else bare
    return _TOKEN.sub(lambda found: _readable(found, name_of), bare).strip()


def mentioned(text: str) -> tuple[str, ...]:
    """Discord's ids of the people mentioned, in order, each once."""
    return tuple(dict.fromkeys(_PERSON.findall(text)))


def roles_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_ROLE.findall(text)))


def opens_with(text: str) -> str:
    """Discord's id of the person whom the text opens with, or an empty text."""
    opened = _OPENING.match(text)
    return opened.group(1) if opened else ""


def names_in(message: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Names that a message brings with its mentions."""
    found: dict[tuple[str, str], str] = {}
    for user in message.get("mentions") or []:
        found["@", str(user.get("id"))] = display_name(user, user.get("member") or {})
    for channel in message.get("mention_channels") or []:
        found["#", str(channel.get("id"))] = str(channel.get("name") or "")
    return found


def display_name(user: Mapping[str, Any], member: Mapping[str, Any]) -> str:
    """The name that people see: the server's, the person's, the account's."""
    return str(member.get("nick") or user.get("global_name") or user.get("username") or "")


def _readable(found: re.Match[str], name_of: NameOf) -> str:
    mark, number = found[1], found[2]
    if mark in ("@", "@!"):
        return "@" + (name_of("@", number) or number)
    if mark == "@&":
        return "@" + (name_of("@&", number) or number)
    if mark == "#":
        return "#" + (name_of("#", number) or number)
    if mark == "t:":
        try:
            return datetime.fromtimestamp(int(number), UTC).strftime("%Y-%m-%d %H:%M UTC")
        except (ValueError, OverflowError, OSError):
            return number
    if mark.startswith("/"):
        return mark.rstrip(":")
    return mark.removeprefix("a") if mark.startswith("a:") else mark
