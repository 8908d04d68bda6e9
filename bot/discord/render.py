"""Drafts to Discord's message bodies: content, small print, buttons. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.discord import ids
from bot.platform import Button, Draft, PlatformLimits, Speaker
from bot.text.measure import Size, whole
from bot.text.regions import CodeMap
from bot.text.split import closed

Payload = dict[str, Any]

CONTENT = 2_000
"""Discord: `content`. Whether it counts characters or UTF-16 units is not documented: both fit."""
EMBED_TEXT = 4_096
"""Discord: an embed's description."""
ROW_BUTTONS, ROWS = 5, 5
"""Discord: buttons of an action row, and rows of a message."""
LABEL = 80
"""Discord: a button's label."""
CUSTOM_ID = 100
"""Discord: what a button brings back."""
PEOPLE = 100
"""Discord: ids in `allowed_mentions.users`."""
NAME = 80
"""Discord: a webhook's username."""
THREAD_NAME = 100
"""Discord: a thread's name."""
NO_EMBEDS, EPHEMERAL, SILENT = 1 << 2, 1 << 6, 1 << 12
"""Discord: message flags. Links are shown without previews: they fetch what they show."""

LIMITS = PlatformLimits(
    # The rest of `CONTENT` is for the sources under an answer and for a teammate's name.
    post_chars=1_700,
    edit_bytes=0,
    # Discord tells its limits in headers, about five posts in five seconds; discord.py obeys them.
    post_gap_s=0.2,
    # Five edits in five seconds and channel, in practice: one message may take nearly all of it.
    edit_gap_s=1.2,
    utf16=True,
    tables=False,
)

_HEADING = re.compile(r"^([ ]{0,3})#{4,6}[ \t]+(.*?)[ \t]*#*$", re.M)
_RULE = re.compile(r"^[ ]{0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$", re.M)
_TILDES = re.compile(r"^([ \t>]*)(~{3,})(?=[^~\n]*$)", re.M)
_RESERVED = re.compile(r"clyde|discord", re.I)
_EMPTY = "\u200b"


def body(draft: Draft, *, name: bool = False) -> Payload:
    """A message's body; with `name`, the speaker's name stands in front of the text.

    Every body names whom it may mention: an edit without it would be read with all allowed.
    """
    text = shown(draft.text)
    if name and draft.speaker is not None:
        text = f"**{plain_name(draft.speaker)}**\n{text}".rstrip()
    footer = small_print(draft.footer)
    made: Payload = {
        "content": "",
        "flags": NO_EMBEDS,
        "embeds": [],
        "allowed_mentions": mentions(draft.people),
        "components": rows(draft.buttons),
    }
    whole_text = "\n".join(part for part in (text, footer) if part)
    if units(whole_text) <= CONTENT or not footer:
        made["content"] = fitted(whole_text, CONTENT) or _EMPTY
        return made
    # Small print that does not fit goes into a box of its own; the flag would hide it.
    made["content"] = fitted(text, CONTENT) or _EMPTY
    made["embeds"] = [{"description": fitted(draft.footer, EMBED_TEXT)}]
    made["flags"] = 0
    return made


def mentions(people: Sequence[str], *, replied: bool = False) -> Payload:
    users = list(dict.fromkeys(ids.raw(person) for person in people))[:PEOPLE]
    return {
        "parse": [],
        "users": [user for user in users if user.isdecimal()],
        "roles": [],
        "replied_user": replied,
    }


def shown(text: str) -> str:
    """Markdown as Discord shows it: three sizes of headings, no rules, fences of backticks."""
    code = CodeMap.of(text)

    def outside(pattern: re.Pattern[str], replacement: str, text: str) -> str:
        def put(found: re.Match[str]) -> str:
            return found.group() if code.at(found.start()) else found.expand(replacement)

        return pattern.sub(put, text)

    text = outside(_HEADING, r"\1**\2**", text)
    code = CodeMap.of(text)
    text = outside(_RULE, "―――", text)
    return _backticks(text)


