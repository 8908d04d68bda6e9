"""What a person typed, as Discord puts it on the wire: names become marks, code stays."""

from __future__ import annotations

import re

from bot.playground.discord.guild import DM, THREAD, Guild

_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def wire(text: str, guild: Guild) -> str:
    """`@Nora Ellis` becomes `<@1>`, `#handbook` `<#2>`; the rest is Markdown as typed."""
    people = {row["name"].lower(): f"<@{p}>" for p, row in guild.people.items()}
    channels = {
        row["name"].lower(): f"<#{c}>"
        for c, row in guild.channels.items()
        if row["type"] not in (DM, THREAD)
    }
    parts = _CODE.split(text)
    return "".join(
        part if number % 2 else _replace(_replace(part, "@", people), "#", channels)
        for number, part in enumerate(parts)
    )


def _replace(text: str, sign: str, marks: dict[str, str]) -> str:
    # Longest first: "@Nora Ellis" must not end as "@Nora". No word border is asked for behind a
    # name: Chinese is written without spaces.
    ordered = sorted(marks, key=len, reverse=True)
    known = re.compile(sign + "(" + "|".join(map(re.escape, ordered)) + ")", re.IGNORECASE)
    return known.sub(lambda found: marks[found[1].lower()], text) if ordered else text
