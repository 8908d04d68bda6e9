"""The course of a run as its events tell it: how it ends, what it waits for, who speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Literal

from bot.platform import Speaker
from core.events import (
    Done,
    Event,
    Failed,
    Need,
    Notice,
    RunStarted,
    Stopped,
    Suspended,
    TeammateChanged,
    event,
)
from core.journal import Journal
from core.needs import Asked
from core.request import Request

State = Literal["done", "failed", "stopped", "suspended"]

OURSELVES = frozenset({"threadmate", "generalist"})
"""Teammates that speak under the bot's own name and face."""


class Course:
    """Watches the events of one life of a run; `past` are the needs that it had before."""

    def __init__(self, journal: Journal, past: Sequence[Asked] = ()) -> None:
        self._journal = journal
        self.state: State = "failed"
        self.needs: tuple[Need, ...] = ()
        """What it waits for now."""
        self.forbidden = False
        """True once a tool was refused because the asker has no right to it."""
        self.speaker: Speaker | None = None
        """The teammate that speaks; None for the bot itself."""
        self.leg = sum(asked.state == "decided" for asked in past)
        """How often a person has decided something for it."""
        self._stopped_by = next(
            (one.decision.by for one in past if one.state == "void" and one.decision), ""
        )

    async def watch(self, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
        """The same events; a run that was stopped while it waited ends so instead of waiting."""
        async for one in events:
            match one.body:
                case RunStarted():
                    self.speaker = await self._first_speaker()
                case Notice(key="rights.refused.tools"):
                    # They are told alone, with the people to turn to.
                    self.forbidden = True
                    continue
                case TeammateChanged(name=name, avatar=avatar):
                    self.speaker = speaker_of(name, avatar)
                case Suspended() if self._stopped_by:
                    self.state, stopped = "stopped", Stopped(by=self._stopped_by)
                    yield event(one.run, one.number, one.teammate, one.path, stopped)
                    return
                case Suspended(needs=needs):
                    self.state, self.needs = "suspended", needs
                case Done() | Failed() | Stopped() as body:
                    self.state = body.kind
                case _:
                    pass
            yield one

    async def _first_speaker(self) -> Speaker | None:
        request = await self._journal.kept("request", Request)
        if request is None:
            return None
        return speaker_of(request.teammate.name, request.teammate.avatar)


def speaker_of(name: str, avatar: str) -> Speaker | None:
    """The name and face of a teammate; None for the one that is the bot itself."""
    return None if name.casefold() in OURSELVES else Speaker(name=name, avatar=avatar)
