"""Experience that code draws from a run's own steps: which tool failed, how, and what then worked.

Only names and kinds are read, never the text of a file, a page or a result: what a tool says must
not become something that is believed later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.memory.gate.op import Op
from core.memory.record import Memory
from core.messages import Language
from core.texts import say

KEEP_S = 30 * 86_400.0
"""A tool that failed last month may be well again."""
LASTING = frozenset({"timed_out", "tool_failed"})
"""Kinds that tell something of the tool; the others tell of the call."""

_MODEL = re.compile(r"loop:(\d+):model$")
_CALL = re.compile(r"loop:(\d+):call:(\d+)$")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A tool failed, and another one was of use after it."""

    tool: str
    kind: str
    then: str


def lessons(steps: Iterable[tuple[str, str]]) -> list[Lesson]:
    """What the journal rows (key, JSON) of one run teach; each failed tool at most once."""
    names: dict[int, list[str]] = {}
    ends: dict[tuple[int, int], dict[str, Any]] = {}
    for key, text in steps:
        if found := _MODEL.match(key):
            reply = json.loads(text)
            names[int(found[1])] = [str(call["name"]) for call in reply.get("calls", ())]
        elif found := _CALL.match(key):
            ends[int(found[1]), int(found[2])] = json.loads(text)
    calls = [
        (names[round_][number - 1], end)
        for (round_, number), end in sorted(ends.items())
        if number <= len(names.get(round_, ()))
    ]
    return list(dict.fromkeys(_lessons(calls)))


def _lessons(calls: list[tuple[str, dict[str, Any]]]) -> Iterable[Lesson]:
    worked = {name for name, end in calls if _is_of_use(end)}
    for at, (tool, end) in enumerate(calls):
        if end.get("kind") not in LASTING or tool in worked:
            continue
        after = (name for name, later in calls[at + 1 :] if name != tool and _is_of_use(later))
        if then := next(after, ""):
            yield Lesson(tool, str(end["kind"]), then)


def _is_of_use(end: dict[str, Any]) -> bool:
    result = end.get("result")
    return isinstance(result, dict) and not end.get("kind") and result.get("found", True) is True


def op_of(
    lesson: Lesson, owner: str, message: str, at: float, language: Language, *, direct: bool
) -> Op:
    """The lesson as a memory of the asker, for everybody in a channel."""
    kind = say(f"memory.kind.{lesson.kind}", language)
    return Op(
        op="add",
        owner=owner,
        layer="experience",
        text=say("memory.lesson", language, tool=lesson.tool, kind=kind, then=lesson.then),
        language=language,
        attribute=f"tool:{lesson.tool}:{lesson.kind}",
        channel=not direct,
        expires_at=at + KEEP_S,
        message=message,
        at=at,
        origin="run",
    )


def is_known(op: Op, known: Iterable[Memory]) -> bool:
    """True if the same was concluded before and still holds."""
    return any(one.attribute == op.attribute and one.text == op.text for one in known)
