"""Node and Plan, and what must hold before a plan is worked.

`check` gives its errors as English lines `kind: where: what is wrong`: they go back to the
planner, and their kinds are counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, cast

from pydantic import Field, ValidationError

from core.context import PlanKnobs
from core.messages import Frozen
from core.tools.arguments import near_names
from core.tools.tool import Tool

REFERENCE = re.compile(r"\$\{\s*(?P<node>[\w-]+)(?P<path>(?:\.[\w-]+|\[\d+\])*)\s*\}")
"""`${n1}`, `${n1.text}`, `${n1.details.rows[0].name}`: a place in the result of another node."""
NODE_ID = re.compile(r"[\w-]{1,40}")
"""Ids stand in journal keys (`node:{id}:call`) and in references, so `:`, `/` and `.` cannot."""


class Node(Frozen):
    """One piece of work: a tool call, or a task for a teammate. Exactly one of the two."""

    id: str
    title: str
    """One short line for people, in the asker's language."""
    tool: str = ""
    teammate: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Of the tool; a string in them may hold references."""
    task: str = ""
    """For a teammate: what it must do, in whole sentences; may hold references."""
    depends_on: tuple[str, ...] = ()
    race_group: str = ""
    """Nodes of one group run against each other: the first that finds something wins."""


class Plan(Frozen):
    """Nodes that are worked as soon as all they depend on is done."""

    nodes: tuple[Node, ...] = ()
    """None: nothing has to be looked up or done; the answer is written at once."""
    needs_click: bool = False
    """True after tolerant parsing, a cut answer or dropped dependencies: nodes that only read
    run, a node with effects waits for a person who sees its exact arguments."""


def references(value: Any) -> Iterator[str]:
    """Ids of the nodes that a text, or the texts inside arguments, refer to."""
    if isinstance(value, str):
        for match in REFERENCE.finditer(value):
            yield match["node"]
    elif isinstance(value, Mapping):
        for held in cast(Mapping[str, Any], value).values():
            yield from references(held)
    elif isinstance(value, list | tuple):
        for held in cast(Sequence[Any], value):
            yield from references(held)


def races(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Group -> ids of its members, in the plan's order; a group of one is no race."""
    groups: dict[str, list[str]] = {}
    for node in plan.nodes:
        if node.race_group:
            groups.setdefault(node.race_group, []).append(node.id)
    return {group: tuple(ids) for group, ids in groups.items() if len(ids) > 1}


def check(
    plan: Plan, tools: Mapping[str, Tool], teammates: Collection[str], knobs: PlanKnobs
) -> list[str]:
    """Everything that is wrong with a plan; empty if it can be worked."""
    errors: list[str] = []
    if len(plan.nodes) > knobs.nodes:
        errors.append(f"too_many_nodes: {len(plan.nodes)} nodes; at most {knobs.nodes} are allowed")
    errors += _ids(plan)
    for node in plan.nodes:
        errors += [*_work(node, tools, teammates), *_links(node, plan)]
    errors += _races(plan, tools)
    return errors + cycles(plan)


def cycles(plan: Plan) -> list[str]:
    """A cycle with its path. A race is one vertex: what waits for one member waits for all."""
    group_of = {member: group for group, ids in races(plan).items() for member in ids}
    plain = _cycle({node.id: {*node.depends_on} - {node.id} for node in plan.nodes})
    if plain:
        return [f"cycle: {' -> '.join(plain)}"]
    graph: dict[str, set[str]] = {}
    for node in plan.nodes:
        vertex = _vertex(node.id, group_of)
        needed = {_vertex(other, group_of) for other in node.depends_on}
        # A member that depends on a member is told by its own error.
        graph.setdefault(vertex, set()).update(needed - {vertex})
    through = _cycle(graph)
    return [f"cycle: {' -> '.join(through)} (a race is one step)"] if through else []


def _vertex(node: str, group_of: Mapping[str, str]) -> str:
    return f"race {group_of[node]}" if node in group_of else node


