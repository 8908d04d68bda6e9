"""JSON as models write it when nothing but little things is wrong with it.

Forgiven: an end that is missing (the answer was cut), raw line breaks in strings, a comma before a
closing bracket, curly quotes and full-width punctuation. Everything else raises `NotPlain`: it
must be guessed, and guessing is another step (`core.model.repair`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

DEPTH = 100
"""Deeper nesting is no answer of ours."""
STRAIGHT = '"'
OPENING = "“"
CURLY = "“”"
COLONS = ":："
COMMAS = ",，"
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER_CUT = re.compile(r"[-+.eE]*\Z")
_NO_NUMBER = re.compile(r"[\w.+-]")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_STRUCTURE = re.compile(r"[{}\[\]:,]")
_NEXT_KEY = re.compile(r"\s*(?:([\"“])([^\"“”\n]{1,80})[\"”]\s*[:：]|\Z)")
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}


class NotPlain(ValueError):
    """More is wrong than this reader forgives."""


class Open(dict[str, Any]):
    """An object that the text left open: whether all of it is there cannot be known."""


class OpenList(list[Any]):
    """A list that the text left open: more of it may have been meant."""


class _Cut(Exception):
    """The text ended before a value began."""


class Reader:
    """Reads one value from `start`; afterwards `pos` is behind it and `cut` tells if it was cut."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.pos = start
        self.cut = False
        self._depth = 0

    def read(self) -> Any:
        """The value. Raises NotPlain."""
        try:
            return self._value("", frozenset())
        except _Cut as error:
            raise NotPlain("nothing there") from error

    def _value(self, inside: str, keys: frozenset[str], style: str = "") -> Any:
        match self._peek():
            case "":
                raise _Cut
            case "{":
                return self._nested(self._object)
            case "[":
                return self._nested(self._array)
            case '"':
                return self._straight()
            case "“":
                return self._curly(lambda at: self._closes(at, inside, keys, style))
            case _:
                return self._scalar()

    def _nested(self, read: Callable[[], Any]) -> Any:
        self._depth += 1
        if self._depth > DEPTH:
            raise NotPlain("too deep")
        self.pos += 1
        value = read()
        self._depth -= 1
        return value

    def _object(self) -> dict[str, Any]:
        held: dict[str, Any] = {}
        style = ""
        while (sign := self._peek()) and sign != "}":
            if sign not in (STRAIGHT, OPENING):
                raise NotPlain(f"no key at {self.pos}")
            style = style or sign
            key = self._key(sign)
            if self.cut and _STRUCTURE.search(key):
                # No name is like that: a quote is missing further up.
                raise NotPlain("a key without an end")
            if self.cut or not self._peek():
                break
            if key in held or self.text[self.pos] not in COLONS:
                raise NotPlain(f"twice, or no colon, at {self.pos}")
            self.pos += 1
            try:
                held[key] = self._value("{", frozenset((*held, key)), style)
            except _Cut:
                break
            if not self._more("}"):
                break
        return self._closed(held, "}")

    def _closed(self, held: dict[str, Any], end: str) -> dict[str, Any]:
        if not self.cut and self._peek() == end:
            self.pos += 1
            return held
        self.cut = True
        return Open(held)

    def _array(self) -> list[Any]:
        held: list[Any] = []
        while (sign := self._peek()) and sign != "]":
            try:
                held.append(self._value("[", frozenset()))
            except _Cut:
                break
            if not self._more("]"):
                break
        if not self.cut and self._peek() == "]":
            self.pos += 1
            return held
        self.cut = True
        return OpenList(held)

    def _more(self, end: str) -> bool:
        """Behind a value: step over the comma; False where the text was cut."""
        sign = "" if self.cut else self._peek()
        if sign and sign in COMMAS:
            self.pos += 1
        elif sign and sign != end:
            raise NotPlain(f"{sign!r} at {self.pos}")
        return bool(sign)

    def _key(self, sign: str) -> str:
        if sign == STRAIGHT:
            return self._straight()
        return self._curly(lambda at: self._after(at) in (*COLONS, ""))

    def _straight(self) -> str:
        found = _STRING.match(self.text, self.pos)
        if found is not None:
            self.pos = found.end()
            return _decoded(found[1])
        return self._rest()

    def _curly(self, closes: Callable[[int], bool]) -> str:
        """A string in curly quotes: quotes inside are text, unless the JSON goes on behind them."""
        at = self.pos + 1
        while at < len(self.text):
            if self.text[at] == "\\":
                at += 2
                continue
            if self.text[at] in '”"' and closes(at):
                content = self.text[self.pos + 1 : at]
                self.pos = at + 1
                return _decoded(re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', content))
            at += 1
        return self._rest()

    def _rest(self) -> str:
        content = _HALF_ESCAPE.sub(r"\1", self.text[self.pos + 1 :])
        self.pos, self.cut = len(self.text), True
        return _decoded(re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', content))

    def _closes(self, at: int, inside: str, keys: frozenset[str], style: str) -> bool:
        """True if the quote at `at` ends a value: what follows is structure, not prose.

        A member that has the other quotes, or a name that was there before, is prose: text must
        not be able to overwrite what stands beside it.
        """
        sign = self._after(at)
        if sign not in COMMAS or not sign:
            return sign in ("", "}", "]")
        comma = _space(self.text, at + 1)
        following = self._after(comma)
        if inside != "{":
            return not following or following in '"“[{-0123456789]tfn'
        found = _NEXT_KEY.match(self.text, comma + 1)
        if found is None:
            return following == "}"
        return not found[1] or (found[1] == style and found[2] not in keys)

    def _scalar(self) -> Any:
        rest = self.text[self.pos : self.pos + 40]
        for name, value in _LITERALS.items():
            if rest.startswith(name) and not rest[len(name) :][:1].isalnum():
                self.pos += len(name)
                return value
            if len(rest) < len(name) and name.startswith(rest):
                raise _Cut
        return self._number()

    def _number(self) -> int | float:
        found = _NUMBER.match(self.text, self.pos)
        end = found.end() if found else self.pos
        if _NUMBER_CUT.match(self.text, end):
            # `1.` or `-` at the very end: what was there of the number.
            self.pos, self.cut = len(self.text), True
            if found is None:
                raise _Cut
        elif found is None or _NO_NUMBER.match(self.text, end):
            raise NotPlain(f"no value at {self.pos}")
        else:
            self.pos = end
        try:
            return json.loads(found[0])
        except ValueError as error:
            raise NotPlain("number too long") from error

    def _peek(self) -> str:
        self.pos = _space(self.text, self.pos)
        return self.text[self.pos : self.pos + 1]

    def _after(self, at: int) -> str:
        at = _space(self.text, at + 1)
        return self.text[at : at + 1]


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _decoded(content: str) -> str:
    try:
        # Raw line breaks are allowed: models write them, and nothing else can be meant.
        return json.loads(f'"{content}"', strict=False)
    except ValueError as error:
        raise NotPlain("a bad escape") from error
