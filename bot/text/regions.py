"""Where a Markdown text is code: fenced blocks and spans; filter and splitter share it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

FENCE = re.compile(
    r"^(?P<lead>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)$"
)
"""A line that may open or close a fenced block, also inside a quote or a list."""

_SPAN = re.compile(
    r"(?<!`)(?P<marks>`+)(?!`)(?P<code>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=marks)(?!`)", re.S
)


@dataclass(frozen=True)
class Region:
    """A stretch of the text that is code."""

    start: int
    end: int
    kind: Literal["fence", "span"]


@dataclass(frozen=True)
class OpenFence:
    """A fenced block that is open at some line."""

    lead: str
    marks: str
    info: str

    def closed_by(self, line: str) -> bool:
        """True if `line` is this fence's closing line."""
        found = FENCE.match(line)
        return bool(found and found["marks"].startswith(self.marks) and not found["info"].strip())


def opened_by(line: str) -> OpenFence | None:
    """The fence that `line` opens, if no fence is open before it."""
    found = FENCE.match(line) if "```" in line or "~~~" in line else None
    if found is None or ("`" in found["info"] and found["marks"][0] == "`"):
        return None
    return OpenFence(found["lead"], found["marks"], found["info"])


def lines(text: str) -> list[str]:
    """The lines of `text` with their `\\n`; no other sign ends a line. Joined they give `text`."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def code_regions(text: str) -> list[Region]:
    """Fenced blocks (their fence lines included) and code spans, in order, without overlap.

    A block that is never closed runs to the end; a span never crosses an empty line.
    """
    found: list[Region] = []
    fence: OpenFence | None = None
    start = prose = at = 0
    for line in lines(text):
        bare = line.removesuffix("\n")
        if fence is None:
            fence = opened_by(bare)
            if fence is not None:
                found += _spans(text, prose, at)
                start = at
        elif fence.closed_by(bare):
            found.append(Region(start, at + len(line), "fence"))
            fence, prose = None, at + len(line)
        at += len(line)
    if fence is not None:
        return [*found, Region(start, len(text), "fence")]
    return found + _spans(text, prose, len(text))


def _spans(text: str, start: int, end: int) -> list[Region]:
    part = text[start:end]
    return [Region(start + m.start(), start + m.end(), "span") for m in _SPAN.finditer(part)]


@dataclass(frozen=True)
class CodeMap:
    """Answers whether a position is inside code."""

    regions: list[Region]
    starts: list[int]

    @staticmethod
    def of(text: str) -> CodeMap:
        regions = code_regions(text) if "`" in text or "~" in text else []
        return CodeMap(regions, [region.start for region in regions])

    def at(self, position: int) -> Region | None:
        """The code region that covers `position`."""
        index = bisect_right(self.starts, position) - 1
        if index < 0 or position >= self.regions[index].end:
            return None
        return self.regions[index]
