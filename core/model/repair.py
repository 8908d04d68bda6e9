"""Repair of structured output: the text of a model -> JSON, cheapest way first.

The lines, and what each allows: `strip` (fences, think blocks, special tokens, prose round one
value) is no repair; `tolerant` means that something was guessed: only what reads may be worked
with it. `cut` tells that the text ended early, so that a part may be missing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from core.model.frames import (
    BRACKET,
    THINK_OPEN,
    bare,
    deepest,
    ends_open,
    start_of_json,
    unthought,
)
from core.model.lenient import DEPTH, NotPlain, Reader

REPAIR_LIMIT = 64 * 1024
"""Bytes; guessing costs about a hundred times as much as strict parsing."""
MOST_VALUES = 50
"""More values side by side are no answer."""
WRAPPERS = ("arguments", "args", "input", "parameters", "properties", "params")
"""Names that models put round all arguments."""

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE_MARK = re.compile(r"\A\s*(?:`{3,}|~{3,})[\w-]*|(?:`{3,}|~{3,})\s*\Z")
_GUESS_FAILED = (ValueError, RecursionError, LookupError, AssertionError, TypeError, AttributeError)
"""What json-repair raises on some texts, against its own word that it never does."""


@dataclass(frozen=True)
class Read:
    """What was read from a text."""

    value: Any = None
    """None when nothing could be read; `errors` tells it from a JSON null."""
    lines: tuple[str, ...] = ()
    """Which lines of repair fired: `strip`, `tolerant`, `alias`."""
    cut: bool = False
    """The text ended before the value did."""
    errors: tuple[str, ...] = ()
    """English lines for the model: `kind: what is wrong`."""
    guessed: bool = False
    """Not even plain reading (`core.model.lenient`) made sense of it."""

    @property
    def repaired(self) -> bool:
        """True if something was guessed."""
        return "tolerant" in self.lines


def read_json(
    text: str,
    *,
    schema: Mapping[str, Any] | None = None,
    fits: Callable[[Any], bool] | None = None,
) -> Read:
    """The JSON value in a model's text. Of several values the last that `fits`, or that fits the
    `schema`, is taken; without either they come as a list.
    """
    if fits is None and schema is not None:
        fits = partial(_fits, schema)
    value = _strict(text.strip().lstrip("\ufeff"))
    if value is not _NOTHING:
        return _fitted(Read(value), schema)
    chosen = _chosen(_plain_values(text), fits)
    if len(chosen) == 1 and chosen[0] is not _NOTHING:
        return _fitted(Read(chosen[0], ("strip",)), schema)
    body = bare(text)
    if not BRACKET.search(body):
        cut = bool(THINK_OPEN.match(text.lstrip()))
        return Read(cut=cut, errors=("no_json: the answer holds no JSON",))
    if len(body.encode("utf-8", "replace")) > REPAIR_LIMIT:
        return Read(errors=("too_long: the JSON is broken and too long to be mended",))
    return _fitted(_tolerant(body), schema)


def values_in(text: str) -> list[Any]:
    """The different whole values of a text, in order; none if one of them is broken."""
    values = _plain_values(text)
    return [] if _NOTHING in values else _chosen(values, None)


def read_arguments(
    text: str,
    schema: Mapping[str, Any] | None = None,
    *,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> Read:
    """The arguments of a tool call: always an object, or None with the reason.

    A lone wrapper (`arguments`, `input`, ...) that the schema does not know is taken off; `aliases`
    are other names of a parameter (name -> those). What is cut or `repaired` must not be
    worked by a tool that has effects.
    """
    if not text.strip():
        return _named(Read({}), schema, aliases)
    read = _object(text)
    if read.value is None:
        return read
    return _named(_unwrapped(read, schema), schema, aliases)


class _Nothing:
    """A value of its own: null is a value."""


_NOTHING = _Nothing()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _strict(text: str) -> Any:
    try:
        return sound(json.loads(text, parse_constant=_no_constant))
    except (ValueError, RecursionError):
        return _NOTHING


def sound(value: Any) -> Any:
    """The value without what cannot be written down again: half characters, infinite numbers."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode() if _half(value) else value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            kind = type(cast(dict[str, Any], value))
            held = cast(dict[Any, Any], value).items()
            return kind({sound(str(name)): sound(one) for name, one in held})
        case list():
            items = cast(list[Any], value)
            return type(items)(sound(one) for one in items)
        case _:
            return value


