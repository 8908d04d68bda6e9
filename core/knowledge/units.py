"""Units: what a quote is made of. Sentences, parts of long ones, rows of a table, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.index.tokens import script
from core.knowledge.chunk import RULE, sentences, size
from core.language.signs import graphemes

HAN_LIMIT = 90
LATIN_LIMIT = 216
"""Longest quote, in characters: measured to hold the answer most often for its length."""

CUT = "…"
APART = " · "
"""Between rows of a table that stand in one line."""
ROOM = len(CUT) * 2
"""Kept free for the signs at both ends of a part."""

HEADING_SIZE = 60
"""A line of up to 30 Chinese or 60 English characters may be a heading."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ROW = re.compile(r"\s*\|")
_PIPE = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-*:?")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•·●▪◦]|#{1,6}|>+)[ \t]+", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*(\d{1,3}[.)、][ \t]*)", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]+\)")
_NUMBER = re.compile(r"^\W*(?:第?[\d一二三四五六七八九十.]+[章节條条]?[、.)）]?)?\s*")
_SAYS = re.compile(r"[\d:：,，;；。！!.]")
"""A line with any of these says something of its own: it is no heading."""

_CLAUSE = re.compile(r"""(?<=[，、；：])(?![”’」』）)])|(?<=[,;:])(?=\s)""")
_WORD = re.compile(r"(?<=\s)(?=\S)")
_WIDE = re.compile("[\u2018-\u201d\u3000-\u9fff\uff00-\uffef]")

Kind = Literal["sentence", "part", "heading", "path", "row", "code"]


@dataclass(frozen=True, slots=True)
class Unit:
    text: str
    kind: Kind = "sentence"
    gap: str = ""
    """What parts it from the unit before: a space or nothing."""
    sentence: int = 0
    """Which sentence a part is of."""
    starts: bool = True
    ends: bool = True
    """Whether a part is the first or the last one of its sentence."""

    def joins(self, later: Unit) -> bool:
        """True if both may stand in one quote."""
        if self.kind in ("part", "row") or later.kind in ("part", "row"):
            return self.kind == later.kind == "part" and self.sentence == later.sentence
        return (self.kind == "code") == (later.kind == "code")

    def shown(self, text: str = "", last: Unit | None = None) -> str:
        """As it is quoted; `text` if it begins with this unit and ends with `last`."""
        text, last = text or self.text, last or self
        if self.kind == "code":
            return text if "`" in text else f"`{text}`"
        return ("" if self.starts else CUT) + text + ("" if last.ends else CUT)


def limit_of(text: str) -> int:
    """The most characters that a quote of this script may have."""
    return HAN_LIMIT if script(text) == "cjk" else LATIN_LIMIT


def units_of(text: str, heading: str = "") -> list[Unit]:
    """The units of a passage in order. `heading` is its path: a line that repeats it is one."""
    made: list[Unit] = []
    for kind, lines in _sections(text.splitlines()):
        match kind:
            case "row":
                made += [Unit(row, "row") for row in _rows(lines)]
            case "code":
                made += [
                    Unit(part, "code", " ") for line in lines for part in _packed([line.strip()])
                ]
            case _:
                made += _prose("\n".join(lines), set(heading.split(" > ")))
    # The path is shown with the source: it is said again only where there is nothing else.
    made = [unit for unit in made if unit.kind != "path"] or made
    number = 0
    for at, unit in enumerate(made):
        number += unit.starts
        made[at] = replace(unit, sentence=number)
    return made


def beginning(text: str, limit: int, heading: str = "") -> str:
    """The start of a passage for people, at most `limit` characters: no marks of Markdown, tables
    as words, the passage's own heading left out."""
    told, before = "", ""
    for unit in units_of(text, heading):
        gap = APART if "row" in (before, unit.kind) else unit.gap
        told += f"{gap if told else ''}{unit.text}"
        before = unit.kind
        if len(told) > limit:
            return told[: limit - len(CUT)].rstrip() + CUT
    return told


def _sections(lines: Sequence[str]) -> Iterator[tuple[Kind, list[str]]]:
    """Lines in a row of one kind; the fences themselves are left out."""
    kind: Kind = "sentence"
    held: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            here, line = kind, ""
        elif fence:
            here = "code"
        else:
            here = "row" if _ROW.match(line) else "sentence"
        if here != kind:
            yield kind, held
            kind, held = here, []
        held.append(line)
    yield kind, held


