"""What of a model's text may be shown: no leaked tool calls, no thinking, no special tokens. Pure.

Models that lose their chat template write calls as text, each family in its own marks. People must
never see them. A mark right behind a backtick is somebody talking about the mark, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

_LONGEST_MARK = 200
_TAG = re.compile(
    r"<((?:\w+:|｜\w+｜)?(?:\w*tool_calls?|tool_use|tool_use_result|tool_response|function_calls?"
    r"|function_results?|function|invoke|parameter|think|thinking))(?:[\s=>Ġ].*|name=.*)?",
    re.DOTALL,
)
_END_TAG = re.compile(_TAG.pattern.replace("<(", "</(", 1), re.DOTALL)
_TOKEN = re.compile(r"<([|｜])([\w▁ ]{1,60})[|｜]>")
_BEGIN = re.compile(r"begin|start")
_REST = ("python_tag", "plugin", "function_call", "tool_call", "message_sep")
"""Special tokens without an end: all that follows is the call."""
_WORDS = {"[TOOL_CALLS]": "[/TOOL_CALLS]", "[/TOOL_CALLS]": "", "functools[": "\0"}
"""Marks that are no tags, and what ends them; NUL: nothing does."""
_CANDIDATE = re.compile(r"<(?=[\w/|｜]|$)|\[(?=[T/]|$)|(?<!\w)f(?=u|$)")
_MAY_BE_BARE = re.compile(r"\s*(?:\{|\[\s*(?:$|\{|[A-Za-z_]\w*(?:$|\())|`{1,3}$|```j)")
_BARE_JSON = re.compile(
    r'\s*(?:```json\s*)?\[?\s*\{\s*"name"\s*:\s*"([^"]+)"\s*,\s*"(?:arguments|parameters)"\s*:'
)
_BARE_CODE = re.compile(r"\s*\[\s*([A-Za-z_]\w*)\(.*\)\s*\]\s*", re.DOTALL)


@dataclass
class Screen:
    """Takes a text in pieces and gives what may be shown; any cut of a text shows the same.

    `tools` are the names that make JSON without any mark a call. A part that never ended stays
    hidden.
    """

    tools: Collection[str] = ()
    leaked: bool = False
    """True once a tool call was written as text."""
    _held: str = ""
    _before: str = ""
    """The last character that was shown."""
    _until: str = ""
    _begun: bool = False
    """False while the text may still turn out to be a call without any mark."""
    _some: bool = False
    """True once anything but blanks was shown."""
    _out: list[str] = field(default_factory=list[str])

    def feed(self, piece: str) -> str:
        """What may be shown after `piece` came."""
        self._held += piece
        return self._go(final=False)

    def flush(self) -> str:
        """What may still be shown at the end of the text."""
        return self._go(final=True)

    def _go(self, final: bool) -> str:
        while self._step(final):
            pass
        shown, self._out = "".join(self._out), []
        return shown

    def _step(self, final: bool) -> bool:
        """Decide about the beginning of what is held; False when more text must come first."""
        if self._until:
            return self._skip()
        if not self._begun and not self._begin(final):
            return False
        found = _CANDIDATE.search(self._held)
        if found is None:
            self._show(len(self._held))
            return False
        self._show(found.start())
        mark = _mark(self._held, final)
        if mark is None:
            return False
        if mark == "" or self._before == "`":
            self._show(len(mark) or 1)
        else:
            self._hide(mark)
        return bool(self._held)

    def _begin(self, final: bool) -> bool:
        """A text that is JSON from its first character may be a call: its end must be seen."""
        if not self._held.strip() and not final:
            return False
        if _MAY_BE_BARE.match(self._held):
            if not final:
                return False
            found = _BARE_JSON.match(self._held) or _BARE_CODE.fullmatch(self._held)
            if found and found.group(1) in self.tools:
                self.leaked = True
                self._held = ""
        self._begun = True
        return True

    def _skip(self) -> bool:
        at = self._held.find(self._until)
        if at < 0:
            # Only a piece of the end mark can still matter.
            self._held = self._held[-(len(self._until) - 1) :] if len(self._until) > 1 else ""
            return False
        self._held = self._held[at + len(self._until) :]
        self._until = ""
        self._begun = self._some
        return True

    def _show(self, count: int) -> None:
        if count:
            self._out.append(self._held[:count])
            self._before = self._held[count - 1]
            self._some = self._some or not self._held[:count].isspace()
            self._held = self._held[count:]

    def _hide(self, mark: str) -> None:
        self._held = self._held[len(mark) :]
        self._until = _end_of(mark)
        self.leaked = self.leaked or "think" not in mark


def visible(text: str, tools: Collection[str] = ()) -> tuple[str, bool]:
    """What of a whole answer may be shown, and whether a tool call was written as text.

    Thinking whose opening mark was in the model's template ends with `</think>`: all before goes.
    """
    head, mark, tail = text.rpartition("</think>")
    if mark and "<think>" not in head:
        text = tail
    screen = Screen(tools)
    shown = screen.feed(text) + screen.flush()
    return shown.strip(), screen.leaked


def _mark(text: str, final: bool) -> str | None:
    """The mark that `text` begins with, empty if it begins with none, None if it is cut."""
    for word in _WORDS:
        if text.startswith(word):
            return word
        if not final and word.startswith(text):
            return None
    if text[0] != "<":
        return ""
    end = re.compile(r"[<>\n]").search(text, 1, _LONGEST_MARK)
    if end is None and len(text) < _LONGEST_MARK and not final:
        return None
    upto = len(text[:_LONGEST_MARK]) if end is None else end.start() + (end.group() == ">")
    tag = text[:upto]
    known = _TAG.fullmatch(tag) or _END_TAG.fullmatch(tag) or _TOKEN.fullmatch(tag)
    return tag if known else ""


def _end_of(mark: str) -> str:
    """What ends the hidden part that `mark` begins; empty if the mark stands alone."""
    if mark in _WORDS:
        return _WORDS[mark]
    if tag := _TAG.fullmatch(mark):
        return f"</{tag.group(1)}>"
    token = _TOKEN.fullmatch(mark)
    if token is None:
        return ""
    name = token.group(2)
    if name in _REST:
        return "\0"
    return f"<{token.group(1)}{_BEGIN.sub('end', name)}{mark[-2:]}" if _BEGIN.search(name) else ""
