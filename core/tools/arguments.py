"""Raw arguments of a model -> checked arguments of a tool, or an error that it can act on.

Validation stands apart from execution. Arguments of a tool with effects are taken as the model
wrote them or not at all; only reading tools get the benefit of repair.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Collection
from typing import Any, cast

from pydantic import ValidationError

from core.index.tokens import tokens
from core.messages import Frozen
from core.tools.tool import Arguments, Tool

REPAIR_LIMIT = 64 * 1024
"""Bytes; tolerant parsing costs about a hundred times the strict one."""
NEAR_NAMES = 3


class Rejected(Frozen):
    """A call that must not run."""

    kind: str
    """`unknown_tool`, `not_loaded`, `broken_arguments`, `bad_arguments`, `limit`."""
    text: str
    """For the model."""
    key: str
    """Of the catalogue, for people."""
    values: dict[str, str]


def unknown_tool(name: str, tools: Collection[Tool]) -> Rejected:
    """The refusal of a name that no tool has, with the nearest names."""
    near = near_names(name, tools)
    known = ", ".join(near or sorted(tool.name for tool in tools)) or "none"
    text = f"error: unknown_tool\nreason: there is no tool {name[:80]!r}\nnear names: {known}"
    values = {"name": name[:80]}
    return Rejected(kind="unknown_tool", text=text, key="execute.unknown_tool", values=values)


def not_loaded(tool: Tool) -> Rejected:
    """The refusal of a tool whose parameters the model has not seen; it is loaded with it."""
    text = (
        f"error: not_loaded\nreason: the parameters of {tool.name} were not shown to you yet; it is"
        f" loaded now, call it again with the right ones\nparameters: {_parameters(tool)}"
    )
    values = {"name": tool.name}
    return Rejected(kind="not_loaded", text=text, key="execute.not_loaded", values=values)


def used_up(name: str) -> Rejected:
    """The refusal of a call that the run's limits do not pay for."""
    text = "error: limit\nreason: the number of tool calls is used up"
    return Rejected(kind="limit", text=text, key="execute.used_up", values={"name": name})


def near_names(name: str, tools: Collection[Tool]) -> list[str]:
    """Names that look like `name`, else names of tools whose description shares its words."""
    names = {tool.name.casefold(): tool.name for tool in tools}
    close = difflib.get_close_matches(name.casefold(), list(names), NEAR_NAMES, cutoff=0.5)
    if close:
        return [names[match] for match in close]
    wanted = _words(name)
    shared = {tool.name: len(wanted & _words(f"{tool.name} {tool.description}")) for tool in tools}
    ranked = sorted(shared, key=lambda known: (-shared[known], known))
    return [known for known in ranked if shared[known]][:NEAR_NAMES]


async def checked(tool: Tool, raw: str) -> Arguments | Rejected:
    """`raw` as arguments of `tool`, or why it cannot run."""
    values = _strict(raw)
    if values is None and tool.effect == "read":
        values = await _tolerant(raw)
    if values is None:
        text = (
            f"error: broken_arguments\nreason: the arguments of {tool.name} are not one whole JSON"
            f" object; write them anew\nparameters: {_parameters(tool)}"
        )
        names = {"name": tool.name}
        return Rejected(kind="broken_arguments", text=text, key="execute.unreadable", values=names)
    return validated(tool, values)


def validated(tool: Tool, values: dict[str, Any]) -> Arguments | Rejected:
    """`values` as arguments of `tool`, or the list of what is missing or wrong."""
    try:
        return tool.arguments.model_validate(values)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
    if tool.effect == "read":
        # Some models write null for everything that they leave to the default.
        given = {name: value for name, value in values.items() if value is not None}
        if len(given) < len(values):
            return validated(tool, given)
    wrong: list[str] = []
    missing: list[str] = []
    for problem in problems:
        field = ".".join(str(part) for part in problem["loc"])[:80] or "-"
        if problem["type"] == "missing":
            missing.append(field)
        else:
            wrong.append(f"{field}: {problem['msg'][:160]}")
    text = "\n".join(
        [
            "error: bad_arguments",
            f"reason: the arguments do not fit {tool.name}",
            *([f"missing: {', '.join(missing)}"] if missing else []),
            *(f"wrong: {line}" for line in wrong[:8]),
            f"parameters: {_parameters(tool)}",
        ]
    )
    fields = ", ".join([*missing, *(line.partition(":")[0] for line in wrong)][:8])
    names = {"name": tool.name, "fields": fields}
    return Rejected(kind="bad_arguments", text=text, key="execute.arguments", values=names)


def _strict(raw: str) -> dict[str, Any] | None:
    if not raw.strip():
        return {}
    return _as_object(raw)


def _as_object(raw: str) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


async def _tolerant(raw: str) -> dict[str, Any] | None:
    """What tolerant parsing reads: an object with something in it, or None."""
    if len(raw.encode("utf-8", "replace")) > REPAIR_LIMIT or raw.rstrip().endswith((":", "：")):
        # A key without its value would get an invented one.
        return None
    value = await asyncio.to_thread(_repaired, raw)
    # Encoded twice: a string that holds the object.
    if isinstance(value, str):
        value = _as_object(value)
    if not isinstance(value, dict) or not value:
        return None
    values = cast(dict[str, Any], value)
    return None if any(_twice(name, raw) for name in values) else values


def _twice(name: str, raw: str) -> bool:
    """True if a key stands twice: one of them may be prose inside a value."""
    key = rf"[\"'“”‘’]{re.escape(name)}[\"'“”‘’]\s*[:：]"
    return len(re.findall(key, raw)) > 1


def _repaired(raw: str) -> Any:
    # Imported late: most runs never need it.
    from json_repair import loads

    try:
        return loads(raw)
    except (ValueError, RecursionError):
        return None


def _parameters(tool: Tool) -> str:
    names = [
        name if field.is_required() else f"{name} (optional)"
        for name, field in tool.arguments.model_fields.items()
    ]
    return ", ".join(names) or "none"


def _words(text: str) -> set[str]:
    return set(tokens(text.replace("_", " ")))
