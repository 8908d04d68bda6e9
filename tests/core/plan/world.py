"""A world of slow and failing tools for plans: what each node does is written down beforehand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.context import PlanKnobs, RunContext, SubAnswer, SubTask
from core.errors import ToolFailed
from core.events import Body, Decision, Need
from core.journal import Journal
from core.plan.execute import Replan, execute
from core.plan.results import NodeResult, PlanResult
from core.plan.schema import Node, Plan
from core.tools.tool import Arguments, Tool, ToolResult
from tests.core.runs_of_one import Run, a_run

HANGS_S = 50_000.0
"""Longer than anything waits."""

Way = Literal["finds", "finds_nothing", "fails", "breaks", "hangs"]


@dataclass(frozen=True)
class Does:
    """What the tool of one node does."""

    way: Way = "finds"
    after: float = 1.0
    """Seconds."""
    text: str = ""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fails_first: int = 0
    """Calls that fail before one goes the way above."""


class Asked(Arguments):
    """Of every tool of this world."""

    id: str
    """Node that asks."""
    given: Any = None


@dataclass
class World:
    """Outlives the runs in it, as the real one does."""

    does: Mapping[str, Does] = field(default_factory=dict[str, Does])
    began: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    ended: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    cancelled: list[str] = field(default_factory=list[str])
    effects: list[str] = field(default_factory=list[str])
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    at_work: int = 0
    most_at_work: int = 0
    tasks: list[SubTask] = field(default_factory=list[SubTask])

    @property
    def calls(self) -> Counter[str]:
        return Counter(node for node, _ in self.began)

    def tools(self) -> dict[str, Tool]:
        """`look` and `web` read; `note` may be done twice; `send` not; `pay` needs a click."""
        look = Tool(
            "look", "Looks.", Asked, self.work, lambda asked: f"look {asked.id}", timeout_s=1e6
        )
        effect = replace(look, effect="external", run=self.act)
        made = [
            look,
            replace(look, name="web", origin="web"),
            replace(effect, name="note", idempotent=True),
            replace(effect, name="send"),
            replace(effect, name="pay", needs_approval=True),
        ]
        return {tool.name: tool for tool in made}

    async def act(self, asked: Asked) -> ToolResult:
        """With effects: they happen half-way, so that a call can be cut before and after."""
        return await self.work(asked, lambda: self.effects.append(asked.id))

    async def work(self, asked: Asked, effect: Callable[[], None] = lambda: None) -> ToolResult:
        does, now = self.does.get(asked.id, Does()), asyncio.get_running_loop().time
        self.began.append((asked.id, now()))
        self.given[asked.id] = asked.given
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        half = HANGS_S if does.way == "hangs" else does.after / 2
        well = does.way.startswith("finds") and self.calls[asked.id] > does.fails_first
        try:
            await asyncio.sleep(half)
            if well:
                effect()
            await asyncio.sleep(half)
        except asyncio.CancelledError:
            self.cancelled.append(asked.id)
            raise
        finally:
            self.at_work -= 1
            self.ended.append((asked.id, now()))
        if not well and does.way != "breaks":
            raise ToolFailed(f"{asked.id} has no luck")
        if does.way == "breaks":
            raise RuntimeError("a bug")
        text = does.text or f"{asked.id} found it"
        found = does.way == "finds"
        return ToolResult(
            text=text, summary=f"{asked.id}!", details=dict(does.details), found=found
        )

    async def spawn(self, ctx: RunContext, sub: SubTask) -> SubAnswer:
        """A sub-agent that works as a tool would."""
        del ctx
        self.tasks.append(sub)
        asked = Asked(id=sub.path.removeprefix("node:").split("@")[0], given=sub.upstream)
        result = await self.work(asked)
        return SubAnswer(text=result.text, found=result.found)


def look(node: str, *needs: str, tool: str = "look", race: str = "", **arguments: Any) -> Node:
    """A node of this world: its tool is told the node's id."""
    given = {"id": node} | arguments
    return Node(
        id=node,
        title=f"Title {node}",
        tool=tool,
        arguments=given,
        depends_on=needs,
        race_group=race,
    )


def ask(node: str, *needs: str, teammate: str = "writer", task: str = "Write it.") -> Node:
    return Node(id=node, title=f"Title {node}", teammate=teammate, task=task, depends_on=needs)


def knobs(run: Run, **values: Any) -> Run:
    return Run(replace(run.ctx, knobs=replace(PlanKnobs(), **values)), run.events)


def a_run_in(world: World, journal: Journal | None = None, **values: Any) -> Run:
    """A run whose sub-agents live in `world`; `values` are knobs."""
    run = a_run(journal=journal)
    ctx = replace(run.ctx, spawn=world.spawn, knobs=replace(PlanKnobs(), **values))
    return Run(ctx, run.events)


async def worked(
    world: World,
    *nodes: Node,
    run: Run | None = None,
    replan: Replan | None = None,
    needs_click: bool = False,
) -> PlanResult:
    """Work a plan of these nodes."""
    run = run or a_run_in(world)
    plan = Plan(nodes=nodes, needs_click=needs_click)
    return await execute(run.ctx, plan, world.tools(), replan=replan)


def states(result: PlanResult) -> dict[str, str]:
    return {node.id: node.state for node in result.nodes}


def by_id(result: PlanResult) -> dict[str, NodeResult]:
    return {node.id: node for node in result.nodes}


async def decide(journal: Journal, need: Need, yes: bool = True) -> None:
    """A person clicks."""

    async def said() -> Decision:
        return Decision(by="slack:T1/U1", yes=yes, digest=need.digest, at=1.0)

    await journal.step(f"{need.id}:decision", Decision, said)


def assert_told(events: Sequence[tuple[str, Body]], result: PlanResult) -> None:
    """What people saw fits what happened: one end for every node that did not come to wait."""
    ends = Counter(body.id for _, body in events if body.kind in ENDS)  # type: ignore[union-attr]
    assert all(count == 1 for count in ends.values()), ends
    for node in result.nodes:
        kinds = {body.kind for _, body in events if getattr(body, "id", "") == node.step}
        wanted = {"done": "step_done", "failed": "step_failed", "dropped": "step_dropped"}
        if node.state == "waiting":
            assert not kinds & set(ENDS)
        else:
            assert wanted[node.state] in kinds, (node, kinds)


ENDS = ("step_done", "step_failed", "step_dropped")
