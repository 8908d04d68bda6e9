"""PDF by PDFium, page by page: lines, headings from outline, size and numbering, unread pages."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from core.knowledge.parse.clean import CJK, clean, close_gaps, own_title
from core.knowledge.parse.model import Parsed, Skipped
from core.knowledge.parse.outline import Outline
from core.knowledge.parse.state import Refused

PARSER = "pypdfium2/1"

MAX_PAGES = 2000
FEW = 20
"""Characters: a page with fewer, and a picture over most of it, is a scan."""
SCAN_SHARE = 0.5
"""Share of a page that one picture covers on a scan."""
DRAWN = 150
"""Paths on a page without text: letters drawn as outlines."""
MAX_OBJECTS = 2000

BIG = 1.15
"""A heading's letters over the body's."""
LONG = 80
"""Characters: longer lines are no headings."""
FULL = 0.8
"""Share of the widest line from which a line counts as wrapped, not ended."""

NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,3}){1,4})\.?[ \t　]+\S")
CHAPTER = re.compile(r"^第[一二三四五六七八九十百零\d]{1,6}([章编篇节])")
CHAPTER_LEVEL = {"编": 1, "篇": 1, "章": 1, "节": 2}
LEADERS = re.compile(r"[.．…·]{4,}|(?:[.…] ){4,}")
ENDED = re.compile(r"[。！？；;.!?:：，,]$")
BULLET = re.compile(r"^(?:[•–—*·●○■□▪◦-]|\(?\d{1,3}[.)、）]|[一二三四五六七八九十]{1,3}、|[（(])")
CJK_SEAM = re.compile(rf"[{CJK}][{CJK}]")


@dataclass
class Line:
    text: str
    height: float = 0.0
    """Height of its letters in points; 0 if unknown."""


@dataclass
class Sheet:
    """One page as read."""

    number: int
    lines: list[Line] = field(default_factory=list[Line])
    scanned: bool = False


def parse_pdf(data: bytes, name: str) -> Parsed:
    """The document's blocks; raises Refused if it is encrypted, damaged, scanned or empty."""
    document = open_pdf(data)
    try:
        pages = len(document)
        sheets = [read_page(document, number) for number in range(1, min(pages, MAX_PAGES) + 1)]
        title = own_title(document.get_metadata_value("Title"))
        toc = read_toc(document)
    finally:
        document.close()
    skipped = unread(sheets, pages)
    if not any(sheet.lines for sheet in sheets):
        if any(sheet.scanned for sheet in sheets):
            return refused_scan(name, pages)
        raise Refused("empty", "parse.empty_pages", pages=pages)
    if all(sheet.scanned or not sheet.lines for sheet in sheets):
        return refused_scan(name, pages)
    blocks = assemble(sheets, toc)
    status = "partial" if skipped else "ready"
    return Parsed(
        status=status,
        reason="parse.partial" if skipped else "",
        values={"name": name, "pages": str(pages), "read": str(pages - count(skipped))},
        title=title,
        pages=pages,
        blocks=blocks,
        skipped=skipped,
        parser=PARSER,
    )


def refused_scan(name: str, pages: int) -> Parsed:
    values = {"name": name, "pages": str(pages)}
    return Parsed(
        status="needs_ocr", reason="parse.needs_ocr", values=values, pages=pages, parser=PARSER
    )


