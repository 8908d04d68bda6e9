"""Inbox: a message becomes a queued run, on disk, before its event is acknowledged."""

from __future__ import annotations

import asyncio
import logging
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from bot.outbox import Outbox
from bot.platform import Draft
from core.errors import StoreError
from core.language import language_of
from core.messages import Attachment, Language, Message, Place
from core.needs import Needs
from core.redact import redact
from core.runs import Runs
from core.scope import channel_scope
from core.settings import Settings, SettingsBook
from core.store import Store, Transaction
from core.texts import say

log = logging.getLogger(__name__)

STOP_WORDS = frozenset({"停", "停止", "取消", "stop", "cancel"})

PICTURE = "image/"
"""Pictures become knowledge only when somebody mentions us with them: most are chatter."""

ACTIVE_S = 86_400.0
"""A thread is ours to follow for a day after our last post in it."""


DECIDES = ("approve", "reject")
"""Buttons by which a run goes on; in a busy thread that takes a while, so it is said."""

EDITS_KEPT = 1_000
"""Edited questions remembered, so that somebody who edits often is told once."""


@dataclass(frozen=True)
class AtWork:
    """The run that a stop is meant for."""

    run: str
    person: str
    place: Place


class Inbox:
    """Accepts messages. `close` waits for the small signs that are on their way."""

    def __init__(self, runs: Runs, store: Store, outbox: Outbox, settings: SettingsBook) -> None:
        self._runs = runs
        self._store = store
        self._needs = Needs(store)
        self._outbox = outbox
        self._settings = settings
        self._behind: set[asyncio.Task[None]] = set()
        self._told_of_edit: OrderedDict[str, None] = OrderedDict()

    async def accept(self, message: Message) -> bool:
        """Take a message, durable on return; a stop acts at once instead of waiting in line.

        Secrets in its text are masked first: no queue, journal or turn ever holds them.
        False if nothing is to do: the key was known already, or the channel keeps no files.
        Raises StoreError if it could not be written: then the event must not be acknowledged, and
        the platform brings it again.
        """
        if asks_to_stop(message) and await self._stop(message):
            return True
        place = message.place
        if message.kind == "file" and not wanted(message, self._settings.of(place)):
            return False
        kept = message.model_copy(update={"text": redact(message.text)})
        new = await self._runs.enqueue(kept.key, place.thread, kept.model_dump_json(), kept.sent_at)
        if new:
            self._later(self._first_sign(kept, secret=kept.text != message.text))
        return new

    async def edited(self, message: Message) -> None:
        """A question was edited that was asked before: say once, to its author, how to ask anew."""
        values = {"run": message.key, "mention": f"{message.key}:mention"}
        known = await self._store.read(lambda tx: tx.one(KNOWN_RUN, values))
        if known is None or message.key in self._told_of_edit:
            return
        self._told_of_edit[message.key] = None
        if len(self._told_of_edit) > EDITS_KEPT:
            self._told_of_edit.popitem(last=False)
        self._later(self._tell(message, "inbox.edited"))

    async def active(self, thread: str, now: float) -> bool:
        """True if a run of the thread is not over or waits, or we posted within a day before `now`.

        `now` is in Unix seconds. A "stop" before our first post is for us too.
        """
        values = {"thread": thread, "since": now - ACTIVE_S}
        if await self._store.read(lambda tx: posted_since(tx, values)):
            return True
        return await self._runs.ahead(thread) > 0 or bool(await self._needs.open_in(thread))

    async def close(self) -> None:
        await asyncio.gather(*self._behind, return_exceptions=True)

    async def _first_sign(self, message: Message, *, secret: bool) -> None:
        """Say "seen", and who goes first if somebody does; the acknowledgement does not wait."""
        ahead = await self._ahead(message)
        await self._outbox.react(message.place, message.id, "seen", True)
        if secret:
            await self._tell(message, "inbox.secret")
        if ahead and (message.click is None or message.click.action in DECIDES):
            await self._tell(message, "inbox.ahead", count=ahead)

    async def _ahead(self, message: Message) -> int:
        try:
            return max(0, await self._runs.ahead(message.place.thread) - 1)
        except StoreError as error:
            # The message is safe; only the count for a courtesy is not known.
            log.warning("the line of a thread cannot be counted: %s", error)
            return 0

    async def _stop(self, message: Message) -> bool:
        """Stop what is meant, or tell who may; False if nothing is at work there."""
        meant = await self._meant(message)
        if meant is None:
            return False
        by = message.author.id
        if by != meant.person and not self._settings.may(by, "admin", message.place):
            self._later(
                self._tell(message, "inbox.stop_denied", asker=meant.person.rsplit("/", 1)[-1])
            )
            return True
        scope = channel_scope(meant.place.channel)
        await self._store.write(lambda tx: ask_to_stop(tx, meant.run, by, scope, message.key))
        if message.kind != "click":
            self._later(self._outbox.react(message.place, message.id, "done", True))
        return True

    async def _meant(self, message: Message) -> AtWork | None:
        waiting = await self._runs.unfinished(message.place.thread)
        for one in waiting:
            found = await self._at_work(Message.model_validate_json(one.payload))
            if message.click is None or found.run == message.click.value:
                return found
        return None

    async def _at_work(self, message: Message) -> AtWork:
        """The run that is worked for a message: its own, or the one that it lets go on."""
        woken = await self._needs.decided_in(message.key)
        if message.click is not None and (asked := await self._needs.get(message.click.value)):
            woken = [asked]
        if woken:
            waited = woken[0]
            return AtWork(waited.body.run, waited.body.asker, waited.message.place)
        return AtWork(message.key, message.author.id, message.place)

    async def _tell(self, message: Message, key: str, **values: object) -> None:
        people = (str(values["asker"]),) if "asker" in values else ()
        draft = Draft(text=say(key, language(message), **values), people=people)
        await self._outbox.whisper(message.place, message.author.id, draft)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it after the acknowledgement; `close` waits for it."""
        task = asyncio.create_task(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)


def asks_to_stop(message: Message) -> bool:
    """By word, by command or by button."""
    if message.kind == "command":
        return message.command == "stop"
    if message.kind == "click":
        return message.click is not None and message.click.action == "stop"
    return message.kind == "ask" and not message.attachments and is_stop(message.text)


def language(message: Message) -> Language:
    """Of a short note to somebody: the profile's, else that of the words."""
    return message.author.language or language_of(message.text) or "en"


