"""The one model call of chat, tool and rag."""

from __future__ import annotations

from collections.abc import Sequence

from core.context import RunContext
from core.errors import ModelSilent
from core.model.ask import ask_model
from core.model.protocol import Model, ModelMessage, ModelRequest
from core.modes.outcome import Outcome, WrongRoute


async def answer(
    ctx: RunContext, model: Model, system: str, messages: Sequence[ModelMessage], mode: str
) -> Outcome:
    """Ask the model without tools, as journal step `{mode}:model`.

    Raises ModelError, also when nothing came that people may see; WrongRoute when the model called
    tools that it was not given; LimitReached when time is up.
    """
    request = ModelRequest(messages=(ModelMessage(role="system", text=system), *messages))
    said = await ask_model(
        ctx, model, request, key=f"{mode}:model", path=mode, seconds=ctx.limits.seconds
    )
    if not said.text.strip():
        if said.reply.calls or said.leaked:
            raise WrongRoute("wants_tools")
        raise ModelSilent()
    return Outcome(text=said.text.strip(), usage=said.reply.usage)
