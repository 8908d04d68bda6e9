"""The kept needs of suspended runs. A decision is written once, into the journal of its run.

A need is `open` until it is `decided`; it is `expired` when somebody came too late, and `void` when
its run went on or ended without it. A process may die between any two writes: whoever brought the
decision finds it again by `decided_in` and goes on from there.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from typing import Literal

from core.events import Decision, Need
from core.journal import Claim, assert_owner, claim_run, end_run, write_step
from core.messages import Frozen, Language, Message
from core.store import Row, Store, Transaction

State = Literal["open", "decided", "expired", "void"]

ENDED = ("done", "failed", "stopped")
"""States of a run that nothing wakes."""

SKEW_S = 2.0
"""How far a platform's clock may be behind ours: an answer is said after its question."""

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")

ID_LENGTH = 32
"""Ids travel in buttons; Discord: 100 characters for a button's id with everything in it."""


class Body(Frozen):
    """What is asked, and how to speak about it."""

    id: str
    run: str
    need: Need
    asker: str
    """Id of the person who asked for the run."""
    language: Language
    time_zone: str
    asked_at: float
    expires_at: float


class Asked(Frozen):
    """A need as it is kept."""

    body: Body
    message: Message
    """The message that asked for the run."""
    state: State
    decided_in: str = ""
    """Key of the run that brought the decision, or made it void."""
    decision: Decision | None = None
    """Of a `void` need: who stopped the run, if that is why."""

    def expired(self, now: float) -> bool:
        return self.state == "expired" or (self.state == "open" and now > self.body.expires_at)


def need_id(run: str, need: Need) -> str:
    """The id of a need in buttons: of its run, its place in the run, and its exact arguments."""
    held = "\0".join((run, need.id, need.digest))
    return hashlib.sha256(held.encode()).hexdigest()[:ID_LENGTH]


def fits(text: str, need: Need) -> bool:
    """True if a message can be the answer to what was asked."""
    return need.expects == "text" or ADDRESS.search(text) is not None


