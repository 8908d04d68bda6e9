"""Reading the calls behind a mark. Pure.

What follows is read by its first characters: JSON, Python, a name with its arguments, parameters
in marks. A whole call counts although its end mark is missing; a call that is not whole does not.
"""

from __future__ import annotations

import re

from core.model.marks import Kind, Mark, cut_mark
from core.model.pieces import Ground, Reading
from core.model.pythonic import python_calls
from core.model.typed import Parameter, Written, from_parameters, known_name, loads, written_in

_FILLER = re.compile(r"[ \t\r\n,;]+")
_BLANK = re.compile(r"[ \t\r\n]+")
_NAME = re.compile(r"[A-Za-z0-9_.:/\-]+")
_TICKS = re.compile(r"`+")
_INFO = re.compile(r"[a-z_]+")
_LABELS = {"", "function", "function call", "tool", "commentary", "assistant", "json"}
"""Words between marks that are no names."""
_LABEL_WORDS = 2
_NAMES_OF_NAME = ("<name>", "<tool_name>")
_NESTED = re.compile(r"<(name|tool_name)>\s*([^<>]*?)\s*</\1>")
_ARGUMENTS = re.compile(r"<(arguments|parameters|args|input)>(.*)</\1>", re.DOTALL)
_ARGUMENT = re.compile(r"\s*<([A-Za-z_]\w*)>(.*?)</\1>\s*", re.DOTALL)
_ENDS: tuple[Kind, ...] = ("open", "close", "call", "drop", "result")
_IN_PARAMETERS: tuple[Kind, ...] = ("param", "unparam", "key", "close", "open", "call", "result")


class Marked(Ground):
    """The part of the reader that a mark hands over to."""

    def calls(self, opener: Mark, name: str = "") -> Reading[None]:
        """Read the calls that `opener` begins; ends behind them, or where text goes on.

        `name` is that of the tool, if it stood in the mark.
        """
        state = _State(opener, name)
        while True:
            self.input.hold()
            yield from self.input.run_of(_FILLER)
            sign = yield from self.input.peek()
            if sign == "{":
                yield from self._json_call(state)
            elif sign == "]" or (sign == "}" and state.some):
                # One bracket too many is a slip of the model, no text.
                self.input.skip(1)
            elif sign == "[" and not state.some and (yield from self._bracket()):
                self.input.skip(1)
            elif sign == "`" and state.fence(state.named):
                yield from self.input.run_of(_TICKS)
                yield from self.input.run_of(_INFO)
            elif sign in ("<", "[", "f") and (mark := (yield from self.mark())) is not None:
                if (yield from self._at_mark(state, mark)):
                    return
            elif not sign or state.some or not (yield from self._first(state)):
                self._leave(state, sign)
                return

    def parameters(self, call: Mark) -> Reading[None]:
        """Read one call whose parameters stand in marks; `call` itself was read."""
        held = _Parameters(call)
        while True:
            text, mark = yield from self.until_mark(_IN_PARAMETERS)
            held.add(text)
            if mark is None:
                self.refuse(held.raw, "cut", call.name)
                return
            if mark.kind in ("open", "call", "result"):
                self.refuse(held.raw, "broken", call.name)
                return
            ends = mark.text == call.ends or mark.text.endswith(("function>", "invoke>"))
            if mark.kind != "close" or ends:
                self.input.skip(len(mark.text))
            if mark.kind == "close":
                held.end(by_call=ends)
                self._end_of_parameters(held)
                return
            held.take(mark)

    def _end_of_parameters(self, held: _Parameters) -> None:
        name, body = held.call.name, "".join(held.outside).strip()
        if not held.fits:
            self.refuse(held.raw, "broken", name)
        elif held.given or not body:
            self.put([from_parameters(name, held.given, self.tools)], held.raw)
        else:
            try:
                self.put([Written(name, loads(body))], held.raw)
            except ValueError:
                self.refuse(held.raw, "broken", name)

    def _bracket(self) -> Reading[bool]:
        """True if a list begins here, and no mark."""
        return (yield from self.mark()) is None

    def _at_mark(self, state: _State, mark: Mark) -> Reading[bool]:
        """Go on at a mark between calls; True if that is their end."""
        if mark.kind in ("think", "result", "unthink"):
            return True
        if mark.kind in ("param", "key") and state.named:
            state.some = True
            yield from self.parameters(Mark("call", "", state.named, state.opener.ends))
            state.label = ""
            return False
        self.input.skip(len(mark.text))
        if mark.kind == "call":
            state.some = True
            yield from self.parameters(mark)
        elif mark.kind == "sep":
            state.sep = True
        elif mark.kind == "open":
            state.begin(mark)
        elif mark.kind in ("close", "drop"):
            self._close(state)
            return True
        return False

    def _close(self, state: _State) -> None:
        """The end mark: a name alone is a call without arguments."""
        if state.some:
            return
        if state.named and self.tools is not None and known_name(state.named, self.tools):
            self.put([Written(state.named, None)], state.named)
        else:
            self.refuse(state.read, "broken")

    def _leave(self, state: _State, sign: str) -> None:
        """Text goes on behind the calls, or there is no more of it."""
        if sign:
            self.input.back()
        elif not state.some and not state.opener.text.endswith("_sep|>"):
            self.refuse(state.read, "cut")

    def _json_call(self, state: _State) -> Reading[None]:
        self.input.hold()
        state.some = True
        label, state.label = state.named, ""
        if (yield from self.json(lenient=True)) != "whole":
            self.input.back()
            raw, mark = yield from self.until_mark(_ENDS)
            self.refuse(raw, "broken" if mark else "cut", label)
            return
        raw = self.input.held
        try:
            value = loads(raw)
        except ValueError:
            self.refuse(raw, "broken", label)
            return
        written = [Written(label, value)] if label else written_in(value, marked=True)
        if written:
            self.put(written, raw)
        else:
            self.refuse(raw, "broken")

    def _first(self, state: _State) -> Reading[bool]:
        """The first words behind a mark: a name, Python, nested tags; False if text goes on."""
        sign = yield from self.input.peek()
        if sign == "<" and (yield from self.input.peek(11)).startswith(_NAMES_OF_NAME):
            yield from self._nested(state)
            return True
        name = yield from self.input.run_of(_NAME)
        if name and (yield from self.input.peek()) == "(":
            yield from self._python(state)
            return True
        if name and state.add(name):
            state.read += self.input.held
            return True
        return (yield from self._garbage(state))

    def _python(self, state: _State) -> Reading[None]:
        self.input.back()
        text, mark = yield from self.until_mark(_ENDS)
        state.some = True
        calls = python_calls(_without_cut_mark(text).strip(" \t\r\n,;"))
        if calls:
            self.put((Written(name, arguments) for name, arguments in calls), text)
        else:
            self.refuse(text, "broken" if mark else "cut", text.strip(" \n[").partition("(")[0])

    def _nested(self, state: _State) -> Reading[None]:
        """`<name>search</name><arguments>…</arguments>`, the arguments JSON or a tag each."""
        self.input.hold()
        text, mark = yield from self.until_mark(("close", "open"))
        state.some = True
        name = _NESTED.search(text)
        if name is None or mark is None:
            self.refuse(text, "broken" if mark else "cut", name.group(2) if name else "")
            return
        body = _ARGUMENTS.search(text)
        inner = body.group(2).strip() if body else ""
        if inner.startswith("<"):
            given: list[Parameter] = [(key, each, None) for key, each in _ARGUMENT.findall(inner)]
            self.put([from_parameters(name.group(2), given, self.tools)], text)
            return
        try:
            self.put([Written(name.group(2), loads(inner) if inner else None)], text)
        except ValueError:
            self.refuse(text, "broken", name.group(2))

    def _garbage(self, state: _State) -> Reading[bool]:
        """No call: hidden if it is marked to its end; prose if the mark was only mentioned."""
        self.input.back()
        text, mark = yield from self.until_mark(_ENDS, blank_line=True)
        if mark is None:
            self._prose(state.read + text)
            self.input.hold()
            return False
        self.refuse(state.read + text, "broken")
        state.some = True
        return True

    def _prose(self, text: str) -> None:
        """What stands behind a mark that nothing ends, up to a blank line or the end of all."""
        plain = _without_cut_mark(text)
        first = plain.strip()
        if first in _LABELS or (plain != text and _NAME.fullmatch(first)):
            self.refuse(text, "cut")
            return
        self.say(plain)
        if plain != text:
            self.refuse(text, "cut")


