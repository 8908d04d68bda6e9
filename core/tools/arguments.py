"""Raw arguments of a model -> checked arguments of a tool, or an error that it can act on.

Validation stands apart from execution. Arguments of a tool with effects are taken as the model
wrote them or not at all; only reading tools get the benefit of repair.
"""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from pydantic import ValidationError

from core.index.tokens import tokens
from core.messages import Frozen
from core.model.repair import Read, read_arguments
from core.tools.tool import Arguments, Tool

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
    """`raw` as arguments of `tool`, or why it cannot run.

    What had to be guessed, or ended early, is worked by tools that only read and by no other.
    """
    read = await _read(raw, tool.parameters)
    broken = not isinstance(read.value, dict)
    if broken or (tool.effect != "read" and (read.repaired or read.cut)):
        return _broken(tool, "; ".join(read.errors))
    return validated(tool, cast(dict[str, Any], read.value))


async def _read(raw: str, schema: Mapping[str, Any]) -> Read:
    try:
        json.loads(raw or "{}")
    except (ValueError, RecursionError):
        # Mending can take a tenth of a second, and the loop has other runs to serve.
        return await asyncio.to_thread(read_arguments, raw, schema)
    return read_arguments(raw, schema)


def _broken(tool: Tool, why: str) -> Rejected:
    reason = f"the arguments of {tool.name} are not one whole JSON object; write them anew"
    text = "\n".join(
        [
            "error: broken_arguments",
            f"reason: {reason}{f' ({why[:160]})' if why else ''}",
            f"parameters: {_parameters(tool)}",
        ]
    )
    values = {"name": tool.name}
    return Rejected(kind="broken_arguments", text=text, key="execute.unreadable", values=values)


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


def _parameters(tool: Tool) -> str:
    names = [
        name if field.is_required() else f"{name} (optional)"
        for name, field in tool.arguments.model_fields.items()
    ]
    return ", ".join(names) or "none"


def _words(text: str) -> set[str]:
    return set(tokens(text.replace("_", " ")))
