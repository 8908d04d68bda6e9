"""Markdown's tables for platforms that show none: columns aligned by how wide they are seen."""

from __future__ import annotations

import re
import unicodedata

from bot.text.markdown import plain
from bot.text.regions import CodeMap, lines
from core.language.signs import graphemes

WIDEST = 76
"""Columns of letters that a code block shows without wrapping on a usual screen."""

_ROW = re.compile(r"[^\n]*\|[^\n]*\n?")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\n?")
_CELL = re.compile(r"(?<!\\)\|")
_EMOJI = "\ufe0f"


def without_tables(text: str) -> str:
    """`text` with its tables laid out as code; one too wide becomes a list. Code is left alone."""
    if "|" not in text:
        return text
    code = CodeMap.of(text)
    found: list[str] = []
    table: list[str] = []
    at = 0
    for line in lines(text):
        region = code.at(at)
        # Two backticks in two rows are no code span: a table's cells come first.
        if (region is None or region.kind == "span") and _ROW.fullmatch(line):
            table.append(line)
        else:
            found += [_laid_out(table), line]
            table = []
        at += len(line)
    return "".join([*found, _laid_out(table)])


def width(text: str) -> int:
    """Columns that a text takes where letters have one width: wide signs two, marks none."""
    return sum(_width(sign) for sign in graphemes(text)) if text else 0


def _width(sign: str) -> int:
    first = sign[0]
    if unicodedata.east_asian_width(first) in "WF" or _EMOJI in sign or "\u200d" in sign:
        return 2
    return 0 if unicodedata.category(first) in ("Mn", "Me", "Cf", "Cc") else 1


def _laid_out(table: list[str]) -> str:
    """Consecutive lines with bars; a table's head and rule may come after other such lines."""
    rule = next((n for n, line in enumerate(table) if n and _RULE.fullmatch(line)), None)
    if rule is None:
        return "".join(table)
    before, head, rows = table[: rule - 1], _cells(table[rule - 1]), table[rule + 1 :]
    aligned = [cell.endswith(":") for cell in _cells(table[rule])]
    cells = [_padded(_cells(row), len(head)) for row in rows]
    widths = [max(width(row[n]) for row in (head, *cells)) for n in range(len(head))]
    end = "\n" if table[-1].endswith("\n") else ""
    if sum(widths) + 2 * (len(widths) - 1) > WIDEST:
        return "".join(before) + "\n".join(_as_list(head, cells)) + end
    shown = [_line(row, widths, aligned) for row in (head, *cells)]
    shown.insert(1, "  ".join("-" * wide for wide in widths))
    return "".join(before) + "\n".join(["```", *shown, "```"]) + end


def _cells(line: str) -> list[str]:
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [_bare(cell) for cell in _CELL.split(bare)]


def _bare(cell: str) -> str:
    """A cell's words without marks: inside a code block they would be shown as they are."""
    return " ".join(plain(cell.strip().replace("\\|", "|")).split()).replace("```", "'''")


def _padded(row: list[str], count: int) -> list[str]:
    """As many cells as the head has; what is beyond stays in the last one."""
    if len(row) <= count:
        return row + [""] * (count - len(row))
    return [*row[: count - 1], " | ".join(row[count - 1 :])]


def _line(row: list[str], widths: list[int], right: list[bool]) -> str:
    shown: list[str] = []
    for number, (cell, wide) in enumerate(zip(row, widths, strict=True)):
        gap = " " * (wide - width(cell))
        to_right = number < len(right) and right[number]
        shown.append(gap + cell if to_right else cell + gap)
    return "  ".join(shown).rstrip()


def _as_list(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"- **{row[0] or '·'}**"
        + "".join(
            f" · {name}: {cell}" if name else f" · {cell}"
            for name, cell in zip(head[1:], row[1:], strict=True)
            if cell
        )
        for row in rows
    ] or [" · ".join(head)]
