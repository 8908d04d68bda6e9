"""Agent: works a request and tells what happens. The only orchestrator.

A run ends with exactly one terminal event: `done`, `failed`, `stopped`, or `suspended` when a
person has to decide. The one exception is a run that another process took over: its watcher gets
LostRun, for the new owner ends it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from core.agent.channel import Channel, Events
from core.agent.crew import Crew, MakeModel
from core.agent.door import Door
from core.agent.work import Work
from core.context import Limits, NeedsPerson, PlanKnobs, StopSignal, ended
from core.errors import LostRun, RunStopped, ThreadmateError, WrongUse
from core.events import Body, Done, Event, Failed, Stopped, Suspended
from core.journal import Journal
from core.messages import Language
from core.model.protocol import Model
from core.request import Request
from core.teammates import MemoryPresence, Speaking
from core.texts import say, told
from core.tools.builtin import BUILTIN
from core.tools.choose import Chooser
from core.tools.knowledge import Knowledge
from core.tools.services import Services
from core.tools.toolbox import Toolbox

log = logging.getLogger(__name__)

MOST_NEEDS = 10
"""Asked of people at a time; the others follow as these are decided. A model that calls a hundred
tools at once must not fill a thread with a hundred buttons."""

Assemble = Callable[[], Awaitable[Request]]


class Agent:
    """Works runs over one library, with one model or none; any number side by side."""

    def __init__(
        self,
        knowledge: Knowledge,
        model: Model | None,
        toolbox: Toolbox = BUILTIN,
        clock: Callable[[], float] = time.time,
        *,
        services: Services | None = None,
        chooser: Chooser | None = None,
        models: MakeModel | None = None,
        presence: Speaking | None = None,
        knobs: PlanKnobs | None = None,
        cheap: Model | None = None,
        door: Door | None = None,
        forbids: Callable[[Request], str] | None = None,
    ) -> None:
        self._crew = Crew(
            knowledge,
            model,
            toolbox,
            clock,
            services or Services(),
            chooser or Chooser(),
            models,
            presence or MemoryPresence(),
            cheap,
            door,
            forbids,
        )
        self._knobs = knobs or PlanKnobs()

    @asynccontextmanager
    async def run(
        self,
        run: str,
        assemble: Assemble,
        journal: Journal,
        stop: StopSignal,
        limits: Limits | None = None,
        *,
        language: Language = "en",
    ) -> AsyncGenerator[AsyncIterator[Event]]:
        """The events of a run; leaving the block early cancels the run and waits for its end.

        `assemble` makes the request, as journal step `request`; that it fails is an event too.
        `language` is that of the sentences said before there is a request.
        """
        channel = Channel(run)
        most = limits or Limits()
        work = Work(self._crew, channel, journal, stop, most, self._knobs, language)
        # A task of its own, not a task group: a block that yields must not own cancel scopes.
        owner = asyncio.create_task(_own(work, assemble), name=f"run {run}")
        try:
            yield Events(channel)
        finally:
            await ended(owner)


async def _own(work: Work, assemble: Assemble) -> None:
    """Own the run: work it, hear a stop, and end its stream."""
    working = asyncio.create_task(work.answer(assemble))
    stopped = asyncio.create_task(work.stop.wait())
    try:
        await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finished = working.done()
    finally:
        await ended(working, stopped)
    error = None if working.cancelled() else working.exception()
    if isinstance(error, LostRun):
        await work.channel.close(error)
        return
    last: Body
    asks = isinstance(error, NeedsPerson)
    if not finished or isinstance(error, RunStopped) or (asks and work.stop.is_set):
        # Nobody waits for an answer to a run that they stopped.
        last = Stopped(by=work.stop.by)
    elif error is None and not working.cancelled():
        last = Done(answer=working.result())
    elif isinstance(error, NeedsPerson):
        last = Suspended(needs=error.needs[:MOST_NEEDS])
    else:
        last = _failed(error, work)
    await work.channel.emit("", last)
    await work.channel.close()


def _failed(error: BaseException | None, work: Work) -> Failed:
    """The sentence for a run that broke; what is not for people goes to the log."""
    if isinstance(error, WrongUse):
        # The asker's to mend, and the sentence says how.
        log.info("run %s asks for what cannot be: %s", work.channel.run, error.key)
        return Failed(key=error.key, text=told(error, work.language))
    if isinstance(error, ThreadmateError):
        log.warning("run %s failed: %s", work.channel.run, error.key, exc_info=error)
        return Failed(key=error.key, text=told(error, work.language))
    log.error("run %s broke", work.channel.run, exc_info=error)
    return Failed(key="error.unknown", text=say("error.unknown", work.language))
