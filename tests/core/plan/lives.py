"""Random plans, and the lives of a run that works one: stopped, killed and begun again at will."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import strategies as st

from bench.virtual_time import in_virtual_time
from core import agent as agents
from core.agent import Agent
from core.agent.channel import CHANNEL_SIZE, Channel
from core.context import Depth, PlanKnobs, StopSignal
from core.errors import ModelRefused, ToolFailed
from core.events import Answer, Event, PlanReady, Suspended
from core.journal import MemoryJournal
from core.model.protocol import Delta, ModelRequest
from core.plan.schema import Node, Plan, check
from core.request import Request, TeammateCard
from core.router import Route
from core.texts import say
from core.tools.tool import Tool
from core.tools.toolbox import Bound, Maker, Toolbox
from tests.core.fake_library import FakeLibrary, request
from tests.core.plan.world import Asked, Does, World, ask, decide, look

ONCE = ("send", "pay")
"""Tools of which a second call would have a second effect."""
TIMES = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0])
WAYS = st.sampled_from(["finds", "finds", "finds", "finds", "finds_nothing", "fails", "hangs"])
TOOLS = st.sampled_from(["look", "look", "look", "web", "note", "send", "pay", "agent"])


@dataclass(frozen=True)
class Story:
    """A plan, what its nodes do, and how the run is to be worked."""

    plan: Plan
    second: Plan
    does: dict[str, Does]
    knobs: PlanKnobs
    yes: dict[str, bool]
    """What a person says to the needs of a node."""
    room: int = CHANNEL_SIZE
    """Events that wait for the watcher before the run does."""
    slow: float = 0.0
    """Seconds that the watcher takes over each event."""


@st.composite
def does(draw: st.DrawFn) -> Does:
    return Does(draw(WAYS), draw(TIMES), fails_first=draw(st.sampled_from([0, 0, 0, 1, 2])))


@st.composite
def plans(draw: st.DrawFn, ids: Sequence[str], *, tools: Any = TOOLS) -> Plan:
    """A plan that may be worked: races that its checks refuse are taken out."""
    nodes: list[Node] = []
    for number, node in enumerate(ids):
        earlier = list(ids[:number])
        needs = draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True)) if earlier else []
        tool = draw(tools)
        if tool == "agent":
            nodes.append(ask(node, *needs, task=f"Write it: {node}."))
            continue
        race = draw(st.sampled_from(["", "", "r", "s"])) if tool in ("look", "web") else ""
        given = {"given": f"${{{needs[0]}}}"} if needs and draw(st.booleans()) else {}
        nodes.append(look(node, *needs, tool=tool, race=race, **given))
    plan = Plan(nodes=tuple(nodes), needs_click=draw(st.sampled_from([False, False, False, True])))
    for group in ("r", "s"):
        if check(plan, World().tools(), ["writer"], PlanKnobs()):
            plan = without(plan, group)
    return plan


def without(plan: Plan, group: str) -> Plan:
    nodes = [
        node.model_copy(update={"race_group": ""}) if node.race_group == group else node
        for node in plan.nodes
    ]
    return plan.model_copy(update={"nodes": tuple(nodes)})


@st.composite
def stories(draw: st.DrawFn, *, tools: Any = TOOLS) -> Story:
    ids = [f"n{number}" for number in range(draw(st.integers(1, 7)))]
    plan = draw(plans(ids, tools=tools))
    # The second plan uses ids of the first again, as planners do.
    second = draw(plans(ids[: draw(st.integers(0, 3))], tools=tools))
    knobs = PlanKnobs(
        parallel=draw(st.integers(1, 5)),
        racing=draw(st.booleans()),
        retries=draw(st.integers(0, 2)),
        replans=draw(st.integers(0, 1)),
        node_s=30.0,
    )
    assert not check(plan, World().tools(), ["writer"], knobs)
    return Story(
        plan,
        second,
        {node: draw(does()) for node in ids},
        knobs,
        {node: draw(st.booleans()) for node in ids},
        draw(st.sampled_from([1, 2, CHANNEL_SIZE])),
        draw(st.sampled_from([0.0, 0.0, 0.1])),
    )


@dataclass
class Life:
    """What was seen of one life of the run."""

    events: list[Event] = field(default_factory=list[Event])
    times: list[float] = field(default_factory=list[float])
    end: Literal["done", "stopped", "suspended", "failed", "killed"] = "killed"
    calls: Counter[str] = field(default_factory=Counter[str])
    stopped_at: float = float("inf")
    begun_after_stop: list[str] = field(default_factory=list[str])

    @property
    def ends(self) -> dict[str, str]:
        """Node -> how people saw it end; sub-agents' own steps aside."""
        return {
            event.body.id: event.kind  # type: ignore[union-attr]
            for event in self.events
            if event.kind in ("step_done", "step_failed", "step_dropped")
            and event.body.id == event.path  # type: ignore[union-attr]
        }

    @property
    def planned(self) -> list[tuple[str, ...]]:
        """The nodes of each plan that was shown."""
        shown = [event.body for event in self.events if isinstance(event.body, PlanReady)]
        return [tuple(node.id for node in plan.nodes) for plan in shown]

    @property
    def answer(self) -> Answer | None:
        return getattr(self.events[-1].body, "answer", None)


