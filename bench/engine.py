"""What the engine itself costs, beside a model and tools that take no time.

    python -m bench.engine [--runs 30]

(a) CPU of one run, events read, with the journal in memory and on disk: a plan of six nodes and a
loop of three rounds; (b) memory of 150 runs at once; (c) how much sooner plans of 16 nodes end when
a node begins as soon as it can than level by level, in virtual time. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from bench.virtual_time import in_virtual_time
from core.agent import Agent
from core.context import PlanKnobs, RunContext, StopSignal
from core.events import Body
from core.journal import Journal, MemoryJournal, StoredJournal, claim_run
from core.knowledge.documents import Stats
from core.messages import Person, Place
from core.model.calls import deltas_of
from core.model.protocol import Delta, ModelRequest, Reply
from core.model.scripted import calling
from core.plan.execute import execute
from core.plan.schema import Node, Plan
from core.request import Request
from core.router import Route
from core.store.sqlite import SqliteStore
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound, Maker, Toolbox

MEMORY_MS = 15.0
DISK_MS = 60.0
RUN_MIB = 1.0
RUNS_AT_ONCE = 150
RATIO = 0.80
FIRST_NODES = 3
"""Nodes of the plan below that need nothing."""
NODES = 16
PLANS = 200
PARALLEL = 4


class Word(Arguments):
    word: str


class NoLibrary:
    """A library without a document."""

    async def stats(self, kbs: Sequence[int]) -> Stats:
        return Stats(documents=0, characters=0, passages=0, first_at=None, latest_at=None)


class AtOnce:
    """A model that answers at once: a plan, then its answer; or two rounds of calls, then one."""

    name = "at once"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        for delta in deltas_of(_said(request)):
            yield delta

    async def close(self) -> None:
        """Nothing is held open."""


def _said(request: ModelRequest) -> Reply:
    results = sum(message.role == "tool" for message in request.messages)
    if request.tools:
        calls = (("look_0", {"word": "a"}), ("look_1", {"word": "b"}))
        return Reply(text="All is well.") if results >= 4 else calling(*calls)
    if "title 5" in request.messages[-1].text:
        return Reply(text="All is well.")
    return Reply(text=json.dumps({"nodes": [_node(number) for number in range(6)]}))


def _node(number: int) -> dict[str, Any]:
    """Three that need nothing, two that build on them, one that builds on those."""
    needs = {3: ["n0", "n1"], 4: ["n2"], 5: ["n3", "n4"]}.get(number, [])
    word = f"${{{needs[0]}}}" if needs else "a word"
    return {
        "id": f"n{number}", "title": f"title {number}", "tool": f"look_{number}",
        "arguments": {"word": word}, "depends_on": needs,
    }  # fmt: skip


def _toolbox(gate: Gate | None = None) -> Toolbox:
    return Toolbox({f"look_{number}": _maker(f"look_{number}", gate) for number in range(6)})


def _maker(name: str, gate: Gate | None) -> Maker:
    async def look(given: Word) -> ToolResult:
        if gate is not None:
            await gate.stand()
        return ToolResult(text=f"{name}: {given.word[:200]} " + "words " * 100, summary="found")

    def make(bound: Bound) -> Tool:
        del bound
        return Tool(
            name, f"Looks at {name}.", Word, look, lambda given: given.word[:40], pinned=True
        )

    return make


def _request(run: str) -> Request:
    thread = "slack:T1/C1/1.0"
    place = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread=thread)
    return Request(
        run=run,
        place=place,
        asker=Person(id="slack:T1/U1", name="Ann"),
        question="Look at all of it and tell me.",
        language="en",
        time_zone="UTC",
        now=1_790_000_000.0,
        audience=("channel:slack:T1/C1",),
        tools=tuple(f"look_{number}" for number in range(6)),
    )


async def one_run(agent: Agent, run: str, mode: str, journal: Journal) -> int:
    """Work a run to its end; how many events it told."""
    chosen: Any = mode

    async def route() -> Route:
        return Route(mode=chosen, reason="bench")

    async def assemble() -> Request:
        return _request(run)

    await journal.step("route", Route, route)
    count = 0
    async with agent.run(run, assemble, journal, StopSignal()) as events:
        async for event in events:
            count += 1
            if event.terminal and event.kind != "done":
                raise RuntimeError(f"the run ended as {event.body}")
    return count


async def cpu(mode: str, runs: int, store: SqliteStore | None) -> dict[str, float]:
    """CPU milliseconds of a run of the whole process, its threads included; the median."""
    agent = Agent(NoLibrary(), AtOnce(), _toolbox())  # type: ignore[arg-type]
    spent: list[float] = []
    events = 0
    for number in range(runs + 3):
        run = f"{mode}-{number}"
        journal: Journal = MemoryJournal()
        if store is not None:
            claim = await store.write(
                lambda tx, run=run: claim_run(
                    tx, run, "bench", thread="t", scope="channel:bench", person="p"
                )
            )
            journal = StoredJournal(store, claim)
        before = time.process_time()
        events = await one_run(agent, run, mode, journal)
        spent.append((time.process_time() - before) * 1000)
    return {"cpu_ms": round(statistics.median(spent[3:]), 2), "events": events}


class Gate:
    """Holds everyone who comes, and tells when so many are there."""

    def __init__(self) -> None:
        self._here, self._wanted = 0, 0
        self._full, self._open = asyncio.Event(), asyncio.Event()

    async def stand(self) -> None:
        self._here += 1
        if self._here == self._wanted:
            self._full.set()
        await self._open.wait()

    async def until(self, wanted: int) -> None:
        self._wanted = wanted
        self._full.clear()
        if self._here < wanted:
            await self._full.wait()

    def open(self) -> None:
        self._open.set()


async def memory(runs: int = RUNS_AT_ONCE) -> float:
    """MiB of one of many runs that are all in the middle of their plan."""
    gate = Gate()
    agent = Agent(NoLibrary(), AtOnce(), _toolbox(gate))  # type: ignore[arg-type]
    warm = asyncio.create_task(one_run(agent, "warm", "react", MemoryJournal()))
    await gate.until(FIRST_NODES)
    gc.collect()
    tracemalloc.start()
    tasks = [
        asyncio.create_task(one_run(agent, f"m{number}", "react", MemoryJournal()))
        for number in range(runs)
    ]
    await gate.until(FIRST_NODES * (runs + 1))
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    gate.open()
    await asyncio.gather(warm, *tasks)
    return size / runs / 2**20


def makespans(plans: int = PLANS, seed: int = 7) -> tuple[float, float]:
    """Mean and 90th percentile of a plan's time over its time level by level.

    Latencies have the heavy tail of real tools: most take a second, some take half a minute.
    """
    rng = random.Random(seed)
    ratios: list[float] = []
    for _ in range(plans):
        plan, seconds = _random_plan(rng)
        ready = in_virtual_time(_worked(plan, seconds))[1]
        levels = sum(in_virtual_time(_worked(part, seconds))[1] for part in _levels(plan))
        ratios.append(ready / levels)
    return statistics.mean(ratios), statistics.quantiles(ratios, n=10)[-1]


def _random_plan(rng: random.Random) -> tuple[Plan, dict[str, float]]:
    nodes: list[Node] = []
    for number in range(NODES):
        earlier = [node.id for node in nodes]
        needs = rng.sample(earlier, min(len(earlier), rng.choice([0, 1, 1, 2, 3])))
        given = {"word": f"n{number}"}
        nodes.append(
            Node(id=f"n{number}", title="t", tool="wait", arguments=given, depends_on=tuple(needs))
        )
    seconds = {node.id: min(rng.lognormvariate(0.0, 1.2), 60.0) for node in nodes}
    return Plan(nodes=tuple(nodes)), seconds


def _levels(plan: Plan) -> list[Plan]:
    """The plan cut into its levels, each a plan without dependencies."""
    level: dict[str, int] = {}
    for node in plan.nodes:
        level[node.id] = max((level[need] + 1 for need in node.depends_on), default=0)
    parts = [[node for node in plan.nodes if level[node.id] == at] for at in range(NODES)]
    free = [[node.model_copy(update={"depends_on": ()}) for node in part] for part in parts]
    return [Plan(nodes=tuple(part)) for part in free if part]


async def _worked(plan: Plan, seconds: dict[str, float]) -> None:
    async def wait(given: Word) -> ToolResult:
        await asyncio.sleep(seconds[given.word])
        return ToolResult(text="ok")

    async def emit(path: str, body: Body) -> None:
        del path, body

    tool = Tool("wait", "Waits.", Word, wait, lambda given: given.word, timeout_s=1_000.0)
    knobs = PlanKnobs(parallel=PARALLEL, node_s=1_000.0)
    ctx = RunContext(_request("r"), MemoryJournal(), emit, StopSignal(), knobs=knobs)
    await execute(ctx, plan, {"wait": tool})


async def costs(runs: int) -> dict[str, Any]:
    """What runs cost, in memory and on disk."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "bench.db")
        try:
            for mode in ("react", "loop"):
                found[f"{mode}_memory"] = await cpu(mode, runs, None)
                found[f"{mode}_disk"] = await cpu(mode, runs, store)
        finally:
            await store.close()
    return found


def _aimed(value: float, aim: float) -> dict[str, Any]:
    return {"value": round(value, 3), "aim": aim, "met": value <= aim}


def report(runs: int) -> dict[str, Any]:
    """All figures, with their aims."""
    found = asyncio.run(costs(runs))
    per_run = asyncio.run(memory())
    mean, worst = makespans()
    inside = max(found["react_memory"]["cpu_ms"], found["loop_memory"]["cpu_ms"])
    disk = max(found["react_disk"]["cpu_ms"], found["loop_disk"]["cpu_ms"])
    return {
        "runs": runs,
        "cpu": found,
        "memory_journal_ms": _aimed(inside, MEMORY_MS),
        "disk_journal_ms": _aimed(disk, DISK_MS),
        "runs_at_once": RUNS_AT_ONCE,
        "run_mib": _aimed(per_run, RUN_MIB),
        "ready_set_over_levels": _aimed(mean, RATIO) | {"p90": round(worst, 3)},
    }


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30, help="runs of each kind")
    print(json.dumps(report(parser.parse_args().runs), indent=2))


if __name__ == "__main__":
    main()
