"""The marks in which model families write tool calls as text: one table of all dialects. Pure.

A mark stands between `<` and `>` (tags, special tokens) or is a word of its own. What follows a
mark is read by its first characters, not by the family: families copy each other's marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "open", "close", "call", "param", "unparam", "key", "sep", "result", "think", "unthink",
    "channel", "drop",
]  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """One mark as it stood in the text."""

    kind: Kind
    """`open`: calls follow; `close`: they end; `call`: one call with parameters in marks follows;
    `param`, `key`: a parameter, the name of one; `unparam`: its end; `sep`: between a name and its
    arguments; `result`: what only we write; `channel`: a header of gpt-oss; `drop`: means
    nothing to people."""
    text: str
    name: str = ""
    """Of the tool, for `call`; of the parameter, for `param`."""
    ends: str = ""
    """The tag that ends what it opens; empty if a mark of kind `close` does, or nothing."""
    typed: bool | None = None
    """For `param`: True if its value is said to be JSON, False if it is said to be a string."""
    whole: bool = True
    """False for `<function=name` without its `>`."""


LONGEST = 200
"""Characters of a mark: its attributes hold names, never values."""
WORDS = {
    "[TOOL_CALLS]": "open",
    "[/TOOL_CALLS]": "close",
    "[ARGS]": "sep",
    "[CALL_ID]": "sep",
    "[TOOL_RESULTS]": "result",
    "[/TOOL_RESULTS]": "close",
    "functools[": "open",
}
_WRAPPERS = r"(?:\w+_)?tool_calls?|tool_use|function_calls?|tools|start_function_call"
_RESULTS = r"tool_use_result|tool_responses?|tool_results?|function_results?"
_NAMES = rf"{_WRAPPERS}|{_RESULTS}|function|invoke|parameter|param|arg_key|arg_value|think(?:ing)?"
_TAG = re.compile(
    rf"<((?:\w+:|｜\w+｜)?)({_NAMES}|end_function_call)((?:[\s=Ġ/].*|name=.*)?)>", re.S
)
_END_TAG = re.compile(rf"</((?:\w+:|｜\w+｜)?)({_NAMES})\s*>")
_NAMED = re.compile(r"[\sĠ]*name\s*=\s*([\"']?)([^\"'<>]+)\1")
_EQUALS = re.compile(r"=\s*[\"']?([^\"'<>\n]+?)[\"']?\s*$")
_STRING = re.compile(r"\sstring\s*=\s*[\"']?(true|false)")
_BROKEN_CALL = re.compile(r"<function=[^<>]*")
_TOKEN = re.compile(r"<[|｜]([\w▁ ]{1,60})[|｜]>")
_TOKEN_OPENS = re.compile(
    r"tool_calls?(?:_section)?(?:_begin|_start)?|function_?calls?(?:_?begin|_?start)?"
    r"|python_(?:tag|start)|action_start|start_action|plugin|message_sep|role_sep"
)
_TOKEN_PARTS = re.compile(r"tool_sep|tool_call_argument_begin")
_TOKEN_CLOSES = re.compile(
    r"tool_calls?(?:_section)?_end|function_?calls?_?end|python_end|action_end|end_action|eom_id|call"
    r"|tool_call_argument_end"
)

MAY_BE = re.compile(
    r"</?(?:[\w]*:?[\w]*|[|｜][\w▁ ]{0,60}[|｜]?\w*)"
    rf"|</?(?:\w+:|｜\w+｜)?(?:{_NAMES})[\s=Ġ/n][^<>\n]*"
)
"""What the beginning of a mark looks like; what does not is let go at once."""
_SHORTEST = 5
_CUT_TOKEN = re.compile(r"<[|｜][\w▁]{3,}[|｜]?")
_CUT_TAG = re.compile(r"</?((?:\w+:|｜\w+｜)?)(\w*)")
_WHOLE_NAMES = (
    *("tool_calls", "tool_use_result", "tool_response", "tool_result", "function_calls", "invoke"),
    *("function_result", "start_function_call", "end_function_call", "parameter", "arg_key"),
    *("arg_value", "thinking", "longcat_tool_call", "minimax:", "seed:", "steptml:"),
)


def mark_of(text: str) -> Mark | None:
    """The mark that `text` is as a whole; None if it is none."""
    if text in WORDS:
        kind = WORDS[text]
        return Mark(kind, text)  # pyright: ignore[reportArgumentType]
    if token := _TOKEN.fullmatch(text):
        return Mark(_kind_of_token(re.sub(r"[▁ ]", "_", token.group(1)).lower()), text)
    if end := _END_TAG.fullmatch(text):
        return _end_tag(end.group(2), text)
    if tag := _TAG.fullmatch(text):
        return _tag(tag.group(1), tag.group(2), tag.group(3), text)
    if _BROKEN_CALL.fullmatch(text):
        return Mark("call", text, whole=False)
    return None


def cut_mark(text: str, *, likely: bool) -> int:
    """Where the beginning of a mark that was cut off stands at the end of `text`; -1 if nowhere.

    Where marks are `likely`, all that may be one is; elsewhere only what is unmistakable: `a <`
    and `x < y` at an end are text.
    """
    at = max(text.rfind("<"), text.rfind("["), text.rfind("functo"))
    tail = text[at:] if at >= 0 else ""
    if not tail or (len(tail) < _SHORTEST and not likely):
        return -1
    word = any(each.startswith(tail) for each in WORDS)
    if likely:
        return at if word or MAY_BE.fullmatch(tail) else -1
    return at if word or _CUT_TOKEN.fullmatch(tail) or _is_cut_tag(tail) else -1


def _is_cut_tag(tail: str) -> bool:
    found = _CUT_TAG.match(tail)
    if found is None or MAY_BE.fullmatch(tail) is None:
        return False
    space, name = found.groups()
    if found.end() < len(tail):
        return re.fullmatch(_NAMES, name) is not None
    return bool(name or space) and any(whole.startswith(name) for whole in _WHOLE_NAMES)


def _kind_of_token(name: str) -> Kind:
    if _TOKEN_OPENS.fullmatch(name):
        return "open"
    if _TOKEN_PARTS.fullmatch(name):
        return "sep"
    if name in ("channel", "start"):
        return "channel"
    return "close" if _TOKEN_CLOSES.fullmatch(name) else "drop"


def _end_tag(name: str, text: str) -> Mark:
    if name in ("parameter", "param", "arg_key", "arg_value"):
        return Mark("unparam", text)
    return Mark("unthink" if name.startswith("think") else "close", text)


def _tag(space: str, name: str, rest: str, text: str) -> Mark | None:
    ends = f"</{space}{name}>"
    named = _NAMED.match(rest)
    equals = _EQUALS.fullmatch(rest)
    given = (named.group(2) if named else equals.group(1) if equals else "").strip()
    if name.startswith("think"):
        return Mark("think", text, ends=ends) if not given else None
    if name in ("parameter", "param"):
        said = _STRING.search(rest)
        typed = said.group(1) == "false" if said else None
        return Mark("param", text, name=given, ends=ends, typed=typed) if given else None
    if name in ("function", "invoke"):
        return Mark("call", text, name=given, ends=ends) if given else None
    if name in ("arg_key", "arg_value"):
        return Mark("key" if name == "arg_key" else "param", text, ends=ends)
    if name == "end_function_call":
        return Mark("close", text)
    if re.fullmatch(_RESULTS, name):
        return Mark("result", text, ends=ends)
    if rest.strip(" \t\r\nĠ/") and not given:
        return None
    return Mark("call" if given else "open", text, name=given, ends=ends)
