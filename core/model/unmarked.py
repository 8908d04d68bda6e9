"""Reading calls without any mark: JSON objects and lists, and lists of Python calls. Pure.

Anybody may write JSON, so much is asked for: a name together with arguments, of a tool that is
known. What can be no call is let go at its first characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.model.marked import Marked
from core.model.pieces import Reading
from core.model.pythonic import python_calls
from core.model.typed import CALL_KEYS, Refused, Written, known_name, loads, settled, written_in

_BLANK = re.compile(r"[ \t\r\n]+")
_SEPARATOR = re.compile(r"[ \t\r\n;,]+")
_CLOSING = re.compile(r"\]+")
_SOME = r"\s{0,40}"
_VALUE = r'(?:"([^"\\]{0,100})"|[^"\s])'
_OBJECT_HEAD = re.compile(rf'\{{{_SOME}"([^"\\]{{1,40}})"{_SOME}:{_SOME}{_VALUE}')
_LIST_HEAD = re.compile(rf"\[{_SOME}\{{")
_CODE_HEAD = re.compile(
    rf"\[{_SOME}([A-Za-z_][\w.]{{0,80}})\({_SOME}(?:\)|[A-Za-z_]\w{{0,80}}{_SOME}=[^=])"
)
_HEAD_SIZE = 400
"""No head is longer."""
_NAME_KEYS = ("name", "tool", "tool_name")
_NAMED = re.compile(r'"(?:name|tool_name|tool)"\s*:\s*"([^"]+)"')
_WITH_ARGUMENTS = re.compile(r'"(?:arguments|parameters|args|input)"\s*:')


@dataclass
class _Found:
    """What was found so far; texts stand between the calls."""

    parts: list[Written | str] = field(default_factory=list["Written | str"])
    good: bool = False
    """True once one of them is a call of a known tool."""


class Unmarked(Marked):
    """The part of the reader that looks for calls without marks."""

    def looks_like_calls(self) -> Reading[bool]:
        """True if what comes begins like calls."""
        if (yield from self.input.peek()) == "{":
            return (yield from self._head(listed=False))
        if (yield from self._matches(_LIST_HEAD)):
            return True
        code = yield from self._matches(_CODE_HEAD)
        return code is not None and known_name(code.group(1), self.tools) is not None

    def bare_calls(self) -> Reading[bool]:
        """Read calls, if there are some; what was read stays held if there are none."""
        if not (yield from self.looks_like_calls()):
            return False
        sign = yield from self.input.peek()
        if sign == "{":
            return (yield from self._row())
        if (yield from self._matches(_LIST_HEAD)):
            return (yield from self._list())
        return (yield from self._code_list())

    def _matches(self, head: re.Pattern[str]) -> Reading[re.Match[str] | None]:
        """The head of a call at the place of the input, which stays before it."""
        source = self.input
        while True:
            found = head.match(source.text, source.at)
            size = len(source.text) - source.at
            if found or size >= _HEAD_SIZE or _lost(head, source.text[source.at :]):
                return found
            if not (yield from source.more()):
                return None

    def _head(self, *, listed: bool) -> Reading[bool]:
        """True if the object that comes may be a call. In a list also one of an unknown tool."""
        source = self.input
        found = yield from self._matches(_OBJECT_HEAD)
        if found is None:
            # Cut off in its head: it is no call yet, and no text either if it names a tool.
            return source.ended and _NAMED.search(source.text, source.at) is not None
        key, value = found.groups()
        if key not in CALL_KEYS:
            return False
        if listed or value is None or key not in _NAME_KEYS:
            return True
        return known_name(value, self.tools) is not None

    def _row(self) -> Reading[bool]:
        """Objects one after another, nothing but `;` and `,` between them."""
        source, found = self.input, _Found()
        while True:
            start = source.place
            verdict = yield from self.json(lenient=False)
            raw = self.input.since(start)
            if verdict != "whole":
                return self._unfinished(found, raw, cut=verdict == "cut")
            if not self._take(found, raw):
                return False
            self._hand_over(found)
            source.hold()
            yield from source.run_of(_SEPARATOR)
            again = (yield from source.peek()) == "{" and (yield from self._head(listed=False))
            if not again:
                source.back()
                return True

    def _list(self) -> Reading[bool]:
        """A list of objects. A good call in it survives a bad neighbour."""
        source, found = self.input, _Found()
        source.skip(1)
        while True:
            yield from source.run_of(_SEPARATOR)
            sign = yield from source.peek()
            if sign == "]" and found.parts:
                yield from source.run_of(_CLOSING)
                return self._hand_over(found)
            if sign != "{" or not (yield from self._head(listed=True)):
                return self._unfinished(found, "", cut=not sign)
            start = source.place
            verdict = yield from self.json(lenient=False)
            raw = self.input.since(start)
            if verdict != "whole":
                return self._unfinished(found, raw, cut=verdict == "cut")
            if not self._take(found, raw):
                found.parts.append(raw)
                if not _WITH_ARGUMENTS.search(raw) and not found.good:
                    return False

    def _code_list(self) -> Reading[bool]:
        start = self.input.place
        verdict = yield from self.code()
        raw = self.input.since(start)
        if verdict == "cut":
            self.refuse(raw, "cut", raw.strip("[ \n").partition("(")[0])
            return True
        calls = python_calls(raw) if verdict == "whole" else None
        found = _Found([Written(*call) for call in calls or ()])
        found.good = any(self._is_good(part) for part in found.parts if isinstance(part, Written))
        return self._hand_over(found)

    def _take(self, found: _Found, raw: str) -> bool:
        """Take the calls of one object; False if it is none of a known tool."""
        try:
            written = written_in(loads(raw), marked=False)
        except ValueError:
            return False
        if not any(self._is_good(each) for each in written):
            return False
        found.parts += written
        found.good = True
        return True

    def _is_good(self, written: Written) -> bool:
        """True for a call, and for one of a known tool whose arguments are wrong."""
        result = settled(written, self.tools)
        if isinstance(result, Refused):
            return result.kind == "broken" and self.tools is not None
        return True

    def _hand_over(self, found: _Found) -> bool:
        if not found.good:
            return False
        for part in found.parts:
            if isinstance(part, Written):
                self.put([part], "")
            else:
                self.say(part)
        found.parts.clear()
        return True

    def _unfinished(self, found: _Found, raw: str, *, cut: bool) -> bool:
        """The text ended, or went wrong, inside an object or a list."""
        held = self.input.held
        named = _NAMED.search(raw or held)
        shaped = _WITH_ARGUMENTS.search(raw or held) is not None
        known = self.tools is not None and named and known_name(named.group(1), self.tools)
        if cut and named and (shaped or known) and not (found.good and not raw):
            self._hand_over(found)
            self.refuse(raw or held, "cut", named.group(1))
            return True
        if not found.good:
            return False
        self._hand_over(found)
        self.say(raw)
        return True


def _lost(head: re.Pattern[str], text: str) -> bool:
    """True if `text` is no beginning of what `head` wants, however it goes on."""
    if head is _OBJECT_HEAD:
        return _OBJECT_BEGINS.fullmatch(text) is None
    if head is _LIST_HEAD:
        return re.fullmatch(rf"\[{_SOME}", text) is None
    return _CODE_BEGINS.fullmatch(text) is None


_OBJECT_BEGINS = re.compile(
    rf'\{{{_SOME}(?:"(?:[^"\\]{{0,40}}|[^"\\]{{1,40}}"{_SOME}(?::{_SOME}(?:"[^"\\]{{0,100}})?)?))?'
)
_CODE_BEGINS = re.compile(
    rf"\[{_SOME}(?:[A-Za-z_][\w.]{{0,80}}(?:\({_SOME}(?:[A-Za-z_]\w{{0,80}}{_SOME}=?)?)?)?"
)