def is_stop(text: str) -> bool:
    """True if a message says nothing but stop, in any case and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LMN") in STOP_WORDS


def wanted(message: Message, settings: Settings) -> tuple[Attachment, ...]:
    """The attachments of a message that become knowledge in its channel."""
    asked = message.kind != "file"
    if settings.ingest == "off" or (settings.ingest == "mention" and not asked):
        return ()
    return tuple(file for file in message.attachments if asked or not file.mime.startswith(PICTURE))


KNOWN_RUN = "SELECT 1 FROM run_claim WHERE run = :run OR run = :mention"
ASK_TO_STOP = (
    "INSERT INTO stop_request (run, person, scope, asked_at, message)"
    " VALUES (:run, :person, :scope, :now, :message) ON CONFLICT (run) DO UPDATE SET again ="
    " CASE WHEN stop_request.message = excluded.message THEN stop_request.again ELSE 1 END"
)


def ask_to_stop(tx: Transaction, run: str, person: str, scope: str, message: str = "") -> None:
    """Leave a request for whichever process works the run.

    Who asked first is kept; another message than the first one's makes the stop deeper, a second
    delivery of the same one does not.
    """
    values = {"run": run, "person": person, "scope": scope, "message": message}
    tx.run(ASK_TO_STOP, {**values, "now": time.time()})


def posted_since(tx: Transaction, values: dict[str, Any]) -> bool:
    row = tx.one(
        "SELECT 1 FROM outbox WHERE thread = :thread AND state = 'sent' AND written_at > :since",
        values,
    )
    return row is not None
