"""A plan at work: a node begins as soon as all it depends on has ended, never level by level."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from core.context import RunContext, ended
from core.errors import LimitReached, ModelError, PlanInvalid, RunStopped
from core.events import Need, PlanNode, PlanReady, StepDone, StepDropped, StepFailed
from core.plan.node import Ground, NodeWork
from core.plan.race import first
from core.plan.results import NodeResult, PlanResult, lines_for_planner
from core.plan.schema import Node, Plan, races
from core.texts import say
from core.tools.tool import Tool

log = logging.getLogger(__name__)

Vertex = tuple[str, ...]
"""Ids of the nodes that are worked as one: a single node, or all members of a race."""
Replan = Callable[[Sequence[str]], Awaitable[Plan]]
"""A new plan from what happened to the last one, one English line a node."""
NO_NEW_PLAN = ("declined", "limit", "needs_model")
"""Failures that no other plan would mend."""


async def execute(
    ctx: RunContext,
    plan: Plan,
    tools: Mapping[str, Tool],
    *,
    replan: Replan | None = None,
    must_find: bool = False,
) -> PlanResult:
    """Work a plan to its end, and a new one where nodes failed and `replan` makes one.

    Nodes that wait for a person are in `needs`, and so is nothing else: what does not build on them
    was worked. With `must_find` a node that finds nothing has failed, as in a race: where no model
    weighs the results, nothing may build on them.

    Journal steps are `node:{id}:call`, `node:{id}:answer`, `node:{id}:end`, `race:{group}`; those
    of a second plan end their id with `@2`. Raises RunStopped and LostRun, and PlanInvalid for a
    plan with a cycle; afterwards no task of it is alive.
    """
    working = Working(ctx, plan, tools, must_find=must_find)
    await working.run()
    results, needs = list(working.results.values()), working.needs
    for attempt in range(2, ctx.knobs.replans + 2):
        if replan is None or not _worth_a_new_plan(results):
            break
        plan = await _new_plan(replan, results)
        if not plan.nodes:
            break
        working = Working(ctx, plan, tools, attempt, _by_digest(results), must_find=must_find)
        await working.run()
        again = {result.digest for result in working.results.values()}
        # What failed has had its second try, and what was done again stands once.
        kept = [one for one in results if one.state in ("done", "waiting")]
        results = [one for one in kept if one.digest not in again] + list(working.results.values())
        needs = needs + working.needs
    return PlanResult(nodes=tuple(results), needs=tuple(needs))


def _worth_a_new_plan(results: Sequence[NodeResult]) -> bool:
    return any(one.state == "failed" and one.kind not in NO_NEW_PLAN for one in results)


async def _new_plan(replan: Replan, results: Sequence[NodeResult]) -> Plan:
    """The planner's second plan; without one, what was done is all there is."""
    try:
        return await replan(lines_for_planner(results))
    except (PlanInvalid, ModelError, LimitReached) as error:
        log.warning("no new plan: %s", error)
        return Plan()


def _by_digest(results: Sequence[NodeResult]) -> dict[str, NodeResult]:
    return {one.digest: one for one in results if one.state in ("done", "failed")}


def step_of(node: str, attempt: int) -> str:
    """Id of a node's step: planners use the same ids again in their next plan."""
    return f"node:{node}" if attempt == 1 else f"node:{node}@{attempt}"


