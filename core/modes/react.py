"""react: a plan, its nodes at work, then one model call over what they gave.

Without a model the plan comes from rules, and code puts the results together: sentences of tools,
quotes of documents, and one line on what only a model can do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from core.context import NeedsPerson, RunContext
from core.errors import LimitReached, ModelError, PlanInvalid
from core.events import Body, Notice, TextTakenBack
from core.model.protocol import Model
from core.modes import chat
from core.modes.answer import answer
from core.modes.look_up import look_up
from core.modes.outcome import Outcome, WrongRoute, shown
from core.modes.quotes import QUOTES
from core.plan import planner
from core.plan.execute import Replan, execute
from core.plan.results import NodeResult, PlanResult, cut
from core.plan.rules import rule_plan
from core.plan.schema import Plan
from core.prompt import fence, new_nonce, system_prompt, thread_messages
from core.request import TeammateCard
from core.sources import shielded
from core.texts import say, told
from core.tools.tool import Tool
from core.tools.toolbox import Bound

ASK_PERSON, WRITE = "ask_person", "write_document"
Why = Literal["no_model", "model_failed", "quota"]
Quoted = tuple[tuple[int, str], ...]


async def run(
    ctx: RunContext,
    bound: Bound,
    model: Model | None,
    tools: Mapping[str, Tool],
    team: Sequence[TeammateCard],
    why: Why = "no_model",
) -> Outcome:
    """Plan, work the plan, answer. `why` there is no model, where there is none.

    Raises WrongRoute when there is no usable plan or, without a model, nothing was found;
    NeedsPerson when nodes wait for a person, after all the others; ModelError when the model fails
    before anything was done.
    """
    plan = await _plan(ctx, model, tools, team)
    if not plan.nodes:
        if model is None:
            raise WrongRoute("no_plan")
        # The planner's word for: nothing has to be looked up or done.
        return await chat.run(ctx, model)
    replan = None if model is None else _replan(ctx, model, tools, team)
    if model is None:
        ctx = replace(ctx, spawn=None)
    worked = await execute(ctx, plan, tools, replan=replan, must_find=model is None)
    if worked.needs:
        raise NeedsPerson(*worked.needs)
    direct = _direct(worked, tools)
    if direct is not None:
        return _counted(ctx, worked, await shown(ctx, "react", direct))
    if model is None:
        if not any(node.found for node in worked.done):
            raise WrongRoute("nothing_found")
        return await _by_code(ctx, bound, worked, why)
    return await _generated(ctx, bound, model, tools, worked)


async def _plan(
    ctx: RunContext,
    model: Model | None,
    tools: Mapping[str, Tool],
    team: Sequence[TeammateCard],
) -> Plan:
    if model is None:

        async def by_rules() -> Plan:
            return rule_plan(ctx.request, tools, team)

        # Kept as a model's plan is: other tools after a restart must not make another plan.
        return await ctx.journal.step("plan", Plan, by_rules)
    try:
        return await planner.plan(ctx, model, tools, team)
    except PlanInvalid as error:
        raise WrongRoute("no_plan") from error


def _replan(
    ctx: RunContext, model: Model, tools: Mapping[str, Tool], team: Sequence[TeammateCard]
) -> Replan:
    attempt = 1

    async def again(failures: Sequence[str]) -> Plan:
        nonlocal attempt
        attempt += 1
        return await planner.plan(ctx, model, tools, team, attempt=attempt, failures=failures)

    return again


async def _generated(
    ctx: RunContext,
    bound: Bound,
    model: Model,
    tools: Mapping[str, Tool],
    worked: PlanResult,
) -> Outcome:
    """The answer in the model's words; by code if it has none and something was done."""
    nonce, language = new_nonce(), ctx.request.language
    system = system_prompt(ctx.request, (), mode="loop", nonce=nonce)
    *earlier, question = thread_messages(ctx.request)
    lead, results = say("react.results", language), fence(_results(ctx, worked), nonce)
    asked = question.model_copy(update={"text": f"{question.text}\n\n{lead}\n{results}"})
    try:
        outcome = await answer(ctx, model, system, [*earlier, asked], "react")
    except (ModelError, LimitReached) as error:
        if not worked.done:
            raise
        reason = told(error, language)
        text = say("react.notice", language, reason=reason)
        await ctx.emit("react", TextTakenBack(reason="model_failed"))
        await ctx.emit("", Notice(key=error.key, text=text))
        limited = isinstance(error, LimitReached)
        made = await _by_code(ctx, bound, worked, "model_failed")
        return made.model_copy(update={"stopped_by_limit": made.stopped_by_limit or limited})
    except WrongRoute:
        # Another mode would begin anew, and must not where something was changed already.
        if not _changed(worked, tools):
            raise
        return await _by_code(ctx, bound, worked, "model_failed")
    return _counted(ctx, worked, outcome)


