"""The front matter of a teammate's file: a small, strict part of YAML.

    ---
    name: researcher          # a comment
    avatar: "🔎"
    tools: [semantic_search, search_web]
    knowledge:
      - handbook
    ---
    The role, in Markdown.

Values are words, quoted words or lists of them. Whatever else YAML knows (anchors, tags, nested
maps, blocks) is refused with its line: a card decides what a teammate may do, so nothing of it may
be read in a way that its writer did not see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import cast

from core.messages import Language
from core.texts import say

Value = str | tuple[str, ...]

FIELD_LINES = 200
"""Longest front matter: beyond it the closing line was forgotten."""

LONGEST_LINE = 2_000

_FENCE = re.compile(r"---[ \t]*")
_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,39}):(?:[ \t]+(.*)|[ \t]*)")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*)|[ \t]*)")
_COMMENT = re.compile(r"[ \t]*(?:#.*)?")
_PART = re.compile(
    r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^,\[\]{}"'#]*))[ \t]*(?:,|\Z)"""
)
_QUOTED = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')[ \t]*(?:#.*)?""")
_NOT_PLAIN = ("&", "*", "!", "|", ">", "{", "}", "[", "]", '"', "'")
"""What begins with one of these means something else than its letters in YAML."""


@dataclass(frozen=True)
class FileError:
    """What is wrong with a file; `key` and `values` name a sentence of the catalogue."""

    key: str
    values: dict[str, object] = field(default_factory=dict[str, object])
    file: str = ""
    line: int = 0
    """From 1; 0 where it is about the whole file."""

    def told(self, language: Language) -> str:
        """`researcher.md, line 4: …`"""
        where = say("teammates.where", language, file=self.file, line=self.line)
        if not self.line:
            where = say("teammates.where_file", language, file=self.file)
        return where + say(self.key, language, **self.values)


class Refused(Exception):
    """A file that is no card; `error` says why."""

    def __init__(self, key: str, *, line: int = 0, **values: object) -> None:
        super().__init__(key)
        self.error = FileError(key, values, line=line)


@dataclass(frozen=True)
class Field:
    """A value and the line that it stands on."""

    value: Value
    line: int


def split(text: str) -> tuple[dict[str, Field], str]:
    """The fields and the body of a file. Raises Refused with its line."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or not _FENCE.fullmatch(lines[0]):
        raise Refused("teammates.no_front_matter", line=1)
    for number, line in enumerate(lines[1 : FIELD_LINES + 2], 1):
        if _FENCE.fullmatch(line):
            return _fields(lines[1:number]), "\n".join(lines[number + 1 :]).strip()
    raise Refused("teammates.not_closed", line=1, lines=FIELD_LINES)


def _fields(lines: list[str]) -> dict[str, Field]:
    """Fields in their order; `lines` begin with the file's second line."""
    fields: dict[str, Field] = {}
    items: list[str] | None = None
    name = ""
    for number, line in enumerate(lines, 2):
        if len(line) > LONGEST_LINE:
            raise Refused("teammates.long_line", line=number, most=LONGEST_LINE)
        if _COMMENT.fullmatch(line):
            continue
        item = _ITEM.fullmatch(line)
        if item is not None and items is not None:
            items.append(_plain(item[1] or "", number))
            fields[name] = Field(tuple(items), fields[name].line)
            continue
        found = _FIELD.fullmatch(line)
        if found is None:
            raise Refused("teammates.not_a_field", line=number, text=_shown(line))
        name = found[1].lower()
        if name in fields:
            raise Refused("teammates.twice", line=number, field=name)
        value = _value((found[2] or "").strip(), number)
        fields[name] = Field(value, number)
        items = [] if value == "" else None
    return fields


def _value(text: str, line: int) -> Value:
    """A word, or a list in brackets."""
    if not text.startswith("["):
        return _plain(text, line)
    inside = re.fullmatch(r"\[(.*)\][ \t]*(?:#.*)?", text)
    if inside is None:
        raise Refused("teammates.list_not_closed", line=line)
    return _parts(inside[1], line)


def _parts(text: str, line: int) -> tuple[str, ...]:
    parts: list[str] = []
    at = 0
    text = text.strip().removesuffix(",").replace("，", ",")
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or found.end() == at:
            raise Refused("teammates.not_plain", line=line, text=_shown(text[at:]))
        parts.append(_word(found, found[3]))
        at = found.end()
    return tuple(parts)


def _plain(text: str, line: int) -> str:
    """A word without quotes, or a quoted one. A comment behind it is left out."""
    text = text.strip()
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return _word(quoted, "")
    text = re.sub(r"(?:^|[ \t]+)#.*$", "", text)
    if text.startswith(_NOT_PLAIN):
        raise Refused("teammates.not_plain", line=line, text=_shown(text))
    return text


def _word(found: re.Match[str], bare: str | None) -> str:
    double, single = cast(str | None, found[1]), cast(str | None, found[2])
    if double is not None:
        return re.sub(r"\\(.)", r"\1", double)
    if single is not None:
        return single.replace("''", "'")
    return (bare or "").strip()


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:40]}…"
