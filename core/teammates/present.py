"""The teammate that is present in a thread: a switch holds for what is asked there later."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from core.messages import Place
from core.scope import channel_scope
from core.store import Store

_SET = (
    "INSERT INTO thread_teammate (thread, channel, scope, teammate, person, since)"
    " VALUES (:thread, :channel, :scope, :teammate, :person, :now)"
    " ON CONFLICT (thread) DO UPDATE SET teammate = excluded.teammate,"
    " person = excluded.person, since = excluded.since"
)
_GET = "SELECT teammate FROM thread_teammate WHERE thread = :thread AND scope = :scope"
_CLEAR = "DELETE FROM thread_teammate WHERE thread = :thread AND scope = :scope"


class Speaking(Protocol):
    """Who speaks where."""

    async def present(self, place: Place) -> str:
        """Name of the teammate in the thread; empty where nobody was named yet."""
        ...

    async def enter(self, place: Place, teammate: str, by: str) -> None:
        """From here on `teammate` speaks in the thread; an empty name: the default one."""
        ...


def key_of(place: Place) -> str:
    """A thread; a conversation with one person is one place, whatever its threads."""
    return place.channel if place.direct else place.thread


class Presence:
    """Who speaks where, in the store."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    async def present(self, place: Place) -> str:
        values = {"thread": key_of(place), "scope": channel_scope(place.channel)}
        row = await self._store.read(lambda tx: tx.one(_GET, values))
        return "" if row is None else str(row[0])

    async def enter(self, place: Place, teammate: str, by: str) -> None:
        values = {"thread": key_of(place), "scope": channel_scope(place.channel)}
        if not teammate:
            await self._store.write(lambda tx: tx.run(_CLEAR, values))
            return
        row = values | {
            "channel": place.channel,
            "teammate": teammate,
            "person": by,
            "now": self._clock(),
        }
        await self._store.write(lambda tx: tx.run(_SET, row))


@dataclass
class MemoryPresence:
    """Who speaks where, until the process ends: for the shell and for tests."""

    places: dict[str, str] = field(default_factory=dict[str, str])

    async def present(self, place: Place) -> str:
        return self.places.get(key_of(place), "")

    async def enter(self, place: Place, teammate: str, by: str) -> None:
        del by
        self.places[key_of(place)] = teammate
