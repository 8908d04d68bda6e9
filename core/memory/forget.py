"""Forgetting, to the bytes: rows, their log, the steps and the queue of the runs that spoke of it.

What else speaks of a forgotten thing is found by its own words: the sentence, its value, and the
names and numbers in it. Backups are out of reach: they age out.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.memory import store as table
from core.memory.record import Memory
from core.store import Store, Transaction

log = logging.getLogger(__name__)

SHORTEST = 4
"""Characters of a name or number that is looked for: `Bo` and `12` stand everywhere."""
_NAME = re.compile(r"(?<![\w])(?:[A-Za-z]*\d[\w-]*|(?<!^)[A-Z][\w'-]+)")
_CALENDAR = re.compile(
    r"20\d\d(?:-\d\d)*|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April"
    r"|August|September|October|November|December|English|Chinese"
)
"""Names that stand in too many texts to tell one."""

_OLDER = "SELECT id FROM memory WHERE owner = :owner AND replaced_by = :id"
_ONE = "SELECT run FROM turn WHERE message = :message AND channel = :channel AND person = :person"
_SPOKEN = (
    "SELECT run FROM turn WHERE person = :person"
    " AND (question LIKE :holding ESCAPE '!' OR answer LIKE :holding ESCAPE '!')"
)
_STEPS = (
    "SELECT DISTINCT run FROM journal WHERE person = :person AND result LIKE :holding ESCAPE '!'"
)
_DROP_TURN = "DELETE FROM turn WHERE run = :run"
_DROP_SUMMARY = (
    "DELETE FROM turn_summary WHERE thread IN (SELECT thread FROM turn WHERE run = :run)"
)
_DROP_STEPS = (
    "DELETE FROM journal WHERE run = :run AND NOT EXISTS (SELECT 1 FROM run_claim c"
    " WHERE c.run = :run AND c.state IN ('running', 'suspended'))"
)
_DROP_NEEDS = "DELETE FROM need WHERE run = :run AND state <> 'open'"
_DROP_ANSWER = "DELETE FROM answer_cache WHERE run = :run"
_DROP_FEEDBACK = "DELETE FROM feedback WHERE run = :run"
_OF_RUN = (_DROP_SUMMARY, _DROP_TURN, _DROP_STEPS, _DROP_NEEDS, _DROP_ANSWER, _DROP_FEEDBACK)
_DROP_SAID = "DELETE FROM channel_log WHERE channel = :channel AND message = :message"
_DROP_LOGGED = "DELETE FROM channel_log WHERE person = :person AND text LIKE :holding ESCAPE '!'"
_LATER = (
    "INSERT INTO memory_purge (run, person, scope, wanted_at)"
    " VALUES (:run, :person, :scope, :now) ON CONFLICT (run) DO NOTHING"
)
_WANTED = "SELECT run FROM memory_purge ORDER BY wanted_at, run"
_AT_WORK = "SELECT 1 FROM run_claim WHERE run = :run AND state IN ('running', 'suspended')"
_PURGED = "DELETE FROM memory_purge WHERE run = :run"


class Queue(Protocol):
    """What forgetting needs of the queue."""

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Blank what runs that have ended were asked; the keys of those that are blank now."""
        ...


class Scrubbed(Store, Protocol):
    """A store that can take deleted bytes out of its files."""

    async def scrub(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went."""

    memories: int = 0
    turns: int = 0
    """Questions and answers that spoke of it."""


class Forgetting:
    """Forgets memories of a person, and what is left of them elsewhere."""

    def __init__(self, store: Scrubbed, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self.queue: Queue | None = None
        """Set by whoever opens the queue; a process without one leaves its part to the next."""

    async def forget(self, person: str, memories: Sequence[Memory], by: str = "") -> Forgotten:
        """Forget what `person` owns of `memories`; `by` is the run that asked for it."""
        own = [memory for memory in memories if memory.owner == person]
        now = self._clock()
        found = await self._store.write(lambda tx: _forget(tx, person, own, by, now))
        await self.purge()
        return found

    async def purge(self) -> int:
        """Take what forgotten runs left behind, where they have ended; how many are done."""
        wanted = await self._store.read(lambda tx: [str(row[0]) for row in tx.all(_WANTED)])
        if not wanted:
            return 0
        ended = await self._store.read(
            lambda tx: [run for run in wanted if tx.one(_AT_WORK, {"run": run}) is None]
        )
        gone = await self.queue.erase(ended) if self.queue is not None and ended else []

        def write(tx: Transaction) -> None:
            for run in ended:
                for sql in _OF_RUN:
                    tx.run(sql, {"run": run})
            for run in gone:
                tx.run(_PURGED, {"run": run})

        await self._store.write(write)
        await self._store.scrub()
        return len(gone)


def needles(memory: Memory) -> list[str]:
    """By what other texts are known to speak of a memory."""
    names = [name for name in _NAME.findall(memory.text) if not _CALENDAR.fullmatch(name)]
    found = [memory.text, memory.value, *names]
    return list(dict.fromkeys(one for one in found if len(one) >= _least(one)))


def _least(text: str) -> int:
    return SHORTEST if text.isascii() else 2


def holding(text: str) -> str:
    """A pattern for what holds a text."""
    return "%" + re.sub("([!%_])", r"!\1", text) + "%"


def _forget(
    tx: Transaction, person: str, memories: Sequence[Memory], by: str, now: float
) -> Forgotten:
    ids = _with_older(tx, person, [memory.id for memory in memories])
    runs = {by} if by else set[str]()
    turns = set[str]()
    for memory in memories:
        values = {"message": memory.message, "channel": memory.channel, "person": person}
        if memory.message:
            turns |= {str(row[0]) for row in tx.all(_ONE, values)}
            tx.run(_DROP_SAID, {"message": memory.message, "channel": memory.channel})
        for needle in needles(memory):
            asked = {"person": person, "holding": holding(needle)}
            turns |= {str(row[0]) for row in tx.all(_SPOKEN, asked)}
            runs |= {str(row[0]) for row in tx.all(_STEPS, asked)}
            tx.run(_DROP_LOGGED, asked)
    for run in sorted(runs | turns):
        if run in turns:
            tx.run(_DROP_SUMMARY, {"run": run})
            tx.run(_DROP_TURN, {"run": run})
        tx.run(_DROP_STEPS, {"run": run})
        tx.run(_LATER, {"run": run, "person": person, "scope": f"person:{person}", "now": now})
    gone = sum(table.delete(tx, one, person) for one in ids)
    return Forgotten(gone, len(turns))


def _with_older(tx: Transaction, owner: str, ids: Iterable[str]) -> list[str]:
    """Memories and those that they superseded: an old address is an address too."""
    found = list(dict.fromkeys(ids))
    for one in found:
        older = [str(row[0]) for row in tx.all(_OLDER, {"owner": owner, "id": one})]
        found += [other for other in older if other not in found]
    return found
