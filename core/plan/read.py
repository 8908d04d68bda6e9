"""The raw text of a planner -> a plan: three shapes, with the drift that models have.

Ours (`{"nodes": [...]}`), a flat list of tools with their arguments, and tool calls, which become
independent nodes; numbered calls (`1. search("x")`) as well. What is missing is filled in, other
names are understood, references make dependencies. Nothing raises: what is wrong is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from core.model.dialects import Reader
from core.model.frames import bare
from core.model.lenient import Open, OpenList
from core.model.pieces import Called
from core.model.protocol import ToolCall
from core.model.repair import Read, read_arguments, read_json, values_in, with_names
from core.plan.lines import Call, called, numbered, used
from core.plan.links import References, links
from core.plan.names import (
    CONTAINERS,
    PARAMETERS,
    Item,
    clean_id,
    group,
    plain,
    resolved,
)
from core.plan.schema import Node, Plan, references
from core.tools.tool import Tool

MOST_ITEMS = 200
"""No plan may have as many; more are not looked at."""
_ENDINGS = frozenset(("join", "finish", "end", "finalanswer", "final"))
"""No work: the answer is written after the last node anyway."""


@dataclass(frozen=True)
class PlanRead:
    """What was read of a planner's answer."""

    plan: Plan | None
    """None when there is no plan in it; without nodes when it says that nothing is to do."""
    errors: tuple[str, ...] = ()
    """English lines for the planner: `no_plan`, `cut`, `bad_node`, `broken_arguments`."""
    lines: tuple[str, ...] = ()
    """Lines of repair that fired: `strip`, `tolerant`, `alias`."""


def read_plan(
    text: str,
    tools: Mapping[str, Tool],
    teammates: Collection[str] = (),
    calls: Sequence[ToolCall] = (),
    *,
    cut: bool = False,
) -> PlanRead:
    """The plan in a model's answer; `calls` are native tool calls, which win over the text, `cut`
    tells that the model stopped at its length limit."""
    if calls:
        return _of_calls(calls, tools, teammates)
    found = _found(text)
    items = None if found.errors else _items(found.value)
    if items is None:
        return _of_lines(text, tools, teammates, found.lines, cut=cut or found.cut)
    whole = [item for item in items if isinstance(item, dict) and not isinstance(item, Open)]
    torn = len(whole) < len(items) and found.cut
    if found.cut and found.guessed and whole and not torn:
        # Where the guess lets the last node end, nobody knows.
        whole.pop()
        torn = True
    reading = _Reading(tools, teammates)
    plan = reading.plan([Item(cast(dict[str, Any], item)) for item in whole[:MOST_ITEMS]])
    errors = list(reading.errors)
    if torn or isinstance(items, OpenList) or cut:
        errors.append(f"cut: the answer ended inside the plan, after {len(whole)} whole nodes")
    elif len(whole) < len(items):
        errors.append("bad_node: every node must be one JSON object")
    lines = [*found.lines, *(["alias"] if reading.drifted or not _ours(found.value) else [])]
    unsure = found.repaired or found.cut or cut
    return PlanRead(
        plan.model_copy(update={"needs_click": unsure}), tuple(errors), tuple(dict.fromkeys(lines))
    )


def _found(text: str) -> Read:
    """The JSON of the answer: the last plan, or all nodes where they stand one by one."""
    values = values_in(text)
    if len(values) > 1 and all(isinstance(one, dict) and Item(one).works for one in values):
        return Read(values, ("strip", "alias"))
    return read_json(text, fits=lambda value: _items(value) is not None)


def _ours(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and "nodes" in value)


