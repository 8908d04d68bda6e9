"""A teammate's file -> its card, with every field checked."""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from core.model.tokens import tokens_of
from core.request import TeammateCard
from core.settings import VARIABLES, unknown_variable
from core.teammates.front_matter import Field, Refused, split
from core.teammates.names import NAME, RESERVED
from core.teammates.narrow import role_in
from core.texts import LANGUAGES

AUTO = "auto"
CARD_MODES = (AUTO, "chat", "tool", "rag", "react", "loop")
"""What a card may fix; `auto` leaves the choice to the rules."""

FILE_BYTES = 256 * 1024
ROLE_TOKENS = 2_000
"""Longest role in one language: what a prompt has room for. More would be cut without a word."""
LINE_CHARACTERS = 300
MOST_NAMES = 200
"""Tools or knowledge bases of one card."""
MOST_ROUNDS = 50
READ = "@read"
"""Every tool that only reads, those of later releases included; the toolbox knows this word."""
READ_WORDS = frozenset({"read", READ})
NONE = frozenset({"none", "无"})
"""`knowledge: none`: an empty list in one word."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of writing: what is shown would not be
what is read."""
_TOOL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
_MODEL = re.compile(r"[\x21-\x7e]{1,200}")
_SHORTCODE = re.compile(r":[a-z0-9_+-]{1,100}:")

Read = Callable[[str, Field], object]


def card_of(data: bytes, stem: str) -> TeammateCard:
    """The card of a file; `stem` is its name where the file gives none.

    Raises Refused that names the line, what is wrong, and what can be written instead.
    """
    fields, role = split(_text(data))
    for name, field in fields.items():
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, 1)
            known = near[0] if near else ", ".join(_FIELDS)
            raise Refused("teammates.unknown_field", line=field.line, field=name, known=known)
    # An empty value is as good as a field that is left out, but for lists, where it means none.
    given = {name: field for name, field in fields.items() if field.value != ""}
    read = {name: _FIELDS[name](name, field) for name, field in given.items()}
    if not role:
        raise Refused("teammates.no_role")
    longest = max(tokens_of(role_in(role, language)) for language in LANGUAGES)
    if longest > ROLE_TOKENS:
        raise Refused("teammates.long_role", count=f"{longest:,}", most=f"{ROLE_TOKENS:,}")
    text = _text(data)
    _check_variables(role, text.count("\n", 0, text.find(role)))
    if "name" not in read:
        read["name"] = _name("name", Field(stem, 0))
    version = hashlib.sha256(data).hexdigest()[:16]
    return TeammateCard.model_validate(_without_none(read) | {"role": role, "version": version})


def _check_variables(text: str, lines_before: int) -> None:
    """Refused for a variable that there is not, with its line."""
    unknown = unknown_variable(text)
    if unknown is not None:
        name, line = unknown[0], lines_before + unknown[1]
        known = ", ".join(f"{{{{{known}}}}}" for known in VARIABLES)
        raise Refused("teammates.unknown_variable", line=line, name=name, known=known)


def _text(data: bytes) -> str:
    if len(data) > FILE_BYTES:
        raise Refused("teammates.too_big", kib=FILE_BYTES // 1024)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Refused("teammates.not_utf8", line=line) from error
    found = _CONTROL.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise Refused("teammates.control", line=line, code=f"U+{ord(found.group()):04X}")
    return text


def _without_none(read: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in read.items() if value is not None}


def _one(name: str, field: Field) -> str:
    """A value of one line."""
    if not isinstance(field.value, str):
        raise Refused("teammates.one_value", line=field.line, field=name)
    return field.value


def _line(name: str, field: Field) -> str:
    text = _one(name, field)
    if len(text) > LINE_CHARACTERS:
        raise Refused("teammates.too_long", line=field.line, field=name, most=LINE_CHARACTERS)
    return text


def _style(name: str, field: Field) -> str:
    text = _line(name, field)
    _check_variables(text, field.line - 1)
    return text


def _name(name: str, field: Field) -> str:
    text = unicodedata.normalize("NFC", _one(name, field)).removeprefix("@")
    if not NAME.fullmatch(text):
        raise Refused("teammates.bad_name", line=field.line, name=text[:40])
    if text.casefold() in RESERVED:
        raise Refused("teammates.reserved_name", line=field.line, name=text)
    return text


def _aliases(name: str, field: Field) -> tuple[str, ...]:
    return tuple(_name(name, Field(one, field.line)) for one in _listed(field))


def _avatar(name: str, field: Field) -> str:
    text = _one(name, field)
    picture = re.fullmatch(r"https://[\x21-\x7e]{4,480}", text)
    # Emoji are one to a few marks; letters would be a word that no platform shows as a face.
    emoji = len(text) <= 16 and not re.search(r"[\s\w]", re.sub(r"[#*0-9]\ufe0f?\u20e3", "", text))
    if not (picture or emoji or _SHORTCODE.fullmatch(text)):
        raise Refused("teammates.bad_avatar", line=field.line, avatar=text[:40])
    return text


def _listed(field: Field) -> tuple[str, ...]:
    """A list, or one word or several with commas between them; `none` is the empty list."""
    if isinstance(field.value, tuple):
        words = field.value
    else:
        words = tuple(re.split(r"[,，、]", field.value))
    words = tuple(word.strip() for word in words if word.strip())
    if len(words) > MOST_NAMES:
        raise Refused("teammates.too_many", line=field.line, most=MOST_NAMES)
    return () if len(words) == 1 and words[0].casefold() in NONE else words


def _tools(name: str, field: Field) -> tuple[str, ...]:
    words = tuple(READ if word.casefold() in READ_WORDS else word for word in _listed(field))
    for word in words:
        if word != READ and not _TOOL.fullmatch(word):
            raise Refused("teammates.bad_tool", line=field.line, tool=word[:40])
    return words


def _knowledge(name: str, field: Field) -> tuple[str, ...]:
    words = _listed(field)
    for word in words:
        _line(name, Field(word, field.line))
    return words


def _choice(*known: str) -> Read:
    def read(name: str, field: Field) -> str:
        text = _one(name, field).casefold()
        if text not in known:
            values = {"field": name, "value": text[:40], "known": ", ".join(known)}
            raise Refused("teammates.choice", line=field.line, **values)
        return text

    return read


def _model(name: str, field: Field) -> str:
    text = _one(name, field)
    if not _MODEL.fullmatch(text):
        raise Refused("teammates.bad_model", line=field.line, model=text[:40])
    return text


def _rounds(name: str, field: Field) -> int:
    text = _one(name, field)
    number = int(text) if re.fullmatch(r"[0-9]{1,4}", text) else 0
    if not 1 <= number <= MOST_ROUNDS:
        raise Refused("teammates.rounds", line=field.line, value=text[:40], most=MOST_ROUNDS)
    return number


_FIELDS: dict[str, Read] = {
    "name": _name,
    "aliases": _aliases,
    "avatar": _avatar,
    "description": _line,
    "model": _model,
    "tools": _tools,
    "knowledge": _knowledge,
    "language": _choice("zh", "en"),
    "style": _style,
    "verbosity": _choice("short", "normal", "long"),
    "mode": _choice(*CARD_MODES),
    "max_rounds": _rounds,
}
