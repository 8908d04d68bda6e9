"""The planner: what it tells the model, what it mends, how often it asks, when it gives up."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import ModelRefused, PlanInvalid, RunStopped
from core.events import Repaired, Usage
from core.journal import MemoryJournal
from core.model.protocol import Reply
from core.model.scripted import ScriptedModel, calling
from core.plan.planner import plan
from core.plan.schema import Plan
from core.request import TeammateCard, Turn
from tests.core.plan.things import TOOLS, search, written
from tests.core.runs_of_one import Run, a_request, a_run

MATES = (TeammateCard(name="writer", description="Writes."),)


async def planned(run: Run, model: ScriptedModel, **more: Any) -> Plan:
    return await plan(run.ctx, model, TOOLS, MATES, **more)


def fired(run: Run) -> list[str]:
    return [body.line for _, body in run.events if isinstance(body, Repaired)]


async def test_a_good_plan_is_taken_as_it_is() -> None:
    run, model = a_run(), ScriptedModel([written(search())])
    made = await planned(run, model)
    assert [node.tool for node in made.nodes] == ["semantic_search"] and not made.needs_click
    assert run.events == [], "a plan is no answer, and nothing was mended"


async def test_nothing_to_do_is_an_answer() -> None:
    run, model = a_run(), ScriptedModel(["[]"])
    assert (await planned(run, model)).nodes == ()
    model.assert_complete()


async def test_the_prompt_names_tools_teammates_values_and_one_example() -> None:
    for language, word in (("en", "You are the planner"), ("zh", "你是规划器")):
        run, model = a_run(a_request(language=language)), ScriptedModel(["[]"])
        await planned(run, model)
        system = model.calls[0].messages[0].text
        assert word in system and "${n1.text}" in system
        for name in (*TOOLS, "writer", "query", "race_group"):
            assert name in system
        assert model.calls[0].tools == ()


async def test_memory_and_earlier_turns_are_fenced_data() -> None:
    request = a_request(
        memory="Lives in Paris.",
        history=(Turn(person="Ann", question="Hi", answer="Hello\nTools: none"),),
        question="And the weather?",
    )
    run, model = a_run(request), ScriptedModel(["[]"])
    await planned(run, model)
    system, asked = (message.text for message in model.calls[0].messages)
    opening = next(line for line in asked.splitlines() if line.startswith("<data-"))
    assert opening in system
    fenced = asked[asked.index(opening) : asked.rindex(opening.replace("<", "</"))]
    assert "Lives in Paris." in fenced and "Hello Tools: none" in fenced
    assert asked.endswith("And the weather?") and "And the weather?" not in fenced


async def test_a_wrong_plan_goes_back_with_its_errors_and_the_next_one_is_taken() -> None:
    wrong = written({"id": "n1", "title": "x", "tool": "sarch_web", "arguments": {"query": "x"}})
    run, model = a_run(), ScriptedModel(["no idea", wrong, written(search())])
    made = await planned(run, model)
    assert made.nodes[0].tool == "semantic_search"
    assert fired(run) == ["retry", "retry"]
    *_, shown, errors = model.calls[2].messages
    assert shown.text == wrong and "unknown_tool" in errors.text and "search_web" in errors.text
    assert len(model.calls[2].messages) == 4, "only the last broken plan is shown again"


async def test_a_plan_that_stays_wrong_is_refused_after_two_retries() -> None:
    wrong = written({"id": "n1", "title": "x", "tool": "nope"})
    run, model = a_run(), ScriptedModel([wrong, wrong, wrong])
    with pytest.raises(PlanInvalid) as error:
        await planned(run, model)
    assert error.value.errors[0].startswith("unknown_tool: node n1")
    model.assert_complete()


async def test_no_plan_at_all_is_refused_too() -> None:
    run, model = a_run(), ScriptedModel(["I cannot.", "Really.", "No."])
    with pytest.raises(PlanInvalid, match="no_plan"):
        await planned(run, model)


async def test_a_cycle_goes_back_once_and_is_then_cut_open() -> None:
    ring = written(search("a", depends_on=["b"]), search("b", depends_on=["a"]))
    run, model = a_run(), ScriptedModel([ring, ring])
    made = await planned(run, model)
    assert fired(run) == ["retry", "degrade"]
    assert made.needs_click and sorted(len(node.depends_on) for node in made.nodes) == [0, 1]
    model.assert_complete()


async def test_a_cut_plan_is_asked_for_again_and_its_whole_nodes_are_the_last_resort() -> None:
    text = written(search("a"), search("b", query="another"))
    cut = Reply(text=text[:-30], finish="length")
    run, model = a_run(), ScriptedModel([cut, cut, cut])
    made = await planned(run, model)
    assert [node.id for node in made.nodes] == ["a"] and made.needs_click
    assert fired(run) == ["tolerant", "retry", "tolerant", "retry", "tolerant", "degrade"]


async def test_each_line_that_fires_is_an_event() -> None:
    text = "Sure:\n```json\n" + '{"steps": [{"action": "get_time"}]}' + "\n```"
    run, model = a_run(), ScriptedModel([text])
    made = await planned(run, model)
    assert fired(run) == ["strip", "alias"] and not made.needs_click
    assert all(path == "plan" for path, _ in run.events)


async def test_native_calls_are_a_plan() -> None:
    run = a_run()
    model = ScriptedModel([calling(("search_web", {"query": "x"}), ("get_time", {}))])
    assert [node.tool for node in (await planned(run, model)).nodes] == ["search_web", "get_time"]


async def test_a_node_without_a_title_gets_the_tools_own_or_a_plain_one() -> None:
    later = {"id": "b", "tool": "search_web", "arguments": {"query": "${a.text}"}}
    mate = {"id": "c", "teammate": "writer", "task": "", "title": ""}
    first = {"id": "a", "tool": "search_web", "arguments": {"query": "leave"}}
    run = a_run(a_request(language="zh"))
    made = await planned(run, ScriptedModel([written(first, later, {**mate, "task": "写"})]))
    assert [node.title for node in made.nodes] == ["search_web: leave", "使用 search_web", "写"]


async def test_a_resumed_run_does_not_ask_again_and_counts_what_it_cost() -> None:
    journal = MemoryJournal()
    reply = Reply(text=written(search()), usage=Usage(requests=1, input_tokens=50))
    first = a_run(journal=journal)
    made = await planned(first, ScriptedModel([Reply(text="?"), reply]))
    again = a_run(journal=journal)
    # A tool that is gone meanwhile does not change a plan that was made.
    assert await plan(again.ctx, ScriptedModel([]), {}, ()) == made
    assert again.ctx.purse.usage == first.ctx.purse.usage
    assert again.events == []


async def test_a_run_that_died_between_two_calls_repeats_neither() -> None:
    journal = MemoryJournal()
    run = a_run(journal=journal)
    with pytest.raises(ModelRefused):
        await planned(run, ScriptedModel(["?", ModelRefused("gone")]))
    model = ScriptedModel([written(search())])
    made = await planned(a_run(journal=journal), model)
    assert made.nodes and len(model.calls) == 1


async def test_a_second_plan_has_its_own_steps_and_is_told_what_failed() -> None:
    journal = MemoryJournal()
    run = a_run(journal=journal)
    model = ScriptedModel([written(search()), written(search(query="other"))])
    first = await planned(run, model)
    second = await planned(run, model, attempt=2, failures=["n1 failed: not found"])
    assert first != second
    assert "n1 failed: not found" in model.calls[1].messages[1].text
    assert {"plan", "plan:model:1", "plan@2", "plan@2:model:1"} <= set(journal.rows)


async def test_a_stop_ends_the_planning() -> None:
    run = a_run()
    run.ctx.stop.set("slack:T1/U1")
    with pytest.raises(RunStopped):
        await planned(run, ScriptedModel([written(search())]))


async def test_the_answer_may_take_as_many_nodes_as_the_knobs_say() -> None:
    many = written(*(search(f"n{number}") for number in range(30)))
    run, model = a_run(), ScriptedModel([many, many, many])
    with pytest.raises(PlanInvalid, match="too_many_nodes"):
        await planned(run, model)
    assert "20" in model.calls[0].messages[0].text


async def test_hundreds_of_nodes_that_all_need_each_other_are_refused_at_once() -> None:
    ids = [f"n{number}" for number in range(150)]
    nodes = [search(one, depends_on=[other for other in ids if other != one]) for one in ids]
    run, model = a_run(), ScriptedModel([written(*nodes)] * 3)
    with pytest.raises(PlanInvalid) as refused:
        await planned(run, model)
    assert "too_many_nodes" in str(refused.value)
    assert max(len(call.messages[-1].text) for call in model.calls) < 20_000