def _prose(text: str, path: set[str]) -> Iterator[Unit]:
    before, heading = "\n", False
    pieces = [piece for piece in sentences(_plain(text)) if not piece.isspace()]
    for at, piece in enumerate(pieces):
        said = " ".join(piece.split())
        gap = " " if heading else _gap(before, said)
        line = before.endswith("\n") and piece.endswith("\n") and at + 1 < len(pieces)
        heading = said in path or (line and _is_heading(said))
        if heading:
            yield Unit(said, "path" if said in path else "heading", gap)
        else:
            yield from _sentence(said, gap)
        before = piece


def _plain(text: str) -> str:
    """Without the marks of Markdown; each item of a list begins a line of its own."""
    text = _BULLET.sub("\n\n", text)
    text = _NUMBERED.sub(r"\n\n\1", text)
    return _LINK.sub(r"\1", _BOLD.sub(r"\1", text))


def _is_heading(line: str) -> bool:
    return size(line) <= HEADING_SIZE and not _SAYS.search(_NUMBER.sub("", line))


def _sentence(said: str, gap: str) -> Iterator[Unit]:
    if len(said) <= limit_of(said):
        yield Unit(said, "sentence", gap)
        return
    parts = [part for clause in _CLAUSE.split(said) for part in _packed(_WORD.split(clause))]
    for at, part in enumerate(parts):
        gap = _gap(parts[at - 1], part) if at else gap
        first, last = at == 0, at == len(parts) - 1
        yield Unit(part.strip(), "part", gap, 0, first, last)


def _packed(words: Sequence[str]) -> Iterator[str]:
    """Words joined again, as many as a quote has room for; a longer one is cut between signs."""
    text = ""
    for word in words:
        for piece in [word] if _fits(word) else _pieces(word):
            if text and not _fits(text + piece):
                yield text
                text = ""
            text += piece
    if text.strip():
        yield text


def _pieces(word: str) -> Iterator[str]:
    """Graphemes; a letter under a tower of marks is no reason to break a limit."""
    for piece in graphemes(word):
        yield from [piece] if _fits(piece) else list(piece)


def _fits(text: str) -> bool:
    return len(text) <= limit_of(text) - ROOM


def _rows(lines: Sequence[str]) -> Iterator[str]:
    """The rows of a table, each cell with the name of its column."""
    rows = [_cells(line) for line in lines]
    ruled = len(rows) > 2 and bool(RULE.fullmatch(lines[1]))
    header = rows[0] if ruled else []
    # One punctuation for the whole table, whatever a single row is written in.
    signs = ("：", "；") if script(" ".join(lines)) == "cjk" else (": ", "; ")
    for cells in rows[2:] if ruled else rows:
        yield from _row(cells, header, signs)


def _row(cells: Sequence[str], header: Sequence[str], signs: tuple[str, str]) -> Iterator[str]:
    colon, stop = signs
    names = [*header, *[""] * len(cells)]
    told = [
        f"{name}{colon}{cell}" if name else cell
        for cell, name in zip(cells, names, strict=False)
        if cell
    ]
    text = ""
    for part in told:
        longer = f"{text}{stop}{part}" if text else part
        if text and not _fits(longer):
            yield _clipped(text)
            # What the row is about stands in front of each part of it.
            longer = f"{told[0]}{stop}{part}"
        text = longer
    if text:
        yield _clipped(text)


def _clipped(text: str) -> str:
    first, *more = _packed([text])
    return first + (CUT if more else "")


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells = [" ".join(cell.replace("\\|", "|").split()) for cell in _PIPE.split(inner)]
    return (
        []
        if all(_DASHES.fullmatch(cell) for cell in cells)
        else [_plain(cell).strip() for cell in cells]
    )


def _gap(before: str, text: str) -> str:
    """A space if there was one, but for Chinese signs: a line's end is no space to them."""
    bare = before.rstrip()
    wide = bool(_WIDE.match(text)) and (not bare or bool(_WIDE.match(bare[-1])))
    return "" if wide or bare == before else " "
