"""quotes: the answer without a model. It invents nothing: whole sentences, word for word."""

from __future__ import annotations

from typing import Literal

from core.context import RunContext
from core.modes.look_up import LookUp, look_up
from core.modes.outcome import Outcome, shown
from core.sources import shielded
from core.texts import say
from core.tools.toolbox import Bound

Why = Literal["no_model", "model_failed", "needs_model", "quota"]
"""Why there is no model's answer: none is set, it failed, only one could do what was asked, or the
quota has no room for one."""

QUOTES = 3


async def run(ctx: RunContext, bound: Bound, why: Why) -> Outcome:
    """Quote what answers the question, or say that the documents do not hold it."""
    found = await look_up(ctx, bound, "quotes:search", QUOTES)
    outcome = _quoted(ctx, found, why) if found.quotes else _refused(ctx, found, why)
    return await shown(ctx, "quotes", outcome)


async def small_talk(ctx: RunContext, key: str = "quotes.small_talk") -> Outcome:
    """A friendly line on what can be done without a model."""
    return await shown(ctx, "chat", Outcome(text=say(key, ctx.request.language)))


def _quoted(ctx: RunContext, found: LookUp, why: Why) -> Outcome:
    marked = [(found.sources[quote.hit_index].mark, quote.text) for quote in found.quotes]
    lines = [f"> {shielded(' '.join(text.split()))} [{mark}]" for mark, text in marked]
    first = dict(reversed(marked))
    return Outcome(
        text="\n\n".join([_lead(ctx, why), *lines]),
        quoted=tuple(first.items()),
    )


def _refused(ctx: RunContext, found: LookUp, why: Why) -> Outcome:
    language = ctx.request.language
    if why == "needs_model":
        return Outcome(text=say("quotes.needs_model", language))
    refusal = say("prompt.refusal", language)
    if found.empty and ctx.request.picks.kb == ():
        return Outcome(text=say("quotes.no_kb", language, refusal=refusal))
    if found.empty:
        way_out = say("tool.empty", language)
        return Outcome(text=say("quotes.empty", language, refusal=refusal, way_out=way_out))
    return Outcome(text=say("quotes.refused", language, refusal=refusal))


def _lead(ctx: RunContext, why: Why) -> str:
    """The honest first line."""
    language = ctx.request.language
    if why == "needs_model":
        return say("quotes.needs_model", language) + "\n" + say("quotes.related", language)
    return say(f"quotes.{why}", language)
