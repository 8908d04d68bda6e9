"""Reading a planner's answer: every shape, every drift, any cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.protocol import ToolCall
from core.plan.links import MOST_LINKS
from core.plan.read import read_plan
from core.plan.schema import Node, Plan, check
from tests.core.plan.things import KNOBS, TEAM, TOOLS, search, written

FRAMES = [
    ("", ""),
    ("```json\n", "\n```"),
    ("好的，计划如下：\n```\n", "\n```\n以上。"),
    ('<think>First {"nodes": [{"id": "x", "tool": "none"}]}?</think>\n', ""),
    ("Here is the plan [1]:\n", "\nDone.<|im_end|>"),
]
WORDS = st.text("abc 年假5,。\"'{}[]:\n", min_size=1, max_size=10).filter(str.strip)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any plan that can be worked."""
    nodes: list[Node] = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        before = [node.id for node in nodes]
        depends = tuple(draw(st.lists(st.sampled_from(before), unique=True)) if before else ())
        uses = "".join(f" ${{{one}.text}}" for one in depends[:1])
        node: dict[str, Any] = {"id": f"n{number}", "title": "look", "depends_on": depends}
        if draw(st.booleans()):
            node |= {"tool": "semantic_search", "arguments": {"query": draw(WORDS) + uses}}
        else:
            # A task is free text, and ends of it are trimmed.
            node |= {"teammate": "writer", "task": (draw(WORDS) + uses).strip()}
        nodes.append(Node.model_validate(node))
    return Plan(nodes=tuple(nodes))


def ours(plan: Plan) -> str:
    return json.dumps({"nodes": [_plain(node) for node in plan.nodes]}, ensure_ascii=False)


def by_id(plan: Plan) -> str:
    held = {node.id: {k: v for k, v in _plain(node).items() if k != "id"} for node in plan.nodes}
    return json.dumps({"plan": held}, ensure_ascii=False, indent=1)


def renamed(plan: Plan) -> str:
    """Other names, arguments as a JSON text, one dependency as a bare string."""
    steps: list[dict[str, Any]] = []
    for node in plan.nodes:
        depends = list(node.depends_on)
        step: dict[str, Any] = {"step_id": node.id, "description": node.title}
        step["dependsOn"] = depends[0] if len(depends) == 1 else depends or None
        if node.tool:
            step |= {"action": node.tool, "action_input": json.dumps(node.arguments)}
        else:
            step |= {"agent": node.teammate, "instruction": node.task}
        steps.append(step)
    return json.dumps({"steps": steps})


def chinese(plan: Plan) -> str:
    nodes = [
        {"编号": node.id, "标题": node.title, "依赖": list(node.depends_on)}
        | ({"工具": node.tool, "参数": node.arguments} if node.tool else {})
        | ({"队友": f"@{node.teammate}", "任务": node.task} if node.teammate else {})
        for node in plan.nodes
    ]
    return json.dumps(nodes, ensure_ascii=False)


def _plain(node: Node) -> dict[str, Any]:
    return {name: value for name, value in node.model_dump(mode="json").items() if value}


SHAPES = [ours, by_id, renamed, chinese]


@given(plans(), st.sampled_from(SHAPES), st.sampled_from(FRAMES))
@settings(max_examples=80, deadline=None)
def test_a_plan_is_the_same_in_any_shape_and_frame(
    plan: Plan, shape: Any, frame: tuple[str, str]
) -> None:
    read = read_plan(frame[0] + shape(plan) + frame[1], TOOLS, TEAM)
    assert read.errors == ()
    assert read.plan == plan
    assert check(plan, TOOLS, TEAM, KNOBS) == []


@given(plans(), st.sampled_from(SHAPES), st.sampled_from(FRAMES), st.floats(0, 1))
@settings(max_examples=120, deadline=None)
def test_a_plan_that_was_cut_gives_its_first_nodes_whole_or_a_named_error(
    plan: Plan, shape: Any, frame: tuple[str, str], at: float
) -> None:
    text = frame[0] + shape(plan)
    read = read_plan(text[: int(at * (len(text) - 1))], TOOLS, TEAM)
    if read.plan is None:
        assert read.errors and read.errors[0].split(":")[0] in ("cut", "no_plan")
        return
    assert read.plan.needs_click
    # Never a node with half of its words, and never one without its dependencies.
    assert read.plan.nodes == plan.nodes[: len(read.plan.nodes)]
    assert len(read.plan.nodes) == len(plan.nodes) or read.errors[0].startswith("cut:")


