"""get_document, latest_documents, knowledge_stats: what is there, and how it reads on."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic import Field

from core.errors import ToolFailed
from core.knowledge.documents import DocumentInfo
from core.language.zones import first_zone
from core.sources import Source, shielded
from core.texts import say
from core.texts.counts import counted
from core.tools.builtin.search import TITLE_LIMIT, clip, nothing_there, place_line
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound

PAGE_BUDGET = 6_000
"""Characters of a page in one result."""

FIRST_SENTENCES = 240
"""Characters of a document's beginning in a listing."""

DAY_S = 86_400.0


class GetDocument(Arguments):
    id: int | str
    """The number of a mark that a search or a listing showed, as 3 for [3]; or the file's name."""
    page: int = Field(1, ge=1)
    """Page, slide or part to read, from 1."""


class LatestDocuments(Arguments):
    n: int = Field(5, ge=1, le=20)
    """How many, newest first."""


class NoArguments(Arguments):
    """Takes none."""


def get_document(bound: Bound) -> Tool:
    """Read a page of a document that this run has met."""
    language = bound.request.language

    async def run(arguments: GetDocument) -> ToolResult:
        document = await _find(bound, arguments.id)
        read = await bound.knowledge.page(
            bound.request.kbs, document.document_id, arguments.page, PAGE_BUDGET
        )
        place = document.model_copy(
            update={
                "version": read.version,
                "page": read.page if read.paged else None,
                "heading": "",
                "quote": clip(read.text, FIRST_SENTENCES),
            }
        )
        (source,) = await bound.book.touch([place])
        head = say(
            "tool.document.head",
            language,
            mark=source.mark,
            name=read.name,
            page=read.page,
            pages=read.pages,
        )
        lines = [head, shielded(read.text, code=True)]
        if read.cut:
            lines.append(say("tool.document.cut", language, shown=len(read.text), cut=read.cut))
        if read.next is not None:
            lines.append(say("tool.document.next", language, page=read.next))
        return ToolResult(
            text="\n".join(lines),
            summary=place_line(source, language),
            details={"document": read.name, "page": read.page, "cut": read.cut},
            sources=(source,),
            found=bool(read.text.strip()),
        )

    return Tool(
        name="get_document",
        description=(
            "Reads one page of a document in full. Take it after a search or latest_documents has"
            " shown the document's number, when a passage is not enough or a whole page is to be"
            " summed up. It does not search: to find something take semantic_search."
        ),
        arguments=GetDocument,
        run=run,
        title=lambda arguments: _document_title(bound, arguments),
        pinned=True,
    )


def latest_documents(bound: Bound) -> Tool:
    """The newest documents with their beginnings."""
    language = bound.request.language

    async def run(arguments: LatestDocuments) -> ToolResult:
        found = await bound.knowledge.listing(bound.request.kbs, arguments.n)
        if not found:
            return nothing_there(bound)
        sources = await bound.book.touch([_source(document) for document in found])
        lines = [
            say("tool.latest.line", language, mark=source.mark, **_line(bound, document))
            for document, source in zip(found, sources, strict=True)
        ]
        summary = counted("documents", len(found), language)
        return ToolResult(
            text="\n".join(lines),
            summary=summary,
            details={"sentence": "\n".join([say("tool.latest.said", language), *lines])},
            sources=tuple(sources),
        )

    return Tool(
        name="latest_documents",
        description=(
            "The newest documents of this channel, each with its date, state and first sentences:"
            " one call tells what came in lately. For how many there are take knowledge_stats; to"
            " find a subject take semantic_search."
        ),
        arguments=LatestDocuments,
        run=run,
        title=lambda _: say("tool.latest.title", language),
        cacheable=False,
        keywords=("最新", "最近", "latest", "newest", "recent"),
    )


def knowledge_stats(bound: Bound) -> Tool:
    """Counts and dates of the run's KBs."""
    language = bound.request.language

    async def run(arguments: NoArguments) -> ToolResult:
        del arguments
        stats = await bound.knowledge.stats(bound.request.kbs)
        if not stats.documents:
            return nothing_there(bound)
        first, latest = stats.first_at or bound.clock(), stats.latest_at or bound.clock()
        told = say(
            "tool.stats.sentence",
            language,
            documents=counted("documents", stats.documents, language),
            passages=counted("passages", stats.passages, language),
            characters=f"{stats.characters:,}",
            first=_date(bound, first),
            latest=_date(bound, latest),
            ago=_ago(bound, first),
        )
        summary = counted("documents", stats.documents, language)
        return ToolResult(text=told, summary=summary, details={"sentence": told})

    return Tool(
        name="knowledge_stats",
        description=(
            "How many documents, passages and characters this channel's knowledge has, the dates"
            " of the first and the latest document, and the days since the first. It names no"
            " documents: for those take latest_documents."
        ),
        arguments=NoArguments,
        run=run,
        title=lambda _: say("tool.stats.title", language),
        cacheable=False,
        keywords=("多少文档", "多少个文档", "知识库", "how many documents"),
    )


async def _find(bound: Bound, wanted: int | str) -> Source:
    """The document behind a mark or a name. Raises ToolFailed, saying what may be given."""
    number = re.fullmatch(r"\s*\[?\s*(\d{1,6})\s*\]?\s*", str(wanted))
    if number:
        source = bound.book.by_mark(int(number[1]))
        if source is None:
            known = len(bound.book.known)
            raise ToolFailed(key="tool.document.unknown_mark", mark=number[1], known=known)
        return source
    named = await bound.knowledge.find_by_name(bound.request.kbs, str(wanted).strip())
    if not named:
        raise ToolFailed(key="tool.document.unknown_name", name=clip(str(wanted), TITLE_LIMIT))
    return _source(named[0])


def _source(document: DocumentInfo) -> Source:
    return Source(
        mark=0,
        document=document.name,
        document_id=document.id,
        version=document.version,
        quote=clip(document.first_sentences, FIRST_SENTENCES),
        link=document.link,
    )


def _line(bound: Bound, document: DocumentInfo) -> dict[str, object]:
    language = bound.request.language
    state = "" if document.status == "ready" else say(f"tool.state.{document.status}", language)
    pages = counted("pages", document.pages, language)
    return {
        "name": document.name,
        "date": _date(bound, document.added_at),
        "pages": say("tool.pages", language, pages=pages) if document.pages else "",
        "state": state,
        "start": shielded(clip(" ".join(document.first_sentences.split()), FIRST_SENTENCES)),
    }


def _ago(bound: Bound, at: float) -> str:
    """How many whole days since `at`: `today`, `3 days ago`."""
    language = bound.request.language
    days = max(0, int((bound.clock() - at) // DAY_S))
    if not days:
        return say("tool.stats.today", language)
    return say("tool.stats.ago", language, days=counted("days", days, language))


def _date(bound: Bound, at: float) -> str:
    zone = ZoneInfo(first_zone(bound.request.time_zone))
    return datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")


def _document_title(bound: Bound, arguments: GetDocument) -> str:
    number = str(arguments.id).strip("[] ")
    source = bound.book.by_mark(int(number)) if number.isdecimal() else None
    name = source.document if source else str(arguments.id)
    title = say("tool.document.title", bound.request.language, name=name, page=arguments.page)
    return clip(title, TITLE_LIMIT * 2)
