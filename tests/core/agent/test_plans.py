"""A plan as a run: teammates as its nodes, and what becomes of a plan that cannot be had."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from core.agent import Agent
from core.context import StopSignal
from core.errors import ModelDown
from core.events import Event
from core.journal import MemoryJournal
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, calling
from core.request import Reach, Request, TeammateCard
from tests.core.agent.test_agent import answer, assert_sound, events_of
from tests.core.fake_library import FakeLibrary, handbook, request

TEAM = (
    TeammateCard(name="researcher", role="ROLE-RESEARCHER", tools=("semantic_search",)),
    TeammateCard(name="writer", role="ROLE-WRITER", tools=()),
)
PLAN = {
    "nodes": [
        {"id": "a", "title": "查年假", "teammate": "researcher", "task": "查清年假有几天"},
        {"id": "b", "title": "看时间", "tool": "get_time", "arguments": {}},
        {
            "id": "c", "title": "写报告", "teammate": "writer", "task": "写成报告",
            "depends_on": ["a", "b"],
        },
    ]
}  # fmt: skip


def asked(**fields: Any) -> Request:
    values: dict[str, Any] = {
        "teammate": TeammateCard(name="generalist", role="ROLE-GENERALIST"),
        "team": TEAM,
        "reach": Reach(kbs=((1, ""),)),
        "picks": {"mode": "react"},
    }
    return request("调研年假，写成报告", **values | fields)


def system(made: ModelRequest) -> str:
    return made.messages[0].text


def script(**roles: list[Any]) -> Callable[[ModelRequest], Any]:
    """Each role has a script of its own, for what runs side by side has no order."""

    def step(made: ModelRequest) -> Any:
        found = re.search(r"ROLE-(RESEARCHER|WRITER)", made.messages[0].text)
        return roles[found[1].lower() if found else "main"].pop(0)

    return step


def whole() -> ScriptedModel:
    step = script(
        main=[json.dumps(PLAN, ensure_ascii=False), "报告：年假 15 天 [1]。"],
        researcher=[calling(("semantic_search", {"query": "年假"})), "年假 15 天 [1]。"],
        writer=["# 年假报告\n\n15 天 [1]。"],
    )
    return ScriptedModel([step] * 5)


async def test_teammates_work_the_nodes_of_a_plan_with_what_they_build_on() -> None:
    model = whole()
    events = await events_of(Agent(handbook(), model), asked())
    assert_sound(events)
    told = answer(events)
    model.assert_complete()
    assert (told.mode, told.teammate) == ("react", "generalist")
    assert [source.document for source in told.sources] == ["请假制度.pdf"]
    (writing,) = [made for made in model.calls if "ROLE-WRITER" in system(made)]
    assert [message.role for message in writing.messages] == ["system", "user"]
    assert writing.messages[1].text.startswith("写成报告")
    assert "年假 15 天 [1]" in writing.messages[1].text
    assert writing.tools == ()
    research = [made for made in model.calls if "ROLE-RESEARCHER" in system(made)]
    assert [tool.name for tool in research[0].tools] == ["semantic_search"]
    assert {e.path for e in events if e.teammate == "researcher"} >= {"node:a", "node:a/loop:1"}
    (plan,) = [event.body for event in events if event.kind == "plan_ready"]
    assert [node.work for node in plan.nodes] == ["agent", "tool", "agent"]  # type: ignore[union-attr]
    # The one text that people see is the answer.
    shown = "".join(event.body.text for event in events if event.kind == "text_delta")  # type: ignore[union-attr]
    assert shown == told.text


async def test_a_stop_at_any_event_of_a_plan_leaves_nothing_alive() -> None:
    events = await events_of(Agent(handbook(), whole()), asked())
    for at in range(2, len(events), 2):
        stop = StopSignal()

        def watch(event: Event, at: int = at, stop: StopSignal = stop) -> None:
            if event.number == at:
                stop.set("slack:T1/U2")

        seen = await events_of(Agent(handbook(), whole()), asked(), stop=stop, watch=watch)
        assert_sound(seen)
        assert seen[-1].kind in ("stopped", "done")


async def test_no_model_call_of_a_plan_is_made_twice_over_a_restart() -> None:
    first = MemoryJournal()
    told = answer(await events_of(Agent(handbook(), whole()), asked(), first))
    order = list(first.rows)
    for kept in range(1, len(order), 2):
        journal = MemoryJournal({key: first.rows[key] for key in order[:kept]})
        done = [key for key in journal.rows if ":model" in key]
        left = {
            "main": [json.dumps(PLAN, ensure_ascii=False)] * ("plan:model:1" not in done)
            + ["报告：年假 15 天 [1]。"] * ("react:model" not in done),
            "researcher": [calling(("semantic_search", {"query": "年假"}))]
            * ("node:a/loop:1:model" not in done)
            + ["年假 15 天 [1]。"] * ("node:a/loop:2:model" not in done),
            "writer": ["# 年假报告\n\n15 天 [1]。"] * ("node:c/loop:1:model" not in done),
        }
        count = sum(map(len, left.values()))
        model = ScriptedModel([script(**left)] * count)
        again = answer(await events_of(Agent(handbook(), model), asked(), journal))
        model.assert_complete()
        assert (again.text, again.sources, again.mode) == (told.text, told.sources, "react")


async def test_an_empty_plan_is_answered_at_once() -> None:
    model = ScriptedModel(["[]", "没什么要查的。"])
    events = await events_of(Agent(handbook(), model), asked())
    assert answer(events).text == "没什么要查的。"
    model.assert_complete()


async def test_without_a_usable_plan_the_loop_goes_on() -> None:
    model = ScriptedModel(["I will look it up.", "no plan", "still none", "15 天。"])
    events = await events_of(Agent(handbook(), model), asked())
    chosen = [event.body for event in events if event.kind == "mode_chosen"]
    assert [(one.mode, one.instead_of) for one in chosen] == [("react", ""), ("loop", "react")]  # type: ignore[union-attr]
    assert answer(events).mode == "loop"


DOWN = ModelDown("no route", retry_after=600)


async def test_a_planner_that_is_down_gives_way_to_a_plan_by_rules() -> None:
    model = ScriptedModel([DOWN])
    events = await events_of(
        Agent(handbook(), model, clock=lambda: 1_795_953_600.0),
        asked().model_copy(update={"question": "现在几点，这里有几个文档？"}),
    )
    assert_sound(events)
    told = answer(events)
    assert told.mode == "react"
    assert "20:00" in told.text
    assert any(event.kind == "notice" for event in events)
    model.assert_complete()


async def test_a_run_that_fell_to_rules_stays_with_them_when_it_is_resumed() -> None:
    journal = MemoryJournal()
    question = asked().model_copy(update={"question": "现在几点，这里有几个文档？"})
    agent = Agent(handbook(), ScriptedModel([DOWN]), clock=lambda: 1_795_953_600.0)
    first = answer(await events_of(agent, question, journal))
    back = ScriptedModel([])
    agent = Agent(handbook(), back, clock=lambda: 1_795_953_600.0)
    assert answer(await events_of(agent, question, journal)).text == first.text


async def test_a_tool_speaks_for_itself_when_the_model_is_down() -> None:
    model = ScriptedModel([DOWN])
    agent = Agent(handbook(), model, clock=lambda: 1_795_953_600.0)
    told = answer(await events_of(agent, request("现在几点")))
    assert told.mode == "tool"
    assert "20:00" in told.text


@pytest.mark.parametrize("question", ["现在几点，这里有几个文档？", "调研年假，写成报告保存"])
async def test_without_a_key_a_plan_is_made_by_rules(question: str) -> None:
    agent = Agent(handbook(), None, clock=lambda: 1_795_953_600.0)
    asked_without = asked().model_copy(update={"question": question, "picks": asked().picks})
    events = await events_of(agent, asked_without)
    assert_sound(events)
    assert answer(events).mode in ("react", "quotes")
    assert any(event.kind == "plan_ready" for event in events)


async def test_without_a_key_and_anything_found_it_is_refused_honestly() -> None:
    told = answer(await events_of(Agent(FakeLibrary(), None), asked()))
    assert told.sources == ()
    assert told.text
