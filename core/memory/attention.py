"""Attention: the gate looks at what was said, after the answer and beside it, never before it.

By rules soon after each turn, by a model once a thread has been quiet for a while. What is still
to be looked at stands in the table of turns, so that a restart forgets nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import ModelError, StoreError
from core.language import language_of
from core.memory.experience import is_known, lessons, op_of
from core.memory.forget import Forgetting
from core.memory.gate import Op, Spoken
from core.memory.gate.dates import zone_of
from core.memory.gate.wishes import keeps_nothing
from core.memory.memories import Memories
from core.memory.off import Off, thread_of
from core.memory.summary import Summaries
from core.messages import Place
from core.model.protocol import Model
from core.store import Row, Store, Transaction

log = logging.getLogger(__name__)

QUIET_S = 300.0
"""A thread that nobody has written in for five minutes has come to a rest."""
MANY_TURNS = 20
"""Turns after which the model looks although a thread is not quiet."""
LOOK_EVERY_S = 30.0
MOST_THREADS = 50
"""Threads that one round looks at; the rest wait for the next."""
MOST_TURNS = 60
TRIES = 3
"""A thread that the model failed on this often is left to the rules."""

RULES_LOOKED, DONE = 1, 2

_UNSEEN = (
    "SELECT thread, channel FROM turn WHERE looked = 0 GROUP BY thread, channel"
    " ORDER BY min(asked_at) LIMIT :most"
)
_DUE = (
    "SELECT thread, channel FROM turn WHERE looked < 2 GROUP BY thread, channel"
    " HAVING max(asked_at) <= :quiet OR count(*) >= :many ORDER BY min(asked_at) LIMIT :most"
)
_TURNS = (
    "SELECT run, person, person_name, message, question, answer, asked_at, place, time_zone"
    " FROM turn WHERE thread = :thread AND channel = :channel AND looked < :looked"
    " ORDER BY asked_at, run LIMIT :most"
)
_STEPS = "SELECT key, result FROM journal WHERE run = :run AND key LIKE 'loop:%'"
_LOOKED = "UPDATE turn SET looked = :looked WHERE run = :run AND looked < :looked"

LinkTo = Callable[[Place, str], str]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Turns of a thread that are looked at together."""

    runs: tuple[str, ...]
    turns: tuple[Spoken, ...]
    place: Place
    zone: str