@given(st.text(alphabet='{}[]",:1n\\ \n“”$toolidargs', max_size=80) | st.text(max_size=60))
@settings(max_examples=120, deadline=None)
def test_any_text_gives_a_plan_or_a_named_error(text: str) -> None:
    read = read_plan(text, TOOLS, TEAM)
    assert read.plan is not None or read.errors
    if read.plan is not None:
        assert Plan.model_validate_json(read.plan.model_dump_json()) == read.plan


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["n1", "semantic_search", ""]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["nodes", "plan", "id", "tool", "args", "depends_on", "race_group"]),
        inner,
        max_size=5,
    ),
    max_leaves=12,
))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_json_under_a_plans_names_gives_a_plan_or_a_named_error(value: Any) -> None:
    read = read_plan(json.dumps(value), TOOLS, TEAM)
    assert read.plan is not None or read.errors
    if read.plan is not None:
        assert all(":" in error for error in check(read.plan, TOOLS, TEAM, KNOBS))


def nodes_of(value: Any, **more: Any) -> tuple[Node, ...]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    read = read_plan(text, TOOLS, TEAM, **more)
    assert read.plan is not None, read.errors
    assert read.errors == ()
    return read.plan.nodes


def test_a_flat_list_of_tools_gets_ids_and_runs_side_by_side() -> None:
    first, second = nodes_of(
        [{"tool": "search_web", "params": {"query": "a"}}, {"tool": "get_time"}]
    )
    assert (first.id, second.id) == ("1", "2")
    assert first.arguments == {"query": "a"} and second.arguments == {}
    assert not first.depends_on and not second.depends_on


def test_native_calls_become_nodes_side_by_side() -> None:
    calls = (
        ToolCall(id="a", name="search_web", arguments='{"query": "x"}'),
        ToolCall(id="b", name="get_time", arguments=""),
    )
    read = read_plan("Let me look.", TOOLS, TEAM, calls)
    assert read.plan is not None and not read.errors
    assert [(node.tool, node.depends_on) for node in read.plan.nodes] == [
        ("search_web", ()),
        ("get_time", ()),
    ]


def test_calls_in_a_dialect_become_nodes_too() -> None:
    text = (
        'Look:\n<tool_call>{"name": "search_web", "arguments": {"query": "x"}}</tool_call>\n'
        '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
    )
    assert [node.tool for node in nodes_of(text)] == ["search_web", "get_time"]
    tagged = "<tool_call>search_web<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>"
    assert nodes_of(tagged)[0].arguments == {"query": "x"}


def test_nodes_that_stand_one_by_one_are_one_plan() -> None:
    lines = f"{json.dumps(search('a'))}\n{json.dumps(search('b', depends_on=['a']))}"
    assert [(node.id, node.depends_on) for node in nodes_of(lines)] == [("a", ()), ("b", ("a",))]


def test_a_native_call_with_broken_arguments_makes_the_plan_unsure() -> None:
    calls = (ToolCall(id="a", name="search_web", arguments='{"query": "x'),)
    read = read_plan("", TOOLS, TEAM, calls)
    assert read.plan is not None and read.plan.needs_click and "tolerant" in read.lines


def test_numbered_calls_are_a_plan() -> None:
    text = (
        "Thought: first look.\n1. search_web('GPU price')\n2. semantic_search(query=\"$1\", n=3)\n"
        "3. join()<END_OF_PLAN>"
    )
    first, second = nodes_of(text)
    assert first.arguments == {"query": "GPU price"}
    assert second.arguments == {"query": "${1}", "n": 3} and second.depends_on == ("1",)


@pytest.mark.parametrize("empty", ["[]", '{"nodes": []}', "```json\n[]\n```", '{"plan": {}}'])
def test_nothing_to_do_is_a_plan_without_nodes(empty: str) -> None:
    assert nodes_of(empty) == ()


@pytest.mark.parametrize(
    "text", ["", "I cannot.", "{}", '["look", "write"]', '{"answer": 42}', "[{}]"]
)
def test_an_answer_without_a_plan_is_named_so(text: str) -> None:
    read = read_plan(text, TOOLS, TEAM)
    assert read.plan is None and read.errors == ("no_plan: the answer holds no plan",)


def test_of_two_plans_the_last_is_meant_and_of_two_equal_ones_either() -> None:
    draft, last = written(search(query="draft")), written(search(query="last"))
    assert nodes_of(f"{draft}\nNo, better:\n{last}")[0].arguments == {"query": "last"}
    assert len(nodes_of(f"{last}\n{last}")) == 1


@pytest.mark.parametrize(
    "depends",
    ["n1", ["n1"], "step 1", "步骤1", "n1, n1", '["n1"]', [{"id": "n1"}], {"n1": True}, "1", [1]],
)
def test_a_dependency_is_understood_in_any_shape(depends: Any) -> None:
    assert nodes_of([search("n1"), search("n2", depends_on=depends)])[1].depends_on == ("n1",)


@pytest.mark.parametrize("depends", [None, "", "none", "无", [], False, [None], "-"])
def test_no_dependency_is_understood_in_any_shape(depends: Any) -> None:
    assert nodes_of([search("n1"), search("n2", depends_on=depends)])[1].depends_on == ()


