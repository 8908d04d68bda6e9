"""rag: one search, one model call, citations."""

from __future__ import annotations

from core.context import RunContext
from core.model.protocol import Model
from core.modes.answer import answer
from core.modes.look_up import look_up
from core.modes.outcome import Outcome, WrongRoute
from core.prompt import fence, new_nonce, system_prompt, thread_messages
from core.texts import say
from core.tools.builtin.search import numbered
from core.tools.toolbox import Bound


async def run(ctx: RunContext, bound: Bound, model: Model) -> Outcome:
    """Answer from one search. Raises WrongRoute if it found no answer, and ModelError."""
    found = await look_up(ctx, bound, "rag:search")
    if found.empty:
        raise WrongRoute("empty")
    if not found.answered:
        raise WrongRoute("nothing_found")
    nonce = new_nonce()
    system = system_prompt(ctx.request, (), mode="rag", nonce=nonce)
    *earlier, question = thread_messages(ctx.request)
    fenced = fence(numbered(found.hits, found.sources, ctx.request.language), nonce)
    lead = say("rag.passages", ctx.request.language)
    asked = question.model_copy(update={"text": f"{lead}\n{fenced}\n\n{question.text}"})
    return await answer(ctx, model, system, [*earlier, asked], "rag")
