"""How a sub-agent begins that may ask documents and web: it races them before its first word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from core.context import Emit, RunContext
from core.events import Body, PlanReady, StepDone, StepDropped, StepFailed, StepStarted
from core.journal import Journal
from core.plan.execute import execute
from core.plan.results import cut
from core.plan.rules import rule_plan
from core.plan.schema import Plan, races
from core.tools.tool import Tool

T = TypeVar("T")


async def opening(ctx: RunContext, path: str, tools: Mapping[str, Tool]) -> str:
    """What the faster of documents and web found for the question; empty where nothing races.

    It spares the first rounds of nearly every task: a model asks them one after the other.
    Journal steps and events stand below `path`.
    """
    made = rule_plan(ctx.request, tools)
    racing = {node for members in races(made).values() for node in members}
    plan = Plan(nodes=tuple(node for node in made.nodes if node.id in racing))
    if not plan.nodes:
        return ""
    inner = replace(ctx, journal=_Below(ctx.journal, path), emit=_below(ctx.emit, path))
    worked = await execute(inner, plan, tools)
    found = [node for node in worked.done if node.found]
    limit = ctx.knobs.result_chars
    return "\n\n".join(f"{node.title}:\n{cut(node.text, limit)}" for node in found)


@dataclass(frozen=True)
class _Below:
    """Steps of a part of a run, under the part's own path."""

    journal: Journal
    path: str

    async def step(self, key: str, kind: Any, work: Callable[[], Awaitable[T]]) -> T:
        return await self.journal.step(f"{self.path}/{key}", kind, work)

    async def kept(self, key: str, kind: type[T]) -> T | None:
        return await self.journal.kept(f"{self.path}/{key}", kind)


def _below(emit: Emit, path: str) -> Emit:
    """Events under the part's path; that there is a plan in it, nobody is shown."""

    async def send(inner: str, body: Body) -> None:
        if isinstance(body, StepStarted | StepDone | StepFailed | StepDropped):
            body = body.model_copy(update={"id": f"{path}/{body.id}"})
        if not isinstance(body, PlanReady):
            await emit(f"{path}/{inner}", body)

    return send
