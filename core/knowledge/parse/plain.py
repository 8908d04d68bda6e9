"""Text, Markdown, tables, JSON and code to blocks."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from core.knowledge.parse.clean import one_line, table_text
from core.knowledge.parse.markup import HIDING
from core.knowledge.parse.outline import Outline

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
SETEXT = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
UNSEEN = re.compile(
    r"<(script|style|template|noscript)\b.*?(?:</\1\s*>|\Z)"
    rf"|<([a-z][a-z0-9]*)\b[^<>]*(?:\shidden\b|\sstyle\s*=\s*[\"'][^\"'<>]*(?:{HIDING.pattern})"
    r"[^<>]*)>.*?(?:</\2\s*>|\Z)",
    re.I | re.S,
)
"""HTML inside Markdown that a reader of the page does not see."""
REMARK = re.compile(r"^\[(?://|comment|_metadata_[^\]]*)\]:\s*[#<].*$", re.M | re.I)
"""Markdown's own way to write a comment: a link that nothing names."""
FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)

DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|protected|static|abstract|final|async|pub(?:\([\w ]+\))?"
    r"|unsafe|extern|inline|virtual|override|internal|sealed|partial|open|data)\s+)*"
    r"(?:def|class|function\*?|func|fn|fun|interface|struct|enum|trait|impl|type|module|namespace"
    r"|record|object|const|let|var|CREATE\s+(?:TABLE|VIEW|INDEX|FUNCTION))\s+"
    r"(?:\([^)]*\)\s*)?([A-Za-z_$][\w$.]*)",
    re.I,
)
LEAD_IN = re.compile(r"^(?:@|#|//|/\*|\*|--|\"\"\"|<!--)")
MAX_LEAVES = 200_000
"""Values of one JSON document; what lies beyond is far from anything to ask about."""


