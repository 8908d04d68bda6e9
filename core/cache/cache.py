"""The answer cache: an answer is given again while the documents that it rests on are the same."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from core.cache.key import cacheable, key_of
from core.events import Answer, Usage
from core.messages import Frozen
from core.request import Request
from core.scope import channel_scope
from core.store import Store, Transaction

OLDEST_S = 30 * 86_400.0
"""An answer is given again for a month at most."""

MODES = frozenset({"rag", "loop", "react", "tool", "quotes"})
"""Small talk is no answer that is looked up."""

_GET = "SELECT answer, written_at FROM answer_cache WHERE key = :key AND written_at > :since"
_PUT = (
    "INSERT INTO answer_cache (key, answer, run, scope, person, written_at)"
    " VALUES (:key, :answer, :run, :scope, :person, :now) ON CONFLICT (key) DO UPDATE SET"
    " answer = excluded.answer, run = excluded.run, person = excluded.person,"
    " written_at = excluded.written_at"
)
_PUT_KB = (
    "INSERT INTO answer_cache_kb (key, kb) VALUES (:key, :kb) ON CONFLICT (key, kb) DO NOTHING"
)
_DROP_RUN_KBS = (
    "DELETE FROM answer_cache_kb WHERE key IN (SELECT key FROM answer_cache WHERE run = :run)"
)
_DROP_RUN = "DELETE FROM answer_cache WHERE run = :run"
_DROP_KBS = "DELETE FROM answer_cache_kb WHERE key = :key"
_DROP = "DELETE FROM answer_cache WHERE key = :key"
_DROP_OLD_KBS = (
    "DELETE FROM answer_cache_kb WHERE key IN"
    " (SELECT key FROM answer_cache WHERE written_at <= :since)"
)
_DROP_OLD = "DELETE FROM answer_cache WHERE written_at <= :since"

Revisions = Callable[[Sequence[int]], Awaitable[dict[int, int]]]
"""The revisions of KBs, now."""


class Kept(Frozen):
    """An answer that was given before."""

    answer: Answer
    written_at: float


class Slot(Frozen):
    """Where the answer of a request is kept, if it may be; made before the work begins.

    A document that comes while an answer is written leaves it under a key that nobody asks for.
    """

    key: str
    kbs: tuple[int, ...]


@dataclass(frozen=True)
class AnswerCache:
    """Keeps answers. What a change of a KB makes stale goes in the transaction of the change."""

    store: Store
    revisions: Revisions
    clock: Callable[[], float] = time.time

    async def slot(self, request: Request, tools: str) -> Slot | None:
        """The place of the request's answer; None if it must be made anew each time."""
        if not cacheable(request):
            return None
        revisions = await self.revisions(request.kbs)
        return Slot(key=key_of(request, revisions, tools), kbs=request.kbs)

    async def get(self, slot: Slot) -> Kept | None:
        """The answer that was given before."""
        values = {"key": slot.key, "since": self.clock() - OLDEST_S}
        row = await self.store.read(lambda tx: tx.one(_GET, values))
        if row is None:
            return None
        answer = Answer.model_validate_json(row[0])
        return Kept(
            answer=answer.model_copy(update={"cached": True, "usage": Usage()}),
            written_at=float(row[1]),
        )

    async def put(
        self, slot: Slot, request: Request, answer: Answer, touched: Collection[str]
    ) -> bool:
        """Keep an answer if it may be given again; True if it was kept.

        `touched` are the tools it used whose results are of the moment.
        """
        if touched or not lasting(request, answer):
            return False
        now = self.clock()
        row = {
            "key": slot.key,
            "answer": answer.model_dump_json(),
            "run": request.run,
            "scope": channel_scope(request.place.channel),
            "person": request.asker.id,
            "now": now,
        }

        def write(tx: Transaction) -> None:
            old = {"since": now - OLDEST_S}
            tx.run(_DROP_OLD_KBS, old)
            tx.run(_DROP_OLD, old)
            tx.run(_PUT, row)
            tx.many(_PUT_KB, [{"key": slot.key, "kb": kb} for kb in slot.kbs])

        await self.store.write(write)
        return True

    async def drop(self, slot: Slot) -> None:
        """Forget the answer of a slot: somebody found it no help."""
        values = {"key": slot.key}
        await self.store.write(lambda tx: (tx.run(_DROP_KBS, values), tx.run(_DROP, values)))

    async def drop_for(self, run: str) -> int:
        """Forget what a run answered, because its asker wants it forgotten."""

        def write(tx: Transaction) -> int:
            tx.run(_DROP_RUN_KBS, {"run": run})
            return tx.run(_DROP_RUN, {"run": run})

        return await self.store.write(write)


def lasting(request: Request, answer: Answer) -> bool:
    """True for a whole answer that rests on documents and names nobody."""
    return (
        bool(answer.sources)
        and not answer.refused
        and not answer.stopped_by_limit
        and not answer.cached
        and answer.mode in MODES
        and answer.teammate == request.teammate.name
        and not (request.asker.name and request.asker.name in answer.text)
    )