@dataclass
class WorldModel:
    """Answers sub-agents as the world says, and everyone else at once."""

    world: World
    name: str = "world"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        task = re.match(r"Write it: (\w+)\.", request.messages[-1].text)
        if task is None:
            yield Delta(text="All that could be done was done.")
            return
        try:
            result = await self.world.work(Asked(id=task[1]))
        except ToolFailed as error:
            raise ModelRefused(str(error)) from error
        yield Delta(text=result.text if result.found else say("prompt.refusal", "en"))

    async def close(self) -> None:
        """Nothing is held open."""


def made(tool: Tool) -> Maker:
    def maker(bound: Bound) -> Tool:
        del bound
        return tool

    maker.effect = tool.effect  # type: ignore[attr-defined]
    return maker


@dataclass
class Lives:
    """A run of the agent in a world, with a journal that outlives it."""

    story: Story
    world: World = field(init=False)
    journal: MemoryJournal = field(default_factory=MemoryJournal)

    def __post_init__(self) -> None:
        self.world = World(self.story.does)
        # What comes before and between: the choice of the mode, and what the planner said.
        steps = {"route": Route(mode="react", reason="test"), "plan": self.story.plan}
        steps["plan@2"] = self.story.second
        self.journal.rows = {key: step.model_dump_json() for key, step in steps.items()}

    def live(
        self,
        *,
        stop_at: int | None = None,
        depth: Depth = "soon",
        kill_at: int | None = None,
        knobs: PlanKnobs | None = None,
    ) -> Life:
        """One life, to its end or until a kill; afterwards no task is alive."""
        life, stop = Life(), StopSignal()

        def watch(event: Event, now: float) -> bool:
            if event.number == stop_at:
                stop.set("slack:T1/U1", depth)
                life.stopped_at = now
            return event.number != kill_at or event.terminal

        before = self.world.calls
        in_virtual_time(self._live(life, stop, watch, knobs or self.story.knobs))
        life.calls = self.world.calls - before
        life.begun_after_stop = [node for node, at in self.world.began if at > life.stopped_at]
        return life

    def decide(self, life: Life) -> None:
        """A person decides on all that the run waits for."""
        last = life.events[-1].body
        assert isinstance(last, Suspended)
        for need in last.needs:
            node = need.id.removeprefix("node:").split(":")[0].split("@")[0]
            in_virtual_time(decide(self.journal, need, self.story.yes[node]))

    def to_the_end(self, **values: Any) -> list[Life]:
        """Lives until one of them does not wait for a person; the first as `values` say."""
        lives = [self.live(**values)]
        while lives[-1].end in ("suspended", "killed"):
            if lives[-1].end == "suspended":
                self.decide(lives[-1])
            lives.append(self.live())
            assert len(lives) < 20
        return lives

    async def _live(
        self,
        life: Life,
        stop: StopSignal,
        watch: Callable[[Event, float], bool],
        knobs: PlanKnobs,
    ) -> None:
        tools = self.world.tools()
        toolbox = Toolbox({name: made(tool) for name, tool in tools.items()})
        agent = Agent(FakeLibrary(), WorldModel(self.world), toolbox, knobs=knobs)

        async def assemble() -> Request:
            team = (TeammateCard(name="writer", tools=()),)
            return request("Do all of it.", tools=tuple(tools), team=team)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(agents, "Channel", lambda run: Channel(run, self.story.room))
            started = agent.run("run-1", assemble, self.journal, stop)
            async with started as events:
                await self._watch(events, life, watch)

    async def _watch(
        self,
        events: AsyncIterator[Event],
        life: Life,
        watch: Callable[[Event, float], bool],
    ) -> None:
        now, slow = asyncio.get_running_loop().time, self.story.slow
        async for event in events:
            life.events.append(event)
            life.times.append(now())
            if event.terminal:
                life.end = event.kind  # type: ignore[assignment]
            if not watch(event, now()):
                break
            if slow:
                await asyncio.sleep(slow)
