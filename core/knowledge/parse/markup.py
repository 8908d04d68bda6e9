"""HTML to blocks: what a reader of the page sees. Hidden text, scripts and comments stay out."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

from core.knowledge.parse.clean import one_line, table_text
from core.knowledge.parse.outline import Outline

SILENT = {
    "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "embed",
    "audio", "video", "map", "select", "textarea", "math",
}  # fmt: skip
VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
}  # fmt: skip
PARTS = {
    "p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "dl",
    "blockquote", "figure", "figcaption", "address", "form", "fieldset", "details", "summary",
    "body", "html", "hr", "center",
}  # fmt: skip
"""Tags that part paragraphs."""
LINES = {"li", "dt", "dd", "br"}
CLOSES = {
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"},
    "td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"},
    "tbody": {"td", "th", "tr", "thead"}, "tfoot": {"td", "th", "tr", "tbody"},
    **dict.fromkeys(PARTS | {"p", "table", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}, {"p"}),
}  # fmt: skip
"""Tags whose start ends an open neighbour that left its own end out."""
IN_HEAD = {"title", "meta", "link", "base", "script", "style", "noscript", "template"}
"""Anything else opens the body, also where `</head>` was left out."""
HEADING = re.compile(r"h([1-6])$")
SPACE = re.compile(r"\s+")

HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*[01](?:\.\d+)?\s*(?:px|pt|em|rem|%)?\s*(?:;|!|$)|color\s*:\s*transparent"
    r"|(?:left|top|right|bottom|text-indent)\s*:\s*-\d{3,}|(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:;|!|$)"
    r"|clip\s*:\s*rect\(\s*0|transform\s*:\s*scale\(\s*0\s*\)",
    re.I,
)
RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,5000})\}")
SELECTOR = re.compile(r"[.#][\w-]+$")


class Page(HTMLParser):
    """Walks the tags once, with a stack of what is open and how many of it hide."""

    def __init__(self, outline: Outline) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = outline
        self.title = ""
        self._open: list[tuple[str, bool]] = []
        self._counts: Counter[str] = Counter()
        self._hidden = 0
        self._text: list[str] = []
        self._hiders: set[str] = set()
        """Simple selectors (.x, #y) that the page's own styles hide."""
        self._rows: list[list[str]] | None = None
        self._tables = 0
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._counts["head"] and tag not in IN_HEAD:
            self.handle_endtag("head")
        closes = CLOSES.get(tag, frozenset[str]())
        while self._open and self._open[-1][0] in closes:
            self.handle_endtag(self._open[-1][0])
        self._boundary(tag)
        if tag in VOID:
            return
        hides = tag in SILENT or self._hides(dict(attrs))
        self._open.append((tag, hides))
        self._counts[tag] += 1
        self._hidden += hides
        if not self._hidden:
            self._start_visible(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._counts[tag]:
            return
        while self._open:
            name, hides = self._open.pop()
            self._counts[name] -= 1
            if not self._hidden:
                self._end_visible(name)
            self._hidden -= hides
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        tag = self._open[-1][0] if self._open else ""
        if tag == "style":
            self._read_style(data)
        elif tag == "title" and not self._counts["svg"] and not self.title:
            self.title = one_line(data)
        elif not self._hidden and not self._counts["head"]:
            text = data if self._counts["pre"] else SPACE.sub(" ", data)
            (self._text if self._cell is None else self._cell).append(text)

    def close(self) -> None:
        super().close()
        while self._open:
            self.handle_endtag(self._open[-1][0])
        self._end_paragraph()

    def _hides(self, attrs: dict[str, str | None]) -> bool:
        if "hidden" in attrs or (attrs.get("type") or "").lower() == "hidden":
            return True
        if HIDING.search(attrs.get("style") or ""):
            return True
        names = {"." + name for name in (attrs.get("class") or "").split()}
        return bool(self._hiders & (names | {"#" + (attrs.get("id") or "")}))

    def _read_style(self, css: str) -> None:
        for selectors, rules in RULE.findall(css):
            if HIDING.search(rules):
                for selector in selectors.split(","):
                    if found := SELECTOR.search(selector.strip()):
                        self._hiders.add(found.group())

    def _boundary(self, tag: str) -> None:
        """What a tag, open or closed, does to the text before it."""
        if self._hidden or self._cell is not None:
            if self._cell is not None:
                self._cell.append(" ")
        elif tag in PARTS or HEADING.match(tag) or tag in ("table", "pre"):
            self._end_paragraph()
        elif tag in LINES:
            self._text.append("\n- " if tag == "li" else "\n")

    def _start_visible(self, tag: str) -> None:
        if tag == "table":
            self._tables += 1
            if self._tables == 1:
                self._rows = []
        elif tag == "tr" and self._tables == 1 and self._rows is not None:
            self._rows.append([])
        elif tag in ("td", "th") and self._tables == 1 and self._rows is not None:
            self._cell = []

    def _end_visible(self, tag: str) -> None:
        if tag in ("td", "th") and self._tables == 1 and self._cell is not None:
            cell, self._cell = "".join(self._cell), None
            if self._rows is not None:
                self._rows = self._rows or [[]]
                self._rows[-1].append(cell)
        elif tag == "table":
            self._end_table()
        elif tag == "pre":
            text, self._text = "".join(self._text), []
            self.outline.code(text)
        elif found := HEADING.match(tag):
            text, self._text = "".join(self._text), []
            self.outline.heading(int(found.group(1)), text)
        elif self._cell is None and tag in PARTS:
            self._end_paragraph()

    def _end_table(self) -> None:
        self._tables -= 1
        if self._tables == 0 and self._rows is not None:
            rows, self._rows, self._cell = self._rows, None, None
            self._end_paragraph()
            if max((len(row) for row in rows), default=0) > 1:
                self.outline.table(table_text(rows))
            else:
                # One column is layout, not a table.
                for row in rows:
                    self.outline.paragraph(one_line(" ".join(row)))

    def _end_paragraph(self) -> None:
        if not self._text or self._counts["pre"]:
            return
        text, self._text = "".join(self._text), []
        lines = (one_line(line) for line in text.split("\n"))
        self.outline.paragraph("\n".join(line for line in lines if line.strip("- ")))


def read_html(text: str, outline: Outline) -> str:
    """Put the page's text into `outline`; the page's title."""
    page = Page(outline)
    page.feed(text)
    page.close()
    return page.title
