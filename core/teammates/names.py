"""@names in a text: who is addressed. Names are plain text; no platform knows them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.request import TeammateCard

NAME = re.compile(r"[^\W_](?:[\w-]{0,30}[^\W_])?")
"""Letters and digits of any script, `-` and `_` inside; at most 32."""

DEFAULT_NAMES = frozenset({"default", "none", "off", "默认", "无", "恢复"})
"""Words that give a thread back to the one that answers where nobody is named."""
RESERVED = DEFAULT_NAMES | {"everyone", "here", "channel", "all", "所有人", "全体成员"}
"""`@here` calls a crowd on one platform or the other."""

_AT = re.compile(r"(?<![A-Za-z0-9_.%+/@＠-])[@＠]")
"""Not inside a mail address, a path or a doubled sign."""
_UNSPOKEN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
"""Code, and what somebody else said: who is named there is not addressed."""
_GAP = " \t\r\n,，:：、;；.。!！?？"


@dataclass(frozen=True)
class _Found:
    name: str
    start: int
    end: int


def mentioned(text: str, team: Sequence[TeammateCard]) -> tuple[str, ...]:
    """Names of the teammates that `text` addresses, in its order, each once.

    `@小研帮我查` needs no space; a longer name goes before a shorter one that it begins with.
    """
    return tuple(dict.fromkeys(found.name for found in _found(text, team)))


def addressed(text: str, team: Sequence[TeammateCard], name: str) -> str:
    """`text` without `@name` at its beginning and end: an address, not a part of the question."""
    own = [found for found in _found(text, team) if found.name == name]
    if own and not text[: own[0].start].strip(_GAP):
        text = text[own[0].end :].lstrip(_GAP)
        own = [found for found in _found(text, team) if found.name == name]
    if own and not text[own[-1].end :].strip(_GAP):
        # What stands behind it (a question mark) belongs to the question.
        text = text[: own[-1].start].rstrip(" \t\r\n,，、") + text[own[-1].end :].strip()
    return text


def _found(text: str, team: Sequence[TeammateCard]) -> Iterator[_Found]:
    names = {folded(name): card.name for card in team for name in (card.name, *card.aliases)}
    lengths = sorted({len(name) for name in names}, reverse=True)
    heard = folded(_UNSPOKEN.sub(lambda match: " " * len(match.group()), text))
    for at in _AT.finditer(heard):
        for length in lengths:
            end = at.end() + length
            name = names.get(heard[at.end() : end])
            if name is not None and end <= len(heard) and _ends(heard, end):
                yield _Found(name, at.start(), end)
                break


def _ends(text: str, end: int) -> bool:
    """True if a name may end here. `@writer-bot` and `@writer.com` name nobody of ours."""
    if not text[end - 1].isascii():
        return True
    return re.match(r"[A-Za-z0-9_]|[-.][A-Za-z0-9_]", text[end:]) is None


def folded(name: str) -> str:
    """A name as it is compared: case and width aside, as long as the name itself."""
    return "".join(_letter(letter) for letter in name)


def _letter(letter: str) -> str:
    plain = unicodedata.normalize("NFKC", letter).casefold()
    return plain if len(plain) == 1 else letter
