"""A call as it was written -> a call as its tool's schema wants it, or why there is none. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.model.pythonic import literal

Schemas = Mapping[str, Mapping[str, Any]]
"""Tools by name, each with the JSON schema of its arguments."""
Parameter = tuple[str, str, bool | None]
"""Name, text, and whether the text was said to be JSON (True) or a string (False)."""

_NAME_KEYS = ("name", "tool", "tool_name", "function_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "tool_input", "params")
_WRAPPERS = ("arguments", "input", "parameters", "properties")
CALL_KEYS = frozenset(
    (*_NAME_KEYS, *_ARGUMENT_KEYS, "type", "id", "index", "tool_calls", "tool_call_id", "call_id")
)
"""Keys that an object may begin with to be a call."""
_TWICE = "a parameter stands there twice"
_CDATA = re.compile(r"^\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)
_SUFFIX = re.compile(r":\d+$")
_LISTED = ("anyOf", "oneOf", "allOf")
_ORDER = ("null", "integer", "number", "boolean", "object", "array", "string")
"""A value that may be of several types is of the first of these that its text fits."""


@dataclass(frozen=True)
class Written:
    """One call as it stood in the text."""

    name: str
    arguments: Any
    """An object; anything else is a mistake; None: there were none."""


@dataclass(frozen=True)
class Refused:
    """Why a written call is none: `unknown` tool, or `broken` (with what is wrong)."""

    kind: Literal["unknown", "broken"]
    what: str = ""
    arguments: dict[str, Any] | None = None
    """What could be read of them."""


def loads(text: str) -> Any:
    """JSON with raw line breaks in strings. ValueError for anything else, and for a key twice."""
    try:
        return json.loads(text, strict=False, object_pairs_hook=_once, parse_constant=_none_such)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key twice")
    return made


def _none_such(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def written_in(value: Any, *, marked: bool) -> list[Written]:
    """The calls that a JSON object holds; none if it has another shape.

    Without a mark before it only a name together with arguments is a call.
    """
    if not isinstance(value, dict):
        return []
    listed = value.get("tool_calls")
    if isinstance(listed, list):
        return [call for each in listed for call in written_in(each, marked=marked)]
    inner = value.get("function")
    if isinstance(inner, dict):
        return written_in(inner, marked=marked)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    keys = [key for key in _ARGUMENT_KEYS if key in value]
    if not name or (not keys and not marked):
        return []
    return [Written(name.strip(), value[keys[0]] if keys else None)]


def known_name(name: str, tools: Schemas | None) -> str | None:
    """The tool that `name` means; None if there is none. Without tools every name is good."""
    bare = _SUFFIX.sub("", name.strip())
    if tools is None:
        return bare.removeprefix("functions.") or None
    meant = (name, bare, bare.removeprefix("functions."))
    return next((each for each in meant if each in tools), None)


def settled(call: Written, tools: Schemas | None) -> tuple[str, dict[str, Any]] | Refused:
    """Name and arguments of a call that may be done, or why it may not."""
    name = known_name(call.name, tools)
    if name is None:
        return Refused("unknown")
    arguments = _object(call.arguments)
    if arguments is None:
        twice = call.arguments == _TWICE
        return Refused("broken", _TWICE if twice else "the arguments are no object")
    schema = tools.get(name, {}) if tools is not None else {}
    arguments = _unwrapped(arguments, schema)
    missing = [key for key in schema.get("required", ()) if key not in arguments]
    if missing:
        return Refused("broken", f"missing: {', '.join(missing)}", arguments)
    return name, arguments


def from_parameters(name: str, given: Sequence[Parameter], tools: Schemas | None) -> Written:
    """A call that was written as parameters in marks; its values typed by the schema."""
    known = known_name(name, tools)
    schema = tools.get(known, {}) if tools is not None and known is not None else {}
    keys = [key for key, _, _ in given]
    if len(set(keys)) != len(keys):
        return Written(name, _TWICE)
    plain = [(key, _CDATA.sub(r"\1", text), typed) for key, text, typed in given]
    return Written(name, {key: _value(key, text, typed, schema) for key, text, typed in plain})


def _object(value: Any) -> dict[str, Any] | None:
    """Arguments as an object; some models write it as JSON inside a string."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            value = loads(value)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _unwrapped(arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments inside a lone wrapper that the tool has no parameter for."""
    properties = schema.get("properties")
    if len(arguments) != 1 or not isinstance(properties, Mapping):
        return arguments
    key, value = next(iter(arguments.items()))
    if key not in _WRAPPERS or key in properties:
        return arguments
    if isinstance(value, str):
        value = _json_or_python(value)
    return value if isinstance(value, dict) else arguments


def _json_or_python(text: str) -> Any:
    """The value that a text means, or the text itself."""
    try:
        return loads(text)
    except ValueError:
        pass
    try:
        return literal(text)
    except ValueError:
        return text


def _value(key: str, text: str, typed: bool | None, schema: Mapping[str, Any]) -> Any:
    if typed is False:
        return text
    if typed:
        return _json_or_python(text)
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or key not in properties:
        return text
    allowed = set(_types(properties[key], schema, 0))
    for kind in _ORDER:
        if kind in allowed:
            fits, value = _as(kind, text)
            if fits:
                return value
    return text


def _types(schema: Any, root: Mapping[str, Any], depth: int) -> Iterator[str]:
    """Names of the types that a schema allows."""
    if not isinstance(schema, Mapping) or depth > 8:
        return
    kind = schema.get("type")
    yield from (kind,) if isinstance(kind, str) else kind or ()
    for value in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])):
        if kind is None:
            yield _type_of(value)
    for listed in _LISTED:
        for each in schema.get(listed, ()):
            yield from _types(each, root, depth + 1)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        yield from _types(root.get("$defs", {}).get(reference[8:]), root, depth + 1)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "string")


def _as(kind: str, text: str) -> tuple[bool, Any]:
    """Whether a text is of a type, and its value."""
    bare = text.strip()
    if kind == "string":
        return True, text
    if kind == "null":
        return bare == "null", None
    if kind == "boolean":
        return bare.lower() in ("true", "false"), bare.lower() == "true"
    if kind in ("integer", "number"):
        return _number(kind, bare)
    value = _json_or_python(bare)
    return isinstance(value, dict if kind == "object" else list), value


def _number(kind: str, text: str) -> tuple[bool, Any]:
    if re.fullmatch(r"[-+]?\d{1,300}", text):
        return True, int(text)
    try:
        value = float(text)
    except ValueError:
        return False, None
    if kind == "integer":
        return value.is_integer() and abs(value) < 1e15, int(value) if value.is_integer() else None
    # Neither infinity nor "not a number" can be written in JSON.
    return abs(value) < float("inf"), value
