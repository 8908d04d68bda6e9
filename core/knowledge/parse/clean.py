"""Text as people see it: no control, bidi, tag or invisible characters, one kind of line end."""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    "["
    "\u0000-\u0008\u000b\u000e-\u001f\u007f-\u0084\u0086-\u009f"  # C0, C1 but tab and line ends
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\uffff"
    "\U000e0000-\U000e0fff"  # Unicode tags: text that models read and people do not see
    "]"
)
"""U+200C and U+200D stay: Persian words and emoji families need them."""

SURROGATE = re.compile("[\ud800-\udfff]")
LINE_END = re.compile("\r\n?|[\u000c\u0085\u2028\u2029]")
BLANK_LINES = re.compile(r"\n[ \t\u3000]*(?:\n[ \t\u3000]*)+")
CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
CJK_GAP = re.compile(rf"(?<=[{CJK}…])[ \u00a0\t]+(?=[{CJK}…])")
COMBINING_FLOOD = re.compile("([\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{4})[\u0300-\u036f]+")

DULL_TITLE = re.compile(
    r"\(?(anonymous|untitled|slide ?\d+|powerpoint presentation|document ?\d*|ppt)\)?$", re.I
)
"""What programs put where nobody gave a title."""


def clean(text: str) -> str:
    """`text` with only what a reader sees; paragraphs stay parted by one blank line."""
    text = LINE_END.sub("\n", SURROGATE.sub("\ufffd", text))
    text = INVISIBLE.sub("", text).replace("\ufffe", "")
    text = COMBINING_FLOOD.sub(r"\1", text)
    lines = (line.rstrip() for line in text.split("\n"))
    return BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def clean_code(text: str) -> str:
    """Like `clean`, with blank lines kept as they are."""
    text = LINE_END.sub("\n", SURROGATE.sub("\ufffd", text))
    return INVISIBLE.sub("", text).strip("\n")


def one_line(text: str) -> str:
    """For headings, titles and table cells."""
    return " ".join(clean(text).split())


def own_title(found: object) -> str:
    title = one_line(str(found or ""))
    return "" if DULL_TITLE.match(title) else title


def close_gaps(text: str) -> str:
    """Spaces between two CJK characters removed: some PDFs set every character apart."""
    return CJK_GAP.sub("", text)


def table_row(cells: list[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def table_text(rows: list[list[str]]) -> str:
    """A Markdown table; the first row is its header. Empty rows are left out."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = [table_row(row + [""] * (width - len(row))) for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
