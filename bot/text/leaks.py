"""Machine talk that must not reach people: tool calls, thoughts, special tokens, data fences.

A tag that a person is told about (`the <tool_call> tag`) loses its brackets' content at most; what
stands in a code span is spoken about, and stays.
"""

from __future__ import annotations

import re

from bot.text.regions import CodeMap

_CALLS = (
    "tool_calls?|tool_use|tool_use_result|tool_response|tool_results?|function_calls?"
    "|function_results?|antml:[a-z_]+"
)
_THOUGHTS = "think|thinking|thought|reasoning|scratchpad"
_INNER = "invoke|parameter"
_BAR = r"<\s*[|｜]"
_SECTION = re.compile(
    rf"{_BAR}\s*tool[▁_]calls?(?:[▁_]section)?[▁_]begin\s*[|｜]\s*>.*?"
    rf"(?:{_BAR}\s*tool[▁_]calls?(?:[▁_]section)?[▁_]end\s*[|｜]\s*>|\Z)"
    rf"|\[TOOL_CALLS?\]\s*[\[{{].*?(?:[\]}}](?=\s*(?:\[/TOOL|\n\s*\n|\Z))|\Z)(?:\s*\[/TOOL_CALLS?\])?",
    re.S,
)
_WHOLE = re.compile(
    rf"<(?P<tag>{_CALLS})(?:\s[^<>]*)?>\s*[\[{{<\w\"].*?</(?P=tag)\s*>"
    r"|<function=[^<>\n]{1,100}>.*?</function>"
    r"|<invoke\s+name\s*=[^<>]*>.*?</invoke>",
    re.S | re.I,
)
_THOUGHT = re.compile(rf"<(?P<tag>{_THOUGHTS})>.*?</(?P=tag)\s*>\s*", re.S | re.I)
_UNCLOSED = re.compile(
    rf"<(?:{_CALLS})(?:\s[^<>]*)?>\s*(?=[\[{{<\"]|\Z)|<function=[^<>\n]*>|<invoke\s+name\s*="
    rf"|^[ \t]*<(?:{_THOUGHTS})>",
    re.I | re.M,
)
_LOOSE = re.compile(rf"</?(?:{_CALLS}|{_THOUGHTS}|{_INNER}|function)(?:\s[^<>]*)?/?>", re.I)
_TOKEN = re.compile(
    rf"{_BAR}[^<>\n]{{1,80}}[|｜]\s*>|\[/?(?:TOOL_CALLS?|TOOL_RESULTS?|AVAILABLE_TOOLS)\]"
    r"|</?data-[0-9A-Za-z_-]{8,64}>|<{1,3}/?\s*(?:EXTERNAL_)?UNTRUSTED[A-Z_]*[^<>\n]{0,80}>{1,3}"
)
OPENING = re.compile(
    rf"<(?:{_CALLS}|{_THOUGHTS}|{_INNER}|function=)|{_BAR}|\[/?(?:TOOL_|AVAIL)|<<|</?data-", re.I
)
"""Where machine talk may begin: a text that is still being written waits from here on."""


def without_machine_talk(text: str) -> str:
    """`text` without tool-call markup, thoughts, special tokens and data fences."""
    if "<" not in text and "[" not in text:
        return text
    text = _SECTION.sub("", text)
    text = _outside(_WHOLE, text, "span")
    text = _outside(_THOUGHT, text, "any")
    text = _cut_unclosed(text)
    text = _outside(_LOOSE, text, "any")
    return _outside(_TOKEN, text, "span")


def _outside(pattern: re.Pattern[str], text: str, kept: str) -> str:
    """Remove matches, but those that begin in a code span (or, for `any`, in any code)."""
    if not pattern.search(text):
        return text
    code = CodeMap.of(text)

    def removed(found: re.Match[str]) -> str:
        region = code.at(found.start())
        stays = region is not None and (kept == "any" or region.kind == "span")
        return found.group() if stays else ""

    return pattern.sub(removed, text)


def _cut_unclosed(text: str) -> str:
    code = CodeMap.of(text)
    for found in _UNCLOSED.finditer(text):
        if code.at(found.start()) is None:
            return text[: found.start()]
    return text