def test_ids_counted_from_zero_by_a_model_that_wrote_none_are_understood() -> None:
    first = {"tool": "search_web", "args": {"query": "a"}}
    second = {"tool": "search_web", "args": {"query": "b"}, "depends_on": [0]}
    assert nodes_of([first, second])[1].depends_on == ("0",)


@pytest.mark.parametrize(
    "written_as",
    [
        "${n1.text}",
        "${ n1.text }",
        "{{n1.text}}",
        "{{ n1.text }}",
        "${n1.output}",
        "{{n1}}",
        "${1}",
    ],
)
def test_a_reference_makes_a_dependency(written_as: str) -> None:
    node = nodes_of([search("n1"), search("n2", query=f"about {written_as}")])[1]
    assert node.depends_on == ("n1",)
    assert node.arguments["query"] in ("about ${n1.text}", "about ${n1}")


def test_money_is_no_reference() -> None:
    node = nodes_of([search("5"), search("n2", query="at $5")])[1]
    assert node.depends_on == () and node.arguments == {"query": "at $5"}


@pytest.mark.parametrize(
    "name", ["Search_Web", "search-web ", "searchWeb", "functions.search_web", "`search_web`"]
)
def test_the_name_of_a_tool_is_understood_but_never_guessed(name: str) -> None:
    assert nodes_of([{"tool": name, "args": {"query": "x"}}])[0].tool == "search_web"
    assert nodes_of([{"tool": f"{name}x", "args": {"query": "x"}}])[0].tool not in TOOLS


@pytest.mark.parametrize(
    "node",
    [
        {"tool": "search_web", "query": "x"},
        {"tool": "search_web", "args": {"q": "x"}},
        {"tool": "search_web", "args": ["x"]},
        {"tool": "search_web", "args": "x"},
        {"tool": "search_web", "args": {"input": {"query": "x"}}},
        {"tool": "search_web", "args": [{"name": "query", "value": "x"}]},
        {"tool": {"name": "search_web", "arguments": {"query": "x"}}},
        {"type": "function", "function": {"name": "search_web", "arguments": '{"query": "x"}'}},
        {"action": 'search_web(query="x")'},
        {"agent": "search_web", "args": {"query": "x"}},
    ],
)
def test_arguments_are_understood_wherever_they_stand(node: dict[str, Any]) -> None:
    (read,) = nodes_of([node])
    assert (read.tool, read.arguments) == ("search_web", {"query": "x"})


@pytest.mark.parametrize(
    "node",
    [
        {"teammate": "writer", "task": "Write it."},
        {"tool": "writer", "args": {"task": "Write it."}},
        {"agent": "@Writer", "input": "Write it."},
        {"agent": {"name": "writer", "task": "Write it."}},
    ],
)
def test_a_teammate_is_understood_wherever_it_stands(node: dict[str, Any]) -> None:
    (read,) = nodes_of([node])
    assert (read.teammate, read.tool, read.task) == ("writer", "", "Write it.")


@pytest.mark.parametrize(
    ("group", "name"),
    [("g", "g"), (1, "1"), (None, ""), ("", ""), (False, ""), (True, "race"), (["g"], "g")],
)
def test_a_race_group_is_understood_in_any_shape(group: Any, name: str) -> None:
    assert nodes_of([search(race_group=group)])[0].race_group == name


def test_a_step_that_only_ends_the_plan_is_none() -> None:
    assert len(nodes_of([search(), {"id": "n2", "tool": "finish", "args": {}}])) == 1


def test_a_plan_that_was_guessed_waits_for_a_click_and_one_with_other_names_does_not() -> None:
    drifted = read_plan('{"steps": [{"tool": "get_time"}]}', TOOLS, TEAM)
    assert drifted.plan is not None and not drifted.plan.needs_click
    assert drifted.lines == ("alias",)
    guessed = read_plan("{nodes: [{tool: get_time}]}", TOOLS, TEAM)
    assert guessed.plan is not None and guessed.plan.needs_click and "tolerant" in guessed.lines


def test_broken_arguments_of_a_node_are_named() -> None:
    node = {"id": "n1", "tool": "search_web", "args": '["a", {"b"'}
    read = read_plan(json.dumps([node]), TOOLS, TEAM)
    assert read.errors and read.errors[0].startswith("broken_arguments: node n1")


def test_thousands_of_links_of_one_node_are_cut() -> None:
    wanted = [f"step {number}" for number in range(5_000)]
    made = read_plan(written(*[search(f"n{n}", depends_on=wanted) for n in range(20)]), TOOLS)
    assert made.plan is not None
    assert all(len(node.depends_on) <= MOST_LINKS for node in made.plan.nodes)
