"""What depends on what, in all the ways in which models write it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from core.plan.names import NONE, Item, clean_id, plain
from core.plan.schema import REFERENCE

_BRACES = re.compile(r"\{\{\s*(?P<node>[\w-]+)(?P<path>(?:\.[\w-]+|\[\d+\])*)\s*\}\}")
_DOLLAR = re.compile(r"(?<![\w$])(?:\$|#E)(?P<node>[\w-]+)(?P<path>(?:\.[A-Za-z_][\w-]*|\[\d+\])*)")
_WHOLE_RESULT = frozenset(("output", "outputs", "result", "response"))
"""Words for all of a result, where models do not know ours."""
_PREFIX = re.compile(r"^(?:nodes?|steps?|tasks?|节点|步骤|任务|第|[#$nsteNSTE])[\s_:#-]*(?=\w)")


MOST_LINKS = 200
"""Of one node; each is held against all ids, and no plan has as many nodes."""

_COUNTED = re.compile(
    r"\b(?:nodes?|steps?|tasks?)\s+(?=\w)|(?:节点|步骤|任务)\s*(?=\w)", re.IGNORECASE
)


def link(value: Any, known: Collection[str]) -> str:
    """The id that a dependency means: as written, or with words like `step` taken off or put on."""
    written = clean_id(value)
    if written in known:
        return written
    short = _PREFIX.sub("", written).removesuffix("步")
    by_plain, by_short = _forms(tuple(known))
    return (
        (by_plain.get(plain(written)) if written else None)
        or (by_short.get(short) if short else None)
        or written
    )


@lru_cache(16)
def _forms(known: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """The ids by their plain and by their short form, the first of each."""
    by_plain = {plain(one): one for one in reversed(known)}
    return by_plain, {_PREFIX.sub("", one): one for one in reversed(known)}


def links(value: Any, known: Collection[str]) -> list[str]:
    """The ids of a `depends_on` in any of its shapes, each once."""
    found: list[str] = []
    for part in islice(_parts(value, known), MOST_LINKS):
        one = link(part, known)
        if one and one not in found:
            found.append(one)
    return found


def _parts(value: Any, known: Collection[str]) -> Sequence[Any]:
    match value:
        case None | bool():
            return ()
        case str():
            text = value.strip()
            if text.casefold() in NONE:
                return ()
            if clean_id(text) in known:
                return (text,)
            inner = re.sub(r"^[\[(（]|[\])）]$", "", text)
            inner = _COUNTED.sub("", inner)
            parts = re.split(r"[,，、;；|&\s]+|\band\b|和|与", inner)
            return [part.strip("\"'“”‘’ ") for part in parts if part.strip("\"'“”‘’ ")]
        case list():
            items = cast(list[Any], value)
            return [part for item in items for part in _parts(item, known)]
        case dict():
            held = cast(dict[str, Any], value)
            one = Item(held).take("id")
            return (one,) if one is not None else [name for name, on in held.items() if on]
        case _:
            return (value,)


@dataclass(frozen=True)
class References:
    """Other ways to refer to a result -> `${id.path}`."""

    ids: Sequence[str]
    wanted: Sequence[str]
    """Ids that the node depends on: only these are looked for without braces, because `$5` is
    also money."""

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            held = cast(dict[str, Any], value)
            return {name: self.value(one) for name, one in held.items()}
        if isinstance(value, list):
            return [self.value(one) for one in cast(list[Any], value)]
        return value

    def text(self, text: str) -> str:
        text = _BRACES.sub(lambda match: self._one(match, self.ids), text)
        text = REFERENCE.sub(lambda match: self._one(match, self.ids), text)
        return _DOLLAR.sub(lambda match: self._one(match, self.wanted), text)

    def _one(self, match: re.Match[str], known: Collection[str]) -> str:
        node = link(match["node"], known)
        if node not in known:
            return match[0]
        path = "" if match["path"].removeprefix(".") in _WHOLE_RESULT else match["path"]
        return f"${{{node}{path}}}"