class Attention:
    """Looks at turns in the background. `close` ends it; what it had not seen waits on disk."""

    def __init__(
        self,
        store: Store,
        memories: Memories,
        forgetting: Forgetting,
        model: Model | None = None,
        *,
        links: Mapping[str, LinkTo] | None = None,
        time_zone: str = "UTC",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._memories = memories
        self._forgetting = forgetting
        self._off = Off(store)
        self._summaries = Summaries(store)
        self._model = model
        self._links = links or {}
        self._time_zone = time_zone
        self._clock = clock
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failed: dict[str, int] = {}
        self._round = asyncio.Lock()

    def start(self) -> None:
        self._task = asyncio.create_task(self._work(), name="memory-gate")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def consider(self) -> None:
        """A turn was logged: look at it soon. Costs whoever calls nothing."""
        self._wake.set()

    async def look(self) -> list[Op]:
        """Look by rules at every turn that nobody has looked at."""
        async with self._round:
            ops: list[Op] = []
            for thread, channel in await self._threads(_UNSEEN, {}):
                stretch = await self._stretch(thread, channel, RULES_LOOKED)
                if stretch is None:
                    continue
                turns = await self._allowed(stretch)
                if turns:
                    ops += await self._by_rules(stretch, turns)
                await self._looked(stretch, DONE if self._model is None else RULES_LOOKED)
            return ops

    async def gate_due(self) -> list[Op]:
        """Let the model look at threads that are quiet, or long; nothing without a model."""
        if self._model is None:
            return []
        values = {"quiet": self._clock() - QUIET_S, "many": MANY_TURNS}
        async with self._round:
            ops: list[Op] = []
            for thread, channel in await self._threads(_DUE, values):
                stretch = await self._stretch(thread, channel, DONE)
                if stretch is not None:
                    ops += await self._by_model(self._model, stretch)
            return ops

    async def _work(self) -> None:
        while True:
            try:
                await self.look()
                await self.gate_due()
                await self._forgetting.purge()
            except StoreError as error:
                log.warning("the memory gate waits for the store: %s", error)
            except Exception:  # A border: one turn that breaks the gate must not end it for all.
                log.exception("the memory gate broke")
            self._wake.clear()
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def _by_rules(self, stretch: _Stretch, turns: Sequence[Spoken]) -> list[Op]:
        for turn in turns:
            if turn.by == "person" and keeps_nothing(turn.text):
                target = thread_of(turn.person, stretch.place.thread)
                await self._off.switch(target, turn.person, turn.at, on=False)
        zone, link = zone_of(stretch.zone or self._time_zone), self._link(stretch.place)
        return [
            *await self._memories.look(turns, stretch.place, zone, link),
            *await self._learned(stretch, turns),
        ]

    async def _learned(self, stretch: _Stretch, turns: Sequence[Spoken]) -> list[Op]:
        """What the steps of the runs themselves teach, for those whose words may be kept."""
        asked = [turn for turn in turns if turn.by == "person"]
        ops: list[Op] = []
        for run, turn in zip(stretch.runs, stretch.turns[::2], strict=True):
            if turn not in asked:
                continue
            rows = await self._store.read(lambda tx, run=run: tx.all(_STEPS, {"run": run}))
            tongue = language_of(turn.text) or "en"
            known = await self._memories.known([turn.person], turn.at)
            for lesson in lessons((str(row[0]), str(row[1])) for row in rows):
                direct = stretch.place.direct
                op = op_of(lesson, turn.person, turn.message, turn.at, tongue, direct=direct)
                if not is_known(op, known):
                    ops.append(op)
        await self._memories.apply(ops, stretch.place, self._link(stretch.place))
        return ops

    async def _by_model(self, model: Model, stretch: _Stretch) -> list[Op]:
        turns = await self._allowed(stretch)
        said = " ".join(turn.text for turn in turns if turn.by == "person")
        ops: list[Op] = []
        try:
            if said:
                ops = await self._memories.look_with(
                    model,
                    turns,
                    stretch.place,
                    zone_of(stretch.zone or self._time_zone),
                    language_of(said) or "en",
                    self._link(stretch.place),
                )
            await self._summaries.renew(model, stretch.place.thread, stretch.place.channel)
        except ModelError as error:
            thread = stretch.place.thread
            self._failed[thread] = self._failed.get(thread, 0) + 1
            log.info("the model could not look at a thread: %s", error)
            if self._failed[thread] < TRIES:
                return []
        self._failed.pop(stretch.place.thread, None)
        await self._looked(stretch, DONE)
        return ops

    async def _allowed(self, stretch: _Stretch) -> list[Spoken]:
        """The turns of people who let us remember."""
        place, out = stretch.place, set[str]()
        for person in {turn.person for turn in stretch.turns if turn.by == "person"}:
            if await self._off.which(person, place.channel, place.thread):
                out.add(person)
        return [turn for turn in stretch.turns if turn.by != "person" or turn.person not in out]

    def _link(self, place: Place) -> Callable[[str], str]:
        link = self._links.get(place.platform)
        return lambda message: link(place, message) if link is not None and message else ""

    async def _threads(self, sql: str, values: Mapping[str, float]) -> list[tuple[str, str]]:
        rows = await self._store.read(lambda tx: tx.all(sql, {**values, "most": MOST_THREADS}))
        return [(str(row[0]), str(row[1])) for row in rows]

    async def _stretch(self, thread: str, channel: str, looked: int) -> _Stretch | None:
        values = {"thread": thread, "channel": channel, "looked": looked, "most": MOST_TURNS}
        rows = await self._store.read(lambda tx: tx.all(_TURNS, values))
        told = next((row for row in reversed(rows) if row[7]), None)
        if told is None:
            await self._mark([str(row[0]) for row in rows], DONE)
            return None
        return _Stretch(
            runs=tuple(str(row[0]) for row in rows),
            turns=tuple(turn for row in rows for turn in _spoken(row)),
            place=Place.model_validate_json(str(told[7])),
            zone=str(told[8]),
        )

    async def _looked(self, stretch: _Stretch, how: int) -> None:
        await self._mark(stretch.runs, how)

    async def _mark(self, runs: Sequence[str], how: int) -> None:
        rows = [{"run": run, "looked": how} for run in runs]

        def write(tx: Transaction) -> None:
            tx.many(_LOOKED, rows)

        if rows:
            await self._store.write(write)


def _spoken(row: Row) -> tuple[Spoken, Spoken]:
    """A question and its answer as two turns."""
    _, person, name, message, question, answer, at, *_ = row
    said = Spoken(person=person, name=name, text=question, message=message, at=at)
    return said, Spoken(by="bot", text=answer, at=at)
