"""A plan written as numbered calls: `1. search("x")`, `2. write($1)`, `3. join()`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

_LINE = re.compile(
    r"^\s*(?:\$?(?P<id>\d{1,3})[.):=、]\s*)(?P<call>[A-Za-z_][\w.-]*\s*\(.*\))\s*;?\s*$"
)
_CALL = re.compile(r"^\s*(?P<name>[A-Za-z_][\w.-]*)\s*\((?P<inside>.*)\)\s*$", re.DOTALL)
_JOIN = frozenset(("join", "finish", "end", "done"))


@dataclass(frozen=True)
class Call:
    """`name(positional…, key=value…)`."""

    name: str
    positional: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict[str, Any])


def numbered(text: str) -> list[tuple[str, Call]]:
    """Number and call of each line that is one; the closing `join()` is none of them."""
    found: list[tuple[str, Call]] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        call = called(match["call"]) if match else None
        if match and call and call.name.casefold() not in _JOIN:
            found.append((match["id"], call))
    return found


def called(text: str) -> Call | None:
    """A call as it is written in code; None if the text is none."""
    match = _CALL.match(text)
    if match is None:
        return None
    inside = match["inside"].strip()
    try:
        # Parsed, never run.
        call = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call):
        return Call(match["name"], (inside.strip("\"'"),) if inside else ())
    named = {one.arg: _value(one.value) for one in call.keywords if one.arg}
    return Call(match["name"], tuple(_value(one) for one in call.args), named)


def _value(node: ast.expr) -> Any:
    try:
        value: Any = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ast.unparse(node)
    return list(value) if isinstance(value, tuple | set) else value


def used(text: str, known: Collection[str]) -> list[str]:
    """Ids that a text uses as `$1` or `#E1`."""
    found = [match[1] for match in re.finditer(r"(?<![\w$])(?:\$|#E)(\w+)", text)]
    return [one for one in dict.fromkeys(found) if one in known]