def _backticks(text: str) -> str:
    """`~~~` opens no block on Discord; where a block holds no backticks itself, they do."""
    if "~~~" not in text:
        return text
    code = CodeMap.of(text)
    parts: list[str] = []
    at = 0
    for region in code.regions:
        block = text[region.start : region.end]
        if region.kind == "fence" and "```" not in block and block.lstrip(" \t>").startswith("~~~"):
            block = _fenced(block)
        parts += [text[at : region.start], block]
        at = region.end
    return "".join([*parts, text[at:]])


def _fenced(block: str) -> str:
    """The first and the last line's tildes as backticks."""
    lines = block.split("\n")
    last = max(number for number, line in enumerate(lines) if line.strip())
    for number in {0, last}:
        lines[number] = _TILDES.sub(lambda found: found[1] + "`" * len(found[2]), lines[number])
    return "\n".join(lines)


def small_print(footer: str) -> str:
    """Discord shows a line that begins with `-# ` small."""
    return "\n".join(f"-# {line}" for line in footer.splitlines() if line.strip())


def rows(buttons: Sequence[Button]) -> list[Payload]:
    made = [_button(button, number) for number, button in enumerate(buttons)]
    return [
        {"type": 1, "components": made[at : at + ROW_BUTTONS]}
        for at in range(0, min(len(made), ROW_BUTTONS * ROWS), ROW_BUTTONS)
    ]


def _button(button: Button, number: int) -> Payload:
    """Ids are unique in a message. A question before the click is asked by `adapter.py`."""
    return {
        "type": 2,
        "style": 4 if button.danger else 2,
        "label": fitted(button.label, LABEL) or "?",
        "custom_id": custom_id(button.action, button.value, number, asks=bool(button.confirm)),
    }


def custom_id(
    action: str, value: str, number: int = 0, *, asks: bool = False, held: str = ""
) -> str:
    """`stop:0|VALUE`; `?` for the colon: the click is confirmed first. `^ID`: the message that
    held the button whose click is being confirmed.
    """
    head = f"{action}{'?' if asks else ':'}{number}"
    text = f"{head}{'^' + held if held else ''}|{value}"
    return text[: Size(CUSTOM_ID, utf16=True).head(text)]


@dataclass(frozen=True)
class Pressed:
    """What a button's id says."""

    action: str
    value: str
    asks: bool = False
    held: str = ""


def read_custom_id(text: str) -> Pressed:
    head, _, value = text.partition("|")
    found = re.fullmatch(r"(.*?)([:?])\d*(?:\^(\d+))?", head, re.S)
    if found is None:
        return Pressed(head, value)
    return Pressed(found[1], value, found[2] == "?", found[3] or "")


def username(speaker: Speaker) -> str:
    """A webhook's name for a teammate, or an empty text if Discord would refuse it."""
    name = plain_name(speaker)
    if not name or _RESERVED.search(name) or units(name) > NAME:
        return ""
    return name


def plain_name(speaker: Speaker) -> str:
    """A face that is an emoji stands in the name."""
    face = "" if is_address(speaker.avatar) else speaker.avatar.strip()
    name = " ".join(speaker.name.replace("*", "").split())
    return f"{face} {name}".strip() if face else name


def is_address(avatar: str) -> bool:
    return avatar.startswith(("https://", "http://"))


def thread_name(text: str, otherwise: str) -> str:
    """A thread's name from the question that it answers."""
    line = " ".join(re.sub(r"[`*_~|>#\[\]]+", " ", text).split())
    return fitted(line or otherwise, THREAD_NAME)


def units(text: str) -> int:
    """UTF-16 units: never fewer than characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def fitted(text: str, limit: int) -> str:
    """The longest start of `text` within `limit`, signs whole, fences closed, with `…`."""
    size = Size(limit, utf16=True)
    if size.fits(text):
        return text
    kept = text[: whole(text, size.less("…\n```").head(text))]
    return closed(kept + "…", size)
