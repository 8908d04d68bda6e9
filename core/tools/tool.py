"""A tool: a card that the model and the planner read, and a button that does the work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.messages import Frozen
from core.sources import Source

Effect = Literal["read", "write_own", "write_shared", "external"]


AT_WORK: ContextVar[str] = ContextVar("AT_WORK", default="")
"""Key of the call at work: the place in the run of a sub-agent that it starts."""


class Arguments(BaseModel):
    """Base of a tool's arguments: unknown names are refused, so that drift is seen."""

    # Docstrings under the fields are their descriptions in the schema that the model reads.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ToolResult(Frozen):
    """Two parts: `text` for the model, `details` for people. Kept in the journal as one JSON."""

    text: str
    """Passages with run-local marks `[1]`; no ids, scores or paths."""
    summary: str = ""
    """One short line for the step, in the run's language."""
    details: dict[str, Any] = Field(default_factory=dict)
    """For people and traces; never in a prompt. `load`: names of tools to load from here on;
    `teammate`: name of the teammate that takes over."""
    sources: tuple[Source, ...] = ()
    found: bool = True
    """False when nothing was found: in a race, and for the choice of the next mode, a failure."""


@dataclass(frozen=True)
class Tool:
    """One tool of one run, bound to what that run may read."""

    name: str
    description: str
    """Says what it answers, when to take it and which neighbour to take instead."""
    arguments: type[Arguments]
    run: Callable[[Any], Awaitable[ToolResult]]
    """Takes an instance of `arguments`; raises ToolFailed with a sentence."""
    title: Callable[[Any], str]
    """The step line for people, in the run's language, from the arguments."""
    effect: Effect = "read"
    timeout_s: float = 30.0
    cacheable: bool = True
    return_direct: bool = False
    needs_approval: bool | Callable[[Any], bool] = False
    """Whether a person must allow the call; may depend on the arguments."""
    unless_written: Callable[[Any], Sequence[str]] | None = None
    """Texts of the arguments: if the asker wrote each of them in this thread, no approval is
    needed any more. An address that they typed themselves is one that they mean."""
    idempotent: bool = False
    """Doing it twice does no more than once: may be retried although it has effects."""
    pinned: bool = False
    """Always loaded in full."""
    keywords: tuple[str, ...] = ()
    """Words by which people ask for it, zh and en, beside those of name and description."""
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Values that a parameter may take in this run, for the planner; e.g. names of KBs."""
    origin: str = "builtin"
    """`builtin`, `mcp:NAME`, `teammate`, or `web`: a race prefers what is not from the web."""

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments, for the model; one object for all who ask."""
        return schema_of(self.arguments)


@cache
def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Building one takes 1 ms of the loop, and every model call asks for all."""
    return arguments.model_json_schema()