def _results(ctx: RunContext, worked: PlanResult) -> str:
    """What the generator reads: every node with its state, its result inside the budget."""
    language, limit = ctx.request.language, ctx.knobs.result_chars
    parts: list[str] = []
    for node in worked.nodes:
        state = say(f"react.state.{node.state}", language, reason=node.reason)
        parts.append(f"## {node.title} · {state}\n{cut(node.text, limit)}".rstrip())
    return "\n\n".join(parts)


def _direct(worked: PlanResult, tools: Mapping[str, Tool]) -> Outcome | None:
    """The result itself, where the plan was one call of a tool that asks for that."""
    if len(worked.nodes) != 1 or worked.nodes[0].state != "done":
        return None
    tool = tools.get(worked.nodes[0].tool)
    return Outcome(text=worked.nodes[0].text) if tool is not None and tool.return_direct else None


def _changed(worked: PlanResult, tools: Mapping[str, Tool]) -> bool:
    """True if a node may have done more than read."""
    named = (tools.get(node.tool) for node in worked.nodes if node.state != "dropped")
    effects = any(tool is not None and tool.effect != "read" for tool in named)
    return effects or any(node.teammate for node in worked.done)


async def _by_code(ctx: RunContext, bound: Bound, worked: PlanResult, why: Why) -> Outcome:
    """The results of the nodes as they are, then what was not done."""
    language = ctx.request.language
    parts, quoted = [_lead(ctx, worked, why)], dict[int, str]()
    written = [node.details.get("document") for node in worked.done if node.tool == WRITE]
    for node in worked.done:
        if node.tool == ASK_PERSON:
            continue  # They know what they said.
        body, own = await _told(ctx, bound, node, written)
        quoted = dict(own) | quoted
        parts.append(f"**{node.title}**\n\n{body}")
    missing = [node for node in worked.nodes if node.state in ("failed", "dropped")]
    missing = [node for node in missing if node.kind != "needs_model" and node.reason]
    if missing:
        lines = [f"- {node.title}: {node.reason}" for node in missing]
        parts.append("\n".join([say("react.missing", language), *lines]))
    text = "\n\n".join(parts)
    outcome = Outcome(text=text, quoted=tuple(quoted.items()))
    return _counted(ctx, worked, await shown(ctx, "react", outcome))


def _lead(ctx: RunContext, worked: PlanResult, why: Why) -> str:
    """The honest first line."""
    language = ctx.request.language
    titles = [node.title for node in worked.nodes if node.kind == "needs_model"]
    if titles:
        return say("react.needs_model", language, titles=say("tool.comma", language).join(titles))
    return say(f"react.{why}", language)


async def _told(
    ctx: RunContext, bound: Bound, node: NodeResult, written: Collection[object]
) -> tuple[str, Quoted]:
    """A node's result as people read it: of a search, the sentences that answer best."""
    query = node.arguments.get("query")
    if node.has_sources and isinstance(query, str):
        request = bound.request.model_copy(update={"question": query, "history": ()})
        quiet = replace(ctx, request=request, emit=_silent)
        own = replace(bound, request=request)
        found = await look_up(quiet, own, f"react:quotes:{node.step}", QUOTES)
        quotes = [(found.sources[one.hit_index], one.text) for one in found.quotes]
        # What this run wrote itself is no source of it.
        marked = [(one.mark, text) for one, text in quotes if one.document_id not in written]
        if marked:
            lines = [f"> {shielded(' '.join(text.split()))} [{mark}]" for mark, text in marked]
            return "\n\n".join(lines), tuple(dict(reversed(marked)).items())
    sentence = node.details.get("sentence")
    return (sentence if isinstance(sentence, str) else node.text), ()


async def _silent(path: str, body: Body) -> None:
    """The search was shown as a node's step already."""
    del path, body


def _counted(ctx: RunContext, worked: PlanResult, outcome: Outcome) -> Outcome:
    """With all that the run spent, its nodes and sub-agents included."""
    limited = any(node.kind == "limit" for node in worked.nodes)
    return outcome.model_copy(update={"usage": ctx.purse.usage, "stopped_by_limit": limited})