def _half(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _plain_values(text: str) -> list[Any]:
    """Values that parse strictly; `_NOTHING` among them where one is broken."""
    body = unthought(text)
    values = list(_values_of(body))
    if _NOTHING not in values:
        return values
    # A special token may be text of a string: they are taken out only where they are in the way.
    without = bare(text)
    return values if without == body else list(_values_of(without))


def _values_of(body: str) -> Iterator[Any]:
    """Those of fences, else those between prose; what stands behind a broken one is left out."""
    fenced = [_strict(found[2]) for found in _FENCE.finditer(body)]
    held = [value for value in fenced if isinstance(value, dict | list)]
    if held:
        yield from held
        return
    start = 0
    for _ in range(MOST_VALUES):
        start = start_of_json(body, start)
        if start < 0:
            return
        try:
            value, start = _DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            # Pieces of it that parse would be taken for the whole.
            break
        yield sound(value)
    yield _NOTHING


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    return not misfits(value, schema)


def _chosen(values: list[Any], fits: Callable[[Any], bool] | None) -> list[Any]:
    """Equal ones once; the last that fits, if that is asked for."""
    each = [value for at, value in enumerate(values) if value not in values[:at]]
    if fits is None:
        return each
    fitting = [value for value in each if value is not _NOTHING and fits(value)]
    return fitting[-1:] or each


def _tolerant(body: str) -> Read:
    start = start_of_json(body)
    if start >= 0:
        reader = Reader(body, start)
        try:
            value = sound(reader.read())
        except (NotPlain, RecursionError):
            pass
        else:
            if start_of_json(body, reader.pos) < 0:
                return Read(value, ("tolerant",), reader.cut)
    if deepest(body) > DEPTH:
        return Read(errors=("too_deep: the JSON is broken and nested too deep to be mended",))
    value = sound(_guessed(body))
    if not isinstance(value, dict | list):
        return Read(errors=("no_json: the answer holds no JSON that can be read",))
    return Read(value, ("tolerant",), ends_open(body), guessed=True)


def _guessed(body: str) -> Any:
    # Imported late: most runs never need it.
    from json_repair import loads

    try:
        return loads(body)
    except _GUESS_FAILED:
        return None


def _fitted(read: Read, schema: Mapping[str, Any] | None) -> Read:
    if schema is None or read.errors:
        return read
    value = read.value
    if isinstance(value, list) and misfits(value, schema):
        # Several values: the last that fits.
        fitting = [one for one in cast(list[Any], value) if not misfits(one, schema)]
        value = fitting[-1] if fitting else value
    return replace(read, value=value, errors=tuple(misfits(value, schema)))


def misfits(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """What of the outermost shape does not fit: kind, names that are missing or unknown."""
    wanted = schema.get("type")
    kinds: dict[str, type | tuple[type, ...]] = {
        "object": dict, "array": list, "string": str, "boolean": bool,
        "integer": int, "number": (int, float),
    }  # fmt: skip
    if isinstance(wanted, str) and wanted in kinds and not isinstance(value, kinds[wanted]):
        return [f"wrong_type: the value must be of type {wanted}"]
    if not isinstance(value, dict):
        return []
    held = cast(dict[str, Any], value)
    required = cast(Sequence[str], schema.get("required") or ())
    errors = [f"missing_argument: {name}" for name in required if name not in held]
    known = cast(Mapping[str, Any], schema.get("properties") or {})
    if schema.get("additionalProperties") is False:
        errors += [f"unknown_argument: {name[:80]}" for name in held if name not in known]
    return errors


def _object(text: str) -> Read:
    """The one object of an arguments text."""
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except _Twice as error:
        return Read(errors=(f"twice: {str(error)[:80]} stands twice",))
    except (ValueError, RecursionError):
        return _tolerant_object(text)
    if isinstance(value, str):
        # Encoded twice: a string that holds the object.
        inner = _strict(value)
        value = inner if isinstance(inner, dict) else value
    if not isinstance(value, dict):
        return Read(errors=("not_object: arguments must be one JSON object",))
    return Read(sound(value))


class _Twice(Exception):
    """A name stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return held


def _tolerant_object(text: str) -> Read:
    read = read_json(text)
    if read.errors:
        return read
    if not isinstance(read.value, dict):
        return Read(errors=("not_object: arguments must be one JSON object",))
    held = cast(dict[str, Any], read.value)
    if read.lines == ("strip",):
        # Other than an answer, arguments have no prose: where there is some, something went wrong.
        read = replace(read, lines=("tolerant",)) if _noise(text) else read
    if not held or (read.guessed and _repeats(held, text)):
        return Read(cut=read.cut, errors=("broken_json: the arguments are not one whole object",))
    return read


def _noise(text: str) -> bool:
    """True if more than fences and special tokens stands round the object."""
    body = _FENCE_MARK.sub("", _FENCE_MARK.sub("", bare(text))).strip()
    return _strict(body) is _NOTHING


def _repeats(held: Mapping[str, Any], text: str) -> bool:
    """True if a guessed name stands twice: one of them may be prose inside a value."""
    for name in held:
        key = rf"[\"'“”‘’]{re.escape(name)}[\"'“”‘’]\s*[:：]"
        if len(re.findall(key, text)) > 1 and not _nested(held, name):
            return True
    return False


def _nested(held: Mapping[str, Any], name: str) -> bool:
    """True if the name is also one of an inner object, where it may well stand again."""
    inner = json.dumps([value for value in held.values() if not isinstance(value, str)])
    return json.dumps(name) + ":" in inner


def _unwrapped(read: Read, schema: Mapping[str, Any] | None) -> Read:
    """Without a lone wrapper round all arguments, also where its content is a JSON text."""
    known = cast(Mapping[str, Any], (schema or {}).get("properties") or {})
    held = cast(dict[str, Any], read.value)
    if schema is None or len(held) != 1 or (name := next(iter(held))) in known:
        return read
    inner = held[name]
    if isinstance(inner, str):
        inner = _strict(inner)
    if name.casefold() not in WRAPPERS or not isinstance(inner, dict):
        return read
    return replace(read, value=inner, lines=(*read.lines, "alias"))


def _named(
    read: Read, schema: Mapping[str, Any] | None, aliases: Mapping[str, Sequence[str]] | None
) -> Read:
    """With parameters under the schema's names; what is still missing or unknown as errors."""
    if schema is None:
        return read
    held = cast(dict[str, Any], read.value)
    renamed = with_names(held, schema, aliases or {})
    if renamed != held:
        read = replace(read, value=renamed, lines=(*read.lines, "alias"))
    return replace(read, errors=tuple(misfits(renamed, schema)))


def with_names(
    held: Mapping[str, Any], schema: Mapping[str, Any], aliases: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The arguments under the names of the schema: case, `-` and known other names aside."""
    known = cast(Mapping[str, Any], schema.get("properties") or {})
    plain = {_plain(name): name for name in known}
    for name in known:
        for other in aliases.get(name, ()):
            plain.setdefault(_plain(other), name)
    renamed: dict[str, Any] = {}
    for name, value in held.items():
        wanted = name if name in known else plain.get(_plain(name), name)
        taken = wanted in renamed or (wanted != name and wanted in held)
        renamed[name if taken else wanted] = value
    return renamed


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
