"""semantic_search and search_documents: two ways to find a passage, by meaning and by its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from pydantic import Field

from core.knowledge.documents import Hit
from core.knowledge.refusal import verdict, without_opener
from core.knowledge.units import beginning
from core.messages import Language
from core.sources import Source, shielded
from core.texts import say
from core.texts.counts import counted
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound

HITS = 8
"""Passages of one search: about 3,000 Chinese or 7,000 English characters of prompt."""

PASSAGE_LIMIT = 2_000
"""Characters of one passage in a prompt; a table row or a minified line may be longer."""

QUOTE_LIMIT = 300
"""Characters of a passage that its source shows."""

TITLE_LIMIT = 60

Find = Callable[[Sequence[int], str, int], Awaitable[list[Hit]]]


class Search(Arguments):
    query: str = Field(min_length=1, max_length=2_000)
    """What to look for, in the words of the question; one thing per call."""
    n: int = Field(HITS, ge=1, le=20)
    """Passages wanted."""


class SearchWords(Arguments):
    query: str = Field(min_length=1, max_length=500)
    """Words, a phrase or an error string exactly as it would stand in the text."""
    n: int = Field(HITS, ge=1, le=20)
    """Passages wanted."""


def semantic_search(bound: Bound) -> Tool:
    """Search by meaning over the run's KBs."""
    language = bound.request.language

    async def run(arguments: Search) -> ToolResult:
        return await found_passages(bound, arguments.query, arguments.n, exact=False)

    return Tool(
        name="semantic_search",
        description=(
            "Finds passages of this channel's documents by meaning, also in other words or another"
            " language. The first choice for any question about rules, facts, people or projects."
            " For an exact string, a code or an error message take search_documents; to read on"
            " around a passage take get_document."
        ),
        arguments=Search,
        run=run,
        title=lambda arguments: _title("tool.search.title", language, arguments.query),
        pinned=True,
    )


def search_documents(bound: Bound) -> Tool:
    """Search by exact words over the run's KBs."""
    language = bound.request.language

    async def run(arguments: SearchWords) -> ToolResult:
        return await found_passages(bound, arguments.query, arguments.n, exact=True)

    return Tool(
        name="search_documents",
        description=(
            "Finds passages that hold all the given words literally: names, codes, error strings,"
            " a quoted phrase. It knows no synonyms and no other language: for questions take"
            " semantic_search."
        ),
        arguments=SearchWords,
        run=run,
        title=lambda arguments: _title("tool.words.title", language, arguments.query),
        keywords=("原文", "报错", "error", "exact"),
    )


async def found_passages(bound: Bound, query: str, limit: int, *, exact: bool) -> ToolResult:
    """Search and number what was found; on an empty KB the way out, without a search."""
    if not (await bound.knowledge.stats(bound.request.kbs)).documents:
        return nothing_there(bound)
    find: Find = bound.knowledge.words if exact else bound.knowledge.search
    hits = await find(bound.request.kbs, query, limit)
    if not hits:
        return _nothing_found(bound, query, exact)
    sources = await bound.book.touch([source_of(hit) for hit in hits])
    language = bound.request.language
    found = exact or await _answers(bound, query, hits)
    text, summary = numbered(hits, sources, language), hits_line(hits, language)
    if not found:
        passages = counted("passages", len(hits), language)
        summary = say("tool.search.close", language, passages=passages)
        text = f"{say('tool.search.weak', language)}\n\n{text}"
    return ToolResult(
        text=text,
        summary=summary,
        details={"hits": [_detail(hit) for hit in hits], "sentence": _told(hits, sources, summary)},
        sources=tuple(sources),
        found=found,
    )


async def _answers(bound: Bound, query: str, hits: Sequence[Hit]) -> bool:
    asked = without_opener(query)
    evidence = await bound.knowledge.evidence(bound.request.kbs, asked, hits)
    return verdict(asked, hits, evidence).answered


def nothing_there(bound: Bound) -> ToolResult:
    """The answer of every knowledge tool on empty KBs: how to fill them."""
    told = say("tool.empty", bound.request.language)
    return ToolResult(text=told, summary=told, details={"sentence": told}, found=False)


def source_of(hit: Hit) -> Source:
    """The place of a hit, not numbered yet."""
    return Source(
        mark=0,
        document=hit.name,
        document_id=hit.document,
        version=hit.version,
        page=hit.page,
        heading=hit.heading,
        quote=beginning(hit.text, QUOTE_LIMIT, hit.heading),
        link=hit.link,
    )


def numbered(hits: Sequence[Hit], sources: Sequence[Source], language: Language) -> str:
    """Passages for the model: mark, document and page, then the text."""
    blocks = [
        f"[{source.mark}] {place_line(source, language)}\n"
        + clip(shielded(hit.text, code=True), PASSAGE_LIMIT)
        for hit, source in zip(hits, sources, strict=True)
    ]
    return "\n\n".join(blocks)


def hits_line(hits: Sequence[Hit], language: Language) -> str:
    """How many passages in which documents, in one line for people."""
    names = list(dict.fromkeys(hit.name for hit in hits))
    shown = say("tool.and", language).join(names)
    if len(names) > 2:
        shown = say("tool.and_more", language, name=names[0], n=len(names) - 1)
    passages = counted("passages", len(hits), language)
    return say("tool.search.summary", language, passages=passages, names=shown)


def place_line(source: Source, language: Language) -> str:
    """Document, page and heading of a source in one line."""
    parts = [source.document]
    if source.page is not None:
        parts.append(say("tool.page", language, page=source.page))
    if source.heading:
        parts.append(source.heading)
    return say("tool.comma", language).join(parts)


def clip(text: str, limit: int) -> str:
    """The start of a text in at most `limit` characters, with an ellipsis if cut."""
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _nothing_found(bound: Bound, query: str, exact: bool) -> ToolResult:
    language = bound.request.language
    key = "tool.words.none" if exact else "tool.search.none"
    told = say(key, language, query=clip(" ".join(query.split()), TITLE_LIMIT))
    summary = say("tool.search.no_hits", language)
    return ToolResult(text=told, summary=summary, details={"sentence": told}, found=False)


def _told(hits: Sequence[Hit], sources: Sequence[Source], summary: str) -> str:
    """The result as an answer of its own, for when no model is there to phrase it."""
    quoted = [
        f"> {shielded(beginning(hit.text, QUOTE_LIMIT, hit.heading))} [{source.mark}]"
        for hit, source in list(zip(hits, sources, strict=True))[:3]
    ]
    return "\n".join([summary, *quoted])


def _detail(hit: Hit) -> dict[str, object]:
    return {
        "document": hit.name,
        "page": hit.page,
        "heading": hit.heading,
        "text": beginning(hit.text, QUOTE_LIMIT, hit.heading),
        "score": round(hit.score, 4),
        "lexical": round(hit.lexical, 4),
        "vector": round(hit.vector, 4),
    }


def _title(key: str, language: Language, query: str) -> str:
    return say(key, language, query=clip(" ".join(query.split()), TITLE_LIMIT))
