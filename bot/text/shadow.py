"""A text as a renderer may read it: entities decoded, escapes taken off, look-alike forms folded.

Filters search the shadow and change the text itself, so that what is not dangerous stays as it
was written, full-width signs included.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from bot.text.invisible import without_invisible

_FOLDED_SIGNS = frozenset("@./:<>!&#-_%\\|?=")
_RANGES = (
    (0xAA, 0x100), (0x2000, 0x2300), (0x2460, 0x2500), (0x3000, 0x3003), (0xFE00, 0xFFF0),
    (0x1D400, 0x1D800), (0x1F100, 0x1F150),
)  # fmt: skip


def _fold(sign: str) -> str:
    plain = unicodedata.normalize("NFKC", sign)
    if plain != sign and all(c.isascii() and (c.isalnum() or c in _FOLDED_SIGNS) for c in plain):
        return plain
    return sign


_ALL = {chr(n): _fold(chr(n)) for first, end in _RANGES for n in range(first, end)}
_SINGLE = {ord(sign): plain for sign, plain in _ALL.items() if plain != sign and len(plain) == 1}
_LONGER = {sign: plain for sign, plain in _ALL.items() if len(plain) > 1}
_PIECES = re.compile(
    r"(?:&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|\\[!-/:-@\[-`{-~]|[" + "".join(_LONGER) + "]"
)


@dataclass(frozen=True)
class Edit:
    """Replace what stands from `start` to `end` of the text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Shadow:
    """`text` is the reading; `original` maps a position in it back to the text it was made of."""

    text: str
    _at: tuple[int, ...] = (0,)
    _offset: tuple[int, ...] = (0,)
    """Starts of pieces in the reading, and what to add there to be in the original."""

    def original(self, position: int) -> int:
        """Where `position` of the reading begins in the original."""
        index = bisect_right(self._at, position) - 1
        return position + self._offset[index]


def shadow(text: str) -> Shadow:
    """The reading of `text`; entities inside entities are decoded too."""
    made = Shadow(text.translate(_SINGLE))
    for _ in range(3):
        if not _PIECES.search(made.text):
            break
        made = _decoded(made)
    return made


def _decoded(before: Shadow) -> Shadow:
    parts: list[str] = []
    at, offset = [0], [before.original(0)]
    size = last = 0
    for found in _PIECES.finditer(before.text):
        plain = _piece(found.group())
        if plain == found.group():
            continue
        kept = before.text[last : found.start()]
        _keep(before, last, found.start(), size, at, offset)
        size += len(kept)
        for _ in plain:
            at.append(size)
            offset.append(before.original(found.start()) - size)
            size += 1
        parts += [kept, plain]
        last = found.end()
    _keep(before, last, len(before.text) + 1, size, at, offset)
    return Shadow("".join(parts) + before.text[last:], tuple(at), tuple(offset))


def _keep(
    before: Shadow, start: int, end: int, size: int, at: list[int], offset: list[int]
) -> None:
    """Carry the map of an unchanged stretch over, broken where the older map breaks."""
    breaks = [start, *(n for n in before._at if start < n < end)]  # pyright: ignore[reportPrivateUsage]
    for n in breaks:
        at.append(size + n - start)
        offset.append(before.original(n) - (size + n - start))


def _piece(piece: str) -> str:
    if piece[0] == "\\":
        return piece[1]
    if piece[0] == "&":
        plain = html.unescape(piece)
        if len(plain) != 1:
            return piece
        return " " if plain.isspace() else without_invisible(plain).translate(_SINGLE)
    return _LONGER[piece]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """`text` with the edits made; of overlapping edits the first in order of start wins."""
    parts: list[str] = []
    last = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start < last:
            continue
        parts += [text[last : edit.start], edit.text]
        last = edit.end
    return "".join(parts) + text[last:]
