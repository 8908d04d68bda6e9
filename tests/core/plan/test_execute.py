"""A plan at work: what runs when, what people see, what a failure does to the others."""

import logging
from collections.abc import Sequence

import pytest

from bench.virtual_time import in_virtual_time
from core.context import Limits
from core.errors import ModelDown, PlanInvalid
from core.events import PlanReady, StepDropped, StepFailed, Thought
from core.journal import MemoryJournal
from core.plan.execute import execute
from core.plan.schema import Plan
from tests.core.plan.world import (
    Does,
    World,
    a_run_in,
    ask,
    assert_told,
    by_id,
    decide,
    knobs,
    look,
    states,
    worked,
)
from tests.core.runs_of_one import a_request, a_run


def test_a_node_begins_as_soon_as_what_it_needs_is_there_and_not_a_level_later() -> None:
    world = World({"slow": Does(after=10), "quick": Does(after=1), "next": Does(after=2)})
    _, seconds = in_virtual_time(
        worked(world, look("slow"), look("quick"), look("next", "quick"), look("last", "next"))
    )
    assert dict(world.began) == {"slow": 0, "quick": 0, "next": 1, "last": 3}
    assert seconds == 10


def test_no_more_nodes_are_at_work_than_the_knob_says() -> None:
    world = World()
    run = a_run_in(world, parallel=2)
    _, seconds = in_virtual_time(worked(world, *(look(f"n{i}") for i in range(5)), run=run))
    assert (world.most_at_work, seconds) == (2, 3)


def test_the_longest_way_goes_first_when_there_is_not_room_for_all() -> None:
    world = World()
    run = a_run_in(world, parallel=1)
    nodes = [look("leaf"), look("root"), look("mid", "root"), look("end", "mid")]
    in_virtual_time(worked(world, *nodes, run=run))
    assert [node for node, _ in world.began][0] == "root"


def test_people_see_the_plan_and_a_beginning_a_thought_and_an_end_of_every_node() -> None:
    world = World()
    run = a_run_in(world)
    result, _ = in_virtual_time(worked(world, look("a"), ask("b", "a"), run=run))
    (path, plan), *rest = run.events
    assert isinstance(plan, PlanReady) and path == ""
    assert [(n.id, n.work, n.depends_on) for n in plan.nodes] == [
        ("node:a", "tool", ()),
        ("node:b", "agent", ("node:a",)),
    ]
    assert [(p, body.kind) for p, body in rest] == [
        (f"node:{n}", kind) for n in "ab" for kind in ("thought", "step_started", "step_done")
    ]
    assert [body.text for _, body in rest if isinstance(body, Thought)] == [
        "Title a: needs nothing first",
        "Title b: builds on Title a",
    ]
    assert_told(run.events, result)


def test_results_go_into_the_arguments_of_what_depends_on_them() -> None:
    world = World({"a": Does(text='{"high": 21}'), "b": Does(details={"rows": [1, 2]})})
    nodes = [
        look("a"),
        look("b"),
        look("c", "a", "b", given={"t": "${a.high}", "all": "${b.rows}", "s": "It is ${a.high}."}),
    ]
    in_virtual_time(worked(world, *nodes))
    assert world.given["c"] == {"t": 21, "all": [1, 2], "s": "It is 21."}


def test_a_missing_place_fails_the_node_and_names_it_before_anything_runs() -> None:
    world = World()
    result, _ = in_virtual_time(worked(world, look("a"), look("b", "a", given="${a.rows[0]}")))
    node = by_id(result)["b"]
    assert (node.state, node.kind) == ("failed", "reference")
    assert "${a.rows[0]}" in node.reason
    assert world.calls["b"] == 0


