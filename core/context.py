"""RunContext: what a run hands down to its modes, tools and models."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import RunStopped
from core.events import Body
from core.journal import Journal
from core.request import Request

T = TypeVar("T")
Emit = Callable[[str, Body], Awaitable[None]]
"""Send one event body from a path; waits while the channel is full."""


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
    """Checked before they are spent."""

    rounds: int = 10
    """Rounds of the loop."""
    tool_calls: int = 40
    seconds: float = 600.0
    tokens: int = 200_000


@dataclass(frozen=True)
class RunContext:
    """What a run hands down to its modes, tools and models."""

    request: Request
    journal: Journal
    emit: Emit
    stop: StopSignal
    limits: Limits = Limits()
