"""What stands round the JSON of an answer: thoughts, special tokens, prose in brackets. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKENS = re.compile(r"<[|｜][^<>|｜\n]{1,40}[|｜]>|</?s>|\[/?INST\]|<END_OF_PLAN>", re.IGNORECASE)
_THINK = r"(?:think|thinking|thought|reasoning|reflection)"
THINK_OPEN = re.compile(rf"<{_THINK}>", re.IGNORECASE)
_THINK_CLOSE = re.compile(rf"</{_THINK}>", re.IGNORECASE)
_PROSE_BRACKET = re.compile(r"[\[{][^\[\]{}\"“:：]{0,80}[\]}]")
_LITERAL = r"(?:-?[\d.]+|true|false|null|none)"
_LITERALS = re.compile(rf"\[\s*{_LITERAL}(?:\s*,\s*{_LITERAL})+\s*,?\s*\]", re.IGNORECASE)
_SIGNS = re.compile(r"\\.|[\[{\]}\"]", re.DOTALL)
BRACKET = re.compile(r"[\[{]")


def unthought(text: str) -> str:
    """The text without think blocks; empty if it ended while thinking."""
    text = _without_thoughts(text.lstrip("\ufeff")).lstrip()
    if THINK_OPEN.match(text):
        # Cut while it thought: what stands there is a draft.
        return ""
    close = list(_THINK_CLOSE.finditer(text))
    if close and BRACKET.search(text, close[-1].end()):
        text = text[close[-1].end() :]
    return text.strip()


def bare(text: str) -> str:
    """The text without think blocks and special tokens."""
    return unthought(_TOKENS.sub("", unthought(text)))


def _without_thoughts(text: str) -> str:
    """Without think blocks that are closed; each is looked for once, whatever the text is."""
    kept: list[str] = []
    at = 0
    while (begin := THINK_OPEN.search(text, at)) is not None:
        end = _THINK_CLOSE.search(text, begin.end())
        if end is None:
            break
        kept.append(text[at : begin.start()])
        at = end.end()
    return "".join([*kept, text[at:]])


def start_of_json(text: str, start: int = 0) -> int:
    """Where the first bracket stands that is no prose (`[1]`, `{name}`); -1 if there is none."""
    while (found := BRACKET.search(text, start)) is not None:
        prose = _PROSE_BRACKET.match(text, found.start())
        if prose is None or not prose[0][1:-1].strip() or _LITERALS.match(prose[0]):
            return found.start()
        start = prose.end()
    return -1


def ends_open(text: str) -> bool:
    """True if the text ends inside a string or with brackets open, as far as that can be told."""
    depth, quoted = 0, False
    for depth, quoted in _depths(text):  # noqa: B007 - the last ones are wanted
        pass
    return quoted or depth > 0


def deepest(text: str) -> int:
    """How many brackets are open at most, outside of strings."""
    return max((depth for depth, _ in _depths(text)), default=0)


def _depths(text: str) -> Iterator[tuple[int, bool]]:
    """After each character that counts: open brackets, and whether a string is open."""
    depth, quoted = 0, False
    for found in _SIGNS.finditer(text):
        sign = found[0]
        if quoted:
            quoted = sign != '"'
        elif sign == '"':
            quoted = depth > 0
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        yield depth, quoted
