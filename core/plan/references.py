"""References `${node.path}` in arguments and tasks, filled in on parsed JSON.

What is filled in is a value inside the parsed arguments, never text pasted into JSON, and is not
looked at for references again: a result cannot change the shape of a call or reach other results.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.errors import ToolFailed
from core.plan.schema import REFERENCE

_PART = re.compile(r"[\w-]+")
KNOWN_LINES = 12
"""Most places that an error names as known."""
PLACE_DIGITS = 9
FILLED_CHARACTERS = 400_000
"""Of all that is filled into one node: a task may refer to one result ten thousand times."""


class TooMuch(ToolFailed):
    """References bring in more than any node can take."""

    def __init__(self) -> None:
        super().__init__(key="nodes.too_much", limit=f"{FILLED_CHARACTERS:,}")


class ReferenceMissing(ToolFailed):
    """A reference points at nothing; `detail` names it and what is there, for the planner."""

    def __init__(self, reference: str, known: Sequence[str]) -> None:
        there = ", ".join(known[:KNOWN_LINES]) or "nothing"
        super().__init__(
            f"{reference} points at nothing; known there: {there}",
            key="nodes.reference",
            reference=reference,
        )


def filled(value: Any, results: Mapping[str, Mapping[str, Any]]) -> Any:
    """`value` with its references filled in from `results` (node id -> what `view` made).

    A string that is one reference becomes the value with its type; inside a longer string a value
    that is no text stands as JSON. Raises ReferenceMissing, and TooMuch before memory is full.
    """
    return _Filling(results).value(value)


@dataclass
class _Filling:
    results: Mapping[str, Mapping[str, Any]]
    characters: int = 0

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            whole = REFERENCE.fullmatch(value.strip())
            if whole:
                return self._found(whole)[0]
            return REFERENCE.sub(lambda match: self._found(match)[1], value)
        if isinstance(value, Mapping):
            held = cast(Mapping[str, Any], value)
            return {name: self.value(inner) for name, inner in held.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in cast(Sequence[Any], value)]
        return value

    def _found(self, match: re.Match[str]) -> tuple[Any, str]:
        """What a reference points at, as it is and as text."""
        found = _looked_up(match, self.results)
        text = _as_text(found)
        self.characters += len(text)
        if self.characters > FILLED_CHARACTERS:
            raise TooMuch()
        return found, text


def view(text: str, summary: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """What references can reach of one result: `text`, `summary`, `details`, and the places inside
    a text that is JSON or inside the details by their own names."""
    data = parsed(text)
    inner = cast(dict[str, Any], data) if isinstance(data, dict) else {}
    own = {"text": text, "summary": summary, "details": dict(details)}
    return {**details, **inner, **own, "": data}


def parsed(text: str) -> Any:
    """The object or list that a text is as JSON; None if it is neither."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _looked_up(match: re.Match[str], results: Mapping[str, Mapping[str, Any]]) -> Any:
    reference, node = match.group(), match["node"]
    if node not in results:
        raise ReferenceMissing(reference, sorted(results))
    found = results[node]
    parts = _PART.findall(match["path"])
    if not parts:
        return found["text"]
    if parts[0] == "text" and len(parts) > 1:
        parts = parts[1:]
        return _walked(found[""], parts, reference)
    if parts[0] not in found:
        return _walked(found[""], parts, reference, [name for name in found if name])
    return _walked(found, parts, reference)


def _walked(
    value: Any, parts: Sequence[str], reference: str, known: Sequence[str] | None = None
) -> Any:
    for part in parts:
        if isinstance(value, Mapping) and part in value:
            value = cast(Mapping[str, Any], value)[part]
        elif isinstance(value, list) and (at := _place(part, cast(list[Any], value))) is not None:
            value = cast(list[Any], value)[at]
        else:
            raise ReferenceMissing(reference, _names(value) if known is None else known)
    return value


def _place(part: str, value: Sequence[Any]) -> int | None:
    """A place in a list; None where it has none. Python reads no number of 5,000 digits."""
    fits = part.isdecimal() and len(part) <= PLACE_DIGITS and int(part) < len(value)
    return int(part) if fits else None


def _names(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [str(name) for name in cast(Mapping[str, Any], value)]
    if isinstance(value, list):
        return [f"[0] to [{len(cast(list[Any], value)) - 1}]"] if value else []
    return []


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