def read_text(text: str, outline: Outline) -> str:
    for paragraph in re.split(r"\n[ \t\u3000]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        outline.paragraph(paragraph)
    return ""


def read_markdown(text: str, outline: Outline) -> str:
    """Headings give the path, fences are code, pipes are tables; the first heading is the title."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = ""
    if front := FRONT.match(text):
        outline.paragraph(front.group(1))
        found = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", front.group(1), re.M)
        title = one_line(found.group(1)) if found else ""
        text = text[front.end() :]
    Markdown(outline).read(text)
    first = next((block.heading[0] for block in outline.blocks if block.heading), "")
    return title or first


class Markdown:
    """Reads lines; keeps the paragraph, table or fence that is open."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._lines: list[str] = []
        self._fence = ""

    def read(self, text: str) -> None:
        for line in without_unseen(text).split("\n"):
            self._line(line)
        if self._fence:
            self._end_fence()
        self._end()

    def _line(self, line: str) -> None:
        fence = FENCE.match(line)
        if self._fence:
            closes = fence and not fence.group(2).strip() and fence.group(1).startswith(self._fence)
            self._end_fence() if closes else self._lines.append(line)
        elif fence and "`" not in fence.group(2):
            self._end()
            self._fence = fence.group(1)
        elif heading := ATX.match(line):
            self._end()
            self.outline.heading(len(heading.group(1)), heading.group(2) or "")
        elif (under := SETEXT.match(line)) and len(self._lines) == 1:
            level = 1 if under.group(1).startswith("=") else 2
            text = self._lines.pop()
            self.outline.heading(level, text)
        elif not line.strip():
            self._end()
        else:
            self._lines.append(line)

    def _end_fence(self) -> None:
        self.outline.code("\n".join(self._lines))
        self._lines = []
        self._fence = ""

    def _end(self) -> None:
        lines, self._lines = self._lines, []
        start = next((n for n in range(1, len(lines)) if is_rule(lines[n], lines[n - 1])), 0)
        if start:
            self.outline.paragraph("\n".join(lines[: start - 1]))
            self.outline.table("\n".join(lines[start - 1 :]))
        else:
            self.outline.paragraph("\n".join(lines))


def is_rule(line: str, above: str) -> bool:
    return "|" in above and "-" in line and bool(TABLE_RULE.match(line))


def seen(text: str) -> str:
    return UNSEEN.sub("", REMARK.sub("", COMMENT.sub("", text)))


def without_unseen(text: str) -> str:
    """Comments and hidden HTML outside fences removed: a reader of the page does not see them."""
    parts: list[str] = []
    plain: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if not fence and found and "`" not in found.group(2):
            parts.append(seen("\n".join(plain)))
            plain, fence = [], found.group(1)
            parts.append(line)
        elif fence:
            parts.append(line)
            if found and found.group(1).startswith(fence) and not found.group(2).strip():
                fence = ""
        else:
            plain.append(line)
    parts.append(seen("\n".join(plain)))
    return "\n".join(parts)


def read_csv(text: str, outline: Outline, name: str) -> str:
    """One table; its first row is the header, which the chunker repeats."""
    csv.field_size_limit(10_000_000)
    sample = "\n".join(text.split("\n")[:20])
    try:
        dialect = csv.Sniffer().sniff(sample, ",;\t|")
        delimiter = dialect.delimiter
    except csv.Error:
        delimiter = "\t" if name.lower().endswith(".tsv") or "\t" in sample else ","
    try:
        rows = list(
            csv.reader(io.StringIO(text.replace("\x00", ""), newline=""), delimiter=delimiter)
        )
    except csv.Error:
        return read_text(text, outline)
    outline.table(table_text(rows))
    return ""


def read_json(text: str, outline: Outline) -> str:
    """`path: value` lines, parted by the top-level key; JSON lines are read as a list."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        values = json_lines(text)
        if values is None:
            outline.code(text)
            return ""
        value = values
    items = top_items(value)
    left = MAX_LEAVES
    for heading, path, item in items:
        lines = leaves(path, item, left)
        left -= len(lines)
        if heading:
            outline.heading(1, heading)
        outline.paragraph("\n".join(lines))
        if left <= 0:
            outline.full = True
            break
    return one_line(str(value["title"])) if isinstance(value, dict) and "title" in value else ""


def json_lines(text: str) -> list[Any] | None:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def top_items(value: Any) -> list[tuple[str, str, Any]]:
    """(heading, path, value) of each part. Plain values of the root stand together."""
    if isinstance(value, dict):
        plain = {key: item for key, item in value.items() if not isinstance(item, dict | list)}
        parts: list[tuple[str, str, Any]] = [("", "", plain)] if plain else []
        nested = [(str(k), str(k), v) for k, v in value.items() if isinstance(v, dict | list)]
        return parts + nested
    if isinstance(value, list):
        return [("", f"[{n}]", item) for n, item in enumerate(value)]
    return [("", "", value)]


def leaves(path: str, value: Any, limit: int) -> list[str]:
    """`path: value` of every leaf, in order, without recursion."""
    lines: list[str] = []
    stack: list[tuple[str, Any]] = [(path, value)]
    while stack and len(lines) < limit:
        where, item = stack.pop()
        if isinstance(item, dict):
            pairs = [(f"{where}.{key}" if where else str(key), sub) for key, sub in item.items()]
            stack.extend(reversed(pairs))
        elif isinstance(item, list) and any(isinstance(sub, dict | list) for sub in item):
            stack.extend(reversed([(f"{where}[{n}]", sub) for n, sub in enumerate(item)]))
        elif isinstance(item, list):
            lines.append(f"{where}: {', '.join(scalar(sub) for sub in item)}")
        else:
            lines.append(f"{where}: {scalar(item)}" if where else scalar(item))
    return lines


def scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def read_code(text: str, outline: Outline) -> str:
    """Top-level blocks; the name of what a block defines is its heading."""
    for name, lines in code_blocks(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        if name:
            outline.heading(1, name)
        outline.code("\n".join(lines))
    return ""


def code_blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    """A block begins at a definition that is not indented, with the comments and decorators
    right above it."""
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        found = DEFINITION.match(line)
        if found:
            above = take_lead_in(blocks[-1][1])
            blocks.append((found.group(1), above))
        blocks[-1][1].append(line)
    return [(name, block) for name, block in blocks if any(line.strip() for line in block)]


def take_lead_in(lines: list[str]) -> list[str]:
    """Remove and return the comments and decorators at the end of `lines`."""
    start = len(lines)
    while start and LEAD_IN.match(lines[start - 1]):
        start -= 1
    above = lines[start:]
    del lines[start:]
    return above
