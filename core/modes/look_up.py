"""One search of a run's KBs: a step that is shown, journalled and numbered."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from core.context import RunContext
from core.errors import ThreadmateError
from core.events import StepDone, StepFailed, StepStarted
from core.knowledge.documents import Hit
from core.knowledge.refusal import verdict, without_opener
from core.knowledge.sentences import Quote
from core.messages import Frozen
from core.sources import Source
from core.texts import say, told
from core.tools.builtin.search import HITS, TITLE_LIMIT, clip, hits_line, source_of
from core.tools.toolbox import Bound

FOLLOW_UP_HAN = 12
FOLLOW_UP_WORDS = 6
"""A question this short, after another one, may only make sense with it: `and for contractors?`"""


WORTH = 0.7
"""Share of the best quote's score that a further one needs: three for the sake of three bury the
answer. It leaves 2.0 quotes of 3 and costs one answer in a hundred."""


class LookUp(Frozen):
    empty: bool = False
    """There is no document in scope; nothing was searched."""
    answered: bool = False
    """The passages hold an answer, as far as their words and vectors tell."""
    hits: tuple[Hit, ...] = ()
    sources: tuple[Source, ...] = ()
    """The place of each hit, numbered; none unless `answered`."""
    quotes: tuple[Quote, ...] = ()
    """The sentences that answer best, as many as were asked for."""


async def look_up(ctx: RunContext, bound: Bound, key: str, quoted: int = 0) -> LookUp:
    """Search for the question as step `key`, with up to `quoted` sentences of what was found.

    A short follow-up takes the last question along.
    """
    request, started = ctx.request, time.monotonic()
    asked = clip(" ".join(request.question.split()), TITLE_LIMIT)
    title = say("tool.search.title", request.language, query=asked)
    path = key.split(":")[0]
    replayed = await ctx.journal.kept(key, LookUp) is not None
    await ctx.emit(path, StepStarted(id=key, step="search", title=title))
    try:
        found = await ctx.journal.step(key, LookUp, lambda: _search(bound, quoted))
    except ThreadmateError as error:
        reason = told(error, request.language)
        await ctx.emit(path, StepFailed(id=key, title=title, ms=_ms(started), reason=reason))
        raise
    done = StepDone(
        id=key, title=title, ms=_ms(started), summary=_summary(ctx, found), replayed=replayed
    )
    await ctx.emit(path, done)
    return found


def queries_of(bound: Bound) -> list[str]:
    """What to search for, in order, until something answers."""
    question, history = bound.request.question, bound.request.history
    if history and _is_short(question):
        return [question, f"{history[-1].question} {question}"]
    return [question]


async def _search(bound: Bound, quoted: int) -> LookUp:
    kbs = bound.request.kbs
    if not (await bound.knowledge.stats(kbs)).documents:
        return LookUp(empty=True)
    hits: Sequence[Hit] = ()
    for query in queries_of(bound):
        hits = await bound.knowledge.search(kbs, query, HITS)
        asked = without_opener(query)
        evidence = await bound.knowledge.evidence(kbs, asked, hits)
        if verdict(asked, hits, evidence).answered:
            quotes = await _quotes(bound, query, hits, quoted)
            sources = await _numbered(bound, hits, quotes)
            return LookUp(
                answered=True, hits=tuple(hits), sources=tuple(sources), quotes=tuple(quotes)
            )
    return LookUp(hits=tuple(hits))


async def _quotes(bound: Bound, query: str, hits: Sequence[Hit], limit: int) -> list[Quote]:
    if not limit:
        return []
    ranked = await bound.knowledge.quotes(bound.request.kbs, query, hits, limit)
    return [quote for quote in ranked if quote.score >= WORTH * ranked[0].score]


async def _numbered(bound: Bound, hits: Sequence[Hit], quotes: Sequence[Quote]) -> list[Source]:
    """The places of the hits; what is quoted comes first, so that it begins with [1]."""
    order = list(dict.fromkeys([*(quote.hit_index for quote in quotes), *range(len(hits))]))
    touched = await bound.book.touch([source_of(hits[at]) for at in order])
    by_hit = dict(zip(order, touched, strict=True))
    return [by_hit[at] for at in range(len(hits))]


def _is_short(question: str) -> bool:
    han = len(re.findall(r"[\u3400-\u9fff]", question))
    return han <= FOLLOW_UP_HAN and len(question.split()) <= FOLLOW_UP_WORDS


def _summary(ctx: RunContext, found: LookUp) -> str:
    language = ctx.request.language
    if not found.answered:
        return say("tool.search.no_hits", language)
    return hits_line(found.hits, language)


def _ms(started: float) -> int:
    return int((time.monotonic() - started) * 1000)