def _without_cut_mark(text: str) -> str:
    at = cut_mark(text, likely=True)
    return text if at < 0 else text[:at]


class _State:
    """What is known between the calls behind one mark."""

    def __init__(self, opener: Mark, name: str) -> None:
        self.begin(opener)
        self.label = name

    def begin(self, opener: Mark) -> None:
        self.opener = opener
        self.read = ""
        """What of text there was, before it could be told what it is."""
        self.label = ""
        self.some = False
        """True once there was a call, whole or not."""
        self.sep = False
        self.fenced = False

    @property
    def named(self) -> str:
        """The name that arguments will belong to."""
        return "" if self.label in _LABELS or " " in self.label else self.label

    def add(self, word: str) -> bool:
        """Take a word that may be a name; False if these are too many words for one."""
        if self.sep and self.label not in _LABELS:
            # The id of a call, between its name and its arguments.
            return True
        self.label = word if self.sep else f"{self.label} {word}".strip()
        self.sep = False
        return self.label.count(" ") < _LABEL_WORDS

    def fence(self, named: str) -> bool:
        """True if backticks here are round the arguments."""
        fits = bool(named) or self.fenced
        self.fenced = bool(named)
        return fits


class _Parameters:
    """The parameters of one call, as far as they were read."""

    def __init__(self, call: Mark) -> None:
        self.call = call
        self.fits = call.whole
        self.given: list[Parameter] = []
        self.outside: list[str] = []
        self._raw: list[str] = []
        self._open: tuple[str, bool | None] | None = None
        self._value: list[str] = []
        self._key: list[str] | None = None

    @property
    def raw(self) -> str:
        return "".join(self._raw)

    def add(self, text: str) -> None:
        """Text between two marks."""
        self._raw.append(text)
        place = self._key if self._key is not None else self.outside
        (self._value if self._open else place).append(text)

    def take(self, mark: Mark) -> None:
        """A mark that begins or ends a parameter."""
        key = "".join(self._key or ()).strip()
        if mark.kind == "unparam":
            if self._open:
                self._finish()
            return
        self._finish()
        if mark.kind == "key":
            self._key = []
        else:
            self._open = (mark.name or key, mark.typed)
            self._key = None

    def end(self, *, by_call: bool) -> None:
        """The call ended. A parameter without an end is good only if the call itself ended."""
        if self._open and not by_call:
            self.fits = False
        self._finish()

    def _finish(self) -> None:
        if self._open:
            text = "".join(self._value).removeprefix("\n").removesuffix("\n")
            self.given.append((self._open[0], text, self._open[1]))
        self._open, self._value = None, []
