"""Rows of kind `tool_calls`: is a model's text read as the calls and the words that it holds?

A part of `bench.model_output`; docs/model-output.md says what is decided where projects differ.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.model.dialects import Called, CutCall, Piece, Reader, Thinking, Words
from core.model.marks import mark_of

Call = tuple[str, Any]

_FRAGMENT = re.compile(
    r"<[/|｜]*(?:\w+[:｜])?(?:tool[_▁ ]|tool_use|function[_=]call|function=|invoke\b|parameter[ =])"
    r"|\[/?TOOL_CALLS|functools\[|<\|?plugin|<\|?action_|[|｜]>|<arg_"
)
_TAG = re.compile(r"<[^<>\n]{1,200}>|\[/?TOOL_CALLS\]")


def check(row: Mapping[str, Any], rng: random.Random, cuts: int) -> list[str]:
    """What is wrong with how one row is read, whole and cut at random `cuts` times."""
    text = "".join(row["chunks"]) if "chunks" in row else str(row["output"])
    tools = _tools(row)
    edges = [len(chunk) for chunk in row.get("chunks", ())]
    given = [sum(edges[: count + 1]) for count in range(len(edges))]
    pieces = read_cut(text, given, tools)
    wrong = _wrong_calls(row, text, calls_of(pieces)) + _wrong_words(row, pieces)
    for number in range(cuts + 1):
        # The last cut of all is at every character.
        at = range(len(text)) if number == cuts else _cuts(rng, len(text))
        if read_cut(text, at, tools) != pieces:
            return [*wrong, f"read otherwise when cut at {list(at)[:20]}"]
    return wrong


def read_cut(
    text: str, cuts: Sequence[int], tools: Mapping[str, Mapping[str, Any]] | None
) -> list[Piece]:
    """What a text falls into when it comes in pieces; neighbours of one kind joined."""
    reader = Reader(tools)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces: list[Piece] = []
    for start, end in zip(edges, edges[1:], strict=False):
        pieces += reader.feed(text[start:end])
    return joined(pieces + reader.close())


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with words and thoughts that stand side by side made one."""
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if isinstance(piece, Words) and isinstance(last, Words):
            out[-1] = Words(last.text + piece.text)
        elif isinstance(piece, Thinking) and isinstance(last, Thinking):
            out[-1] = Thinking(last.text + piece.text)
        else:
            out.append(piece)
    return out


def calls_of(pieces: Sequence[Piece]) -> list[Call]:
    """Name and arguments of the calls that would be done."""
    return [
        (piece.call.name, json.loads(piece.call.arguments))
        for piece in pieces
        if isinstance(piece, Called)
    ]


def _tools(row: Mapping[str, Any]) -> dict[str, Mapping[str, Any]] | None:
    if "schema" in row:
        return dict(row["schema"])
    return {name: {} for name in row["tools"]} if "tools" in row else None


def _cuts(rng: random.Random, size: int) -> list[int]:
    return [rng.randrange(size + 1) for _ in range(rng.randint(1, 12))]


def _wrong_calls(row: Mapping[str, Any], text: str, calls: list[Call]) -> list[str]:
    wanted = [(call["name"], call["arguments"]) for call in row["expected"].get("calls", ())]
    if calls == wanted:
        return []
    if "policy" in row and not wanted and all(_stands_whole(call, text) for call in calls):
        # Ours: a whole JSON call of a good name is a call, in whatever marks it stands.
        return []
    return [f"calls {calls!r} instead of {wanted!r}"]


def _stands_whole(call: Call, text: str) -> bool:
    """True if the call is written in `text` as one whole JSON object, arguments included."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except ValueError:
            continue
        if value.get("name") == call[0] and call[1] in (
            value.get("arguments"),
            value.get("parameters"),
        ):
            return True
    return False


def _wrong_words(row: Mapping[str, Any], pieces: Sequence[Piece]) -> list[str]:
    wrong: list[str] = []
    expected = row["expected"].get("content")
    words = "".join(piece.text for piece in pieces if isinstance(piece, Words))
    found = _FRAGMENT.search(words)
    if found and found.group() not in (expected or ""):
        wrong.append(f"a piece of a mark is in the text: {words[found.start() :][:40]!r}")
    if expected is not None:
        content = "".join(_content(piece) for piece in pieces)
        if _plain(content) != _plain(expected):
            wrong.append(f"text {content!r} instead of {expected!r}")
    return wrong


def _content(piece: Piece) -> str:
    """What of a piece other parsers call content: thinking, and calls of unknown tools, too."""
    if isinstance(piece, Words | Thinking):
        return piece.text
    return piece.raw if isinstance(piece, CutCall) and piece.why == "unknown" else ""


def _plain(text: str) -> str:
    """A text without marks of calls, and without blanks at its ends."""

    def kept(tag: re.Match[str]) -> str:
        mark = mark_of(tag.group())
        return tag.group() if mark is None or mark.kind in ("think", "unthink") else ""

    return _TAG.sub(kept, text).strip()
