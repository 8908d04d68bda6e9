"""Slack's marked-up text to plain text: mentions, channels, links and the three escapes.

Slack escapes `&`, `<` and `>` that people type, so a `<...>` in a message is always Slack's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(r"<([^<>]*)>")
_ESCAPE = re.compile(r"&(amp|lt|gt);")
_PLAIN = {"amp": "&", "lt": "<", "gt": ">"}
_PERSON = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_OPENING = re.compile(r"\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_LEADING = " \t,，:：、"

NameOf = Callable[[str], str]
"""A person's display name by Slack's id; an empty text if it is not known."""


def decode(text: str, us: str, name_of: NameOf) -> str:
    """What the person typed: our mention removed, other marks readable, escapes undone once."""
    opened = _OPENING.match(text)
    ours_first = opened is not None and opened.group(1) == us
    bare = re.sub(rf"[ \t]?<@{re.escape(us)}(?:\|[^<>]*)?>", "", text) if us else text
    pieces: list[str] = []
    last = 0
    for token in _TOKEN.finditer(bare):
        pieces.append(_unescape(bare[last : token.start()]))
        pieces.append(_unescape(_readable(token.group(1), name_of)))
        last = token.end()
    pieces.append(_unescape(bare[last:]))
    plain = "".join(pieces)
    return (plain.lstrip().lstrip(_LEADING) if ours_first else plain).strip()


def mentioned(text: str) -> tuple[str, ...]:
    """Slack's ids of the people mentioned, in order, each once."""
    return tuple(dict.fromkeys(_PERSON.findall(text)))


def opens_with(text: str) -> str:
    """Slack's id of the person whom the text opens with, or an empty text."""
    opened = _OPENING.match(text)
    return opened.group(1) if opened else ""


def escape(text: str) -> str:
    """Text that Slack's own formatting shows as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescape(text: str) -> str:
    # One pass: `&amp;lt;` is the four characters `&lt;` that somebody typed.
    return _ESCAPE.sub(lambda found: _PLAIN[found.group(1)], text)


def _readable(token: str, name_of: NameOf) -> str:
    body, _, label = token.partition("|")
    match body[:1]:
        case "@":
            return "@" + (label or name_of(body[1:]) or body[1:])
        case "#":
            return "#" + (label or body[1:])
        case "!":
            return _special(body[1:], label)
        case _:
            return _link(body, label)


def _special(body: str, label: str) -> str:
    name = body.partition("^")[0]
    if name == "date":
        return label
    if name == "subteam":
        return label or "@" + body.partition("^")[2]
    return "@" + name


def _link(address: str, label: str) -> str:
    """A link that Slack made of what was typed (`report.md`, `a@b.c`) stays what was typed."""
    if not label or label == address:
        return address
    typed = address.partition(":")[2].lstrip("/")
    if _unescape(typed).rstrip("/") == _unescape(label).rstrip("/"):
        return label
    return f"{label} ({address})"
