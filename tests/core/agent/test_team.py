"""Teammates at work: sub-agents with histories and tools of their own, and a switch in mid-run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.agent import Agent
from core.context import Limits, NeedsPerson, StopSignal
from core.errors import ModelDown, ToolFailed
from core.events import Decision, Event
from core.journal import MemoryJournal
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, calling
from core.request import Reach, Request, TeammateCard, Turn
from core.teammates import MemoryPresence
from core.tools.builtin import BUILTIN
from core.tools.services import Services, WebHit
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound, Toolbox
from tests.core.agent.test_agent import answer, assert_sound, events_of
from tests.core.fake_library import PLACE, FakeLibrary, handbook, request

RESEARCHER = TeammateCard(
    name="researcher", avatar="🔎", description="Finds things.", role="ROLE-RESEARCHER",
    tools=("semantic_search", "get_document"),
)  # fmt: skip
LIBRARIAN = TeammateCard(
    name="librarian", description="Keeps things.", role="ROLE-LIBRARIAN", tools=("get_time",),
    aliases=("馆员",), knowledge=(),
)  # fmt: skip
GENERALIST = TeammateCard(name="generalist", role="ROLE-GENERALIST")


def asked(question: str = "如果有规定，请研究员查清年假再告诉我", **fields: Any) -> Request:
    values: dict[str, Any] = {
        "teammate": GENERALIST,
        "team": (RESEARCHER, LIBRARIAN),
        "reach": Reach(kbs=((1, ""),)),
        "history": (Turn(person="小明", by="slack:T1/U1", question="你好", answer="你好！"),),
    }
    return request(question, **values | fields)


def ask(name: str, task: str) -> tuple[str, dict[str, str]]:
    return "ask_teammate", {"name": name, "task": task}


def system(of: ModelRequest) -> str:
    return of.messages[0].text


def tools(of: ModelRequest) -> set[str]:
    return {tool.name for tool in of.tools}


def paths(events: Sequence[Event], teammate: str) -> set[str]:
    return {event.path for event in events if event.teammate == teammate}


async def test_a_sub_agent_has_a_history_and_tools_of_its_own() -> None:
    model = ScriptedModel(
        [
            calling(ask("researcher", "查清年假有几天，给出出处。")),
            calling(("semantic_search", {"query": "年假"})),
            "年假每年 15 天 [1]。",
            "研究员查到：年假 15 天 [1]。",
        ]
    )
    events = await events_of(Agent(handbook(), model), asked())
    assert_sound(events)
    told = answer(events)
    model.assert_complete()
    main, first, second, last = model.calls

    assert "ROLE-GENERALIST" in system(main) and "ROLE-RESEARCHER" not in system(main)
    assert {"ask_teammate", "switch_teammate"} <= tools(main)
    assert "ROLE-RESEARCHER" in system(first) and "ROLE-GENERALIST" not in system(first)
    # Its own history: the task, and nothing of the thread.
    assert [message.role for message in first.messages] == ["system", "user"]
    assert first.messages[1].text == "查清年假有几天，给出出处。"
    # Only its tools, and none to start another sub-agent.
    assert tools(first) == tools(second) == {"semantic_search", "get_document"}
    assert [message.role for message in last.messages] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert "年假每年 15 天 [1]" in last.messages[-1].text
    assert [source.document for source in told.sources] == ["请假制度.pdf"]
    assert told.usage.tool_calls == 2


async def test_events_of_a_sub_agent_carry_its_path_and_its_name() -> None:
    model = ScriptedModel(
        [
            calling(ask("researcher", "查年假")),
            calling(("semantic_search", {"query": "年假"}), text="先查一下。"),
            "15 天 [1]。",
            "好：15 天 [1]。",
        ]
    )
    events = await events_of(Agent(handbook(), model), asked())
    inner = paths(events, "researcher")
    assert "loop:1:call:1/loop:1" in inner
    assert all(path.startswith("loop:1:call:1/") for path in inner)
    assert not any("/" in path for path in paths(events, "generalist"))
    steps = [event.body.id for event in events if event.kind == "step_started"]  # type: ignore[union-attr]
    assert steps == ["loop:1:call:1", "loop:1:call:1/loop:1:call:1"]
    # What it writes is a result, not the answer: nobody sees it as text of the thread.
    shown = "".join(event.body.text for event in events if event.kind == "text_delta")  # type: ignore[union-attr]
    assert shown == "好：15 天 [1]。"


def by_role(**scripts: list[Any]) -> Callable[[ModelRequest], Any]:
    """A step for sub-agents that run side by side: each role has a script of its own."""

    def step(made: ModelRequest) -> Any:
        role = re.search(r"ROLE-(\w+)", system(made))
        assert role is not None
        return scripts[role[1].lower()].pop(0)

    return step


async def test_two_sub_agents_of_one_round_run_side_by_side_on_one_purse() -> None:
    step = by_role(
        generalist=[
            calling(ask("researcher", "A"), ask("馆员", "B")),
            "both",
        ],
        researcher=["from A"],
        librarian=["from B"],
    )
    model = ScriptedModel([step] * 4)
    events = await events_of(Agent(handbook(), model), asked("if so, ask both and tell me"))
    told = answer(events)
    results = [message.text for message in model.calls[-1].messages if message.role == "tool"]
    assert ["from A" in results[0], "from B" in results[1]] == [True, True]
    assert (told.usage.requests, told.usage.tool_calls) == (4, 2)
    assert paths(events, "librarian") == set()  # It had no step of its own.


async def test_the_purse_of_the_run_ends_a_sub_agent_too() -> None:
    model = ScriptedModel(
        [
            calling(ask("researcher", "查年假")),
            calling(("semantic_search", {"query": "年假"})),
            calling(("semantic_search", {"query": "病假"})),
            "只查到这些。",
            "结论：15 天。",
        ]
    )
    journal, seen = MemoryJournal(), list[Event]()

    async def assemble() -> Request:
        return asked()

    agent = Agent(handbook(), model)
    async with agent.run("r", assemble, journal, StopSignal(), Limits(tool_calls=2)) as events:
        seen = [event async for event in events]
    assert_sound(seen)
    assert answer(seen).usage.tool_calls <= 2


async def test_an_unknown_teammate_is_told_to_the_model_with_the_known_ones() -> None:
    model = ScriptedModel([calling(ask("lawyer", "Check it")), "I cannot."])
    await events_of(Agent(handbook(), model), asked("if you can, ask the lawyer"))
    told = model.calls[1].messages[-1].text
    assert "researcher" in told and "librarian" in told


async def test_knowledge_of_a_sub_agent_is_narrowed_by_its_card() -> None:
    model = ScriptedModel(
        [
            calling(ask("reader", "年假几天")),
            calling(("semantic_search", {"query": "年假"})),
            "暂无相关内容。",
            "没有查到。",
        ]
    )
    reader = TeammateCard(name="reader", role="ROLE-READER", knowledge=("elsewhere",))
    library = handbook()
    events = await events_of(Agent(library, model), asked(team=(reader,)))
    assert answer(events).sources == ()
    assert library.asked == []
    assert "15 天" not in model.calls[2].messages[-1].text


async def test_a_teammate_with_a_model_of_its_own_is_asked_through_it() -> None:
    own = ScriptedModel(["from my own model"])
    model = ScriptedModel([calling(ask("poet", "Write")), "done"])
    poet = TeammateCard(name="poet", role="ROLE-POET", model="other/poet")
    made: list[str] = []

    def models(name: str) -> ScriptedModel:
        made.append(name)
        return own

    agent = Agent(handbook(), model, models=models)
    await events_of(agent, asked("if you like, ask the poet", team=(poet,)))
    own.assert_complete()
    assert made == ["other/poet"]


async def test_a_model_that_is_down_in_a_sub_agent_is_a_failed_call_and_the_run_goes_on() -> None:
    model = ScriptedModel(
        [
            calling(ask("researcher", "查年假")),
            ModelDown("gone", retry_after=600),
            "研究员暂时不在。",
        ]
    )
    events = await events_of(Agent(handbook(), model), asked())
    assert answer(events).text == "研究员暂时不在。"
    assert any(event.kind == "step_failed" for event in events)


# A switch in mid-run.


def switch(name: str) -> tuple[str, dict[str, str]]:
    return "switch_teammate", {"name": name}


async def test_a_switch_changes_prompt_tools_and_knowledge_from_the_next_model_call() -> None:
    model = ScriptedModel([calling(switch("馆员")), calling(("get_time", {})), "现在我来。"])
    presence = MemoryPresence()
    agent = Agent(handbook(), model, presence=presence)
    events = await events_of(agent, asked("如果可以，换馆员来回答"))
    assert_sound(events)
    first, second, third = model.calls
    assert "ROLE-GENERALIST" in system(first)
    assert "semantic_search" in tools(first)
    for after in (second, third):
        assert "ROLE-LIBRARIAN" in system(after) and "ROLE-GENERALIST" not in system(after)
        assert tools(after) == {"get_time", "switch_teammate", "ask_teammate"}
    # The conversation goes on: the new one knows what was said before.
    assert second.messages[1].text.endswith("你好")
    changed = [event for event in events if event.kind == "teammate_changed"]
    assert [(event.body.name, event.teammate) for event in changed] == [("librarian",) * 2]  # type: ignore[union-attr]
    told = answer(events)
    assert told.teammate == "librarian"
    assert events[-1].teammate == "librarian"
    assert await presence.present(PLACE) == "librarian"


async def test_a_switch_shows_the_new_face() -> None:
    model = ScriptedModel([calling(switch("researcher")), "hier"])
    events = await events_of(Agent(handbook(), model), asked())
    (changed,) = [event.body for event in events if event.kind == "teammate_changed"]
    assert (changed.name, changed.avatar) == ("researcher", "🔎")  # type: ignore[union-attr]


async def test_one_may_switch_back() -> None:
    model = ScriptedModel([calling(switch("researcher")), calling(switch("generalist")), "ok"])
    events = await events_of(Agent(handbook(), model), asked())
    assert answer(events).teammate == "generalist"
    assert "ROLE-GENERALIST" in system(model.calls[2])
    assert "semantic_search" in tools(model.calls[2])


async def test_a_switch_to_nobody_changes_nothing() -> None:
    model = ScriptedModel([calling(switch("nobody")), "ok"])
    events = await events_of(Agent(handbook(), model), asked())
    assert answer(events).teammate == "generalist"
    assert not any(event.kind == "teammate_changed" for event in events)


async def test_a_resumed_run_speaks_with_the_same_voice() -> None:
    journal, presence = MemoryJournal(), MemoryPresence()
    script = [calling(switch("librarian")), calling(("get_time", {})), "现在 20 点。"]
    first = await events_of(
        Agent(handbook(), ScriptedModel(script), presence=presence), asked(), journal
    )
    for at in range(1, 3):
        kept = {k: v for k, v in journal.rows.items() if not _from_round(k, at)}
        model = ScriptedModel(script[at:])
        again = await events_of(
            Agent(handbook(), model, presence=presence), asked(), MemoryJournal(kept)
        )
        assert answer(again).teammate == answer(first).teammate == "librarian"
        assert "ROLE-LIBRARIAN" in system(model.calls[0])
        assert [e.kind for e in again].count("teammate_changed") == 1


def _from_round(key: str, number: int) -> bool:
    found = re.match(r"loop:(\d+):", key)
    return found is not None and int(found[1]) > number


async def test_nobody_else_is_offered_where_nobody_else_is_there_or_tools_were_picked() -> None:
    for alone in (
        asked(team=()),
        asked(picks={"tools": ("get_time",)}, tools=("get_time",)),
    ):
        model = ScriptedModel(["ok"])
        await events_of(Agent(handbook(), model), alone)
        assert not {"ask_teammate", "switch_teammate"} & tools(model.calls[0])


# Stop, restart and people, inside a sub-agent.


async def test_a_stop_inside_a_sub_agent_ends_the_run_with_nothing_alive() -> None:
    def script() -> ScriptedModel:
        return ScriptedModel(
            [
                calling(ask("researcher", "查年假")),
                calling(("semantic_search", {"query": "年假"})),
                "15 天 [1]。",
                "15 天 [1]。",
            ]
        )

    whole = await events_of(Agent(handbook(), script()), asked())
    inside = [event.number for event in whole if event.teammate == "researcher"]
    assert inside
    for at in inside:
        stop = StopSignal()

        def watch(event: Event, at: int = at, stop: StopSignal = stop) -> None:
            if event.number == at:
                stop.set("slack:T1/U2")

        events = await events_of(Agent(handbook(), script()), asked(), stop=stop, watch=watch)
        assert_sound(events)
        assert events[-1].kind == "stopped"


async def test_a_restart_inside_a_sub_agent_repeats_no_finished_step() -> None:
    script: list[Any] = [
        calling(ask("researcher", "查年假")),
        calling(("semantic_search", {"query": "年假"})),
        "年假 15 天 [1]。",
        "结论：15 天 [1]。",
    ]
    whole = MemoryJournal()
    library = handbook()
    first = answer(await events_of(Agent(library, ScriptedModel(script)), asked(), whole))
    order = list(whole.rows)
    for kept in range(len(order)):
        journal = MemoryJournal({key: whole.rows[key] for key in order[:kept]})
        models = sum(key.endswith(":model") for key in journal.rows)
        library, model = handbook(), ScriptedModel(script[models:])
        told = answer(await events_of(Agent(library, model), asked(), journal))
        model.assert_complete()
        assert told == first
        done = "loop:1:call:1/loop:1:call:1" in order[:kept]
        assert len(library.asked) == (0 if done else 1)


class Amount(Arguments):
    amount: int


def recharge(done: list[int]) -> Toolbox:
    """The built-in tools and one with an effect, which a person must allow."""
    box = BUILTIN.copy()

    async def run(arguments: Any) -> ToolResult:
        done.append(arguments.amount)
        return ToolResult(text=f"recharged {arguments.amount}")

    def maker(bound: Bound) -> Tool:
        del bound
        return Tool(
            name="recharge", description="Recharges.", arguments=Amount, run=run,
            title=lambda given: f"recharge {given.amount}", effect="external", needs_approval=True,
        )  # fmt: skip

    maker.effect = "external"  # type: ignore[attr-defined]
    box.register("recharge", maker)
    return box


async def test_a_person_is_waited_for_inside_a_sub_agent_and_the_run_goes_on_there() -> None:
    done: list[int] = []
    payer = TeammateCard(name="payer", role="ROLE-PAYER", tools=("recharge",))
    question = asked(
        "if it is low, ask the payer", team=(payer,), reach=Reach(effects=("recharge",))
    )
    script: list[Any] = [
        calling(ask("payer", "recharge 50")),
        calling(("recharge", {"amount": 50})),
        "50 recharged",
        "done: 50",
    ]
    journal = MemoryJournal()
    agent = Agent(handbook(), ScriptedModel(script[:2]), recharge(done))
    events = await events_of(agent, question, journal)
    assert_sound(events)
    assert events[-1].kind == "suspended"
    (need,) = events[-1].body.needs  # type: ignore[union-attr]
    assert (need.id, need.arguments) == ("loop:1:call:1/loop:1:call:1", {"amount": 50})
    assert done == []

    decision = Decision(by="slack:T1/U1", yes=True, digest=need.digest, at=1.0)

    async def decided() -> Decision:
        return decision

    await journal.step(f"{need.id}:decision", Decision, decided)
    model = ScriptedModel(script[2:])
    events = await events_of(Agent(handbook(), model, recharge(done)), question, journal)
    assert answer(events).text == "done: 50"
    assert done == [50]
    model.assert_complete()


async def test_a_teammate_has_no_tool_with_effects_that_its_card_does_not_name() -> None:
    done: list[int] = []
    model = ScriptedModel([calling(ask("payer", "recharge 50")), "no such tool", "no"])
    payer = TeammateCard(name="payer", role="ROLE-PAYER")
    question = asked(
        "if it is low, ask the payer", team=(payer,), reach=Reach(effects=("recharge",))
    )
    await events_of(Agent(handbook(), model, recharge(done)), question)
    assert "recharge" not in tools(model.calls[1])
    # And none that the channel does not allow, whatever the card says.
    model = ScriptedModel([calling(ask("payer", "recharge 50")), "no such tool", "no"])
    payer = TeammateCard(name="payer", role="ROLE-PAYER", tools=("recharge", "get_time"))
    question = asked("if it is low, ask the payer", team=(payer,))
    await events_of(Agent(handbook(), model, recharge(done)), question)
    assert tools(model.calls[1]) == {"get_time"}


async def test_without_a_model_no_sub_agent_begins() -> None:
    from core.agent.channel import Channel
    from core.agent.crew import Crew
    from core.agent.spawn import Spawner
    from core.context import SubTask
    from core.errors import ModelRefused
    from core.tools.sources import SourceBook
    from tests.core.runs_of_one import a_run

    run = a_run(asked())
    crew = Crew(FakeLibrary(), None, BUILTIN, lambda: 0.0)
    spawn = Spawner(crew, SourceBook(run.ctx.journal), Channel("r"))
    with pytest.raises(ModelRefused, match="no model"):
        await spawn(run.ctx, SubTask(path="node:n1", teammate="researcher", task="x"))
    with pytest.raises(ToolFailed):
        await spawn(run.ctx, SubTask(path="node:n1", teammate="nobody", task="x"))
    assert not isinstance(ToolFailed(), NeedsPerson)


# The researcher races documents and web before its first word.


@dataclass
class Web:
    """A web search that finds one page, once the gate is open."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list[str])
    hits: tuple[WebHit, ...] = (
        WebHit(title="Services", url="https://k8s.example/service", text="ClusterIP, NodePort"),
    )

    async def search(self, query: str, limit: int, language: str) -> list[WebHit]:
        del limit, language
        self.asked.append(query)
        await self.gate.wait()
        return list(self.hits)


