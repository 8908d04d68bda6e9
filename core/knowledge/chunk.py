"""Blocks to passages: pieces of a size that search and quotes work well with.

A passage stays on one page and under one heading, ends at the end of a sentence where it can, and
keeps code fences whole and a table's header with each of its parts. Sizes count a character of a
script without spaces as two, because it says about as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.index.tokens import RUN_CHARACTER
from core.knowledge.parse.model import Block, Kind
from core.language.signs import graphemes

TARGET = 700
"""Size aimed at: 350 Chinese or 700 English characters, a paragraph or two. Embedders blur more."""

SLACK = 1.3
"""A text of up to this many targets stays whole: two halves would each say less."""

CODE_LIMIT = 4 * TARGET
"""A code block or a fence is cut above this size only, and then between lines."""

# Each cuts finer than the one before; the last one is cut by `graphemes`.
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(
    r"""[。！？…]+[”’」』）)】》"']*\s*|[.!?]+["')\]”’]*\s+|[!?](?=[^\x00-\x7f])|\n\s*"""
)
_CLAUSE = re.compile(r"[，、：；,;:]\s*|\s+")
_NO_END = re.compile(
    r"(?:(?:^|\n)[ \t]*\d{1,3}|(?:^|[^\w.])(?:[A-Z]|(?i:e\.g|i\.e|vs|cf|al|dr|mrs?|ms|st|nos?|fig"
    r"|vol|inc|ltd|co|corp|jr|sr|prof|gen|sen|gov|rev|approx|ca|dept|est|pp?|u\.s|jan|feb|mar|apr|jun|jul"
    r"|aug|sept?|oct|nov|dec)))$"
)
"""What a full stop may follow without an end: a list's number, an initial, an abbreviation."""

_LOOK_BACK = 12
"""Characters before a full stop that are looked at."""
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"\s*\|?[\s:|+-]*-{2,}[\s:|+-]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage to be: its place in the document and its text."""

    page: int | None
    heading: tuple[str, ...]
    kind: Kind
    text: str


def chunk(blocks: Iterable[Block], target: int = TARGET) -> list[Piece]:
    """Passages of a document in order. Every character but white space is in one of them."""
    pieces: list[Piece] = []
    for (page, heading, kind), group in groupby(blocks, _place):
        texts = [block.text for block in group]
        # Neighbours in one place are one text; tables and code are things of their own.
        whole = ["\n\n".join(texts)] if kind == "text" else texts
        for text in whole:
            parts = _parts(text, kind, target)
            pieces += [Piece(page, heading, kind, part) for part in parts if part.strip()]
    return pieces


def size(text: str) -> int:
    """Length of `text`, a character of a script without spaces counted as two."""
    return len(text) + len(RUN_CHARACTER.findall(text))


def _place(block: Block) -> tuple[int | None, tuple[str, ...], Kind]:
    return block.page, block.heading, block.kind


def _parts(text: str, kind: Kind, target: int) -> Iterator[str]:
    match kind:
        case "table":
            yield from _table(text, target)
        case "code":
            yield from _code(text, target)
        case _:
            yield from _prose(text, target)


def _prose(text: str, target: int) -> Iterator[str]:
    """Whole fences are units that are not cut; the text around them is cut by sentences."""
    units: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        units += _units(text[at : fence.start()], target)
        units += _code(fence.group() + "\n", target)
        at = fence.end()
    units += _units(text[at:], target)
    for part in pack(units, target):
        yield part.strip()


def _code(text: str, target: int) -> Iterator[str]:
    """Code stays whole up to the limit: half a function explains nothing."""
    limit = max(CODE_LIMIT, target)
    if size(text) <= limit:
        yield text.strip("\n")
        return
    lines = [part for line in text.splitlines(keepends=True) for part in _within(line, target, ())]
    for part in pack(lines, target):
        yield part.strip("\n")


def _table(text: str, target: int) -> Iterator[str]:
    """Rows are kept whole where they fit; every part begins with the header."""
    lines = text.strip("\n").splitlines(keepends=True)
    ruled = len(lines) > 1 and RULE.fullmatch(lines[1].rstrip("\n"))
    header = "".join(lines[: 2 if ruled else 1])
    if size(text) <= SLACK * target or size(header) > target // 2:
        yield from (part.strip("\n") for part in pack(_rows(lines, target), target))
        return
    room = target - size(header)
    for part in pack(_rows(lines[2 if ruled else 1 :], room), room):
        yield header.rstrip("\n") + "\n" + part.strip("\n")


def _rows(lines: Sequence[str], target: int) -> list[str]:
    return [part for line in lines for part in _within(line, target, (_SENTENCE, _CLAUSE))]


def _units(text: str, target: int) -> list[str]:
    """Sentences with what follows them, none much over the target."""
    return list(_within(text, target, (_PARAGRAPH, _SENTENCE, _CLAUSE), whole=False))


def _within(
    text: str, target: int, cuts: Sequence[re.Pattern[str]], *, whole: bool = True
) -> Iterator[str]:
    """`text` in parts that fit, cut as coarsely as each part allows (sentences always)."""
    if not text:
        return
    sentences_done = not cuts or cuts[0] is _CLAUSE
    if size(text) <= target and (whole or sentences_done):
        yield text
    elif cuts:
        for part in sentences(text) if cuts[0] is _SENTENCE else _cut(text, cuts[0]):
            yield from _within(part, target, cuts[1:], whole=whole)
    else:
        yield from pack(graphemes(text), target)


def sentences(text: str) -> Iterator[str]:
    """`text` sentence by sentence, each with the white space after it; nothing is dropped."""
    at = 0
    for match in _SENTENCE.finditer(text):
        if not _goes_on(text, match):
            yield text[at : match.end()]
            at = match.end()
    if at < len(text):
        yield text[at:]


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """True if no sentence ends here: after an abbreviation, or where a line was wrapped."""
    if "\n" in end.group():
        wrapped = end.group().count("\n") == 1 and end.group().startswith("\n")
        return wrapped and text[end.end() : end.end() + 1].islower()
    if not end.group().startswith(".") or end.group().startswith(".."):
        return False
    before = text[max(0, end.start() - _LOOK_BACK) : end.start()]
    return text[end.end() : end.end() + 1].islower() or bool(_NO_END.search(before))


def _cut(text: str, end: re.Pattern[str]) -> Iterator[str]:
    """`text` cut after every match; nothing is dropped."""
    at = 0
    for match in end.finditer(text):
        yield text[at : match.end()]
        at = match.end()
    if at < len(text):
        yield text[at:]


def pack(units: Iterable[str], target: int) -> Iterator[str]:
    """Join units in order to parts of even size, about `target` each."""
    sized = [(unit, size(unit)) for unit in units]
    total = sum(width for _, width in sized)
    if total <= SLACK * target:
        yield "".join(unit for unit, _ in sized)
        return
    even = total / -(-total // target)
    part: list[str] = []
    done, end = 0, even
    for unit, more in sized:
        # Cut where the text so far is nearest to a whole number of parts.
        if part and done + more / 2 > end:
            yield "".join(part)
            part, end = [], even * (round(done / even) + 1)
        part.append(unit)
        done += more
    if part:
        yield "".join(part)
