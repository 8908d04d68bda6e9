"""What a text with calls in it falls into, and what every part of its reader stands on. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from core.model.marks import LONGEST, MAY_BE, WORDS, Kind, Mark, mark_of
from core.model.protocol import ToolCall
from core.model.scan import CodeScan, Input, JsonScan
from core.model.typed import Refused, Schemas, Written, settled

T = TypeVar("T")
Reading = Generator[None, None, T]
"""Reads on, yields while it needs more text, gives a T."""


@dataclass(frozen=True)
class Words:
    """Text for people."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """What the model thought aloud, its marks included; no text for people."""

    text: str


@dataclass(frozen=True)
class Called:
    """A whole call of a known tool; its arguments are an object."""

    call: ToolCall


@dataclass(frozen=True)
class CutCall:
    """A call that may not be done."""

    name: str
    """Empty if not even that can be read."""
    raw: str
    """As it was written, without the mark before it; its arguments, if only they are wrong."""
    why: Literal["cut", "broken", "unknown"] = "cut"
    what: str = ""
    """What is wrong, for the model."""


Piece = Words | Thinking | Called | CutCall

_TAG_ENDS = re.compile(r"[<>\n]")
_MARK_BEGINS = re.compile(r"[<\[f]")
_MARK_OR_BLANK_LINE = re.compile(r"[<\[f]|\n(?=\n|$)")
_NAMED = re.compile(r'"(?:name|tool_name|tool)"\s*:\s*"([^"]+)"')


class Ground:
    """Input, output and the things that can be read everywhere."""

    def __init__(self, tools: Schemas | None) -> None:
        self.tools = tools
        self.input = Input()
        self.out: list[Piece] = []
        self.fresh_line = True
        """True while only blanks were said since the last line break."""
        self.seen = False
        """True once a mark of a call came: more of them are likely."""
        self.made_up = False
        """True once the model wrote a result, which only we do."""
        self._count = 0

    def say(self, text: str) -> None:
        """`text` is for people."""
        if not text:
            return
        line = text[text.rfind("\n") + 1 :]
        self.fresh_line = not line.strip() and (self.fresh_line or len(line) < len(text))
        self.out.append(Words(text))

    def think(self, text: str) -> None:
        """`text` is the model's thinking."""
        if text:
            self.out.append(Thinking(text))

    def refuse(self, raw: str, why: Literal["cut", "broken"], name: str = "") -> None:
        """A call that cannot be read."""
        found = _NAMED.search(raw)
        name = name or (found.group(1) if found else "")
        what = "it was cut off" if why == "cut" else "it could not be read"
        self.out.append(CutCall(name, raw, why, what))

    def put(self, written: Iterable[Written], raw: str) -> None:
        """Calls that were read: known and whole ones are called."""
        for each in written:
            found = settled(each, self.tools)
            if isinstance(found, Refused):
                read = raw if found.arguments is None else _json(found.arguments)
                self.out.append(CutCall(each.name, read, found.kind, found.what))
            else:
                self.call(*found)

    def call(self, name: str, arguments: dict[str, object]) -> None:
        self._count += 1
        call = ToolCall(id=f"call_{self._count}", name=name, arguments=_json(arguments))
        self.out.append(Called(call))

    def mark(self) -> Reading[Mark | None]:
        """The mark at the place of the input, which stays before it."""
        while True:
            text, at = self.input.text, self.input.at
            if at < len(text):
                found = _word(text, at) if text[at] != "<" else _tag(text, at)
                if isinstance(found, Mark):
                    return found
                if found is False or self.input.ended:
                    return None
            if not (yield from self.input.more()) and at >= len(text):
                return None

    def until_mark(
        self, kinds: Collection[Kind], *, blank_line: bool = False
    ) -> Reading[tuple[str, Mark | None]]:
        """Read up to the next mark of some kinds, or to a blank line; the text before it."""
        signs = _MARK_OR_BLANK_LINE if blank_line else _MARK_BEGINS
        read: list[str] = []
        source = self.input
        while True:
            found = signs.search(source.text, source.at)
            upto = found.start() if found else len(source.text)
            read.append(source.text[source.at : upto])
            source.at = upto
            if found is None:
                if not (yield from source.more()):
                    return "".join(read), None
                continue
            if found.group() == "\n":
                if (yield from source.peek(2)) == "\n\n":
                    return "".join(read), None
            elif (mark := (yield from self.mark())) is not None and mark.kind in kinds:
                return "".join(read), mark
            read.append(source.text[source.at])
            source.skip(1)

    def json(self, *, lenient: bool) -> Reading[Literal["whole", "broken", "cut"]]:
        """Read one JSON object, or as much of it as there is."""
        return (yield from self._scanned(JsonScan(lenient=lenient)))

    def code(self) -> Reading[Literal["whole", "broken", "cut"]]:
        """Read one bracketed expression of Python."""
        return (yield from self._scanned(CodeScan()))

    def _scanned(self, scan: JsonScan | CodeScan) -> Reading[Literal["whole", "broken", "cut"]]:
        source = self.input
        while True:
            source.at, verdict = scan.feed(source.text, source.at)
            if verdict != "more":
                return verdict
            if not (yield from source.more()):
                return "cut"


def _json(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _word(text: str, at: int) -> Mark | bool:
    """The mark that is a word; False if there is none, True if there may be one."""
    rest = text[at : at + 20]
    for word in WORDS:
        if rest.startswith(word):
            return mark_of(word) or False
    return any(word.startswith(rest) for word in WORDS)


def _tag(text: str, at: int) -> Mark | bool:
    """The mark between `<` and `>`; False if there is none, True if there may be one."""
    end = _TAG_ENDS.search(text, at + 1, at + LONGEST)
    if end is not None:
        upto = end.end() if end.group() == ">" else end.start()
        return mark_of(text[at:upto]) or False
    if len(text) - at >= LONGEST:
        return False
    return MAY_BE.fullmatch(text, at) is not None