SCOUT = TeammateCard(name="researcher", role="ROLE-SCOUT", tools=("semantic_search", "search_web"))
TASK = "调研一下年假制度"


async def scouted(web: Web, library: FakeLibrary, task: str, script: list[Any]) -> Any:
    model = ScriptedModel([calling(ask("researcher", task)), *script])
    agent = Agent(library, model, services=Services(web=web))
    events = await events_of(agent, asked("如果有规定就告诉我", team=(SCOUT,)))
    assert_sound(events)
    return model, events


async def test_a_researcher_is_given_what_the_documents_hold_and_the_web_is_let_go() -> None:
    web = Web()  # It would never answer by itself.
    model, events = await scouted(web, handbook(), TASK, ["15 天 [1]。", "15 天 [1]。"])
    first = model.calls[1].messages[1].text
    assert first.startswith(TASK) and "年假每年 15 天" in first and "<data-" in first
    nonce = re.search(r"<data-(\w+)>", first)
    assert nonce is not None and nonce[1] in system(model.calls[1])
    dropped = [event for event in events if event.kind == "step_dropped"]
    assert len(dropped) == 1
    assert dropped[0].path.startswith("loop:1:call:1/node:")
    assert {event.teammate for event in events if "/" in event.path} == {"researcher"}
    assert not any(event.kind == "plan_ready" for event in events)


