"""Feedback: what people said of answers, kept with question, sources and run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from core.events import Answer
from core.messages import Frozen
from core.request import Request
from core.scope import channel_scope
from core.sources import Source
from core.store import Store

Verdict = Literal["helpful", "unhelpful"]
LONGEST_ANSWER = 4_000

_SOURCES = TypeAdapter(tuple[Source, ...])
_PUT = (
    "INSERT INTO feedback (run, person, verdict, question, answer, sources, teammate, channel,"
    " scope, written_at) VALUES (:run, :person, :verdict, :question, :answer, :sources, :teammate,"
    " :channel, :scope, :now) ON CONFLICT (run, person) DO UPDATE SET"
    " verdict = excluded.verdict, written_at = excluded.written_at"
)
_LATEST = (
    "SELECT run, person, verdict, question, answer, sources, teammate, channel, written_at"
    " FROM feedback WHERE scope = :scope ORDER BY written_at DESC, run LIMIT :count"
)
_COUNT = "SELECT verdict, count(*) FROM feedback WHERE scope = :scope GROUP BY verdict"


class Said(Frozen):
    """What one person said of one answer."""

    run: str
    person: str
    verdict: Verdict
    question: str
    answer: str
    sources: tuple[Source, ...]
    teammate: str
    channel: str
    written_at: float


@dataclass(frozen=True)
class Feedback:
    """The table of what people said. A later word of a person takes the place of theirs."""

    store: Store
    clock: Callable[[], float] = time.time

    async def put(self, request: Request, answer: Answer, person: str, verdict: Verdict) -> None:
        """Keep what `person` says of the answer of a run."""
        row = {
            "run": request.run,
            "person": person,
            "verdict": verdict,
            "question": request.question,
            "answer": answer.text[:LONGEST_ANSWER],
            "sources": _SOURCES.dump_json(answer.sources).decode(),
            "teammate": answer.teammate,
            "channel": request.place.channel,
            "scope": channel_scope(request.place.channel),
            "now": self.clock(),
        }
        await self.store.write(lambda tx: tx.run(_PUT, row))

    async def latest(self, channel: str, count: int = 10) -> list[Said]:
        """What was said in a channel, latest first."""
        values = {"scope": channel_scope(channel), "count": count}
        rows = await self.store.read(lambda tx: tx.all(_LATEST, values))
        return [
            Said(
                run=row[0],
                person=row[1],
                verdict=row[2],
                question=row[3],
                answer=row[4],
                sources=_SOURCES.validate_json(row[5]),
                teammate=row[6],
                channel=row[7],
                written_at=row[8],
            )
            for row in rows
        ]

    async def counts(self, channel: str) -> dict[str, int]:
        """How often each verdict was given in a channel."""
        values = {"scope": channel_scope(channel)}
        rows = await self.store.read(lambda tx: tx.all(_COUNT, values))
        return {str(verdict): int(count) for verdict, count in rows}
