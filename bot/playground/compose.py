"""What a person typed, as Slack puts it on the wire, and which of it is a slash command."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from bot.playground.workspace import Workspace

_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
_LINK = re.compile(r"https?://[^\s<>|，。；！？、）】」』\"']+")
_CROWD = re.compile(r"@(here|channel|everyone)\b")
_COMMAND = re.compile(r"(/[a-z][a-z0-9_-]*)(?:\s+(.*))?\Z", re.DOTALL)


def wire(text: str, ws: Workspace) -> str:
    """Names become `<@U1>`, channels `<#C1|name>`, links `<https://...>`; `&<>` are escaped.

    Code is left alone, as in Slack.
    """
    parts = _CODE.split(text)
    return "".join(
        escape(part, quote=False) if number % 2 else _plain(part, ws)
        for number, part in enumerate(parts)
    )


def split_command(text: str) -> tuple[str, str] | None:
    """`/ask what` as ("/ask", "what"); None if the text is no command."""
    match = _COMMAND.match(text.strip())
    return (match[1], (match[2] or "").strip()) if match else None


def _plain(text: str, ws: Workspace) -> str:
    made: list[str] = []
    end = 0
    for link in _LINK.finditer(text):
        address = link[0].rstrip(".,:;!?)")
        made += [_names(text[end : link.start()], ws), f"<{escape(address, quote=False)}>"]
        end = link.start() + len(address)
    return "".join([*made, _names(text[end:], ws)])


def _names(text: str, ws: Workspace) -> str:
    text = _CROWD.sub(r"<!\1>", escape(text, quote=False))
    people = {row["name"].lower(): person for person, row in ws.people.items()}
    channels = {row["name"].lower(): c for c, row in ws.channels.items() if row["name"]}
    # Longest first: "@Nora Ellis" must not end as "@Nora". No word border is asked for behind a
    # name: Chinese is written without spaces.
    text = _replace(text, "@", people, lambda name: f"<@{people[name]}>")
    return _replace(text, "#", channels, lambda name: f"<#{channels[name]}|{name}>")


def _replace(text: str, sign: str, names: dict[str, str], make: Callable[[str], str]) -> str:
    if not names:
        return text
    ordered = sorted(names, key=len, reverse=True)
    known = re.compile(sign + "(" + "|".join(map(re.escape, ordered)) + ")", re.IGNORECASE)
    return known.sub(lambda match: make(match[1].lower()), text)