@dataclass
class Working:
    """One plan being worked, once."""

    ctx: RunContext
    plan: Plan
    tools: Mapping[str, Tool]
    attempt: int = 1
    earlier: Mapping[str, NodeResult] = field(default_factory=dict[str, NodeResult])
    must_find: bool = False
    results: dict[str, NodeResult] = field(default_factory=dict[str, NodeResult])
    waits: dict[str, tuple[Need, ...]] = field(default_factory=dict[str, tuple[Need, ...]])
    """Node -> what a person has to decide before it can go on."""
    nodes: dict[str, Node] = field(init=False)
    groups: dict[str, Vertex] = field(init=False)
    """Node -> all members of its race group, itself included."""
    slots: asyncio.Semaphore = field(init=False)
    stopped: RunStopped | None = None
    """Nothing more begins; what the stop lets finish does so before it is raised."""

    def __post_init__(self) -> None:
        self.nodes = {node.id: node for node in self.plan.nodes}
        racing = {member: ids for ids in races(self.plan).values() for member in ids}
        self.groups = {node: racing.get(node, (node,)) for node in self.nodes}
        self.slots = asyncio.Semaphore(self.ctx.knobs.parallel)

    async def run(self) -> None:
        """Work all nodes; what came of them is in `results` and `needs`."""
        graph = self._graph()
        try:
            (sorter := TopologicalSorter(graph)).prepare()
        except CycleError as error:
            raise PlanInvalid(f"cycle: {error.args[1]}") from error
        await self.ctx.emit("", self._told())
        await self._flow(sorter, _heights(graph))
        if self.stopped is not None:
            raise self.stopped
        # In the plan's order, not in that of their ends: a resumed run must say the same.
        self.results = {node: self.results[node] for node in self.nodes}

    async def _flow(self, sorter: TopologicalSorter[Vertex], heights: Mapping[Vertex, int]) -> None:
        running: dict[asyncio.Task[None], Vertex] = {}
        try:
            while sorter.is_active():
                ready = () if self.stopped else sorter.get_ready()
                # The longest way to the end goes first: it is what the whole plan waits for.
                for vertex in sorted(ready, key=lambda one: -heights[one]):
                    running[asyncio.create_task(self._work(vertex))] = vertex
                if not running:
                    break  # Stopped, and what the stop let finish is over.
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in running if task in done]:
                    task.result()
                    sorter.done(running.pop(task))
        finally:
            await ended(*running)

    @property
    def needs(self) -> list[Need]:
        """What all nodes that wait are waiting for; a race that was won waits for nothing."""
        waiting = [node for node, result in self.results.items() if result.state == "waiting"]
        return [need for node in waiting for need in self.waits.get(node, ())]

    def _graph(self) -> dict[Vertex, set[Vertex]]:
        """Vertex -> vertices that it waits for. Without racing every member is a vertex."""
        graph: dict[Vertex, set[Vertex]] = {}
        for node in self.plan.nodes:
            needed = {member for other in node.depends_on for member in self.groups[other]}
            waits = {self._vertex(other) for other in needed}
            graph.setdefault(self._vertex(node.id), set()).update(waits)
        return graph

    def _vertex(self, node: str) -> Vertex:
        return self.groups[node] if self.ctx.knobs.racing else (node,)

    def _told(self) -> PlanReady:
        nodes = [
            PlanNode(
                id=step_of(node.id, self.attempt),
                title=node.title,
                work="agent" if node.teammate else "tool",
                teammate=node.teammate,
                depends_on=tuple(step_of(other, self.attempt) for other in node.depends_on),
                race_group=node.race_group if len(self._vertex(node.id)) > 1 else "",
            )
            for node in self.plan.nodes
        ]
        return PlanReady(nodes=tuple(nodes), attempt=self.attempt)

    async def _work(self, vertex: Vertex) -> None:
        try:
            await self._vertex_ended(vertex)
        except RunStopped as error:
            self.stopped = error

    async def _vertex_ended(self, vertex: Vertex) -> None:
        free = [self.nodes[node] for node in vertex if not await self._held_up(self.nodes[node])]
        if len(vertex) > 1:
            await self._race(free)
        elif free:
            result = await self._node(free[0])
            await self._settle(self._found(result) if self.must_find else result)

    async def _held_up(self, node: Node) -> bool:
        """True if what it builds on gave nothing: it is dropped, or waits with it."""
        missing = [other for other in node.depends_on if not self._usable(other)]
        if not missing:
            return False
        states = {self.results[member].state for other in missing for member in self.groups[other]}
        if "waiting" in states:
            self.results[node.id] = self._result(node, "waiting")
            return True
        language = self.ctx.request.language
        titles = [self.nodes[other].title for other in missing]
        needed = say("nodes.and", language).join(dict.fromkeys(titles))
        await self._drop(node, say("nodes.needs_failed", language, needed=needed))
        return True

    def _usable(self, node: str) -> list[NodeResult]:
        """The results that stand for a node: its own, or those of its race."""
        members = (node, *(other for other in self.groups[node] if other != node))
        results = (self.results.get(member) for member in members)
        done = [one for one in results if one is not None and one.state == "done"]
        return sorted(done, key=lambda one: not one.found)

    async def _node(self, node: Node) -> NodeResult:
        async with self.slots:
            work = NodeWork(
                self.ctx,
                node,
                step_of(node.id, self.attempt),
                self.tools.get(node.tool),
                self.plan.needs_click,
                self._ground(node),
                self.earlier,
            )
            result = await work.run()
        if work.needs:
            self.waits[node.id] = work.needs
        return result

    def _ground(self, node: Node) -> Ground:
        stand = {other: self._usable(other) for other in node.depends_on}
        results = {one.id: one for found in stand.values() for one in found}
        values = {other: found[0].data for other, found in stand.items()}
        return Ground(tuple(results.values()), values)

    async def _race(self, nodes: Sequence[Node]) -> None:
        """Work the members until one has found something; the rest is dropped."""
        if not nodes:
            return
        key = f"race:{nodes[0].race_group}" + (f"@{self.attempt}" if self.attempt > 1 else "")
        chosen = await self.ctx.journal.kept(key, str)
        # A race that was decided is not run again: another could win it.
        running = [node for node in nodes if node.id == chosen] or nodes
        winner, over = await first(
            {node.id: self._member(node) for node in running},
            wins=lambda result: result.state == "done",
            gives_way=lambda node: self._from_the_web(self.nodes[node]),
            grace_s=self.ctx.knobs.grace_s,
        )
        if winner is not None:
            await self._decide(key, winner)
        faster = say("nodes.faster", self.ctx.request.language)
        for node in nodes:
            result = over.get(node.id)
            if node.id == winner and result is not None:
                await self._settle(result)
            elif winner is not None and node.id not in self.results:
                await self._drop(node, faster)
            elif result is not None and result.state == "waiting":
                await self._settle(result)

    async def _decide(self, key: str, winner: str) -> None:
        async def won() -> str:
            return winner

        await self.ctx.journal.step(key, str, won)

    async def _member(self, node: Node) -> NodeResult:
        """A node in a race, where to find nothing is to lose. That it lost is told at once."""
        result = self._found(await self._node(node))
        if result.state == "failed":
            await self._settle(result)
        return result

    def _found(self, result: NodeResult) -> NodeResult:
        """The result; failed, if it found nothing."""
        if result.state != "done" or result.found:
            return result
        # Passages that are no answer were found: their line would say the contrary.
        told = "" if result.has_sources else result.summary
        reason = told or say("nodes.nothing_found", self.ctx.request.language)
        lost = {"state": "failed", "reason": reason, "kind": "nothing_found"}
        return result.model_copy(update=lost)

    def _from_the_web(self, node: Node) -> bool:
        tool = self.tools.get(node.tool)
        return tool is not None and tool.origin == "web"

    async def _settle(self, result: NodeResult) -> None:
        """Keep how a node ended, and tell it."""
        self.results[result.id] = result
        step, title, ms = result.step, result.title, result.ms
        if result.state == "done":
            body = StepDone(
                id=step, title=title, ms=ms, summary=result.summary, replayed=result.replayed
            )
            await self.ctx.emit(step, body)
        elif result.state == "failed":
            await self.ctx.emit(step, StepFailed(id=step, title=title, ms=ms, reason=result.reason))

    async def _drop(self, node: Node, reason: str) -> None:
        result = self._result(node, "dropped").model_copy(update={"reason": reason})
        self.results[node.id] = result
        body = StepDropped(id=result.step, title=node.title, reason=reason)
        await self.ctx.emit(result.step, body)

    def _result(self, node: Node, state: str) -> NodeResult:
        return NodeResult.model_validate(
            {
                "id": node.id,
                "step": step_of(node.id, self.attempt),
                "title": node.title,
                "tool": node.tool,
                "teammate": node.teammate,
                "arguments": node.arguments or {"task": node.task},
                "state": state,
            }
        )


def _heights(graph: Mapping[Vertex, set[Vertex]]) -> dict[Vertex, int]:
    """Vertices on the longest way from each one to the end of the plan."""
    heights = dict.fromkeys(graph, 1)
    for vertex in reversed(list(TopologicalSorter(graph).static_order())):
        for needed in graph[vertex]:
            heights[needed] = max(heights[needed], heights[vertex] + 1)
    return heights
