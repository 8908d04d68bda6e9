"""RunContext: what a run hands down to its modes, tools and models."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

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


Kind = Literal["read", "model", "effect"]
"""What a piece of work is: a tool that only reads, a call of a model, a call with effects."""

Depth = Literal["after_tools", "after_model", "soon", "now"]
"""How deep a stop cuts.

`after_tools`: the round at work comes to its end; no further call of a model begins.
`after_model`: the model's answer comes to its end; no tool begins.
`soon`: only a call with effects comes to its end: half a payment helps nobody.
`now`: nothing does.
"""

MAY_FINISH: dict[Depth, frozenset[Kind]] = {
    "after_tools": frozenset({"read", "model", "effect"}),
    "after_model": frozenset({"model", "effect"}),
    "soon": frozenset({"effect"}),
    "now": frozenset(),
}
DEPTHS = tuple(MAY_FINISH)


@dataclass
class StopSignal:
    """Set by a person; everything in the run looks at it or is cancelled by it.

    It only ever grows deeper: a second stop may cut what the first one let finish.
    """

    by: str = ""
    """Who asked first."""
    depth: Depth | None = None
    """None while nobody asked."""
    _work: Counter[Kind] = field(default_factory=Counter[Kind])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, by: str, depth: Depth = "soon", *, escalate_after: float | None = None) -> None:
        """Ask the run to stop; `by` is the person's id.

        What is still at work `escalate_after` seconds later is stopped `now`.
        """
        if self.depth is None:
            self.by = by
        elif DEPTHS.index(depth) <= DEPTHS.index(self.depth):
            return
        self.depth = depth
        self._wake()
        if escalate_after is not None and depth != "now":
            asyncio.get_running_loop().call_later(escalate_after, self.set, by, "now")

    @property
    def is_set(self) -> bool:
        return self.depth is not None

    @property
    def finishing(self) -> bool:
        """True while the run was stopped and something is let finish."""
        return self.depth is not None and any(
            self._work[kind] > 0 for kind in MAY_FINISH[self.depth]
        )

    async def asked(self) -> None:
        """Wait until somebody asks to stop."""
        while not self.is_set:
            await self._changed.wait()

    async def wait(self) -> None:
        """Wait until the run has to be cancelled: stopped, and nothing is let finish any more.

        The depths `after_…` cancel nothing; there the run ends at its next `check`.
        """
        while self.depth not in ("soon", "now") or self.finishing:
            await self._changed.wait()

    def check(self, kind: Kind = "read") -> None:
        """Raise RunStopped if work of this kind may not begin any more."""
        if self.depth is not None and (self.depth != "after_tools" or kind == "model"):
            raise RunStopped(self.by)

    async def during(self, work: Awaitable[T], kind: Kind = "read") -> T:
        """The result of `work`; RunStopped, with `work` awaited, as soon as a stop reaches it.

        What a stop lets finish is kept from every cancel that comes of the stop, also from those
        of neighbours which end at once; so `work` should hold the writing of its own result.
        """
        task = asyncio.ensure_future(work)
        self._work[kind] += 1
        reached = asyncio.create_task(self._reached(kind))
        cancelled: asyncio.CancelledError | None = None
        try:
            while not (task.done() or reached.done()):
                try:
                    await asyncio.wait({task, reached}, return_when=asyncio.FIRST_COMPLETED)
                except asyncio.CancelledError as error:
                    if not self.is_set or self._cuts(kind):
                        raise
                    cancelled = error
            if task.done() and cancelled is None:
                return task.result()
        finally:
            # Also on a cancel from outside: nothing of this run may live on.
            try:
                await ended(task, reached)
            finally:
                self._work[kind] -= 1
                self._wake()
        raise cancelled or RunStopped(self.by)

    async def _reached(self, kind: Kind) -> None:
        while not self._cuts(kind):
            await self._changed.wait()

    def _cuts(self, kind: Kind) -> bool:
        return self.depth is not None and kind not in MAY_FINISH[self.depth]

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


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
    """What the generator gets of one node's result; a sub-agent gets up to four times as much of
    all that it depends on. The whole is kept, and `${n1.text}` is the whole."""


@dataclass
class Purse:
    """What a run has spent so far, its nodes and sub-agents included."""

    limits: Limits = field(default_factory=Limits)
    usage: Usage = Usage()
    started: float = field(default_factory=time.monotonic)
    held: Usage = Usage()
    """Of calls at work: those beside them cannot spend it as well."""

    @contextmanager
    def hold(self, usage: Usage) -> Generator[None]:
        """Keep this much back until the call at work has paid."""
        self.held = self.held.plus(usage)
        try:
            yield
        finally:
            self.held = self.held.minus(usage)

    @property
    def tokens_left(self) -> int:
        return self.limits.tokens - self._in_use.input_tokens - self._in_use.output_tokens

    @property
    def _in_use(self) -> Usage:
        return self.usage.plus(self.held)

    def spend(self, usage: Usage) -> None:
        """Count what was spent; replayed steps are counted as well."""
        self.usage = self.usage.plus(usage)

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - (time.monotonic() - self.started)

    def short_of(self, *, requests: int = 0, tool_calls: int = 0, tokens: int = 0) -> str:
        """Name of the limit that spending this much more would break; empty if none."""
        used, limits = self._in_use, self.limits
        if used.requests + requests > limits.requests:
            return "requests"
        if used.tool_calls + tool_calls > limits.tool_calls:
            return "tool_calls"
        if tokens > self.tokens_left:
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


@dataclass
class Heard:
    """What the asker wrote in this thread, word for word; some calls need no click for it."""

    before: list[str] = field(default_factory=list[str])
    """Their earlier turns, oldest first."""
    now: list[str] = field(default_factory=list[str])
    """The question of this run, and their answers to what it asked."""

    @property
    def all(self) -> list[str]:
        return [*self.before, *self.now]


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
    forbids: Callable[[Request], str] | None = None
    """Why the asker may not use tools with effects, now; empty if they may."""
    touched: set[str] = field(default_factory=set[str])
    """Tools that were called whose results are of the moment, sub-agents' ones included."""
    heard: Heard = field(default_factory=Heard)
    """Sub-agents share it: their task is a model's words, and those allow nothing."""
