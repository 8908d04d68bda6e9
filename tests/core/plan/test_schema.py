"""What must hold before a plan is worked, and a plan that is made workable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import PlanKnobs
from core.plan.loosen import ORDER, kind, loosened
from core.plan.schema import Node, Plan, check, cycles, races, references
from tests.core.plan.things import KNOBS, TEAM, TOOLS
from tests.core.runs_of_one import a_tool, echo


def node(name: str, tool: str = "semantic_search", **more: Any) -> Node:
    arguments = {"query": "x"} if tool in ("semantic_search", "search_web") else {}
    values: dict[str, Any] = {"id": name, "title": name, "tool": tool, "arguments": arguments}
    return Node.model_validate(values | more)


def kinds(*nodes: Node, knobs: PlanKnobs = KNOBS) -> list[str]:
    return [kind(error) for error in check(Plan(nodes=nodes), TOOLS, TEAM, knobs)]


def test_a_good_plan_has_no_errors() -> None:
    plan = (
        node("a", race_group="g"),
        node("b", "search_web", race_group="g"),
        node("c", depends_on=("a", "b"), arguments={"query": "${a.text} and ${b.text}"}),
        Node(id="d", title="d", teammate="writer", task="Write: ${c.text}", depends_on=("c",)),
    )
    assert kinds(*plan) == []
    assert races(Plan(nodes=plan)) == {"g": ("a", "b")}


@pytest.mark.parametrize(
    ("wrong", "kinds_of_it"),
    [
        ((node("a", "nope"),), ["unknown_tool"]),
        ((Node(id="a", title="a", teammate="nobody", task="x"),), ["unknown_teammate"]),
        ((Node(id="a", title="a", teammate="writer"),), ["missing_argument"]),
        ((Node(id="a", title="a"),), ["no_work"]),
        ((node("a", teammate="writer", task="x"),), ["no_work"]),
        ((node("a", arguments={}),), ["missing_argument"]),
        ((node("a", arguments={"query": "x", "n": "many"}),), ["bad_argument"]),
        ((node("a", arguments={"query": "x", "z": 1}),), ["bad_argument"]),
        ((node("a"), node("a")), ["duplicate_id"]),
        ((node("a/b"),), ["bad_id"]),
        ((node("a", depends_on=("a",)),), ["self_dependency"]),
        ((node("a", depends_on=("z",)),), ["unknown_dependency"]),
        ((node("a", depends_on=("b",)), node("b", depends_on=("a",))), ["cycle"]),
        ((node("a"), node("b", arguments={"query": "${a.text}"})), ["bad_reference"]),
        ((node("a", arguments={"query": "${z.text}"}),), ["bad_reference"]),
        (
            (node("a", race_group="g"), node("b", race_group="g", depends_on=("a",))),
            ["race_dependency"],
        ),
        (
            (node("a", race_group="g"), Node(id="b", title="b", teammate="writer", task="x",
                                             race_group="g")),
            ["race_effect"],
        ),
    ],
)  # fmt: skip
def test_each_fault_is_named_once(wrong: tuple[Node, ...], kinds_of_it: list[str]) -> None:
    assert kinds(*wrong) == kinds_of_it


def test_a_cycle_is_told_with_its_path_and_a_race_is_one_step_of_it() -> None:
    ring = (
        node("a", depends_on=("b",)),
        node("b", depends_on=("c",)),
        node("c", depends_on=("a",)),
    )
    (error,) = cycles(Plan(nodes=ring))
    assert error.removeprefix("cycle: ").split(" -> ").__len__() == 4
    # c needs the race, and b of the race needs c: whoever wins, neither can begin.
    racing = (
        node("a", race_group="g"),
        node("b", race_group="g", depends_on=("c",)),
        node("c", depends_on=("a",)),
    )
    (error,) = cycles(Plan(nodes=racing))
    assert "race g -> c" in error and "c -> race g" in error


def test_tools_with_effects_cannot_race_but_one_alone_is_no_race() -> None:
    letter = {"arguments": {"title": "t", "text": "x"}, "race_group": "g"}
    assert kinds(node("a", "write_document", **letter)) == []
    assert kinds(node("a", "write_document", **letter), node("b", race_group="g")) == [
        "race_effect"
    ]


def test_the_number_of_nodes_is_limited() -> None:
    assert kinds(node("a"), node("b"), knobs=PlanKnobs(nodes=1)) == ["too_many_nodes"]


def test_a_value_that_is_a_reference_is_not_judged_before_it_is_known() -> None:
    waiting = node("b", arguments={"query": "x", "n": "${a.details.n}"}, depends_on=("a",))
    assert kinds(node("a"), waiting) == []
    assert list(references({"a": ["${x.text}", {"b": "no ${y[0].z}"}]})) == ["x", "y"]


def test_only_allowed_values_may_be_given() -> None:
    tool = a_tool("kb", echo)
    tools = {"kb": type(tool)(**{**vars(tool), "allowed": {"query": ("hr", "it")}})}
    good = Plan(nodes=(node("a", "kb", arguments={"query": "hr"}),))
    bad = Plan(nodes=(node("a", "kb", arguments={"query": "law"}),))
    assert check(good, tools, (), KNOBS) == []
    assert check(bad, tools, (), KNOBS) == ["bad_argument: node a.query: 'law' is none of hr, it"]


IDS = st.sampled_from(["a", "b", "c", "d"])
ANY_NODE = st.builds(
    node,
    IDS,
    st.sampled_from(["semantic_search", "search_web"]),
    depends_on=st.lists(IDS | st.just("z"), max_size=3, unique=True).map(tuple),
    race_group=st.sampled_from(["", "", "g", "h"]),
)


@given(st.lists(ANY_NODE, max_size=6))
@settings(max_examples=150, deadline=None)
def test_any_order_can_be_made_workable(nodes: list[Node]) -> None:
    plan = Plan(nodes=tuple(nodes))
    errors = check(plan, TOOLS, TEAM, KNOBS)
    mended = loosened(plan, TOOLS)
    assert {kind(error) for error in errors} <= set(ORDER)
    assert check(mended, TOOLS, TEAM, KNOBS) == []
    assert [(one.tool, one.arguments) for one in mended.nodes] == [
        (one.tool, one.arguments) for one in plan.nodes
    ]
    assert mended.needs_click == bool(errors)
    assert (mended == plan) == (not errors)


def test_a_link_that_a_reference_needs_is_kept() -> None:
    ring = Plan(
        nodes=(
            node("a", depends_on=("b",)),
            node("b", depends_on=("a",), arguments={"query": "${a.text}"}),
        )
    )
    assert [one.depends_on for one in loosened(ring, TOOLS).nodes] == [(), ("a",)]


def test_a_race_with_an_effect_is_none_any_more() -> None:
    letter = {"arguments": {"title": "t", "text": "x"}}
    plan = Plan(
        nodes=(node("a", race_group="g"), node("b", "write_document", race_group="g", **letter))
    )
    assert {one.race_group for one in loosened(plan, TOOLS).nodes} == {""}
