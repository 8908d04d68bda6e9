"""Whatever a round holds, whoever decides, whenever it dies: each call once, and in order."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import NeedsPerson
from core.events import Body, Decision, Need
from core.journal import MemoryJournal
from core.model.protocol import ToolCall
from core.tools.execute import Outcome, run_calls
from core.tools.tool import Tool, ToolResult
from tests.core.runs_of_one import Run, a_run, a_tool

KINDS = ("read", "note", "pay", "ask", "nope")
"""Reads; has effects; has effects and needs a click; asks a person; does not exist."""


class World:
    """Tools that write down what they did."""

    def __init__(self) -> None:
        self.effects: list[str] = []
        self.reads: list[str] = []

    async def read(self, arguments: Any) -> ToolResult:
        self.reads.append(arguments.query)
        await asyncio.sleep(0)
        return ToolResult(text=f"read {arguments.query}")

    async def change(self, arguments: Any) -> ToolResult:
        await asyncio.sleep(0)
        self.effects.append(arguments.query)
        return ToolResult(text=f"did {arguments.query}")

    async def ask(self, arguments: Any) -> ToolResult:
        raise NeedsPerson(Need(id="", what="answer", tool="ask", title="?", question="?"))

    def box(self) -> dict[str, Tool]:
        pay = replace(a_tool("pay", self.change, effect="external"), needs_approval=True)
        return {
            "read": a_tool("read", self.read),
            "note": a_tool("note", self.change, effect="write_own"),
            "pay": pay,
            "ask": a_tool("ask", self.ask),
        }


def calls_of(kinds: list[str]) -> list[ToolCall]:
    return [
        ToolCall(id=f"c{place}", name=kind, arguments=f'{{"query": "{place}"}}')
        for place, kind in enumerate(kinds)
    ]


async def decide(journal: MemoryJournal, need: Need, yes: bool) -> None:
    async def made() -> Decision:
        return Decision(by="slack:T1/U1", yes=yes, text="words", digest=need.digest, at=1.0)

    await journal.step(f"{need.id}:decision", Decision, made)


def dying(run: Run, at: int) -> Run:
    """The same run, whose process dies at its event number `at`."""
    told: Iterator[int] = count()

    async def emit(path: str, body: Body) -> None:
        if next(told) == at:
            raise asyncio.CancelledError
        await run.ctx.emit(path, body)

    return Run(replace(run.ctx, emit=emit), run.events)


async def lives(
    world: World, kinds: list[str], script: list[tuple[int, bool, bool]]
) -> tuple[list[Outcome], dict[str, bool]]:
    """Work a round until it ends: each life dies at an event or decides one of its needs."""
    journal = MemoryJournal()
    said: dict[str, bool] = {}
    steps = iter([*script, *[(10_000, True, True)] * 40])
    for dies_at, yes, first in steps:
        run = dying(a_run(journal=journal), dies_at)
        try:
            done = await run_calls(run.ctx, world.box(), calls_of(kinds), "r")
        except asyncio.CancelledError:
            continue
        except NeedsPerson as error:
            assert len({need.id for need in error.needs}) == len(error.needs)
            need = error.needs[0 if first else -1]
            await decide(journal, need, yes)
            said[need.id] = yes
            continue
        assert run.ctx.purse.usage.tool_calls == len(kinds)
        return [outcome for _, outcome in done], said
    raise AssertionError("a round that never ends")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(KINDS), max_size=7),
    st.lists(st.tuples(st.integers(0, 16), st.booleans(), st.booleans()), max_size=8),
)
def test_every_call_ends_once_and_effects_keep_their_order(
    kinds: list[str], script: list[tuple[int, bool, bool]]
) -> None:
    world = World()
    outcomes, said = asyncio.run(lives(world, kinds, script))
    assert len(outcomes) == len(kinds)
    allowed: list[str] = []
    for place, (kind, outcome) in enumerate(zip(kinds, outcomes, strict=True)):
        yes = said.get(f"r:call:{place + 1}", True)
        if kind == "nope":
            assert outcome.kind == "unknown_tool"
        elif not yes:
            assert outcome.kind == "declined"
        elif kind == "ask":
            assert outcome.text == "words"
        elif kind == "read":
            assert outcome.text == f"read {place}"
        else:
            assert outcome.text == f"did {place}"
            allowed.append(str(place))
    assert world.effects == allowed
    assert len(set(world.reads)) == kinds.count("read")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(("read", "note", "pay", "ask")), min_size=1, max_size=7))
def test_nothing_that_follows_a_waiting_call_has_an_effect_before_it(kinds: list[str]) -> None:
    async def first_life() -> World:
        world = World()
        try:
            await run_calls(a_run().ctx, world.box(), calls_of(kinds), "r")
        except NeedsPerson as error:
            waiting = {int(need.id.rpartition(":")[2]) - 1 for need in error.needs}
            assert waiting >= {place for place, kind in enumerate(kinds) if kind == "ask"}
            assert waiting >= {place for place, kind in enumerate(kinds) if kind == "pay"}
            assert all(int(place) < min(waiting) for place in world.effects)
        return world

    world = asyncio.run(first_life())
    assert len(world.reads) == kinds.count("read")
