"""RunContext: what a run hands down to its modes, tools and models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import RunStopped, ThreadmateError
from core.events import Body, Need, Usage
from core.journal import Journal
from core.messages import Frozen
from core.request import Request

T = TypeVar("T")
Emit = Callable[[str, Body], Awaitable[None]]
"""Send one event body from a path; waits while the channel is full."""


class NeedsPerson(ThreadmateError):
    """Not a failure: the run is suspended. The call is kept and the thread is freed."""

    key = "error.needs_person"

    def __init__(self, *needs: Need) -> None:
        super().__init__(", ".join(need.id for need in needs))
        self.needs = needs


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks and wait until they are over, however often we are cancelled meanwhile."""
    for task in tasks:
        task.cancel()
    cancelled: asyncio.CancelledError | None = None
    while pending := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError as error:
            cancelled = error
    for task in tasks:
        # Looked at, so that an error nobody waited for is no "never retrieved" in the log.
        if not task.cancelled():
            task.exception()
    if cancelled is not None:
        raise cancelled


@dataclass
class StopSignal:
    """Set once by a person; everything in the run looks at it or is cancelled by it."""

    by: str = ""
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, by: str) -> None:
        """Ask the run to stop; `by` is the person's id."""
        if not self._event.is_set():
            self.by = by
            self._event.set()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    async def wait(self) -> None:
        await self._event.wait()

    def check(self) -> None:
        """Raise RunStopped if the run was stopped."""
        if self.is_set:
            raise RunStopped(self.by)

    async def during(self, work: Awaitable[T]) -> T:
        """The result of `work`; RunStopped as soon as the run is stopped, with `work` awaited."""
        task = asyncio.ensure_future(work)
        stopped = asyncio.create_task(self._event.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            # Also on a cancel from outside: nothing of this run may live on.
            await ended(task, stopped)
        raise RunStopped(self.by)


@dataclass(frozen=True)
class Limits:
    """Checked before they are spent; one purse for a run with all its nodes and sub-agents."""

    rounds: int = 10
    """Rounds of one loop."""
    requests: int = 50
    """Model calls of the run."""
    tool_calls: int = 40
    seconds: float = 600.0
    tokens: int = 200_000
    usd: float = 0.0
    """Money; 0 is no limit."""


@dataclass(frozen=True)
class PlanKnobs:
    """How plans are worked; `[plan]` in threadmate.toml."""

    nodes: int = 20
    parallel: int = 4
    """Nodes at work at the same time."""
    racing: bool = True
    """False: all members of a race group run, and all results are kept."""
    grace_s: float = 0.3
    """How long a local hit is waited for after a hit from the web: it is preferred."""
    node_s: float = 120.0
    """Longest time of one node."""
    retries: int = 1
    """Of a node that only reads or is idempotent."""
    replans: int = 1
    result_chars: int = 6_000
    """What the generator and dependents get of one node's result; the whole is kept."""


@dataclass
class Purse:
    """What a run has spent so far, its nodes and sub-agents included."""

    limits: Limits = field(default_factory=Limits)
    usage: Usage = Usage()
    started: float = field(default_factory=time.monotonic)

    def spend(self, usage: Usage) -> None:
        """Count what was spent; replayed steps are counted as well."""
        self.usage = self.usage.plus(usage)

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - (time.monotonic() - self.started)

    def short_of(self, *, requests: int = 0, tool_calls: int = 0, tokens: int = 0) -> str:
        """Name of the limit that spending this much more would break; empty if none."""
        used, limits = self.usage, self.limits
        if used.requests + requests > limits.requests:
            return "requests"
        if used.tool_calls + tool_calls > limits.tool_calls:
            return "tool_calls"
        if used.input_tokens + used.output_tokens + tokens > limits.tokens:
            return "tokens"
        if limits.usd and used.usd >= limits.usd:
            return "money"
        return "time" if self.seconds_left <= 0 else ""


class SubTask(Frozen):
    """Work for a sub-agent: a teammate with a history and tools of its own."""

    path: str
    """Where in the run: `node:n2`. Its journal keys and events begin with it."""
    teammate: str
    task: str
    upstream: str = ""
    """Results that it builds on; data, never instructions."""


class SubAnswer(Frozen):
    """What a sub-agent came to."""

    text: str
    """With the run's marks; its sources are in the run's book."""
    usage: Usage = Usage()
    found: bool = True
    """False when it refused or found nothing: in a race a failure."""
    by_code: bool = False


Spawn = Callable[["RunContext", SubTask], Awaitable[SubAnswer]]
"""Run a sub-agent to its end inside the run. Raises NeedsPerson, RunStopped, ModelError."""


@dataclass(frozen=True)
class RunContext:
    """What a run hands down to its modes, tools and models."""

    request: Request
    journal: Journal
    emit: Emit
    stop: StopSignal
    limits: Limits = Limits()
    knobs: PlanKnobs = PlanKnobs()
    purse: Purse = field(default_factory=Purse)
    spawn: Spawn | None = None
    """None inside a sub-agent: sub-agents start no sub-agents."""