def _items(value: Any, depth: int = 0) -> list[Any] | None:
    """The nodes as they were written; None if this is no plan."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = read_json(value).value
    if isinstance(value, list):
        return _listed(cast(list[Any], value), depth)
    if not isinstance(value, dict) or depth > 3:
        return None
    held = cast(dict[str, Any], value)
    if Item(held).works:
        return [held]
    names = {plain(str(name)): str(name) for name in reversed(list(held))}
    for container in CONTAINERS:
        inner = held.get(names.get(plain(container), ""))
        items = None if inner is None else _items(inner, depth + 1)
        if items is not None:
            return items
    nodes = [one for one in held.values() if isinstance(one, dict)]
    if nodes and len(nodes) == len(held) and all(Item(one).works for one in nodes):
        return _mapped(held)
    return [] if not held and depth and not isinstance(held, Open) else None


def _mapped(held: dict[str, Any]) -> list[Any]:
    """Nodes that stand under their ids."""
    nodes: list[Any] = OpenList() if isinstance(held, Open) else []
    for name, node in held.items():
        kind = Open if isinstance(node, Open) else dict
        nodes.append(kind({"id": name, **cast(dict[str, Any], node)}))
    return nodes


def _listed(held: list[Any], depth: int) -> list[Any] | None:
    """A list of nodes, or of whole plans, of which the last one is meant."""
    if not held:
        return held
    if any(isinstance(one, dict) and Item(cast(dict[str, Any], one)).works for one in held):
        return held
    if depth > 2:
        return None
    plans = [items for one in held if one and (items := _items(one, depth + 1)) is not None]
    return plans[-1] if plans else None


def _of_calls(
    calls: Sequence[ToolCall], tools: Mapping[str, Tool], teammates: Collection[str]
) -> PlanRead:
    reading = _Reading(tools, teammates)
    items = [Item({"tool": call.name, "arguments": call.arguments}) for call in calls]
    plan = reading.plan(items)
    lines = ("tolerant", "alias") if reading.unsure else ("alias",)
    plan = plan.model_copy(update={"needs_click": reading.unsure})
    return PlanRead(plan, tuple(reading.errors), lines)


def _of_lines(
    text: str,
    tools: Mapping[str, Tool],
    teammates: Collection[str],
    lines: tuple[str, ...],
    *,
    cut: bool,
) -> PlanRead:
    """A plan of numbered or of tagged calls, or the error that there is none."""
    found = numbered(bare(text))
    if not found and (calls := _tagged(text, tools)):
        return _of_calls(calls, tools, teammates)
    if not found:
        why = (
            "cut: the answer ended before the plan" if cut else "no_plan: the answer holds no plan"
        )
        return PlanRead(None, (why,), lines)
    reading = _Reading(tools, teammates)
    numbers = [number for number, _ in found]
    items = [
        Item({"id": number, "tool": call, "depends_on": used(_shown(call), numbers)})
        for number, call in found
    ]
    plan = reading.plan(items).model_copy(update={"needs_click": cut})
    errors = [*reading.errors, *(["cut: the answer ended inside the plan"] if cut else [])]
    return PlanRead(plan, tuple(errors), ("alias",))


def _tagged(text: str, tools: Mapping[str, Tool]) -> list[ToolCall]:
    """Calls that a model wrote as text in its own dialect."""
    reader = Reader({name: tool.parameters for name, tool in tools.items()})
    pieces = [*reader.feed(text), *reader.close()]
    return [piece.call for piece in pieces if isinstance(piece, Called)]


def _shown(call: Call) -> str:
    return json.dumps([call.positional, call.named], ensure_ascii=False, default=str)


@dataclass
class _Reading:
    """Items as they were written -> nodes."""

    tools: Mapping[str, Tool]
    teammates: Collection[str]
    errors: list[str] = field(default_factory=list[str])
    drifted: bool = False
    unsure: bool = False
    """True if arguments inside were guessed or cut."""

    def plan(self, items: Sequence[Item]) -> Plan:
        items = [item for item in items if not self._ends(item)]
        ids = self._ids(items)
        nodes = [self._node(item, one) for item, one in zip(items, ids, strict=True)]
        nodes = [self._linked(node, item, ids) for node, item in zip(nodes, items, strict=True)]
        self.drifted |= any(item.drifted for item in items)
        # A node that was written twice, word for word, is one.
        return Plan(nodes=tuple({one.model_dump_json(): one for one in nodes}.values()))

    def _ends(self, item: Item) -> bool:
        tool = item.take("tool")
        name = tool.name if isinstance(tool, Call) else tool
        return (
            isinstance(name, str) and name not in self.tools and plain(name).strip("()") in _ENDINGS
        )

    def _ids(self, items: Sequence[Item]) -> list[str]:
        written = [clean_id(_id(item)) for item in items]
        if any(written):
            free = [str(at) for at in range(1, 2 * len(items) + 2) if str(at) not in written]
            at_own = [one or str(at) for at, one in enumerate(written, 1)]
            return [
                own if own == one or own not in written else free.pop()
                for own, one in zip(at_own, written, strict=True)
            ]
        # Counted from 0 by a model that wrote no ids?
        first = 0 if any("0" in links(item.take("depends_on"), ("0",)) for item in items) else 1
        return [str(at) for at in range(first, first + len(items))]

    def _node(self, item: Item, node: str) -> Node:
        tool, given = self._who(item)
        teammate = _text(item.take("teammate"))
        if isinstance(item.take("teammate"), dict):
            inner = Item(cast(dict[str, Any], item.take("teammate")))
            teammate = _text(inner.named("name", "teammate", "id"))
            given = inner.take("task") or given
        teammate = resolved(teammate, self.teammates) if teammate else ""
        if tool and not teammate and tool not in self.tools:
            # Who works stands under the other name.
            other = resolved(tool, self.teammates)
            tool, teammate = ("", other) if other in self.teammates else (tool, "")
        elif teammate and teammate not in self.teammates and not tool:
            other = resolved(teammate, self.tools)
            tool, teammate = (other, "") if other in self.tools else ("", teammate)
        elif tool and teammate:
            # "researcher uses search": the tool is what can be checked.
            tool, teammate = (tool, "") if tool in self.tools else ("", teammate)
        if teammate:
            task = _task(item, given)
            return Node(id=node, title=_title(item, task), teammate=teammate, task=task)
        arguments = self._arguments(item, given, tool, node)
        return Node(id=node, title=_title(item, ""), tool=tool, arguments=arguments)

    def _who(self, item: Item) -> tuple[str, Any]:
        """Name of the tool, and the arguments where they stand beside it."""
        written = item.take("tool")
        given = item.take("arguments")
        if written is None and not item.take("teammate"):
            written = item.named("name")
        if isinstance(written, dict):
            inner = Item(cast(dict[str, Any], written))
            name = _text(inner.named("name", "tool", "id"))
            inside = inner.take("arguments")
            return resolved(name, self.tools), given if inside is None else inside
        call = written if isinstance(written, Call) else None
        if isinstance(written, str) and resolved(written, self.tools) not in self.tools:
            call = called(written)
        if call is not None:
            inside = call.named or list(call.positional)
            return resolved(call.name, self.tools), inside if given is None else given
        return resolved(_text(written), self.tools), given

    def _arguments(self, item: Item, given: Any, tool: str, node: str) -> dict[str, Any]:
        schema = self.tools[tool].parameters if tool in self.tools else {}
        names = list(cast(Mapping[str, Any], schema.get("properties") or {}))
        if given is None:
            # Arguments that stand beside the tool's name, not inside a field of their own.
            inline = {name: item.named(name) for name in names if name != "id"}
            given = {name: value for name, value in inline.items() if value is not None}
        held = self._as_object(given, schema, names, node)
        if held and schema:
            read = read_arguments(json.dumps(held, default=str), schema, aliases=PARAMETERS)
            held = cast(dict[str, Any], read.value if read.value is not None else held)
            self.drifted |= "alias" in read.lines
        lacking = [one for one in schema.get("required", ()) if one not in held]
        if "title" in lacking and (title := _text(item.take("title"))):
            held = {**held, "title": title}
        return held

    def _as_object(
        self, given: Any, schema: Mapping[str, Any], names: Sequence[str], node: str
    ) -> dict[str, Any]:
        if isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
            read = read_arguments(given)
            self.drifted = True
            self.unsure |= read.repaired or read.cut
            if read.value is None:
                self.errors.append(f"broken_arguments: node {node}: {read.errors[0]}")
                return {}
            return with_names(cast(dict[str, Any], read.value), schema, PARAMETERS)
        if isinstance(given, dict):
            return dict(cast(dict[str, Any], given))
        values = cast(list[Any], given) if isinstance(given, list) else [given]
        values = [value for value in values if not (value is None or value is False or value == "")]
        if values and all(isinstance(value, dict) for value in values):
            return _pairs(cast(list[dict[str, Any]], values))
        self.drifted |= bool(values)
        order = _in_order(names, schema)
        return dict(zip(order if order else ("input",), values, strict=False))

    def _linked(self, node: Node, item: Item, ids: Sequence[str]) -> Node:
        """With its dependencies; what it refers to is one of them."""
        wanted = links(item.take("depends_on"), ids)
        mended = References(ids, wanted)
        arguments, task = mended.value(node.arguments), mended.text(node.task)
        held = [one for one in (*references(arguments), *references(task)) if one in ids]
        depends = tuple(dict.fromkeys((*wanted, *held)))
        race = group(item.take("race_group"))
        return node.model_copy(
            update={"arguments": arguments, "task": task, "depends_on": depends, "race_group": race}
        )


def _pairs(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """`[{"name": …, "value": …}, …]`, or a list that holds the one object."""
    held: dict[str, Any] = {}
    for value in values:
        if set(value) == {"name", "value"}:
            held[str(value["name"])] = value["value"]
        else:
            held.update(value)
    return held


def _in_order(names: Sequence[str], schema: Mapping[str, Any]) -> list[str]:
    """Parameters by place: those that must be given first."""
    required = cast(Sequence[str], schema.get("required") or ())
    return [*(name for name in names if name in required), *(n for n in names if n not in required)]


def _id(item: Item) -> Any:
    found = item.take("id")
    if found is not None:
        return found
    step = item.named("step", "步骤")
    # `"step": 1` is an id, `"step": "look up the rules"` a title.
    return step if isinstance(step, int) or re.fullmatch(r"\w*\d+", str(step)) else None


def _task(item: Item, given: Any) -> str:
    task = _text(item.take("task"))
    if task:
        return task
    if isinstance(given, dict):
        inner = Item(cast(dict[str, Any], given))
        return _text(inner.take("task")) or "\n".join(
            str(value) for value in cast(dict[str, Any], given).values() if value is not None
        )
    return _text(given) or _text(item.take("title"))


def _title(item: Item, task: str) -> str:
    title = item.take("title")
    if title is None and item.take("tool") is not None:
        title = item.named("name", "task", "任务", "thought")
    if title is None:
        title = item.named("step", "步骤")
        title = title if isinstance(title, str) and not re.fullmatch(r"\w*\d+", title) else None
    return " ".join((_text(title) or task).split())[:120]


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
