"""search_web: pages of the public web, as data with sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from core.sources import Source, shielded
from core.texts import say
from core.texts.counts import counted
from core.tools.builtin.search import QUOTE_LIMIT, clip
from core.tools.definition import tool
from core.tools.services import WebHit
from core.tools.tool import ToolResult
from core.tools.toolbox import Bound

NAME = "search_web"
HITS = 5

_ASKS_ZH = re.compile(
    "上网|联网|网上|网络上|互联网|全网|搜(?:索)?网页|百度|谷歌|必应|新闻|(?:网|网站)(?:里|上)?(?:搜|查|找)"
)
_ASKS_EN = re.compile(
    r"\b(?:on|in|from|over|search|browse) (?:the )?(?:web|internet)\b|\bweb search\b|\bonline\b"
    r"|\bgoogle\b|\bbing\b|\bnews\b",
    re.I,
)


def asks_for_web(texts: Sequence[str]) -> bool:
    """True if a person asks for the web in one of their texts."""
    return any(_ASKS_ZH.search(text) or _ASKS_EN.search(text) for text in texts)


def _wanted(bound: Bound) -> bool:
    request = bound.request
    if bound.services.web is None or request.web == "off":
        return False
    named = NAME in (request.teammate.tools or ()) or NAME in (request.picks.tools or ())
    return request.web == "on" or named or asks_for_web(bound.heard.all)


@tool(
    title="tool.web.title",
    timeout_s=25.0,
    keywords=("上网", "网上", "联网", "搜索", "新闻", "web", "internet", "online", "news"),
    origin="web",
    when=_wanted,
)
async def search_web(
    bound: Bound,
    query: Annotated[str, Field(min_length=1, max_length=400)],
    limit: Annotated[int, Field(ge=1, le=10)] = HITS,
) -> ToolResult:
    """Searches the public web and gives titles, sites and short extracts. For what is not in this
    channel's documents: news, products, public facts. For the team's own affairs take
    semantic_search first.

    query: A few words, as one types them into a search engine. Nothing confidential.
    limit: Pages wanted.
    """
    web = bound.services.web
    assert web is not None  # `when` saw to it.
    language = bound.request.language
    hits = await web.search(query, limit, language)
    if not hits:
        told = say("tool.web.none", language, query=clip(query, 60))
        return ToolResult(text=told, summary=told, details={"sentence": told}, found=False)
    sources = await bound.book.touch([_source(hit) for hit in hits])
    summary = counted("webpages", len(hits), language)
    blocks = [
        f"[{source.mark}] {shielded(hit.title)} ({_site(hit)})\n{shielded(hit.text)}"
        for hit, source in zip(hits, sources, strict=True)
    ]
    lines = [
        f"- {shielded(hit.title)}: {shielded(clip(hit.text, 200))} [{source.mark}]"
        for hit, source in zip(hits, sources, strict=True)
    ]
    return ToolResult(
        text="\n\n".join(blocks),
        summary=summary,
        details={"hits": [hit.model_dump() for hit in hits], "sentence": "\n".join(lines)},
        sources=tuple(sources),
    )


def _source(hit: WebHit) -> Source:
    return Source(
        mark=0,
        document=hit.title,
        document_id=f"web:{hit.url}",
        version=1,
        quote=clip(hit.text, QUOTE_LIMIT),
        link=hit.url,
    )


def _site(hit: WebHit) -> str:
    return urlsplit(hit.url).hostname or ""
