"""Calls written as Python: `[search(query="leave", limit=3)]` -> names and arguments. Pure."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

Written = tuple[str, dict[str, Any]]
"""Name and arguments."""

BEGINS = re.compile(r"\[?\s*[A-Za-z_][\w.]*\(")
_OPEN = re.compile(r"[\s,\[]*([A-Za-z_][\w.]*)\s*\(")
_SHUT = re.compile(r"\s*\)")
_REST = re.compile(r"[\s\],]*")
_KEY = re.compile(r"[\s,]*([A-Za-z_]\w*)\s*=\s*")
_AFTER = r"\s*(?:,\s*[A-Za-z_]\w*\s*=|\)\s*(?:,?\s*[A-Za-z_][\w.]*\s*\(|[\s\],]*$))"
_QUOTED_END = {quote: re.compile(quote + rf"(?={_AFTER})") for quote in "'\""}
_BARE_END = re.compile(rf"(?={_AFTER})")
_BROKEN_SIZE = 20_000
"""Longest text whose broken quotes are looked at: each of them may be looked at many times."""
_CONSTANTS = {"null": None, "true": True, "false": False, "none": None}


def python_calls(text: str) -> list[Written] | None:
    """The calls that `text` is as a whole; None if it is something else, or not whole.

    Quotes that were not escaped inside a string are read by what follows them: models write shell
    commands into single quotes.
    """
    body = _parsed(text.strip())
    if body is None:
        return _broken_calls(text)
    calls = [call for each in body for call in _nodes(each)]
    if not calls or not all(isinstance(call, ast.Call) for call in calls):
        return None
    try:
        return [_written(call) for call in calls if isinstance(call, ast.Call)]
    except ValueError:
        return None


def literal(text: str) -> Any:
    """The value of a Python literal, sets and tuples as lists. ValueError if it is none."""
    body = _parsed(text.strip())
    if body is None or len(body) != 1:
        raise ValueError("no literal")
    return _value(body[0])


def _parsed(text: str) -> list[ast.expr] | None:
    try:
        with warnings.catch_warnings():
            # `\,` in a string is worth a warning to Python, and means itself.
            warnings.simplefilter("ignore")
            statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    values = [each.value for each in statements if isinstance(each, ast.Expr)]
    return values if values and len(values) == len(statements) else None


def _nodes(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else [node]


def _written(call: ast.Call) -> Written:
    keys = [each.arg for each in call.keywords]
    if call.args or None in keys or len(set(keys)) != len(keys):
        raise ValueError("arguments must be named, each once")
    return ast.unparse(call.func), {str(each.arg): _value(each.value) for each in call.keywords}


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            named = {str(_value(key)): _value(each) for key, each in pairs if key}
            if len(named) != len(keys):
                raise ValueError("a key twice")
            return named
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case _:
            raise ValueError("no literal")


def _broken_calls(text: str) -> list[Written] | None:
    """Calls whose quotes are broken; None if they cannot be read even so."""
    calls: list[Written] = []
    at = 0
    if len(text) > _BROKEN_SIZE:
        return None
    while found := _OPEN.match(text, at):
        arguments: dict[str, Any] = {}
        at = found.end()
        while not (shut := _SHUT.match(text, at)):
            key = _KEY.match(text, at)
            end = _end_of_value(text, key.end()) if key else None
            if key is None or end is None or key.group(1) in arguments:
                return None
            try:
                arguments[key.group(1)] = _broken_value(text[key.end() : end].strip())
            except ValueError:
                return None
            at = end
        calls.append((found.group(1), arguments))
        at = shut.end()
    return calls if _REST.fullmatch(text, at) else None


def _end_of_value(text: str, at: int) -> int | None:
    """Where a value ends: a quote counts only if what follows goes on with the call."""
    quoted = _QUOTED_END.get(text[at : at + 1])
    found = quoted.search(text, at + 1) if quoted else _BARE_END.search(text, at)
    return found.end() if found else None


def _broken_value(text: str) -> Any:
    try:
        return literal(text)
    except ValueError:
        if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
            raise
        return text[1:-1].replace("\\'", "'").replace('\\"', '"')
