"""chat: one model call, no documents."""

from __future__ import annotations

from core.context import RunContext
from core.model.protocol import Model
from core.modes.answer import answer
from core.modes.outcome import Outcome
from core.prompt import system_prompt, thread_messages


async def run(ctx: RunContext, model: Model) -> Outcome:
    """Answer from the thread alone. Raises ModelError."""
    system = system_prompt(ctx.request, (), mode="chat")
    return await answer(ctx, model, system, thread_messages(ctx.request), "chat")