class Needs:
    """The table of needs. Times are Unix seconds."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    async def ask(
        self,
        claim: Claim,
        message: Message,
        needs: Sequence[Need],
        language: Language,
        time_zone: str,
        seconds: float,
    ) -> list[Asked]:
        """Keep what a run waits for, good for `seconds`; as it is kept, in the order of `needs`.

        What was kept before stays as it is. LostRun if the run has a new owner.
        """
        now = self._clock()
        bodies = [
            Body(
                id=need_id(claim.run, need),
                run=claim.run,
                need=need,
                asker=message.author.id,
                language=language,
                time_zone=time_zone,
                asked_at=now,
                expires_at=now + seconds,
            )
            for need in needs
        ]
        return await self._store.write(lambda tx: keep(tx, claim, message, bodies))

    async def get(self, need: str) -> Asked | None:
        """A need by its id."""
        return await self._store.read(lambda tx: one(tx, need))

    async def decided_in(self, run: str) -> list[Asked]:
        """The needs that a click or message decided or made void in an earlier life of its run."""
        return await self._store.read(lambda tx: as_asked(tx.all(DECIDED_IN, {"run": run})))

    async def of(self, run: str) -> list[Asked]:
        """All needs that a run ever had, oldest first."""
        return await self._store.read(lambda tx: as_asked(tx.all(OF_RUN, {"run": run})))

    async def open_in(self, thread: str) -> list[Asked]:
        """The open needs of a thread that can still be decided, oldest first."""
        values = {"thread": thread, "now": self._clock()}
        return await self._store.read(lambda tx: as_asked(tx.all(OPEN_IN_THREAD, values)))

    async def questions_to(self, message: Message) -> list[Asked]:
        """The open questions that `message` may be the answer to, oldest first.

        Its author asked for the run, in this thread (in a direct conversation: anywhere in it), and
        the question was there before the message.
        """
        place, said = message.place, message.sent_at or self._clock()
        values = {
            "channel": place.channel,
            "person": message.author.id,
            "now": said,
            "before": said + SKEW_S,
        }
        found = await self._store.read(lambda tx: as_asked(tx.all(QUESTIONS, values)))
        return [
            asked
            for asked in found
            if asked.body.run != message.key
            and (place.direct or asked.message.place.thread == place.thread)
        ]

    async def decide(
        self, by: Claim, asked: Asked, decision: Decision, owner: str
    ) -> tuple[Asked, Claim | None]:
        """Write a decision, once, and become the owner of the run that waits for it.

        `by` is the claim on the click or message that brings it. The need as it is now, and the
        claim on its run: None if somebody else decided before, or if the run has ended since.
        """
        return await self._store.write(lambda tx: decide(tx, by, asked, decision, owner))

    async def expire(self, asked: Asked) -> None:
        """Note that somebody came too late."""
        values = {"id": asked.body.id, "state": "expired", "run": ""}
        await self._store.write(lambda tx: tx.run(LEAVE, values))

    async def give_up(self, by: Claim, run: str, owner: str) -> Claim | None:
        """Make every open need of a run void because the author of `by` stopped it.

        The claim on the run, which goes on only to end; None if it has ended.
        """
        now = self._clock()
        return await self._store.write(lambda tx: give_up(tx, by, run, owner, now))

    async def drop(self, channel: str, message: str, owner: str) -> list[tuple[Claim, list[Asked]]]:
        """End the runs that wait for a person although the message that asked was deleted.

        Each with the claim on it, and its needs that became void.
        """
        return await self._store.write(lambda tx: drop(tx, channel, message, owner))

    async def leave(self, claim: Claim, besides: Sequence[str] = ()) -> list[Asked]:
        """Make the open needs of a run void, except those whose ids are in `besides`; the void."""
        return await self._store.write(lambda tx: leave(tx, claim, besides))


KEEP = (
    "INSERT INTO need (id, run, body, message, thread, channel, scope, person, what, state,"
    " decided_in, decision, asked_at, expires_at) VALUES (:id, :run, :body, :message, :thread,"
    " :channel, :scope, :person, :what, 'open', '', '', :asked_at, :expires_at)"
    " ON CONFLICT (id) DO NOTHING"
)
BY_ID = "SELECT body, message, state, decided_in, decision FROM need WHERE id = :id"
DECIDED_IN = (
    "SELECT body, message, state, decided_in, decision FROM need WHERE decided_in = :run"
    " ORDER BY asked_at, id"
)
OF_RUN = (
    "SELECT body, message, state, decided_in, decision FROM need WHERE run = :run"
    " ORDER BY asked_at, id"
)
OPEN_OF_RUN = (
    "SELECT body, message, state, decided_in, decision FROM need"
    " WHERE run = :run AND state = 'open' ORDER BY asked_at, id"
)
OPEN_IN_THREAD = (
    "SELECT body, message, state, decided_in, decision FROM need"
    " WHERE thread = :thread AND state = 'open' AND expires_at >= :now ORDER BY asked_at, id"
)
OPEN_IN_CHANNEL = (
    "SELECT body, message, state, decided_in, decision FROM need"
    " WHERE channel = :channel AND state = 'open' ORDER BY asked_at, id"
)
QUESTIONS = (
    "SELECT body, message, state, decided_in, decision FROM need"
    " WHERE channel = :channel AND person = :person AND state = 'open' AND what = 'answer'"
    " AND expires_at >= :now AND asked_at <= :before ORDER BY asked_at, id"
)
DECIDE = (
    "UPDATE need SET state = 'decided', decided_in = :run, decision = :decision"
    " WHERE id = :id AND state = 'open'"
)
GIVE_UP = (
    "UPDATE need SET state = 'void', decided_in = :by, decision = :decision"
    " WHERE run = :run AND state = 'open'"
)
LEAVE = "UPDATE need SET state = :state, decided_in = :run WHERE id = :id AND state = 'open'"
RUN_STATE = "SELECT state, thread, scope, person FROM run_claim WHERE run = :run"


def keep(tx: Transaction, claim: Claim, message: Message, bodies: Sequence[Body]) -> list[Asked]:
    assert_owner(tx, claim)
    for body in bodies:
        values = {
            "id": body.id,
            "run": claim.run,
            "body": body.model_dump_json(),
            "message": message.model_dump_json(),
            "thread": message.place.thread,
            "channel": message.place.channel,
            "scope": claim.scope,
            "person": claim.person,
            "what": body.need.what,
            "asked_at": body.asked_at,
            "expires_at": body.expires_at,
        }
        tx.run(KEEP, values)
    kept = [one(tx, body.id) for body in bodies]
    return [asked for asked in kept if asked is not None]


def one(tx: Transaction, need: str) -> Asked | None:
    found = as_asked(tx.all(BY_ID, {"id": need}))
    return found[0] if found else None


def decide(
    tx: Transaction, by: Claim, asked: Asked, decision: Decision, owner: str
) -> tuple[Asked, Claim | None]:
    assert_owner(tx, by)
    body = asked.body
    values = {"id": body.id, "run": by.run, "decision": decision.model_dump_json()}
    fresh = tx.run(DECIDE, values) == 1
    now = one(tx, body.id) or asked
    if now.decided_in != by.run or now.state != "decided":
        return now, None
    claim = wake(tx, body.run, owner)
    if fresh and claim is not None:
        write_step(tx, claim, f"{body.need.id}:decision", decision.model_dump_json())
    return now, claim


def give_up(tx: Transaction, by: Claim, run: str, owner: str, now: float) -> Claim | None:
    assert_owner(tx, by)
    stopped = Decision(by=by.person, yes=False, at=now).model_dump_json()
    tx.run(GIVE_UP, {"run": run, "by": by.run, "decision": stopped})
    return wake(tx, run, owner)


def wake(tx: Transaction, run: str, owner: str) -> Claim | None:
    """Claim a run that was suspended, or that an earlier life of the waking run claimed already."""
    row = tx.one(RUN_STATE, {"run": run})
    if row is None or row[0] in ENDED:
        return None
    return claim_run(tx, run, owner, thread=str(row[1]), scope=str(row[2]), person=str(row[3]))


def drop(
    tx: Transaction, channel: str, message: str, owner: str
) -> list[tuple[Claim, list[Asked]]]:
    found = as_asked(tx.all(OPEN_IN_CHANNEL, {"channel": channel}))
    ended: list[tuple[Claim, list[Asked]]] = []
    for run in dict.fromkeys(asked.body.run for asked in found if asked.message.id == message):
        row = tx.one(RUN_STATE, {"run": run})
        # One that is at work again asks anew, or ends, under its own claim.
        claim = wake(tx, run, owner) if row is not None and row[0] == "suspended" else None
        if claim is not None:
            ended.append((claim, leave(tx, claim, ())))
            end_run(tx, claim, "stopped")
    return ended


def leave(tx: Transaction, claim: Claim, besides: Sequence[str]) -> list[Asked]:
    assert_owner(tx, claim)
    found = as_asked(tx.all(OPEN_OF_RUN, {"run": claim.run}))
    left = [asked for asked in found if asked.body.id not in besides]
    for asked in left:
        tx.run(LEAVE, {"id": asked.body.id, "state": "void", "run": ""})
    return [asked.model_copy(update={"state": "void"}) for asked in left]


def as_asked(rows: Sequence[Row]) -> list[Asked]:
    return [
        Asked(
            body=Body.model_validate_json(body),
            message=Message.model_validate_json(message),
            state=state,
            decided_in=decided_in,
            decision=Decision.model_validate_json(decision) if decision else None,
        )
        for body, message, state, decided_in, decision in rows
    ]
