"""The tools by which a teammate brings in another: to answer from here on, or for one task."""

from __future__ import annotations

from pydantic import Field

from core.context import RunContext, SubTask
from core.errors import ToolFailed
from core.events import Usage
from core.request import Request, TeammateCard
from core.teammates import Speaking, Team
from core.texts import say
from core.tools.execute import Outcome
from core.tools.tool import AT_WORK, Arguments, Tool, ToolResult

SWITCH = "switch_teammate"
ASK = "ask_teammate"
ASK_S = 600.0
"""A sub-agent is a run of its own; what it costs is limited by the purse of the whole run."""
TITLE = 60
SUMMARY = 120


class Switch(Arguments):
    name: str = Field(min_length=1, max_length=80)
    """Name of the teammate that answers from here on."""


class Ask(Arguments):
    name: str = Field(min_length=1, max_length=80)
    """Name of the teammate."""
    task: str = Field(min_length=1, max_length=20_000)
    """What to do, in whole sentences, with all that is needed to know: the teammate sees nothing
    of this conversation."""


def team_tools(
    ctx: RunContext, request: Request, presence: Speaking, begun: set[str]
) -> dict[str, Tool]:
    """Both tools; none where nobody else is there, in a sub-agent, or where others were picked.

    `begun` takes the places of the sub-agents that this life of the run began.
    """
    if not request.team or ctx.spawn is None:
        return {}
    made = (switch_teammate(request, presence), ask_teammate(ctx, request, begun))
    picked = request.picks.tools
    return {tool.name: tool for tool in made if picked is None or tool.name in picked}


def switch_teammate(request: Request, presence: Speaking) -> Tool:
    """Hand the thread over."""
    language = request.language

    async def run(arguments: Switch) -> ToolResult:
        card = _known(request, arguments.name)
        await presence.enter(request.place, card.name, request.asker.id)
        done = say("teammates.switch.done", language, name=card.name)
        return ToolResult(text=done, summary=done, details={"teammate": card.name})

    return Tool(
        name=SWITCH,
        description=(
            "Hands this thread over: the named teammate answers from here on, with a role, tools"
            " and knowledge of its own. Take it when the person asks for that teammate or when all"
            " the rest is their work. For one task whose result you use yourself take"
            f" {ASK}. There are: {', '.join(_names(request))}."
        ),
        arguments=Switch,
        run=run,
        title=lambda given: say("teammates.switch.title", language, name=given.name[:TITLE]),
        effect="write_own",
        idempotent=True,
        cacheable=False,
        pinned=True,
        allowed={"name": _names(request)},
        origin="teammate",
    )


def ask_teammate(ctx: RunContext, request: Request, begun: set[str]) -> Tool:
    """Have a task done by another teammate, as a sub-agent, and go on with what it found."""
    language = request.language

    async def run(arguments: Ask) -> ToolResult:
        card = _known(request, arguments.name)
        assert ctx.spawn is not None
        path = AT_WORK.get()
        begun.add(path)
        task = SubTask(path=path, teammate=card.name, task=arguments.task)
        answer = await ctx.spawn(ctx, task)
        summary = " ".join(answer.text.split())
        return ToolResult(
            text=answer.text,
            summary=summary if len(summary) <= SUMMARY else f"{summary[:SUMMARY]}…",
            details={"path": path, "usage": answer.usage.model_dump()},
            found=answer.found,
        )

    return Tool(
        name=ASK,
        description=(
            "Has a teammate do one task and gives back its result; you go on and answer. It sees"
            " only the task, so write all of it. Tasks that do not depend on each other go into"
            f" one round. There are: {', '.join(_names(request))}."
        ),
        arguments=Ask,
        run=run,
        title=lambda given: say(
            "teammates.ask.title",
            language,
            name=given.name[:TITLE],
            task=" ".join(given.task.split())[:TITLE],
        ),
        # What the sub-agent does is guarded call by call; as an effect of its own it could not be
        # gone on with after a restart.
        effect="read",
        timeout_s=ASK_S,
        cacheable=False,
        pinned=True,
        allowed={"name": _names(request)},
        origin="teammate",
    )


def spent_before(outcome: Outcome, begun: set[str]) -> Usage:
    """What a sub-agent of an earlier life of the run had spent; its result is replayed whole."""
    details = outcome.result.details if outcome.result else {}
    if "usage" not in details or details.get("path") in begun:
        return Usage()
    return Usage.model_validate(details["usage"])


def _known(request: Request, name: str) -> TeammateCard:
    card = Team(request.team).get(name)
    if card is None:
        known = ", ".join(_names(request))
        raise ToolFailed(name, key="teammates.unknown", name=name[:TITLE], known=known)
    return card


def _names(request: Request) -> tuple[str, ...]:
    return tuple(card.name for card in request.team)
