"""tool: one clear tool, then one model call to phrase its result."""

from __future__ import annotations

from collections.abc import Mapping

from core.context import RunContext
from core.errors import ToolFailed
from core.model.protocol import Model
from core.modes.answer import answer
from core.modes.outcome import Outcome, WrongRoute, shown
from core.prompt import fence, new_nonce, system_prompt, thread_messages
from core.texts import say
from core.tools.execute import run_tool
from core.tools.tool import Tool, ToolResult


async def run(
    ctx: RunContext, tool: Tool, arguments: Mapping[str, str | int], model: Model | None
) -> Outcome:
    """Run the tool and phrase its result. Raises ModelError.

    A tool that failed or found nothing raises WrongRoute while a model could go another way;
    without one its own sentence is the answer.
    """
    try:
        result = await run_tool(ctx, tool, dict(arguments), key="tool:call:1", path="tool")
    except ToolFailed as failure:
        if model is not None:
            raise WrongRoute("tool_failed") from failure
        return await shown(ctx, "tool", Outcome(text=failure.detail))
    if model is None or tool.return_direct:
        return _counted(await shown(ctx, "tool", Outcome(text=sentence_of(result))))
    if not result.found:
        raise WrongRoute("nothing_found")
    nonce = new_nonce()
    system = system_prompt(ctx.request, (), mode="tool", nonce=nonce)
    *earlier, question = thread_messages(ctx.request)
    lead = say("tool.result", ctx.request.language, name=tool.name)
    told = f"{question.text}\n\n{lead}\n{fence(result.text, nonce)}"
    asked = question.model_copy(update={"text": told})
    return _counted(await answer(ctx, model, system, [*earlier, asked], "tool"))


def sentence_of(result: ToolResult) -> str:
    """A result as an answer of its own."""
    told = result.details.get("sentence")
    return told if isinstance(told, str) else result.text


def _counted(outcome: Outcome) -> Outcome:
    usage = outcome.usage.model_copy(update={"tool_calls": outcome.usage.tool_calls + 1})
    return outcome.model_copy(update={"usage": usage})
