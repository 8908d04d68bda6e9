"""Memories: kept, found again, and worded for the prompt; by whoever may see them only."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from core.index.embed import Embedder
from core.memory import store as table
from core.memory.block import Recalled, worded
from core.memory.recall import Found, rank
from core.memory.record import Memory, Seat
from core.messages import Language
from core.store import Store


class Memories:
    """What people said that is worth knowing, behind one door."""

    def __init__(self, store: Store, encoder: Embedder) -> None:
        self._store = store
        self._encoder = encoder

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
        found = await self.search(seat, question, now)
        recalled = worded(found, seat, language)
        if recalled.ids:
            await self._store.write(lambda tx: table.used(tx, recalled.ids, now))
        return recalled

    def _rank(
        self, question: str, seen: list[tuple[Memory, bytes, bytes]], now: float
    ) -> list[Found]:
        meaning = self._encoder.embed([question])[0]
        return rank(question, meaning, seen, now)
