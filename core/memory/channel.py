"""The channel's log: what people say where we listen, kept in batches beside the accepting of it.

Edits and deletions are honoured. A person who wants nothing remembered is not logged either.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import StoreError
from core.messages import Message, Place
from core.redact import redact
from core.request import Turn
from core.scope import channel_scope
from core.store import Row, Store, Transaction

log = logging.getLogger(__name__)

BATCH_S = 1.0
"""How long messages are gathered before they are written together."""
MOST_WAITING = 5_000
"""Messages held while the store cannot be written; older ones are let go, and that is logged."""
MOST_READ = 200
LONGEST = 4_000
"""Characters of a message that are kept."""

_PUT = (
    "INSERT INTO channel_log (channel, message, scope, thread, person, person_name, text, sent_at)"
    " SELECT :channel, :message, :scope, :thread, :person, :person_name, :text, :sent_at"
    " WHERE NOT EXISTS (SELECT 1 FROM memory_off WHERE target = :person OR target = :channel)"
    " ON CONFLICT (channel, message) DO NOTHING"
)
_EDIT = (
    "UPDATE channel_log SET text = :text, edited_at = :edited_at"
    " WHERE channel = :channel AND message = :message"
)
_DROP = "DELETE FROM channel_log WHERE channel = :channel AND message = :message"
_SINCE = (
    "SELECT message, person, person_name, text, sent_at, thread FROM channel_log"
    " WHERE channel = :channel AND scope = :scope AND sent_at >= :since AND sent_at <= :until"
    " ORDER BY sent_at DESC, message DESC LIMIT :most"
)
_THREAD = (
    "SELECT message, person, person_name, text, sent_at, thread FROM channel_log"
    " WHERE thread = :thread AND scope = :scope ORDER BY sent_at DESC, message DESC LIMIT :most"
)
_TURNS = (
    "SELECT message, person, person_name, question, asked_at, thread, answer FROM turn"
    " WHERE channel = :channel AND scope = :scope AND asked_at >= :since AND asked_at <= :until"
    " ORDER BY asked_at DESC, run DESC LIMIT :most"
)
_THREAD_TURNS = (
    "SELECT message, person, person_name, question, asked_at, thread, answer FROM turn"
    " WHERE thread = :thread AND scope = :scope ORDER BY asked_at DESC, run DESC LIMIT :most"
)


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was said."""

    message: str
    person: str
    """Id; empty for us."""
    name: str
    text: str
    at: float
    thread: str


@dataclass
class ChannelLog:
    """Takes what is said in without waiting, and reads it back where it was said."""

    store: Store
    clock: Callable[[], float] = time.time
    _waiting: list[tuple[str, dict[str, object]]] = field(
        default_factory=list[tuple[str, dict[str, object]]]
    )
    _task: asyncio.Task[None] | None = None

    def heard(self, message: Message) -> None:
        """Take a message in; it is written with the others of the same second."""
        if not message.id or not message.text.strip():
            return
        place = message.place
        self._take(
            _PUT,
            {
                "channel": place.channel,
                "message": message.id,
                "scope": channel_scope(place.channel),
                "thread": place.thread,
                "person": message.author.id,
                "person_name": message.author.name,
                "text": redact(message.text)[:LONGEST],
                "sent_at": message.sent_at,
            },
        )

    def edited(self, message: Message) -> None:
        """A message reads differently now; one that was not logged stays so."""
        row: dict[str, object] = {"channel": message.place.channel, "message": message.id}
        row |= {"text": redact(message.text)[:LONGEST], "edited_at": self.clock()}
        self._take(_EDIT, row)

    def _take(self, sql: str, row: dict[str, object]) -> None:
        self._waiting.append((sql, row))
        if len(self._waiting) > MOST_WAITING:
            log.warning("the channel log is full: the oldest message is let go")
            del self._waiting[0]
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_soon(), name="channel-log")

    async def deleted(self, place: Place, message: str) -> None:
        """A message is gone."""
        await self.flush()
        row = {"channel": place.channel, "message": message}
        await self.store.write(lambda tx: tx.run(_DROP, row))

    async def thread(self, place: Place, most: int = MOST_READ) -> list[Line]:
        """What was said in a thread, oldest first: logged messages, and our own turns."""
        scope = channel_scope(place.channel)
        values = {"thread": place.thread, "scope": scope, "most": most}
        return await self._read(_THREAD, _THREAD_TURNS, values, most)

    async def since(
        self, channel: str, since: float, until: float, most: int = MOST_READ
    ) -> list[Line]:
        """What was said in a channel in a stretch of time, oldest first."""
        scope = channel_scope(channel)
        values = {"channel": channel, "scope": scope, "since": since, "until": until, "most": most}
        return await self._read(_SINCE, _TURNS, values, most)

    async def flush(self) -> None:
        """Write what is waiting."""
        rows, self._waiting = self._waiting, []
        if not rows:
            return
        try:
            await self.store.write(lambda tx: [tx.run(sql, row) for sql, row in rows])
        except StoreError:
            self._waiting = rows + self._waiting
            raise

    async def close(self) -> None:
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        await self.flush()

    async def _write_soon(self) -> None:
        while self._waiting:
            await asyncio.sleep(BATCH_S)
            try:
                await self.flush()
            except StoreError as error:
                log.warning("the channel log waits for the store: %s", error)

    async def _read(
        self, logged: str, turns: str, values: Mapping[str, object], most: int
    ) -> list[Line]:
        await self.flush()

        def read(tx: Transaction) -> tuple[list[Row], list[Row]]:
            return tx.all(logged, values), tx.all(turns, values)

        heard, asked = await self.store.read(read)
        return merged(heard, asked)[-most:]


def merged(heard: Sequence[Row], asked: Sequence[Row]) -> list[Line]:
    """Logged messages and our turns in one order; a question that was logged too stands once."""
    lines: dict[str, Line] = {}
    answers: list[Line] = []
    for message, person, name, text, at, thread in heard:
        lines[str(message)] = Line(message, person, name, text, at, thread)
    for number, (message, person, name, question, at, thread, answer) in enumerate(asked):
        key = str(message) or f"turn {number}"
        lines.setdefault(key, Line(message, person, name, question, at, thread))
        if answer:
            answers.append(Line("", "", "", answer, at, thread))
    # An answer comes after its question: of one time, it stands behind.
    return sorted([*lines.values(), *answers], key=lambda line: (line.at, not line.person))


def speakers(lines: Sequence[Line | Turn]) -> dict[str, str]:
    """How people of a conversation are called: by name; those with one name get a number too."""
    people: dict[str, str] = {}
    for line in lines:
        ident = line.person if isinstance(line, Line) else line.by
        name = line.name if isinstance(line, Line) else line.person
        if ident:
            people.setdefault(ident, name or ident.rsplit("/", 1)[-1])
    names = list(people.values())
    called: dict[str, str] = {}
    for ident, name in people.items():
        if names.count(name) == 1:
            called[ident] = name
        else:
            number = sum(1 for other in called if people[other] == name) + 1
            called[ident] = f"{name} ({number})"
    return called
