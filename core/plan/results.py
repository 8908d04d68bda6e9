"""What came of the nodes of a plan, and how much of it others get. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from core.events import Need, Usage
from core.messages import Frozen
from core.plan.references import view

State = Literal["done", "failed", "dropped", "waiting"]

UPSTREAM_RESULTS = 4
"""A sub-agent gets as much text as this many whole budgets of one result, shared by all it
depends on."""
LEAST_CHARACTERS = 400
"""Of one result, however many there are."""


class NodeResult(Frozen):
    """How a node ended, or that it waits for a person."""

    id: str
    """As the plan has it."""
    step: str
    """Id of its step: `node:n1`; `node:n1@2` in the second plan."""
    title: str
    state: State
    tool: str = ""
    teammate: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """With references filled in; a teammate's `task`."""
    text: str = ""
    """The whole, for a model; with the run's marks."""
    summary: str = ""
    details: dict[str, Any] = Field(default_factory=dict[str, Any])
    found: bool = True
    has_sources: bool = False
    """True if it touched document places."""
    reason: str = ""
    """Why it failed or was dropped: one sentence for people, in their language."""
    kind: str = ""
    """Of the failure: as in `core.tools.execute.Outcome.kind`, or `reference`, `nothing_found`,
    `node_timed_out`, `broken`, `error`."""
    hint: str = ""
    """Of the failure, for the planner, in English; the reason where there is none."""
    usage: Usage = Usage()
    ms: int = 0
    replayed: bool = False

    @property
    def data(self) -> dict[str, Any]:
        """What references can reach."""
        return view(self.text, self.summary, self.details)

    @property
    def digest(self) -> str:
        """Of the exact work: who does it, with which arguments."""
        held = json.dumps(
            [self.tool, self.teammate, self.arguments], sort_keys=True, ensure_ascii=False
        )
        return hashlib.sha256(held.encode()).hexdigest()


class PlanResult(Frozen):
    """What came of a plan and, where there was one, of its second try."""

    nodes: tuple[NodeResult, ...]
    needs: tuple[Need, ...] = ()
    """What nodes in state `waiting` wait for."""

    @property
    def done(self) -> tuple[NodeResult, ...]:
        return tuple(node for node in self.nodes if node.state == "done")


def cut(text: str, limit: int) -> str:
    """The start of a result in about `limit` characters; what was cut is said where it was cut."""
    if len(text) <= limit:
        return text
    # Half a mark would stand for another source.
    head = re.sub(r"\[\d{0,4}$", "", text[:limit])
    return f"{head}\n[cut here: {limit:,} of {len(text):,} characters are shown]"


def upstream(results: Sequence[NodeResult], result_chars: int) -> str:
    """The results that a sub-agent builds on, inside a budget; what short ones leave of it is the
    long ones'. So a report that was written for one to work on comes whole."""
    sizes = [len(node.text) for node in results]
    limit = max(LEAST_CHARACTERS, _level(sizes, UPSTREAM_RESULTS * result_chars))
    return "\n\n".join(f"{node.title}:\n{cut(node.text, limit)}" for node in results)


def _level(sizes: Sequence[int], total: int) -> int:
    """The most that each may have if all together have `total`."""
    left = total
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return total


def lines_for_planner(results: Sequence[NodeResult]) -> list[str]:
    """What happened to a plan, one English line a node: the ground for a new one."""
    return [_line(result) for result in results]


def _line(node: NodeResult) -> str:
    given = json.dumps(node.arguments, ensure_ascii=False)[:300]
    work = f"{node.tool or '@' + node.teammate} {given}"
    match node.state:
        case "done":
            return f"done: node {node.id}: {work}: do not do it again"
        case "failed":
            reason = (node.hint or node.reason)[:300]
            return f"failed: node {node.id}: {work}: {node.kind}: {reason}"
        case "waiting":
            return f"waiting: node {node.id}: {work}: a person decides on it; do not do it again"
        case "dropped":
            return f"not_run: node {node.id}: {work}"
