"""Tool calls that models write as text: one reader for all dialects, at any cut of the stream.

    reader = Reader({"search": schema})
    pieces = reader.feed('I look. <tool_use>{"name": "sea') + reader.feed(…) + reader.close()

Our own form is `<tool_use>{"name": "search", "arguments": {…}}</tool_use>`. Beside it every family
has its marks (`core.model.marks`). Without any mark only JSON or a Python list that names a tool is
a call. What stands in code stays text, unless a fence holds nothing but calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from core.model.marks import Mark, cut_mark
from core.model.pieces import Called, CutCall, Piece, Reading, Thinking, Words
from core.model.typed import loads
from core.model.unmarked import Unmarked

__all__ = ["Called", "CutCall", "Piece", "Reader", "Thinking", "Words", "read"]

_STARTS = re.compile(r"[<{\[`f]")
_BLANK = re.compile(r"[ \t\r\n]+")
_TICK = re.compile(r"`+")
_TICKS_OR_END = re.compile(r"`+|\n")
_WORD = re.compile(r"\w")
_LINE = re.compile(r"[^\n`]+")
_HEADER_SIZE = 200
_TARGET = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")


class Reader(Unmarked):
    """Takes a text in pieces and gives what it falls into; any cut of a text gives the same.

    `tools` are the schemas of the known tools by name; None: every name is good. A call is given
    as soon as it is whole; one that never is comes as CutCall at the end.
    """

    def __init__(self, tools: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        super().__init__(tools)
        self._plain_until = 0
        """Up to this place nothing without a mark is a call: it was tried."""
        self._no_code_until: dict[str, int] = {}
        """Up to this place backticks of this length end no code: it was looked for."""
        self._work = self._text()
        next(self._work)

    def feed(self, text: str) -> list[Piece]:
        """What is known after `text` came."""
        if text:
            self.input.add(text)
            next(self._work)
        return self._taken()

    def close(self) -> list[Piece]:
        """What is left at the end of the text."""
        self.input.ended = True
        for _ in self._work:
            pass
        return self._taken()

    def _taken(self) -> list[Piece]:
        pieces: list[Piece] = []
        for kind, group in groupby(self.out, type):
            if kind is Words or kind is Thinking:
                pieces.append(kind("".join(piece.text for piece in group)))  # pyright: ignore
            else:
                pieces.extend(group)
        self.out = []
        return pieces

    def _text(self) -> Reading[None]:
        """Text for people, up to what may be something else."""
        source = self.input
        while True:
            source.hold()
            found = _STARTS.search(source.text, source.at)
            upto = found.start() if found else len(source.text)
            self.say(source.text[source.at : upto])
            source.at = upto
            if found is None:
                if not (yield from source.more()):
                    return
                continue
            source.hold()
            if found.group() == "`":
                yield from self._code()
            elif found.group() != "f" or not _WORD.match(source.previous or " "):
                yield from self._start(found.group())
            else:
                self._say_next()

    def _start(self, sign: str) -> Reading[None]:
        """A character that may begin a mark or a call."""
        mark = None if sign == "{" else (yield from self.mark())
        if mark is not None:
            self.input.skip(len(mark.text))
            yield from self._marked(mark)
        elif self.input.ended and sign != "{" and self._is_cut():
            self.refuse(self.input.text[self.input.at :], "cut")
            self.input.at = len(self.input.text)
        elif sign in "{[" and self.input.place >= self._plain_until:
            yield from self._bare()
        else:
            self._say_next()

    def _is_cut(self) -> bool:
        """True if all that is left is a mark that was cut off."""
        return cut_mark(self.input.text[self.input.at :], likely=self.seen) == 0

    def _say_next(self) -> None:
        self.say(self.input.text[self.input.at])
        self.input.skip(1)

    def _marked(self, mark: Mark) -> Reading[None]:
        self.seen = self.seen or mark.kind in ("open", "call", "channel")
        match mark.kind:
            case "open":
                yield from self.calls(mark)
            case "call":
                yield from self.parameters(mark)
            case "think":
                self.think(mark.text)
                yield from self._until(mark.ends, thinking=True)
            case "unthink":
                self.think(mark.text)
            case "channel":
                yield from self._channel(mark)
            case "result" | "param" | "key":
                # Written by a model, these are leftovers of a call, or a result that it made up.
                self.made_up = self.made_up or mark.kind == "result"
                yield from self._until(mark.ends, thinking=False)
                self.refuse("", "broken")
            case _:
                pass

    def _channel(self, mark: Mark) -> Reading[None]:
        """A header of gpt-oss: `<|channel|>commentary to=functions.search <|message|>{…}`."""
        self.input.hold()
        header = ""
        while len(header) < _HEADER_SIZE:
            text, token = yield from self.until_mark(("drop", "channel", "close"))
            header += text
            if token is None and self.input.ended:
                self.refuse(header, "cut")
                return
            if token is None or token.kind == "close":
                break
            self.input.skip(len(token.text))
            if token.text == "<|message|>":
                if target := _TARGET.search(header):
                    yield from self.calls(mark, target.group(1))
                elif "analysis" in header:
                    self.think(mark.text + header + token.text)
                    yield from self._until("<|end|>", thinking=True)
                return
        # No header: a stray token.
        self.input.back()

    def _until(self, end: str, *, thinking: bool) -> Reading[None]:
        """Read up to and with `end`, or to the end of all."""
        source = self.input
        while end:
            source.hold()
            at = source.text.find(end, source.at)
            upto = at + len(end) if at >= 0 else max(source.at, len(source.text) - len(end) + 1)
            if thinking:
                self.think(source.text[source.at : upto])
            source.at = upto
            if at >= 0:
                return
            if not (yield from source.more()):
                if thinking:
                    self.think(source.text[source.at :])
                source.at = len(source.text)
                return

    def _bare(self) -> Reading[None]:
        """JSON or Python without a mark: calls, or text."""
        if not (yield from self.bare_calls()):
            # Marks inside of it are found, calls without marks are not looked for again.
            self._plain_until = self.input.place
            self.input.back()
            self._say_next()

    def _code(self) -> Reading[None]:
        """Backticks: code in a line, or a fence."""
        fresh = self.fresh_line
        ticks = yield from self.input.run_of(_TICK)
        if len(ticks) >= 3 and fresh:
            yield from self._fence(ticks)
        elif self.input.place >= self._no_code_until.get(ticks, 0):
            yield from self._inline(ticks)
        else:
            self.say(ticks)

    def _inline(self, ticks: str) -> Reading[None]:
        """Code in a line stays as it is; backticks that nothing closes are nothing special."""
        source = self.input
        while True:
            found = _TICKS_OR_END.search(source.text, source.at)
            source.at = found.start() if found else len(source.text)
            if found is None:
                if not (yield from source.more()):
                    break
            elif found.group() == "\n":
                break
            elif (yield from source.run_of(_TICK)) == ticks:
                self.say(source.held)
                return
        self._no_code_until[ticks] = source.place
        source.back(len(ticks))
        self.say(ticks)

    def _fence(self, ticks: str) -> Reading[None]:
        """A fence: calls if it holds nothing else, or text up to its end."""
        source = self.input
        yield from source.run_of(_LINE)
        if (yield from source.peek()) == "`":
            self.say(source.held)
            return
        yield from source.run_of(_BLANK)
        if not (yield from self._may_be_calls()):
            self.say(source.held)
            source.hold()
            yield from self._fenced_text(ticks)
            return
        start = len(source.held)
        closed = yield from self._fenced_text(ticks, aloud=False)
        whole = source.held
        pieces = [
            piece
            for piece in read(whole[start:].rstrip("` \n"), self.tools)
            if not _is_blank(piece)
        ]
        calls = [piece for piece in pieces if isinstance(piece, Called)]
        cuts = [piece for piece in pieces if isinstance(piece, CutCall) and piece.why == "cut"]
        if pieces and len(calls) + (0 if closed else len(cuts)) == len(pieces):
            for piece in calls:
                self.call(piece.call.name, loads(piece.call.arguments))
            self.out += cuts
        else:
            self.say(whole)

    def _may_be_calls(self) -> Reading[bool]:
        sign = yield from self.input.peek()
        if sign in ("{", "["):
            return (yield from self.looks_like_calls())
        mark = (yield from self.mark()) if sign == "<" else None
        return mark is not None and mark.kind in ("open", "call")

    def _fenced_text(self, ticks: str, *, aloud: bool = True) -> Reading[bool]:
        """Read up to and with the end of a fence, if it has one: its backticks on a new line."""
        source, fresh = self.input, True
        while True:
            found = _TICK.search(source.text, source.at)
            upto = found.start() if found else len(source.text)
            text, source.at = source.text[source.at : upto], upto
            line = text.rpartition("\n")[2]
            fresh = not line.strip() and (fresh or len(line) < len(text))
            closes = fresh or (not aloud and source.previous in "]})>")
            run = (yield from source.run_of(_TICK)) if found else ""
            fresh = fresh and not run
            if aloud:
                self.say(source.held)
                source.hold()
            if found is None:
                if not (yield from source.more()):
                    return False
            elif closes and len(run) >= len(ticks):
                return True


def _is_blank(piece: Piece) -> bool:
    return isinstance(piece, Words) and not piece.text.strip()


def read(text: str, tools: Mapping[str, Mapping[str, Any]] | None = None) -> list[Piece]:
    """What a whole text falls into."""
    reader = Reader(tools)
    return reader.feed(text) + reader.close()
