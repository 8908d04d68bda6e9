"""Conversation: the turns of our own threads, kept so that a follow-up knows what it follows."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Language, Message, Person, Place
from core.model.tokens import tokens_of
from core.request import Turn
from core.scope import channel_scope
from core.sources import rewrite_marks
from core.store import Store, Transaction
from core.texts import say

HISTORY_TOKENS = 4_000
"""What earlier turns may take of a prompt; a bigger share buys no better answers, only cost."""

TURNS_READ = 40
"""Turns read back at most; more never fit into the budget."""

_LOG = (
    "INSERT INTO turn (run, thread, channel, scope, person, person_name, message, question,"
    " answer, asked_at, place, time_zone) VALUES (:run, :thread, :channel, :scope, :person,"
    " :person_name, :message, :question, :answer, :asked_at, :place, :time_zone)"
    " ON CONFLICT (run) DO UPDATE SET answer = excluded.answer"
)
_READ = (
    "SELECT person_name, question, answer, person FROM turn"
    " WHERE thread = :thread AND scope = :scope ORDER BY asked_at DESC, run DESC LIMIT :count"
)
_FORGET_MESSAGE = "DELETE FROM turn WHERE message = :message AND channel = :channel"

_FORGET_SUMMARY = (
    "DELETE FROM turn_summary WHERE thread IN"
    " (SELECT thread FROM turn WHERE message = :message AND channel = :channel)"
)
_SUMMARY = "SELECT text FROM turn_summary WHERE thread = :thread AND scope = :scope"


class Conversation:
    """Turns by thread. A turn is seen only where it was spoken: its scope is its channel."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def log_turn(self, message: Message, question: str, answer: str) -> None:
        """Keep one question and its answer; the same run again only renews the answer."""
        row = {
            "run": message.key,
            "thread": message.place.thread,
            "channel": message.place.channel,
            "scope": channel_scope(message.place.channel),
            "person": message.author.id,
            "person_name": message.author.name,
            "message": message.id,
            "question": question,
            # Marks are run-local: an old [1] would be taken for the [1] of the next run.
            "answer": rewrite_marks(answer, lambda _: []),
            "asked_at": message.sent_at,
            "place": message.place.model_dump_json(),
            "time_zone": message.author.time_zone or "",
        }
        await self._store.write(lambda tx: tx.run(_LOG, row))

    async def turns(self, thread: str, channel: str, limit: int = TURNS_READ) -> list[Turn]:
        """The newest turns of a thread, oldest first."""
        values = {"thread": thread, "scope": channel_scope(channel), "count": limit}

        def read(tx: Transaction) -> list[Turn]:
            rows = tx.all(_READ, values)
            return [
                Turn(person=row[0], question=row[1], answer=row[2], by=row[3])
                for row in reversed(rows)
            ]

        return await self._store.read(read)

    async def history(self, place: Place, asker: Person, language: Language) -> tuple[Turn, ...]:
        """What a prompt is given of a thread: the newest turns, and before them what came earlier
        in a few sentences, where a model has summed it up."""
        turns = await self.turns(place.thread, place.channel)
        kept = apart(cut_history(turns), asker)
        values = {"thread": place.thread, "scope": channel_scope(place.channel)}
        row = await self._store.read(lambda tx: tx.one(_SUMMARY, values))
        if row is None or (len(kept) == len(turns) and len(turns) < TURNS_READ):
            return kept
        earlier = Turn(person="", question=say("memory.earlier", language), answer=str(row[0]))
        return (earlier, *kept)

    async def forget_message(self, message: str, channel: str) -> int:
        """Forget the turn that a deleted message asked for; how many turns went."""
        values = {"message": message, "channel": channel}

        def write(tx: Transaction) -> int:
            tx.run(_FORGET_SUMMARY, values)
            return tx.run(_FORGET_MESSAGE, values)

        return await self._store.write(write)


def cut_history(turns: Sequence[Turn], budget: int = HISTORY_TOKENS) -> tuple[Turn, ...]:
    """The newest turns that fit into `budget` tokens, oldest first; cut between turns only."""
    kept: list[Turn] = []
    for turn in reversed(turns):
        budget -= sum(map(tokens_of, (turn.person, turn.question, turn.answer)))
        if budget < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def apart(turns: Sequence[Turn], asker: Person) -> tuple[Turn, ...]:
    """The same turns, with people of one display name told apart; the asker keeps theirs."""
    names = {asker.id: asker.name}
    for turn in turns:
        if turn.by and turn.by not in names:
            same = sum(1 for name in names.values() if name.partition(" (")[0] == turn.person)
            names[turn.by] = f"{turn.person} ({same + 1})" if same else turn.person
    return tuple(
        turn.model_copy(update={"person": names[turn.by]})
        if turn.by in names and turn.by != asker.id
        else turn
        for turn in turns
    )