def test_a_sub_agent_gets_the_results_of_all_it_depends_on_inside_its_budget() -> None:
    world = World({"a": Does(text="x" * 9_000), "b": Does(text="short [1]")})
    run = a_run_in(world, result_chars=1_000)
    task = "Write about ${b}."
    in_virtual_time(worked(world, look("a"), look("b"), ask("c", "a", "b", task=task), run=run))
    (sub,) = world.tasks
    assert (sub.path, sub.teammate, sub.task) == ("node:c", "writer", "Write about short [1].")
    assert "Title b:\nshort [1]" in sub.upstream
    # Four results' worth, less what the short one takes.
    assert sub.upstream.count("x") == 4 * 1_000 - len("short [1]")
    assert "3,991 of 9,000" in sub.upstream


def test_what_is_saved_of_a_teammates_report_is_whole_however_long() -> None:
    report = "长" * 90_000 + " [1]"
    world = World({"a": Does(text=report)})
    run = a_run_in(world, result_chars=1_000)
    nodes = [ask("a"), look("save", "a", tool="note", given="${a.text}")]
    in_virtual_time(worked(world, *nodes, run=run))
    assert world.given["save"] == report


def test_a_report_comes_whole_to_the_teammate_who_works_on_it() -> None:
    world = World({"a": Does(text="长" * 20_000 + "[1]"), "b": Does(text="长" * 90_000 + "[2]")})
    plan = [ask("a"), ask("b"), ask("c", "a"), ask("d", "b", task="Save: ${b.text}")]
    in_virtual_time(worked(world, *plan))
    tasks = {sub.path: sub for sub in world.tasks}
    assert world.does["a"].text in tasks["node:c"].upstream
    assert tasks["node:d"].task == f"Save: {world.does['b'].text}"


def test_the_whole_result_is_kept_however_little_of_it_others_get() -> None:
    world = World({"a": Does(text="x" * 9_000)})
    run = a_run_in(world, result_chars=1_000)
    result, _ = in_virtual_time(worked(world, look("a"), run=run))
    assert by_id(result)["a"].text == "x" * 9_000


def test_what_builds_on_a_failure_is_dropped_and_the_rest_goes_on() -> None:
    world = World({"a": Does("fails"), "x": Does(after=50)})
    run = a_run_in(world, retries=0)
    nodes = [look("a"), look("b", "a"), look("c", "b"), look("x"), look("y", "x")]
    result, _ = in_virtual_time(worked(world, *nodes, run=run))
    assert states(result) == {
        "a": "failed",
        "b": "dropped",
        "c": "dropped",
        "x": "done",
        "y": "done",
    }
    assert by_id(result)["a"].reason == "The tool did not succeed: a has no luck"
    assert "Title a" in by_id(result)["b"].reason
    assert_told(run.events, result)


def test_a_bug_in_a_tool_fails_its_node_and_nothing_of_it_is_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World({"a": Does("breaks")})
    with caplog.at_level(logging.CRITICAL):
        result, _ = in_virtual_time(worked(world, look("a"), look("b")))
    assert states(result) == {"a": "failed", "b": "done"}
    assert "a bug" not in by_id(result)["a"].reason


def test_a_bug_in_a_sub_agent_ends_at_its_node(caplog: pytest.LogCaptureFixture) -> None:
    world = World({"a": Does("breaks")})
    with caplog.at_level(logging.ERROR):
        result, _ = in_virtual_time(worked(world, ask("a"), look("b")))
    assert states(result) == {"a": "failed", "b": "done"}
    assert "a bug" in caplog.text and "a bug" not in by_id(result)["a"].reason


def test_only_what_may_be_done_twice_is_tried_again_and_later_each_time() -> None:
    does = {name: Does(fails_first=2) for name in ("look", "note", "send")}
    world = World(does)
    run = a_run_in(world, retries=2)
    nodes = [look("look"), look("note", tool="note"), look("send", tool="send")]
    result, _ = in_virtual_time(worked(world, *nodes, run=run))
    assert states(result) == {"look": "done", "note": "done", "send": "failed"}
    assert world.calls == {"look": 3, "note": 3, "send": 1}
    assert [at for node, at in world.began if node == "look"] == [0, 1.5, 3.5]