def _cycle(graph: Mapping[str, Collection[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return cast(list[str], error.args[1])[::-1]
    return []


def _ids(plan: Plan) -> Iterator[str]:
    seen: set[str] = set()
    for node in plan.nodes:
        if node.id in seen:
            yield f"duplicate_id: node {node.id}: two nodes have this id"
        seen.add(node.id)
        if not NODE_ID.fullmatch(node.id):
            yield f"bad_id: node {node.id[:40]!r}: an id is letters, digits, `_` and `-`"


def _work(node: Node, tools: Mapping[str, Tool], teammates: Collection[str]) -> Iterator[str]:
    if bool(node.tool) == bool(node.teammate):
        yield f"no_work: node {node.id}: name exactly one of tool and teammate"
    elif node.teammate:
        if node.teammate not in teammates:
            known = ", ".join(sorted(teammates)) or "none"
            yield (
                f"unknown_teammate: node {node.id}: there is no teammate {node.teammate[:80]!r};"
                f" known: {known}"
            )
        if not node.task.strip():
            yield f"missing_argument: node {node.id}.task: a teammate needs a task"
    elif node.tool not in tools:
        near = near_names(node.tool, tools.values()) or sorted(tools)
        yield (
            f"unknown_tool: node {node.id}: there is no tool {node.tool[:80]!r};"
            f" near names: {', '.join(near) or 'none'}"
        )
    else:
        yield from _arguments(node, tools[node.tool])


def _arguments(node: Node, tool: Tool) -> Iterator[str]:
    """What does not fit; a value that holds a reference is only known when it is worked."""
    open_values = {name for name, value in node.arguments.items() if any(references(value))}
    for name, allowed in tool.allowed.items():
        value = node.arguments.get(name)
        given = cast(list[Any], value) if isinstance(value, list) else [value]
        if name in node.arguments and name not in open_values:
            for wrong in (one for one in given if one is not None and one not in allowed):
                yield (
                    f"bad_argument: node {node.id}.{name}: {str(wrong)[:80]!r} is none of"
                    f" {', '.join(allowed)}"
                )
    try:
        tool.arguments.model_validate(node.arguments)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
    else:
        return
    for problem in problems:
        place = problem["loc"]
        if place and place[0] in open_values or (not place and open_values):
            continue
        field = ".".join(str(part) for part in place)[:80] or "-"
        if problem["type"] == "missing":
            yield f"missing_argument: node {node.id}.{field}: {tool.name} needs it"
        else:
            yield f"bad_argument: node {node.id}.{field}: {problem['msg'][:160]}"


def _links(node: Node, plan: Plan) -> Iterator[str]:
    known = {other.id for other in plan.nodes}
    for other in node.depends_on:
        if other == node.id:
            yield f"self_dependency: node {node.id}: it depends on itself"
        elif other not in known:
            yield f"unknown_dependency: node {node.id}: there is no node {other[:40]!r}"
    held = dict.fromkeys([*references(node.arguments), *references(node.task)])
    for other in held:
        if other not in node.depends_on:
            yield (
                f"bad_reference: node {node.id}: it uses ${{{other[:40]}}}, which is not in its"
                " depends_on"
            )


def _races(plan: Plan, tools: Mapping[str, Tool]) -> Iterator[str]:
    by_id = {node.id: node for node in plan.nodes}
    for group, members in races(plan).items():
        for node in (by_id[member] for member in dict.fromkeys(members)):
            for other in (other for other in node.depends_on if other in members):
                if other != node.id:
                    yield (
                        f"race_dependency: node {node.id}: it races {other} in {group} and cannot"
                        " depend on it"
                    )
            tool = tools.get(node.tool)
            # What a loser did cannot be undone, so only tools that read may lose.
            if node.teammate or (tool and (tool.effect != "read" or tool.needs_approval)):
                yield (
                    f"race_effect: node {node.id}: only tools that read may be in a race group;"
                    f" {node.tool or node.teammate} is not one"
                )
