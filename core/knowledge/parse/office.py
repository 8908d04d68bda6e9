"""Office files, e-books and Outlook messages by xberg: its node tree to our blocks."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import xberg

from core.knowledge.parse.clean import one_line, own_title, table_text
from core.knowledge.parse.kinds import Format
from core.knowledge.parse.model import Parsed
from core.knowledge.parse.outline import Outline
from core.knowledge.parse.state import Refused

PARSER = "xberg/1"

WORD = "word/document.xml"

OOXML = "application/vnd.openxmlformats-officedocument."
MIME: dict[Format, str] = {
    "docx": OOXML + "wordprocessingml.document",
    "pptx": OOXML + "presentationml.presentation",
    "xlsx": OOXML + "spreadsheetml.sheet",
    "epub": "application/epub+zip",
    "odt": "application/vnd.oasis.opendocument.text",
    "msg": "application/vnd.ms-outlook",
    "rtf": "application/rtf",
    "pdf": "application/pdf",
}
TIMEOUT_S = 50
"""Under the parent's own limit, so that a slow file is told as slow and the child lives on."""

LINK = re.compile(r"\[([^\[\]]*)\]\((?:[a-z]+:|#)[^()\s]*\)")
COMMENT_MARK = re.compile(r"\[cmt:\d+\]")
SLIDE_MARKS = re.compile(r"</?u>|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
"""Bold, italic and underline of slides, which only xberg's Markdown tells apart from titles."""
HIDDEN_RUN = re.compile(
    rb"<w:r(?: [^>]*)?>(?:(?!</w:r>).)*?<w:vanish(?: w:val=\"(?:1|true|on)\")?\s*/>.*?</w:r>", re.S
)
LIST_INDENT = "  "
MAX_INDENT = 6


@dataclass(frozen=True)
class Node:
    """One node of xberg's tree, as plain values."""

    kind: str
    content: dict[str, Any]
    layer: str
    page: int | None
    parent: int | None


def parse_office(data: bytes, name: str, kind: Format) -> Parsed:
    """Blocks with headings, slides and sheets; raises Refused if nothing can be had."""
    document = extract(without_hidden(data) if kind == "docx" else data, kind)
    nodes = read_nodes(document.document.nodes if document.document else [], kind == "pptx")
    pages = physical_pages(document, kind)
    outline = Outline()
    title = walk(nodes, outline, paged=pages > 0)
    return Parsed(
        status="ready",
        title=title or own_title(document.metadata.title),
        pages=pages,
        blocks=outline.done(),
        parser=PARSER,
    )


def without_hidden(data: bytes) -> bytes:
    """A Word file without the runs that are marked as hidden: readers do not see them."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        main = source.read(WORD) if WORD in source.namelist() else b""
        if b"<w:vanish" not in main:
            return data
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as copy:
            for entry in source.infolist():
                part = HIDDEN_RUN.sub(b"", main) if entry.filename == WORD else source.read(entry)
                copy.writestr(entry.filename, part)
    return target.getvalue()


def extract(data: bytes, kind: Format) -> Any:
    source = xberg.ExtractInput(kind=xberg.ExtractInputKind.BYTES, bytes=data, mime_type=MIME[kind])
    try:
        result = asyncio.run(xberg.extract(source, config(kind)))
    except xberg.XbergError as error:
        raise refusal(str(error)) from None
    if not result.results:
        raise refusal(" ".join(str(item.message) for item in result.errors))
    return result.results[0]


def config(kind: Format) -> xberg.ExtractionConfig:
    return xberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        include_document_structure=True,
        pages=xberg.PageConfig(extract_pages=True),
        output_format=xberg.OutputFormat("markdown" if kind == "pptx" else "plain"),
        extraction_timeout_secs=TIMEOUT_S,
        max_archive_depth=0,
    )


def refusal(message: str) -> Refused:
    """xberg tells reasons in words only."""
    text = message.lower()
    if "password" in text or "encrypt" in text:
        return Refused("encrypted", "parse.encrypted")
    if "limit" in text or "bomb" in text or "exceed" in text:
        return Refused("unsupported", "parse.archive_bomb", size="500+")
    if "timeout" in text or "timed out" in text:
        return Refused("failed", "parse.too_slow", seconds=TIMEOUT_S)
    return Refused("corrupt", "parse.damaged")


def read_nodes(nodes: Iterable[Any], slides: bool) -> list[Node]:
    return [
        Node(
            kind=str(node.content.node_type),
            content=readable(json.loads(str(node.content)), slides),
            layer=str(node.content_layer),
            page=node.page,
            parent=node.parent,
        )
        for node in nodes
    ]


def readable(value: Any, slides: bool) -> Any:
    """A node's values with link targets, comment marks and slide mark-up taken out of its texts."""
    if isinstance(value, str):
        text = COMMENT_MARK.sub("", LINK.sub(r"\1", value))
        return SLIDE_MARKS.sub("", text) if slides else text
    if isinstance(value, list):
        return [readable(item, slides) for item in value]
    if isinstance(value, dict):
        return {key: readable(item, slides) for key, item in value.items()}
    return value


def physical_pages(document: Any, kind: Format) -> int:
    """Slides and sheets are certain. Word's pages are only where the file holds its page breaks:
    then xberg's count equals the one that Word stored."""
    found = len(document.pages or [])
    if kind in ("pptx", "xlsx"):
        return found
    stored = str((document.metadata.additional or {}).get("page_count", "")).strip('"')
    return found if kind == "docx" and found > 1 and stored == str(found) else 0


def walk(nodes: list[Node], outline: Outline, paged: bool) -> str:
    """Put the nodes into `outline` in reading order; the document's title, if a node is one."""
    title = ""
    for node in nodes:
        if paged and node.page:
            outline.page(node.page)
        text = str(node.content.get("text") or "")
        if node.kind == "title":
            title = one_line(text)
            outline.heading(1, text)
        elif node.kind == "heading":
            outline.heading(int(node.content.get("level") or 1), text)
        elif node.kind not in ("comment", "slide") and node.layer not in ("header", "footer"):
            add_text(nodes, node, text, outline)
    return title


def add_text(nodes: list[Node], node: Node, text: str, outline: Outline) -> None:
    match node.kind:
        case "table":
            outline.table(table_text(grid_rows(node.content.get("grid") or {})))
        case "code" | "formula" | "raw_block":
            outline.code(text or str(node.content.get("content") or ""))
        case "list_item":
            outline.item(LIST_INDENT * depth(nodes, node) + "- " + one_line(text))
        case "metadata_block":
            entries = node.content.get("entries") or []
            outline.paragraph("\n".join(f"{key}: {value}" for key, value in pairs(entries)))
        case "definition_item":
            term, meaning = node.content.get("term"), node.content.get("definition")
            outline.paragraph(f"{term}: {meaning}")
        case "image":
            outline.paragraph(str(node.content.get("description") or ""))
        case "group" | "list" | "page_break" | "definition_list" | "quote":
            pass
        case _:
            outline.paragraph(text)


def pairs(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Header fields of a mail, without what only machines read."""
    found = [(str(item["key"]), str(item["value"])) for item in entries]
    return [(key, value) for key, value in found if key.lower() != "message-id"]


def depth(nodes: list[Node], node: Node) -> int:
    """How many lists the item is nested in, from 0."""
    steps = 0
    parent = node.parent
    while parent is not None and steps < MAX_INDENT:
        if nodes[parent].kind == "list":
            steps += 1
        parent = nodes[parent].parent
    return max(0, steps - 1)


def grid_rows(grid: dict[str, Any]) -> list[list[str]]:
    """Cells by place; a merged cell's text stands once, in its first place."""
    rows = [[""] * int(grid.get("cols") or 0) for _ in range(int(grid.get("rows") or 0))]
    for cell in grid.get("cells") or []:
        row, col = int(cell["row"]), int(cell["col"])
        if row < len(rows) and col < len(rows[row]):
            rows[row][col] = str(cell["content"])
    return rows


def pdf_text(data: bytes) -> list[str]:
    """The text of each page of a PDF: the second reader."""
    return [str(page.content) for page in extract(data, "pdf").pages or []]