def open_pdf(data: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(data)
        if len(document) == 0:
            raise Refused("corrupt", "parse.damaged")
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Refused("encrypted", "parse.encrypted") from None
        raise Refused("corrupt", "parse.damaged") from None
    return document


def read_page(document: pypdfium2.PdfDocument, number: int) -> Sheet:
    """A page that PDFium cannot load counts as unread, like a scan."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return Sheet(number, scanned=True)
    try:
        lines = read_lines(page)
        few = sum(len(line.text.replace(" ", "")) for line in lines) < FEW
        return Sheet(number, lines, scanned=few and is_picture(page, bool(lines)))
    finally:
        page.close()


def read_lines(page: Any) -> list[Line]:
    textpage = page.get_textpage()
    try:
        lines: list[Line] = []
        offset = 0
        for text in textpage.get_text_range().split("\r\n"):
            height = letter_height(textpage, offset + len(text) - len(text.lstrip()))
            # PDFium counts UTF-16 units.
            offset += len(text.encode("utf-16-le", "surrogatepass")) // 2 + 2
            lines.append(Line(text, height))
    finally:
        textpage.close()
    return join_hyphens(lines)


def join_hyphens(lines: list[Line]) -> list[Line]:
    """Words that were cut at a line's end made whole, and lines as people read them."""
    whole: list[Line] = []
    carry = ""
    for line in lines:
        text = carry + line.text
        carry = ""
        if text.rstrip().endswith(("\u0002", "\ufffe")):
            carry = text.rstrip()[:-1]
            continue
        text = close_gaps(clean(text).strip())
        if text:
            whole.append(Line(text, line.height))
    if carry.strip():
        whole.append(Line(clean(carry).strip()))
    return whole


def letter_height(textpage: Any, index: int) -> float:
    """Points, to a half: the font's box as drawn, because the nominal size may be scaled."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(textpage, index, ctypes.byref(box)):
        return 0.0
    return round(abs(box.top - box.bottom) * 2) / 2


def is_picture(page: Any, has_text: bool) -> bool:
    """Whether a picture, or letters drawn as paths, make up the page."""
    area = max(1.0, page.get_width() * page.get_height())
    paths = 0
    for index, item in enumerate(page.get_objects(max_depth=3)):
        if index > MAX_OBJECTS:
            break
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = item.get_bounds()
            if not has_text or (right - left) * (top - bottom) > area * SCAN_SHARE:
                return True
        paths += item.type == pdfium.FPDF_PAGEOBJ_PATH
    return not has_text and paths > DRAWN


def read_toc(document: pypdfium2.PdfDocument) -> dict[tuple[int, str], int]:
    """The outline: (page, title without spaces) -> level from 1."""
    found: dict[tuple[int, str], int] = {}
    try:
        for item in document.get_toc(max_depth=8):
            target = item.get_dest()
            if target is not None and (index := target.get_index()) is not None:
                found[index + 1, squeeze(item.get_title())] = item.level + 1
            if len(found) >= 5000:
                break
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        # An outline is a help, not the text; broken ones are common.
        return found
    return found


def squeeze(text: str) -> str:
    return "".join(text.split())


def assemble(sheets: list[Sheet], toc: dict[tuple[int, str], int]) -> tuple[Any, ...]:
    """Blocks with headings. A heading's line stays in the text as well: the guess may be wrong."""
    sizes = heading_sizes(sheets)
    outline = Outline()
    for sheet in sheets:
        outline.page(sheet.number)
        widest = max((width(line.text) for line in sheet.lines), default=0)
        paragraph: list[str] = []
        for line in sheet.lines:
            level = heading_level(line, sheet.number, toc, sizes)
            if level:
                outline.paragraph(join_lines(paragraph, widest))
                paragraph = []
                outline.heading(level, line.text)
            paragraph.append(line.text)
        outline.paragraph(join_lines(paragraph, widest))
    return outline.done()


def heading_sizes(sheets: list[Sheet]) -> dict[float, int]:
    """Letter heights over the body's -> heading level; at most four, biggest first."""
    weights: Counter[float] = Counter()
    for sheet in sheets:
        for line in sheet.lines:
            if line.height:
                weights[line.height] += len(line.text)
    if not weights:
        return {}
    body = median_low(sorted(weights.elements()))
    # More than a tenth of the text is not headings but a second body.
    total = weights.total()
    big = [size for size, n in weights.items() if size >= body * BIG and n < total * 0.1]
    return {size: level for level, size in enumerate(sorted(big, reverse=True)[:4], start=1)}


def heading_level(
    line: Line, page: int, toc: dict[tuple[int, str], int], sizes: dict[float, int]
) -> int:
    """The level of a heading, or 0."""
    text = line.text
    if level := toc.get((page, squeeze(text))):
        return level
    if len(text) > LONG or ENDED.search(text) or LEADERS.search(text):
        return 0
    if found := NUMBERED.match(text):
        # Table rows and version numbers begin with figures too.
        words = text[found.end(1) :].strip(". \u3000")
        plain = words[:1].isalpha() and not re.search(r"\d{3,}|\$|%|\|", words)
        return found.group(1).count(".") + 1 if plain else 0
    if found := CHAPTER.match(text):
        return CHAPTER_LEVEL[found.group(1)]
    letters = sum(char.isalpha() for char in text)
    return sizes.get(line.height, 0) if letters >= 2 else 0


def width(text: str) -> int:
    """Columns: CJK characters count two."""
    return sum(2 if "\u2e80" <= char <= "\uffef" else 1 for char in text)


def join_lines(lines: list[str], widest: int) -> str:
    """Lines of one paragraph made one where they were only wrapped, so that sentences are whole."""
    joined: list[str] = []
    wrapped = False
    for text in lines:
        if joined and wrapped and not BULLET.match(text) and not NUMBERED.match(text):
            glue = "" if CJK_SEAM.match(joined[-1][-1:] + text[:1]) else " "
            joined[-1] += glue + text
        else:
            joined.append(text)
        wrapped = (
            widest >= 40 and width(text) >= widest * FULL and not re.search(r"[。！？.!?]$", text)
        )
    return "\n".join(joined)


def unread(sheets: list[Sheet], pages: int) -> tuple[Skipped, ...]:
    """The pages that were not read, as ranges."""
    skipped = [
        Skipped(page=first, key="parse.page_scanned", values={"pages": span(first, last)})
        for first, last in ranges([sheet.number for sheet in sheets if sheet.scanned])
    ]
    if pages > MAX_PAGES:
        values = {"pages": span(MAX_PAGES + 1, pages), "limit": str(MAX_PAGES)}
        skipped.append(Skipped(page=MAX_PAGES + 1, key="parse.pages_over", values=values))
    return tuple(skipped)


def ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def count(skipped: tuple[Skipped, ...]) -> int:
    total = 0
    for item in skipped:
        first, _, last = item.values["pages"].partition("-")
        total += int(last or first) - int(first) + 1
    return total
