"""Reading a text that comes in pieces: an input that can wait, and where a JSON value ends. Pure.

Everything here looks at each character once or twice, however small the pieces are: a document
that a model writes into one argument comes in tens of thousands of them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Literal

Wait = Generator[None, None, bool]
"""Ends with True when more text came, with False when none will."""


class Input:
    """Text that is still to be read. A reader is a generator that yields while it needs more."""

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        """Index of the next character in `text`."""
        self.ended = False
        self._base = 0
        """Number of the first character of `text` in the whole."""
        self._before = ""
        """The character before `text`."""
        self._held: list[str] = []
        """What was read since `hold`, as far as `text` has it no more."""
        self._from = 0
        self._prior = ""
        """The character before what is held."""

    def add(self, piece: str) -> None:
        """More text came."""
        self._held.append(self.text[self._from : self.at])
        self._before = self.previous
        self._base += self.at
        self.text = self.text[self.at :] + piece
        self.at = self._from = 0

    @property
    def place(self) -> int:
        """Number of the next character in the whole."""
        return self._base + self.at

    @property
    def previous(self) -> str:
        """The character that was read last; empty at the beginning."""
        return self.text[self.at - 1] if self.at else self._before

    def more(self) -> Wait:
        """Wait for more text."""
        if self.ended:
            return False
        before = len(self.text) - self.at
        while not self.ended and len(self.text) - self.at == before:
            yield
        return len(self.text) - self.at > before

    def peek(self, count: int = 1) -> Generator[None, None, str]:
        """The next `count` characters; fewer only at the end."""
        while len(self.text) - self.at < count and (yield from self.more()):
            pass
        return self.text[self.at : self.at + count]

    def skip(self, count: int) -> None:
        """Go on behind the next `count` characters."""
        self.at += count

    def hold(self) -> None:
        """Remember all that is read from here on."""
        self._held.clear()
        self._from = self.at
        self._prior = self.previous

    @property
    def held(self) -> str:
        """What was read since `hold`."""
        return "".join(self._held) + self.text[self._from : self.at]

    def since(self, place: int) -> str:
        """What was read from `place` on, which is not before `hold`."""
        parts = [self.text[max(self._from, place - self._base) : self.at]]
        missing = self._base - place
        for part in reversed(self._held):
            if missing <= 0:
                break
            parts.append(part[-missing:])
            missing -= len(part)
        return "".join(reversed(parts))

    def back(self, keep: int = 0) -> None:
        """Read what was held once more, but for its first `keep` characters."""
        if not any(self._held):
            self._held.clear()
            self.at = self._from + keep
            return
        held = self.held
        self._base = self.place - len(held)
        self._before = self._prior
        self.text = held + self.text[self.at :]
        self.at = keep
        self._held.clear()
        self._from = 0

    def run_of(self, pattern: re.Pattern[str]) -> Generator[None, None, str]:
        """Read on while single characters fit `pattern`; what was read."""
        read: list[str] = []
        while True:
            found = pattern.match(self.text, self.at)
            if found and found.end() > self.at:
                read.append(found.group())
                self.at = found.end()
            if self.at < len(self.text) or not (yield from self.more()):
                return "".join(read)


_SPACE = re.compile(r"[ \t\r\n]+")
_WORD = re.compile(r"[-+.\w]+")
_LITERAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_IN_STRING = re.compile(r'["\\\x00-\x1f]')
_IN_LENIENT_STRING = re.compile(r'["\\]')
_DEEPEST = 100
_PAIRS = {")": "(", "]": "[", "}": "{"}
_MAY_END = {"}": "K,", "]": "V,", ")": ""}

Verdict = Literal["more", "whole", "broken"]


class JsonScan:
    """Finds the end of one JSON object, or the place where the text cannot be one any more.

    `lenient` lets raw line breaks into strings: models write them.
    """

    def __init__(self, *, lenient: bool) -> None:
        self._stop = _IN_LENIENT_STRING if lenient else _IN_STRING
        self._open: list[str] = []
        self._wants = "{"
        """What may come: `{` the object, `v` value, `V` value or end, `k` key, `K` key or end,
        `:` and `,` (comma or end)."""
        self._string = False
        self._escape = False
        self._word = ""

    def feed(self, text: str, at: int) -> tuple[int, Verdict]:
        """Scan `text` from `at`; the index that was come to, and what is known there."""
        while at < len(text):
            if self._string:
                at, fits = self._in_string(text, at)
            else:
                at, fits = self._outside(text, at)
            if not fits:
                return at, "broken"
            if not self._open and not self._word and self._wants == ",":
                return at, "whole"
        return at, "more"

    def _in_string(self, text: str, at: int) -> tuple[int, bool]:
        if self._escape:
            self._escape = False
            return at + 1, True
        found = self._stop.search(text, at)
        if found is None:
            return len(text), True
        sign = found.group()
        self._escape = sign == "\\"
        self._string = sign != '"'
        return found.end(), sign in '"\\'

    def _outside(self, text: str, at: int) -> tuple[int, bool]:
        word = _WORD.match(text, at)
        if word:
            self._word += word.group()
            return word.end(), self._wants in "vV" and len(self._word) < 400
        if self._word:
            fits = _LITERAL.fullmatch(self._word) is not None
            self._word, self._wants = "", ","
            return at, fits
        if space := _SPACE.match(text, at):
            return space.end(), True
        return at + 1, self._sign(text[at])

    def _sign(self, sign: str) -> bool:
        """Take one character outside of strings and words; False if it cannot stand here."""
        wants = self._wants
        if sign == '"' and wants in "vVkK":
            self._string = True
            self._wants = ":" if wants in "kK" else ","
        elif sign in "{[" and (wants in "vV" or (wants == "{" == sign)):
            self._open.append(sign)
            self._wants = "K" if sign == "{" else "V"
            return len(self._open) <= _DEEPEST
        elif sign in _PAIRS and self._inside(_PAIRS[sign]) and wants in _MAY_END[sign]:
            self._open.pop()
            self._wants = ","
        elif sign == ":" == wants:
            self._wants = "v"
        elif sign == "," == wants and self._open:
            self._wants = "k" if self._open[-1] == "{" else "v"
        else:
            return False
        return True

    def _inside(self, sign: str) -> bool:
        return bool(self._open) and self._open[-1] == sign


_IN_CODE = re.compile(r"""["'\\()\[\]{}]""")


class CodeScan:
    """Finds the end of one bracketed expression of Python, as `JsonScan` does for JSON."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._quote = ""
        self._escape = False

    def feed(self, text: str, at: int) -> tuple[int, Verdict]:
        """Scan `text` from `at`; the index that was come to, and what is known there."""
        if self._escape and at < len(text):
            at, self._escape = at + 1, False
        while found := _IN_CODE.search(text, at):
            at = found.end()
            sign = found.group()
            if sign == "\\":
                if at < len(text):
                    at += 1
                else:
                    self._escape = True
            elif self._quote or sign in "\"'":
                if not self._quote:
                    self._quote = sign
                elif sign == self._quote:
                    self._quote = ""
            elif sign in _PAIRS:
                if not self._open or self._open.pop() != _PAIRS[sign]:
                    return at, "broken"
                if not self._open:
                    return at, "whole"
            else:
                self._open.append(sign)
                if len(self._open) > _DEEPEST:
                    return at, "broken"
        return len(text), "more"
