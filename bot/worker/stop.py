"""The watch that brings a request to stop to the process that works the run."""

from __future__ import annotations

import asyncio
import logging
from typing import TypeVar

from core.context import Depth, StopSignal
from core.errors import StoreError
from core.store import Store, Transaction

T = TypeVar("T")
log = logging.getLogger(__name__)

WATCH_S = 0.25
"""How often requests are looked for while runs are at work; nothing is looked for without runs."""


def asked_to_stop(tx: Transaction, runs: list[str]) -> dict[str, tuple[str, Depth]]:
    """Who asked to stop which of the runs, and how deep: asked again, nothing is let finish."""
    found: dict[str, tuple[str, Depth]] = {}
    for run in runs:
        row = tx.one("SELECT person, again FROM stop_request WHERE run = :run", {"run": run})
        if row is not None:
            found[run] = (str(row[0]), "now" if row[1] else "soon")
    return found


class StopWatch:
    """Gives each run at work its stop signal, and sets it when somebody asks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._signals: dict[str, StopSignal] = {}
        self._task: asyncio.Task[None] | None = None

    async def begin(self, run: str) -> StopSignal:
        """The signal of a run that starts now; set already if it was stopped while it waited."""
        signal = self._signals[run] = StopSignal()
        await self._look([run])
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(), name="stop-watch")
        return signal

    def end(self, run: str) -> None:
        """The run is over."""
        self._signals.pop(run, None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while self._signals:
            await asyncio.sleep(WATCH_S)
            try:
                await self._look(list(self._signals))
            except StoreError as error:
                log.warning("stop requests cannot be read: %s", error)

    async def _look(self, runs: list[str]) -> None:
        found = await self._store.read(lambda tx: asked_to_stop(tx, runs))
        for run, (person, depth) in found.items():
            if run in self._signals:
                self._signals[run].set(person, depth)
