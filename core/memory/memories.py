"""Memories: kept, found again, and worded for the prompt; by whoever may see them only."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo

from core.index.embed import Embedder
from core.memory import store as table
from core.memory.block import Recalled, worded
from core.memory.gate import Op, Spoken, gate, model_gate
from core.memory.off import Off
from core.memory.recall import Found, rank
from core.memory.record import Memory, Seat
from core.messages import Language, Place
from core.model.protocol import Model
from core.scope import channel_scope, person_scope
from core.store import Store, Transaction

LinkOf = Callable[[str], str]
"""A message's id -> a link to it, or an empty text."""

MOST_SHOWN = 60
"""Memories that a model is shown beside the turns, the newest of the people in them."""


class Memories:
    """What people said that is worth knowing, behind one door."""

    def __init__(self, store: Store, encoder: Embedder) -> None:
        self._store = store
        self._encoder = encoder
        self._off = Off(store)

    async def keep(self, memories: Sequence[Memory]) -> None:
        """Keep memories as they are; those whose id is known already change nothing."""
        if not memories:
            return
        texts = [memory.text for memory in memories]
        vectors = await asyncio.to_thread(self._encoder.embed, texts)
        await self._store.write(
            lambda tx: [
                table.add(tx, memory, vector)
                for memory, vector in zip(memories, vectors, strict=True)
            ]
        )

    async def search(self, seat: Seat, question: str, now: float) -> list[Found]:
        """Every memory that may be seen from a seat, best first."""
        seen = await self._store.read(lambda tx: table.seen(tx, seat, now))
        if not seen:
            return []
        return await asyncio.to_thread(self._rank, question, seen, now)

    async def recall(self, seat: Seat, question: str, language: Language, now: float) -> Recalled:
        """What of it belongs to a question, worded for the prompt; the recall is counted."""
        if await self._off.which(seat.person, seat.channel):
            return Recalled()
        found = await self.search(seat, question, now)
        recalled = worded(found, seat, language)
        if recalled.ids:
            await self._store.write(lambda tx: table.used(tx, recalled.ids, now))
        return recalled

    async def look(
        self, turns: Sequence[Spoken], place: Place, zone: tzinfo, link: LinkOf | None = None
    ) -> list[Op]:
        """Look at some turns by rules, and do what they ask of the memory."""
        people = {turn.person for turn in turns if turn.by == "person"}
        known = await self.known(people, max((turn.at for turn in turns), default=0.0))
        ops = await asyncio.to_thread(gate, turns, known, zone, direct=place.direct)
        await self.apply(ops, place, link)
        return ops

    async def look_with(
        self,
        model: Model,
        turns: Sequence[Spoken],
        place: Place,
        zone: tzinfo,
        language: Language,
        link: LinkOf | None = None,
    ) -> list[Op]:
        """Let a model look at some turns, and do what of its answer holds up."""
        people = {turn.person for turn in turns if turn.by == "person"}
        known = await self.known(people, max((turn.at for turn in turns), default=0.0))
        shown = [one for one in known if one.direct <= place.direct][:MOST_SHOWN]
        ops = await model_gate(model, turns, shown, zone, language, direct=place.direct)
        await self.apply(ops, place, link)
        return ops

    async def listing(self, person: str) -> list[Memory]:
        """All that is kept of what a person said, superseded ones too, newest first."""
        return await self._store.read(lambda tx: table.own(tx, person))

    async def known(self, people: Iterable[str], now: float) -> list[Memory]:
        """The active memories of some people."""

        def read(tx: Transaction) -> list[Memory]:
            return [one for person in sorted(people) for one in table.active(tx, person, now)]

        return await self._store.read(read)

    async def apply(self, ops: Sequence[Op], place: Place, link: LinkOf | None = None) -> None:
        """Do what a gate decided, in one transaction."""
        made = [None if op.op == "delete" else made_of(op, place, link) for op in ops]
        texts = [memory.text for memory in made if memory is not None]
        vectors = iter(await asyncio.to_thread(self._encoder.embed, texts) if texts else ())

        def write(tx: Transaction) -> None:
            for op, memory in zip(ops, made, strict=True):
                if memory is None:
                    table.delete(tx, op.target, op.owner)
                    continue
                table.add(tx, memory, next(vectors))
                if op.op == "update":
                    table.supersede(tx, op.target, op.owner, memory.id, op.at)

        if ops:
            await self._store.write(write)

    def _rank(
        self, question: str, seen: list[tuple[Memory, bytes, bytes]], now: float
    ) -> list[Found]:
        meaning = self._encoder.embed([question])[0]
        return rank(question, meaning, seen, now)


def made_of(op: Op, place: Place, link: LinkOf | None = None) -> Memory:
    """The memory that an operation makes; the same operation makes the same one."""
    key = "\0".join((op.owner, op.message, op.layer, op.text, op.target))
    return Memory(
        id=hashlib.sha256(key.encode()).hexdigest()[:16],
        owner=op.owner,
        scope=channel_scope(place.channel) if op.channel else person_scope(op.owner),
        layer=op.layer,
        text=op.text,
        language=op.language,
        subject=op.owner,
        attribute=op.attribute,
        value=op.value,
        form=op.form,
        state=op.state,
        origin=op.origin,
        channel=place.channel,
        direct=place.direct,
        message=op.message,
        link=link(op.message) if link is not None else "",
        observed_at=op.at,
        expires_at=op.expires_at,
    )
