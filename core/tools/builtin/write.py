"""write_document: a text of ours becomes a document of the channel's knowledge."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field

from core.errors import ToolFailed
from core.knowledge.documents import READABLE, Receipt
from core.knowledge.names import shown_name
from core.language.zones import first_zone
from core.scope import channel_scope
from core.sources import Source, marks_of
from core.texts import say
from core.tools.builtin.search import QUOTE_LIMIT, clip, place_line
from core.tools.definition import tool
from core.tools.tool import ToolResult
from core.tools.toolbox import Bound

OWNER = "teammate:"
"""Documents that teammates write are theirs: no upload of a person is ever replaced by one."""
MOST_TWINS = 100

_SAVE_ZH = re.compile(
    "保存|另存|存(?:一下|下来|到|进|入|起来|档|个)|归档|入库|收录|沉淀"
    "|[写记放加录](?:录|入|进|到)?(?:进|到|入)?(?:我们的|频道的?)?(?:知识库|文档库|资料库)"
)
_SAVE_EN = re.compile(
    r"\b(?:save|store|archive|file) (?:it|this|that|them|the|a|an|your|my|as|to|in|into|for)\b"
    r"|\bsaved?\b(?=[\s.!?]*$)|\band save\b"
    r"|\b(?:write|put|add|record)\b[^.!?]{0,80}\b(?:to|in|into) (?:the |our |this )?"
    r"(?:channel'?s? )?(?:knowledge(?: base)?|kb|library|documents)\b",
    re.I,
)
_NOT = re.compile(
    r"(?:不要|不用|不必|无需|别|先不|不)(?:再|急着)?[^，。；,.;]{0,6}(?:保存|存|归档|入库|写)"
    r"|\b(?:don'?t|do not|never|without|no need to)\b[^.!?]{0,30}\b(?:sav|stor|archiv|writ)",
    re.I,
)


def asks_to_save(texts: Sequence[str]) -> bool:
    """True if a person asks, in one of their texts, for something to be saved."""
    return any(
        (_SAVE_ZH.search(text) or _SAVE_EN.search(text)) and not _NOT.search(text) for text in texts
    )


def _has_writer(bound: Bound) -> bool:
    return bound.services.writer is not None


def _needs_click(bound: Bound, arguments: Any) -> bool:
    return bool(arguments.ingest) and not asks_to_save(bound.heard.now)


@tool(
    effect="write_shared",
    title="tool.write.title",
    timeout_s=120.0,
    needs_approval=_needs_click,
    # What is written in which run is the upload's key: the same again gives the same receipt.
    idempotent=True,
    keywords=("保存", "写报告", "文档", "存到知识库", "report", "save", "write a document"),
    when=_has_writer,
)
async def write_document(
    bound: Bound,
    title: Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\r\n]+$")],
    text: Annotated[str, Field(min_length=1, max_length=200_000)],
    ingest: bool = True,
) -> ToolResult:
    """Writes a Markdown document and saves it in this channel's knowledge, where everybody here
    finds it from then on. Take it when a report, a summary or a plan is to be saved. It gives the
    document's name and link: name both in the answer.

    title: The document's name, without an ending.
    text: The whole text in Markdown, with the marks of its sources like [1].
    ingest: false only drafts it: nothing is saved, and the text is for the answer.
    """
    if not ingest:
        told = say("tool.write.drafted", bound.request.language, title=title)
        return ToolResult(text=told, summary=told, details={"sentence": text, "title": title})
    writer = bound.services.writer
    assert writer is not None  # `when` saw to it.
    name = await _free_name(bound, title)
    link = bound.services.link(bound.request.place)
    receipt = await writer.write(
        scope=channel_scope(bound.request.place.channel),
        owner=OWNER + bound.request.teammate.name,
        name=name,
        text=document_text(bound, title, text),
        link=link,
        key=_key(bound, title, text),
        asked_by=bound.request.asker.id,
    )
    if receipt.status not in READABLE:
        raise ToolFailed(key="tool.write.failed", name=name)
    return await _saved(bound, receipt, text, link)


async def _saved(bound: Bound, receipt: Receipt, text: str, link: str) -> ToolResult:
    language = bound.request.language
    place = Source(
        mark=0,
        document=receipt.name,
        document_id=receipt.document,
        version=receipt.version,
        quote=clip(" ".join(text.split()), QUOTE_LIMIT),
        link=link,
    )
    (source,) = await bound.book.touch([place])
    where = say("tool.write.link", language, link=link) if link else ""
    told = say("tool.write.saved", language, name=receipt.name, link=where)
    return ToolResult(
        text=f"{told} [{source.mark}]",
        summary=say("tool.write.summary", language, name=receipt.name),
        details={
            "sentence": f"{told} [{source.mark}]",
            "document": receipt.document,
            "name": receipt.name,
            "version": receipt.version,
            "link": link,
        },
        sources=(source,),
    )


def document_text(bound: Bound, title: str, text: str) -> str:
    """The text under its title, with who wrote it, when, for whom, in which run, from what."""
    request = bound.request
    language = request.language
    zone = ZoneInfo(first_zone(request.time_zone))
    written = datetime.fromtimestamp(bound.clock(), zone).strftime("%Y-%m-%d %H:%M")
    head = "" if re.match(r"\s*#\s", text) else f"# {' '.join(title.split())}\n\n"
    mark = say(
        "tool.write.mark",
        language,
        teammate=request.teammate.name,
        person=" ".join(request.asker.name.split()) or request.asker.id,
        date=written,
        run=request.run,
    )
    found = [bound.book.by_mark(number) for number in marks_of(text)]
    sources = [
        f"- [{source.mark}] {place_line(source, language)}"
        for source in found
        if source is not None
    ]
    listed = "\n".join([say("tool.write.sources", language), *sources]) if sources else ""
    return "\n\n".join(part for part in (f"{head}{text.strip()}", "---", mark, listed) if part)


async def _free_name(bound: Bound, title: str) -> str:
    """The title as a file name that no person's document has here; a teammate's own may have it."""
    plain = re.sub(r"[/\\:*?\"<>|]+", " ", re.sub(r"\.(?:md|markdown|txt)$", "", title, flags=re.I))
    stem = " ".join(plain.split()) or say("tool.write.nameless", bound.request.language)
    for number in range(1, MOST_TWINS):
        name = shown_name(f"{stem}.md" if number == 1 else f"{stem} ({number}).md")
        there = await bound.knowledge.find_by_name(bound.request.kbs, name)
        if all(document.owner.startswith(OWNER) for document in there):
            return name
    raise ToolFailed(key="tool.write.failed", name=stem)


def _key(bound: Bound, title: str, text: str) -> str:
    """The same for each try, in whatever step or plan of the run; what is saved names the minute,
    so that a second try would else be a second version."""
    held = hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()
    return f"{bound.request.run}:{held[:32]}"