def test_wrong_arguments_are_not_tried_again() -> None:
    world = World()
    run = a_run_in(world, retries=3)
    result, _ = in_virtual_time(worked(world, look("a", colour="red"), run=run))
    assert by_id(result)["a"].kind == "bad_arguments"
    assert world.calls["a"] == 0


def test_a_node_that_takes_too_long_is_ended_and_the_others_are_not_held_up() -> None:
    world = World({"a": Does("hangs"), "b": Does(after=1)})
    run = a_run_in(world, node_s=3.0)
    result, seconds = in_virtual_time(worked(world, ask("a"), look("b"), run=run))
    assert seconds == 3
    assert by_id(result)["a"].kind == "node_timed_out"
    assert "3 seconds" in by_id(result)["a"].reason
    assert world.cancelled == ["a"]


def test_an_effect_that_took_too_long_is_said_to_be_unsure_and_not_repeated() -> None:
    world = World({"a": Does("hangs")})
    run = a_run_in(world, node_s=3.0, retries=3)
    result, _ = in_virtual_time(worked(world, look("a", tool="send"), run=run))
    assert "may have taken effect" in by_id(result)["a"].reason
    assert world.calls["a"] == 1


def race_of(*members: str) -> list:
    tools = {name: "web" if name.startswith("web") else "look" for name in members}
    return [look(name, tool=tools[name], race="r") for name in members]


def test_the_first_that_finds_something_wins_and_stands_for_the_race() -> None:
    world = World({"a": Does("finds_nothing", 1), "b": Does(after=2), "c": Does(after=9)})
    run = a_run_in(world)
    result, seconds = in_virtual_time(
        worked(world, *race_of("a", "b", "c"), look("d", "a", given="${a}"), run=run)
    )
    assert states(result) == {"a": "failed", "b": "done", "c": "dropped", "d": "done"}
    assert world.given["d"] == "b found it"
    assert world.cancelled == ["c"]
    assert seconds == 3
    assert by_id(result)["c"].reason == "Another step was faster; this one is not needed"
    assert_told(run.events, result)


def test_documents_are_preferred_to_the_web_when_they_are_hardly_slower() -> None:
    world = World({"web": Does(after=1), "docs": Does(after=1.2)})
    result, _ = in_virtual_time(worked(world, *race_of("web", "docs")))
    assert states(result) == {"web": "dropped", "docs": "done"}


def test_when_all_lost_every_reason_is_told_and_what_builds_on_the_race_is_dropped() -> None:
    world = World({"a": Does("finds_nothing"), "b": Does("fails")})
    run = a_run_in(world, retries=0)
    result, _ = in_virtual_time(worked(world, *race_of("a", "b"), look("c", "b"), run=run))
    assert states(result) == {"a": "failed", "b": "failed", "c": "dropped"}
    reasons = [body.reason for _, body in run.events if isinstance(body, StepFailed)]
    assert sorted(reasons) == ["The tool did not succeed: b has no luck", "a!"]
    assert_told(run.events, result)


def test_without_racing_all_members_run_and_all_results_are_kept() -> None:
    world = World({"a": Does("fails"), "b": Does(after=2), "c": Does(after=9)})
    run = a_run_in(world, racing=False, retries=0)
    result, seconds = in_virtual_time(
        worked(world, *race_of("a", "b", "c"), ask("d", "a"), run=run)
    )
    assert states(result) == {"a": "failed", "b": "done", "c": "done", "d": "done"}
    assert "b found it" in world.tasks[0].upstream and "c found it" in world.tasks[0].upstream
    assert seconds == 10


def test_a_race_that_was_decided_is_not_run_again() -> None:
    journal, world = MemoryJournal(), World({"a": Does(after=1), "b": Does(after=2)})
    in_virtual_time(worked(world, *race_of("a", "b"), run=a_run_in(world, journal)))
    world.does = {"b": Does(after=0)}
    again, seconds = in_virtual_time(
        worked(world, *race_of("a", "b"), run=a_run_in(world, journal))
    )
    assert states(again) == {"a": "done", "b": "dropped"}
    assert (world.calls, seconds) == ({"a": 1, "b": 1}, 0)


