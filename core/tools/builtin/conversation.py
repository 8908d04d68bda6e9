"""read_thread and search_conversation: what people said here, never beyond this channel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic import Field

from core.index.tokens import query_tokens, tokens
from core.language.zones import first_zone
from core.memory.channel import ChannelLog, Line, speakers
from core.messages import Language
from core.model.tokens import tokens_of
from core.sources import shielded
from core.texts import say
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound

THREAD_TOKENS = 6_000
"""What a thread may take of a prompt; of a longer one the newest lines are read."""
FOUND_TOKENS = 3_000
LOOKED_THROUGH = 2_000
"""Lines of a channel that one search looks through, the newest."""
LONGEST_LINE = 800
DAY = r"^(?:\d{4}-\d{2}-\d{2})?$"
_DECIDED = re.compile(
    r"\b(?:decid|agree|settl|conclu|go(?:ing)? with|chose|approved|let's)"
    r"|决定|定了|同意|通过|敲定|选了|就用|结论",
    re.I,
)
_ASKS_DECISION = re.compile(r"\b(?:decid|decision|agree|conclu)|决定|结论|定下|定了", re.I)


class ReadThread(Arguments):
    n: int = Field(200, ge=1, le=500)
    """Messages wanted, the newest."""


class SearchConversation(Arguments):
    query: str = Field("", max_length=500)
    """Words that were said, a topic or a name; empty: everything in the stretch of time."""
    since: str = Field("", pattern=DAY)
    """First day, YYYY-MM-DD; empty: 30 days ago."""
    until: str = Field("", pattern=DAY)
    """Last day, YYYY-MM-DD; empty: today."""
    n: int = Field(20, ge=1, le=100)
    """Messages wanted."""


def read_thread(bound: Bound) -> Tool | None:
    """The messages of this thread, oldest first."""
    log, language = bound.services.log, bound.request.language
    if log is None:
        return None

    async def run(arguments: ReadThread) -> ToolResult:
        lines = await log.thread(bound.request.place, arguments.n)
        return _told(bound, newest(lines, zone_of(bound), THREAD_TOKENS), lines)

    return Tool(
        name="read_thread",
        description=(
            "Reads the messages of this thread from its beginning, with who said what and when."
            " Take it to sum the thread up, or when the question speaks of something said above."
            " For other threads of the channel take search_conversation."
        ),
        arguments=ReadThread,
        run=run,
        title=lambda arguments: say("tool.thread.title", language),
        cacheable=False,
        keywords=("总结", "讨论", "上面", "summarize", "thread", "recap"),
    )


def search_conversation(bound: Bound) -> Tool | None:
    """What was said in this channel, by words and time."""
    log, language = bound.services.log, bound.request.language
    if log is None:
        return None

    async def run(arguments: SearchConversation) -> ToolResult:
        return await _search(bound, log, arguments)

    return Tool(
        name="search_conversation",
        description=(
            "Finds what people said in this channel, by words and days: what was decided last"
            " week, who offered to do something. It sees messages, not documents: for rules and"
            " facts take semantic_search."
        ),
        arguments=SearchConversation,
        run=run,
        title=lambda arguments: say("tool.said.title", language, query=arguments.query),
        cacheable=False,
        keywords=("说过", "讨论过", "决定", "上周", "谁说", "decide", "said", "discussed", "who"),
    )


async def _search(bound: Bound, log: ChannelLog, wanted: SearchConversation) -> ToolResult:
    zone = zone_of(bound)
    today = datetime.fromtimestamp(bound.clock(), zone).date()
    first = date.fromisoformat(wanted.since) if wanted.since else today - timedelta(days=30)
    last = date.fromisoformat(wanted.until) if wanted.until else today
    since = datetime.combine(first, time(), zone).timestamp()
    until = datetime.combine(last + timedelta(days=1), time(), zone).timestamp()
    lines = await log.since(bound.request.place.channel, since, until, LOOKED_THROUGH)
    # The question itself is a message of this channel too.
    lines = [line for line in lines if line.text.strip() != bound.request.question.strip()]
    found = matching(lines, wanted.query)[: wanted.n]
    return _told(bound, newest(sorted(found, key=lambda one: one.at), zone, FOUND_TOKENS), lines)


def matching(lines: Sequence[Line], query: str) -> list[Line]:
    """Lines that hold words of a query, most words first, then the newest; all without one."""
    words = set(query_tokens(query)) if query.strip() else set[str]()
    if not words:
        return sorted(lines, key=lambda line: -line.at)
    decision = _ASKS_DECISION.search(query) is not None
    scored: list[tuple[float, Line]] = []
    for line in lines:
        score = float(len(words.intersection(tokens(line.text))))
        if decision and _DECIDED.search(line.text):
            score += 2
        if score:
            scored.append((score, line))
    return [line for _, line in sorted(scored, key=lambda one: (-one[0], -one[1].at))]


def newest(lines: Sequence[Line], zone: ZoneInfo, budget: int) -> list[tuple[Line, str]]:
    """The newest lines that fit into a budget, oldest first, each as it reads in a prompt."""
    called = speakers(lines)
    kept: list[tuple[Line, str]] = []
    for line in reversed(lines):
        when = datetime.fromtimestamp(line.at, zone).strftime("%Y-%m-%d %H:%M")
        who = called.get(line.person, "Threadmate")
        said = " ".join(shielded(line.text).split())[:LONGEST_LINE]
        text = f"{when} {who}: {said}"
        budget -= tokens_of(text)
        if budget < 0:
            break
        kept.append((line, text))
    return kept[::-1]


def zone_of(bound: Bound) -> ZoneInfo:
    return ZoneInfo(first_zone(bound.request.time_zone))


def _told(bound: Bound, kept: Sequence[tuple[Line, str]], lines: Sequence[Line]) -> ToolResult:
    language: Language = bound.request.language
    if not kept:
        told = say("tool.said.none", language)
        return ToolResult(text=told, summary=told, details={"sentence": told}, found=False)
    text = "\n".join(line for _, line in kept)
    if len(kept) < len(lines):
        text = f"{say('tool.said.part', language, shown=len(kept), count=len(lines))}\n{text}"
    summary = say("tool.said.summary", language, count=len(kept))
    return ToolResult(text=text, summary=summary, details={"sentence": f"{summary}\n{text}"})
