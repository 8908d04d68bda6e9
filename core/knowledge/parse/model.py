"""What a parser gives: an honest status and blocks with their page and heading path."""

from __future__ import annotations

from typing import Literal

from core.messages import Frozen

Status = Literal[
    "ready", "partial", "needs_ocr", "encrypted", "unsupported", "empty", "corrupt", "failed"
]
"""`ready` and `partial` have text; every other one has a reason and none."""

Kind = Literal["text", "table", "code"]


class Block(Frozen):
    """A piece of a document that belongs together: paragraphs under one heading, a table, code."""

    page: int | None = None
    """Physical page, slide or sheet, from 1; None where the format has none."""
    heading: tuple[str, ...] = ()
    """The headings above, outermost first."""
    kind: Kind = "text"
    text: str


class Skipped(Frozen):
    """A part that could not be read: `key` and `values` name its sentence."""

    page: int | None = None
    key: str
    values: dict[str, str] = {}


class Parsed(Frozen):
    """What became of one file: its state, and its blocks if it could be read."""

    status: Status
    reason: str = ""
    """Key of the catalogue's sentence, which names the thing and the way out; empty if `ready`."""
    values: dict[str, str] = {}
    """Values of the sentence."""
    title: str = ""
    """The document's own title, if it has one."""
    pages: int = 0
    """Physical pages, slides or sheets; 0 where the format has none."""
    blocks: tuple[Block, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    parser: str = ""
    """Parser and version: a document parsed by an older one may be parsed again."""