def test_a_node_that_waits_for_a_person_holds_up_only_what_builds_on_it() -> None:
    journal, world = MemoryJournal(), World()
    nodes = [look("pay", tool="pay"), look("thank", "pay"), look("other"), look("more", "other")]
    run = a_run_in(world, journal)
    result, _ = in_virtual_time(worked(world, *nodes, run=run))
    waiting = {"pay": "waiting", "thank": "waiting", "other": "done", "more": "done"}
    assert states(result) == waiting
    (need,) = result.needs
    assert (need.id, need.what, need.tool) == ("node:pay:call", "approval", "pay")
    assert need.arguments == {"id": "pay", "given": None}
    assert world.effects == []
    in_virtual_time(decide(journal, need))
    again, _ = in_virtual_time(worked(world, *nodes, run=a_run_in(world, journal)))
    assert set(states(again).values()) == {"done"} and again.needs == ()
    assert world.effects == ["pay"]
    assert world.calls == {"pay": 1, "thank": 1, "other": 1, "more": 1}


def test_two_nodes_may_wait_for_a_person_at_once() -> None:
    world = World()
    result, _ = in_virtual_time(worked(world, look("p1", tool="pay"), look("p2", tool="pay")))
    assert [need.id for need in result.needs] == ["node:p1:call", "node:p2:call"]


def test_a_no_fails_the_node_and_asks_for_no_other_plan() -> None:
    journal, world = MemoryJournal(), World()
    first, _ = in_virtual_time(worked(world, look("a", tool="pay"), run=a_run_in(world, journal)))
    in_virtual_time(decide(journal, first.needs[0], yes=False))

    async def never(lines: Sequence[str]) -> Plan:
        raise AssertionError(lines)

    run = a_run_in(world, journal)
    result, _ = in_virtual_time(worked(world, look("a", tool="pay"), run=run, replan=never))
    assert (by_id(result)["a"].state, by_id(result)["a"].kind) == ("failed", "declined")
    assert world.effects == []


def test_a_doubtful_plan_reads_at_once_and_waits_with_every_effect() -> None:
    world = World()
    nodes = [look("a"), look("send", "a", tool="send", given="${a}"), look("n", tool="note")]
    result, _ = in_virtual_time(worked(world, *nodes, needs_click=True))
    assert states(result) == {"a": "done", "send": "waiting", "n": "waiting"}
    assert {need.id: need.arguments["given"] for need in result.needs} == {
        "node:send:call": "a found it",
        "node:n:call": None,
    }
    assert world.effects == []


def test_a_doubtful_plan_sends_no_teammate_without_a_click() -> None:
    journal, world = MemoryJournal(), World()
    run = a_run_in(world, journal)
    result, _ = in_virtual_time(worked(world, ask("a", task="Save it."), run=run, needs_click=True))
    (need,) = result.needs
    assert (need.tool, need.arguments) == ("@writer", {"task": "Save it."})
    in_virtual_time(decide(journal, need))
    run = a_run_in(world, journal)
    again, _ = in_virtual_time(worked(world, ask("a", task="Save it."), run=run, needs_click=True))
    assert states(again) == {"a": "done"}


class Planner:
    """Gives new plans and keeps what it was told."""

    def __init__(self, *plans: Plan | Exception) -> None:
        self.plans = list(plans)
        self.told: list[Sequence[str]] = []

    async def __call__(self, lines: Sequence[str]) -> Plan:
        self.told.append(lines)
        plan = self.plans.pop(0)
        if isinstance(plan, Exception):
            raise plan
        return plan