async def test_a_researcher_is_given_what_the_web_has_where_the_documents_have_nothing() -> None:
    web = Web()
    web.gate.set()
    model, events = await scouted(web, FakeLibrary(), "调研 K8s service 的类型", ["a [1]", "b [1]"])
    assert "NodePort" in model.calls[1].messages[1].text
    assert len(web.asked) == 1
    links = [source.link for source in answer(events).sources]
    assert links == ["https://k8s.example/service"]


async def test_a_race_inside_a_sub_agent_is_not_run_again_after_a_restart() -> None:
    web, journal = Web(), MemoryJournal()
    web.gate.set()
    script = [calling(ask("researcher", "调研 K8s service 的类型")), "ClusterIP [1]", "done [1]"]
    question = asked("如果有规定就告诉我", team=(SCOUT,))
    agent = Agent(FakeLibrary(), ScriptedModel(script), services=Services(web=web))
    first = answer(await events_of(agent, question, journal))
    again = Web()
    rows = {
        k: v for k, v in journal.rows.items() if not k.endswith(":model") or k == "loop:1:model"
    }
    rows.pop("loop:1:call:1")
    agent = Agent(FakeLibrary(), ScriptedModel(script[1:]), services=Services(web=again))
    assert answer(await events_of(agent, question, MemoryJournal(rows))).text == first.text
    assert again.asked == []
