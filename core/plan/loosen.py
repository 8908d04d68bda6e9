"""A plan whose links are wrong, made workable: what cannot hold of its order is dropped. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import cast

from core.plan.schema import NODE_ID, Node, Plan, cycles, races, references
from core.tools.tool import Tool

ORDER = ("duplicate_id", "self_dependency", "unknown_dependency", "cycle", "race_dependency",
         "race_effect")  # fmt: skip
"""Kinds of errors that `loosened` takes away, if no reference needs the link."""


def kind(error: str) -> str:
    """The kind of an error line."""
    return error.partition(":")[0]


def loosened(plan: Plan, tools: Mapping[str, Tool]) -> Plan:
    """The plan without the links and races that are wrong; the same plan if there are none.

    Anything but the order is left: a tool that does not exist still does not.
    """
    nodes = _renamed(plan.nodes)
    known = {node.id for node in nodes}
    nodes = [_with(node, [one for one in node.depends_on if one in known]) for node in nodes]
    nodes = _no_races(nodes, tools)
    while cycles(Plan(nodes=tuple(nodes))):
        nodes = _opened(nodes)
    if tuple(nodes) == plan.nodes:
        return plan
    return plan.model_copy(update={"nodes": tuple(nodes), "needs_click": True})


def _with(node: Node, depends_on: list[str]) -> Node:
    kept = tuple(one for one in depends_on if one != node.id)
    return node if kept == node.depends_on else node.model_copy(update={"depends_on": kept})


def _renamed(nodes: tuple[Node, ...]) -> list[Node]:
    """Ids once each: whatever depends on the id keeps the first of its nodes."""
    taken = {node.id for node in nodes}
    seen: set[str] = set()
    renamed: list[Node] = []
    for node in nodes:
        if node.id in seen or not NODE_ID.fullmatch(node.id):
            number = next(n for n in range(2, len(nodes) + 3) if f"{node.id[:30]}_{n}" not in taken)
            node = node.model_copy(update={"id": f"{node.id[:30]}_{number}"})
            taken.add(node.id)
        seen.add(node.id)
        renamed.append(node)
    return renamed


def _no_races(nodes: list[Node], tools: Mapping[str, Tool]) -> list[Node]:
    """Without the races of which a member needs another one, or does more than read."""
    held = {node.id: node for node in nodes}
    wrong: set[str] = set()
    for group, members in races(Plan(nodes=tuple(nodes))).items():
        for node in (held[member] for member in members):
            tool = tools.get(node.tool)
            acts = node.teammate or (tool and (tool.effect != "read" or tool.needs_approval))
            if acts or set(node.depends_on) & set(members):
                wrong.add(group)
    return [
        node.model_copy(update={"race_group": ""}) if node.race_group in wrong else node
        for node in nodes
    ]


def _opened(nodes: list[Node]) -> list[Node]:
    """One link of a cycle less: one that no reference needs, the latest of the plan; or, where a
    cycle only goes through races, one race less."""
    graph = {node.id: node.depends_on for node in nodes}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = cast(list[str], error.args[1])
    else:
        group = next(iter(races(Plan(nodes=tuple(nodes)))))
        return [
            node.model_copy(update={"race_group": ""}) if node.race_group == group else node
            for node in nodes
        ]
    # Each is needed by the one behind it.
    links = list(zip(circle[1:], circle[:-1], strict=True))
    order = [node.id for node in nodes]
    needed = {node.id: {*references(node.arguments), *references(node.task)} for node in nodes}
    links.sort(key=lambda one: (one[1] in needed[one[0]], order.index(one[0])))
    who, on = links[0]
    return [
        _with(node, [one for one in node.depends_on if (node.id, one) != (who, on)])
        for node in nodes
    ]