def test_failures_go_back_to_the_planner_once_and_the_new_plan_takes_their_place() -> None:
    world = World({"a": Does("fails"), "c": Does(after=2)})
    planner = Planner(Plan(nodes=(look("b", given=1), look("c"))), Plan(nodes=(look("d"),)))
    run = a_run_in(world, retries=0)
    nodes = [look("a"), look("b", "a"), look("x")]
    result, _ = in_virtual_time(worked(world, *nodes, run=run, replan=planner))
    assert [(node.step, node.state) for node in result.nodes] == [
        ("node:x", "done"),
        ("node:b@2", "done"),
        ("node:c@2", "done"),
    ]
    (lines,) = planner.told
    assert [line.split(":")[0] for line in lines] == ["failed", "not_run", "done"]
    assert "a has no luck" in lines[0]
    plans = [body for _, body in run.events if isinstance(body, PlanReady)]
    assert [(plan.attempt, plan.nodes[0].id) for plan in plans] == [(1, "node:a"), (2, "node:b@2")]


def test_a_second_plan_repeats_no_finished_work_and_no_doubtful_effect() -> None:
    world = World({"bad": Does("fails"), "send": Does("fails")})
    nodes = (look("bad"), look("good"), look("send", tool="send"), look("did", tool="send"))
    again = (look("good"), look("send", tool="send"), look("did", tool="send"))
    run = a_run_in(world, retries=0)
    planner = Planner(Plan(nodes=again))
    result, _ = in_virtual_time(worked(world, *nodes, run=run, replan=planner))
    assert states(result) == {"good": "done", "send": "failed", "did": "done"}
    assert world.calls == {"bad": 1, "good": 1, "send": 1, "did": 1}
    assert world.effects == ["did"]


@pytest.mark.parametrize("error", [PlanInvalid("nonsense"), ModelDown("no route")])
def test_without_a_new_plan_the_run_goes_on_with_what_was_done(error: Exception) -> None:
    world = World({"a": Does("fails")})
    run = a_run_in(world, retries=0)
    nodes = [look("a"), look("b")]
    result, _ = in_virtual_time(worked(world, *nodes, run=run, replan=Planner(error)))
    assert states(result) == {"a": "failed", "b": "done"}


def test_a_resumed_run_fails_where_it_failed_and_does_nothing_twice() -> None:
    journal, world = MemoryJournal(), World({"a": Does("hangs"), "b": Does("fails")})
    nodes = [look("a"), look("b"), look("c"), ask("d", "c")]
    first, _ = in_virtual_time(worked(world, *nodes, run=a_run_in(world, journal, node_s=9.0)))
    calls = dict(world.calls)
    world.does = {}
    again, seconds = in_virtual_time(worked(world, *nodes, run=a_run_in(world, journal)))
    assert (
        states(again) == states(first) == {"a": "failed", "b": "failed", "c": "done", "d": "done"}
    )
    assert all(node.replayed for node in again.nodes)
    assert (world.calls, seconds) == (calls, 0)


def test_when_the_tool_calls_are_used_up_the_rest_is_told_as_failed() -> None:
    world = World()
    run = a_run(limits=Limits(tool_calls=2))
    result, _ = in_virtual_time(worked(world, *(look(f"n{i}") for i in range(4)), run=run))
    assert sorted(states(result).values()) == ["done", "done", "failed", "failed"]
    assert {node.kind for node in result.nodes if node.state == "failed"} == {"limit"}
    assert run.ctx.purse.usage.tool_calls == 2


def test_without_a_model_a_teammates_work_is_named_as_what_needs_one() -> None:
    world = World()
    run = knobs(a_run(a_request(language="zh")))
    result, _ = in_virtual_time(worked(world, ask("a"), look("b", "a"), run=run))
    assert by_id(result)["a"].reason == "这一步要有语言模型才能做"
    assert [type(body) for _, body in run.events][-1] is StepDropped


def test_a_plan_with_a_cycle_is_refused_before_anything_runs() -> None:
    world = World()
    run = a_run_in(world)
    plan = Plan(nodes=(look("a", "b"), look("b", "a")))
    with pytest.raises(PlanInvalid, match="cycle"):
        in_virtual_time(execute(run.ctx, plan, world.tools()))
    assert run.events == [] and world.began == []
