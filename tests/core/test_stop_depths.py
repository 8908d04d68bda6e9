"""How deep a stop cuts into a real run: what may end, what does not begin, what is written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from core.agent import Agent
from core.context import Depth, StopSignal
from core.events import Event
from core.journal import MemoryJournal
from core.model.protocol import Delta, ModelRequest
from core.model.scripted import ScriptedModel, Step
from core.request import Picks, Request
from tests.core.fake_library import FakeLibrary
from tests.core.runs_of_one import a_request
from tests.rigs.bank import Purse, tells, toolbox

CASES: list[tuple[Depth, list[str], list[int]]] = [
    ("after_tools", ["loop:1:model", "loop:1:call:1"], [50]),
    ("after_model", ["loop:1:model"], []),
    ("soon", [], []),
    ("now", [], []),
]


class Slow(ScriptedModel):
    """A model with many turns of the loop before each word: a stop comes in between."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        async with aclosing(super().stream(request)) as words:
            async for delta in words:
                for _ in range(50):
                    await asyncio.sleep(0)
                yield delta


@pytest.mark.parametrize(("depth", "kept", "paid"), CASES)
async def test_a_stop_while_the_model_speaks_cuts_as_deep_as_it_says(
    depth: Depth, kept: list[str], paid: list[int]
) -> None:
    stop, purse, journal = StopSignal(), Purse(), MemoryJournal()

    def speaks(request: ModelRequest) -> Step:
        stop.set("slack:T1/U1", depth)
        return tells(request)

    box = toolbox(purse, approve=False)
    model = Slow([speaks] * 3)

    async def assemble() -> Request:
        fields = {"tools": box.names, "picks": Picks(mode="loop")}
        return a_request(question="recharge 50").model_copy(update=fields)

    agent, events = Agent(FakeLibrary(), model, box), list[Event]()
    async with agent.run("r", assemble, journal, stop) as stream:
        async for event in stream:
            events.append(event)
    assert events[-1].kind == "stopped"
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert [key for key in journal.rows if key in CASES[0][1]] == kept
    assert purse.paid == paid
    assert len(model.calls) == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}
