"""What the library gives: knowledge bases, documents, hits, receipts. Plain frozen data."""

from __future__ import annotations

from core.knowledge.parse.model import Skipped, Status
from core.messages import Frozen

READABLE: tuple[Status, ...] = ("ready", "partial")
"""States of a document that has passages."""


class Kb(Frozen):
    """A knowledge base that an audience may see."""

    id: int
    scope: str
    name: str
    """Empty for the scope's own KB."""
    documents: int
    """Documents that can be read; those that failed are listed but not counted."""


class Receipt(Frozen):
    """What became of one uploaded file."""

    document: str
    name: str
    status: Status
    reason: str = ""
    """Key of the catalogue's sentence; empty if all of it was read."""
    values: dict[str, str] = {}
    pages: int = 0
    passages: int = 0
    version: int = 1
    skipped: tuple[Skipped, ...] = ()
    duplicate: bool = False
    """The same bytes under this name were here already: nothing was done."""
    needs_click: bool = False
    """Another person has a document of this name here; this one is kept beside it."""


class Hit(Frozen):
    """A passage that was found."""

    passage: int
    document: str
    name: str
    version: int
    page: int | None
    heading: str
    """Heading path, parts joined by ` > `."""
    text: str
    score: float
    lexical: float
    """bm25 / ceiling, 0 to 1."""
    vector: float
    """Cosine; 0 if the passage has no vector yet."""
    link: str
    added_at: float


class DocumentInfo(Frozen):
    """A document's present version, as lists show it."""

    id: str
    kb: int
    name: str
    status: Status
    reason: str
    values: dict[str, str]
    pages: int
    passages: int
    characters: int
    version: int
    added_at: float
    owner: str
    link: str
    first_sentences: str
    asked_by: str = ""
    """Of what a teammate wrote: the person for whom its present version was written."""


class PageText(Frozen):
    """A page of a document to read."""

    document: str
    name: str
    version: int
    page: int
    pages: int
    text: str
    cut: int = 0
    """Characters of this page that did not fit the budget."""
    next: int | None = None
    """The next page that has text."""
    paged: bool = True
    """False if the format has no pages: then a page is what fits the budget."""


class Stats(Frozen):
    """Sums over the documents that can be read."""

    documents: int = 0
    characters: int = 0
    passages: int = 0
    first_at: float | None = None
    latest_at: float | None = None


class Removed(Frozen):
    """What went when a document was removed."""

    name: str
    passages: int
    versions: int


class Evidence(Frozen):
    """What the words of a question weigh, and which of them each hit holds."""

    idf: dict[str, float]
    """Question token -> how telling it is; a token that stands nowhere weighs most."""
    covered: tuple[tuple[str, ...], ...]
    """For each hit, in order, the question tokens that its heading and text hold."""
    embedder: str = ""
    """Id of the model that the hits' cosines are of."""

    def coverage(self, hit: int) -> float:
        """Share of the question's weight that hit number `hit` (from 0) holds, 0 to 1."""
        total = sum(self.idf.values())
        return sum(self.idf[token] for token in self.covered[hit]) / total if total else 0.0
