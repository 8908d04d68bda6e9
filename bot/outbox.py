"""Outbox: the only caller of a platform's posts. Everything is said exactly once.

A post's intent is a row before it is sent and its message id is in that row afterwards. After a
crash between the two, the platform is asked for a message with our mark before it is posted again.
Texts that grow are shown by one writer per message: newest wins, within the platform's pace.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from bot.platform import Draft, Platform, Sign
from bot.text.fit import fitted
from core.errors import PlatformError, TryLater, Undeliverable, UnknownOutcome
from core.journal import Claim, assert_owner
from core.messages import Place
from core.store import Store, Transaction

T = TypeVar("T")
Clean = Callable[[Draft, str], Draft]
log = logging.getLogger(__name__)

PATIENCE_S = 3600.0
"""How long a platform may be down before a post is recorded as undeliverable."""

COURTESY_S = 10.0
"""How long signs and whispers are tried: nobody waits for them."""

PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0


@dataclass
class Lane:
    """One channel: posts go out one after another, with the platform's pause between them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0


@dataclass
class Shown:
    """A message whose text grows: its newest draft, and how far the platform has it."""

    claim: Claim
    key: str
    place: Place
    draft: Draft
    wanted: int = 1
    """Counts the drafts given."""
    done: int = 0
    """The count of the draft that is on the platform."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    last: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when nothing newer will come: the last text need not keep the platform's pace."""
    free_at: float = 0.0
    """When the next edit may be made."""
    task: asyncio.Task[None] | None = None

    @property
    def ended(self) -> bool:
        return self.task is not None and self.task.done()


class Outbox:
    """Says things on platforms. `close` ends every writer."""

    def __init__(self, store: Store, platforms: Mapping[str, Platform], clean: Clean) -> None:
        self._store = store
        self._platforms = platforms
        self._clean = clean
        self._lanes: dict[str, Lane] = {}
        self._shown: dict[tuple[str, str], Shown] = {}

    async def say(self, claim: Claim, key: str, place: Place, draft: Draft) -> str | None:
        """Post once; the message's id, or None if it cannot be delivered (that is recorded).

        A key that was said before is not said again. What is longer than a post takes is said in
        more of them, under keys of their own (`KEY:2`). Raises LostRun if the run has a new owner.
        """
        first, *more = fitted(draft, self._platforms[place.platform].limits)
        message, _ = await self._post(claim, key, place, first)
        for number, rest in enumerate(more, 2):
            await self._post(claim, f"{key}:{number}", place, rest)
        return message

    async def show(self, claim: Claim, key: str, place: Place, draft: Draft) -> None:
        """Show the newest text under a key and return soon: the first call posts, later ones edit.

        Raises what the writer met, LostRun above all.
        """
        shown = self._shown.get((claim.run, key))
        if shown is None or shown.claim != claim or shown.ended:
            self._raise_ended(shown, claim)
            shown = Shown(claim, key, place, draft)
            self._shown[claim.run, key] = shown
            shown.task = asyncio.create_task(self._write(shown), name=f"show:{key}")
            return
        async with shown.changed:
            shown.draft = draft
            shown.wanted += 1
            shown.changed.notify_all()

    async def settle(self, claim: Claim, key: str) -> None:
        """Wait until the newest text of a key is on the platform, or known as undeliverable."""
        shown = self._shown.get((claim.run, key))
        if shown is None or shown.task is None:
            return
        shown.last.set()
        async with shown.changed:
            while shown.done < shown.wanted and not shown.ended:
                await shown.changed.wait()
        self._shown.pop((claim.run, key), None)
        await end_task(shown.task)

    async def leave(self, claim: Claim) -> None:
        """End every writer of a run, whatever is on the platform."""
        for run, key in [name for name in self._shown if name[0] == claim.run]:
            shown = self._shown.pop((run, key))
            if shown.task is not None:
                shown.task.cancel()
                await asyncio.gather(shown.task, return_exceptions=True)

    async def react(self, place: Place, message: str, sign: Sign, on: bool) -> None:
        """Put or take a sign; tried for a few seconds, never worth failing for."""
        if message:
            platform = self._platforms[place.platform]
            await courtesy(lambda: platform.react(place, message, sign, on))

    async def whisper(self, place: Place, person: str, draft: Draft) -> None:
        """Tell one person something; tried for a few seconds, never worth failing for."""
        platform = self._platforms[place.platform]
        for part in fitted(draft, platform.limits):
            cleaned = self._clean(part, place.platform)
            await courtesy(partial(platform.whisper, place, person, cleaned))

    async def amend(
        self, claim: Claim, key: str, place: Place, draft: Draft, *, of: str = ""
    ) -> None:
        """Edit what was said under a key of this run, or of the run `of`.

        Tried for a few seconds, never worth failing for. LostRun if the run has a new owner.
        """
        message = await self._store.read(lambda tx: said(tx, claim, of or claim.run, key))
        if message:
            platform = self._platforms[place.platform]
            # Of what was too long for one post, the last one has the buttons.
            last = self._clean(fitted(draft, platform.limits)[-1], place.platform)
            await courtesy(lambda: platform.edit(place, message, last))

    async def post_of(self, message: str) -> tuple[str, str] | None:
        """Run and key of a message of ours; None if it is none that we said."""
        values = {"message": message}
        row = await self._store.read(lambda tx: tx.one(POST_OF, values))
        return None if row is None else (str(row[0]), str(row[1]))

    async def close(self) -> None:
        """End every writer at once; what was not settled is shown again by the next owner."""
        tasks = [shown.task for shown in self._shown.values() if shown.task is not None]
        self._shown.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _post(
        self, claim: Claim, key: str, place: Place, draft: Draft
    ) -> tuple[str | None, bool]:
        """The message's id, and whether this call is what put this very text on the platform."""
        entry = await self._store.write(lambda tx: intend(tx, claim, key, place))
        if entry.state == "undeliverable":
            return None, False
        if entry.state == "sent":
            return entry.message, False
        posted = Delivery(self._platforms[place.platform], place, f"{claim.run}#{key}")
        try:
            message = await self._deliver(claim, posted, self._clean(draft, place.platform), entry)
        except Undeliverable as error:
            await self._give_up(claim, key, "", error)
            return None, True
        await self._store.write(lambda tx: record(tx, claim, key, "sent", message, ""))
        return message, not posted.found

    async def _deliver(self, claim: Claim, delivery: Delivery, draft: Draft, entry: Entry) -> str:
        lane = self._lanes.setdefault(delivery.place.channel, Lane())
        unsure = entry.before
        deadline = time.monotonic() + PATIENCE_S
        pause = PAUSE_S
        async with lane.lock:
            while True:
                try:
                    if unsure and (message := await delivery.find()):
                        return message
                    unsure = False
                    await asyncio.sleep(max(0.0, lane.free_at - time.monotonic()))
                    # Waiting for the channel takes time, and the run may have a new owner by now.
                    await self._store.read(lambda tx: assert_owner(tx, claim))
                    lane.free_at = time.monotonic() + delivery.platform.limits.post_gap_s
                    return await delivery.post(draft)
                except UnknownOutcome:
                    unsure = True
                    pause = await backoff(pause, pause, deadline)
                except TryLater as error:
                    pause = await backoff(pause, error.seconds, deadline)

    async def _write(self, shown: Shown) -> None:
        try:
            await self._keep_up(shown)
        finally:
            async with shown.changed:
                # Whoever waits for this message must see that nobody writes it any more.
                shown.changed.notify_all()

    async def _keep_up(self, shown: Shown) -> None:
        version, draft = shown.wanted, shown.draft
        message, fresh = await self._post(shown.claim, shown.key, shown.place, draft)
        if message is None:
            return
        if fresh:
            await self._reached(shown, version)
        platform = self._platforms[shown.place.platform]
        if fresh:
            shown.free_at = time.monotonic() + platform.limits.edit_gap_s
        while True:
            async with shown.changed:
                while shown.done >= shown.wanted:
                    await shown.changed.wait()
            # Drafts that come meanwhile replace this one: the newest is read after the pause.
            await pause_before_edit(shown)
            shown.free_at = time.monotonic() + platform.limits.edit_gap_s
            try:
                version = await self._edit(shown, platform, message)
            except Undeliverable as error:
                # Somebody deleted it, or closed the channel: nobody is left to tell.
                await self._give_up(shown.claim, shown.key, message, error)
                return
            await self._reached(shown, version)

    async def _edit(self, shown: Shown, platform: Platform, message: str) -> int:
        """Bring the newest draft to the platform; the count of that draft."""
        deadline = time.monotonic() + PATIENCE_S
        pause = PAUSE_S
        while True:
            await self._store.read(lambda tx: assert_owner(tx, shown.claim))
            version = shown.wanted
            draft = self._clean(shown.draft, shown.place.platform)
            try:
                await platform.edit(shown.place, message, draft)
            except UnknownOutcome:
                # An edit may be done twice.
                pause = await backoff(pause, pause, deadline)
            except TryLater as error:
                pause = await backoff(pause, error.seconds, deadline)
            else:
                return version

    async def _give_up(self, claim: Claim, key: str, message: str, error: Undeliverable) -> None:
        log.warning("run %s: %s cannot be delivered: %s", claim.run, key, error)
        reason = str(error)
        await self._store.write(lambda tx: record(tx, claim, key, "undeliverable", message, reason))

    async def _reached(self, shown: Shown, version: int) -> None:
        async with shown.changed:
            shown.done = max(shown.done, version)
            shown.changed.notify_all()

    def _raise_ended(self, shown: Shown | None, claim: Claim) -> None:
        """A writer that ended by an error tells it to the next caller instead of starting anew."""
        if shown is None or shown.task is None or not shown.ended or shown.claim != claim:
            return
        if not shown.task.cancelled() and (error := shown.task.exception()):
            raise error


@dataclass
class Delivery:
    """One post to one place under one mark."""

    platform: Platform
    place: Place
    mark: str
    found: bool = False
    """True if the platform had the message already."""

    async def find(self) -> str | None:
        message = await self.platform.find(self.place, self.mark)
        self.found = message is not None
        return message

    async def post(self, draft: Draft) -> str:
        return await self.platform.post(self.place, draft, self.mark)


async def pause_before_edit(shown: Shown) -> None:
    """Wait until the platform's pace allows the next edit, or no newer text will come."""
    wait = shown.free_at - time.monotonic()
    if wait > 0:
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await shown.last.wait()


async def end_task(task: asyncio.Task[None]) -> None:
    """End a writer; raises what it met, but not its cancellation."""
    if not task.done():
        task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(result, Exception):
        raise result


async def backoff(pause: float, asked: float, deadline: float) -> float:
    """Sleep for what the platform asked, at least `pause`; the next pause.

    Raises Undeliverable when `deadline` would pass.
    """
    wait = max(pause, asked)
    if time.monotonic() + wait > deadline:
        raise Undeliverable("the platform was down for too long")
    await asyncio.sleep(wait)
    return min(pause * 2, LONGEST_PAUSE_S)


async def courtesy(call: Callable[[], Awaitable[None]]) -> None:
    """Do something nice within a few seconds, or log that it did not work."""
    deadline = time.monotonic() + COURTESY_S
    pause = PAUSE_S
    while True:
        try:
            await call()
            return
        except (TryLater, UnknownOutcome) as error:
            asked = error.seconds if isinstance(error, TryLater) else pause
            try:
                pause = await backoff(pause, asked, deadline)
            except Undeliverable:
                log.info("a small sign was given up: %s", error)
                return
        except PlatformError as error:
            log.info("a small sign was not taken: %s", error)
            return


@dataclass(frozen=True)
class Entry:
    """A row of the outbox as a post finds it."""

    state: str
    message: str
    before: bool
    """True if an earlier try wrote the intent: it may be on the platform."""


INTEND = (
    "INSERT INTO outbox (run, key, state, platform, channel, thread, message, reason,"
    " written_at, scope, person) VALUES (:run, :key, 'intended', :platform, :channel, :thread,"
    " '', '', :now, :scope, :person) ON CONFLICT (run, key) DO NOTHING"
)
RECORD = (
    "UPDATE outbox SET state = :state, message = :message, reason = :reason, written_at = :now"
    " WHERE run = :run AND key = :key"
)

SAID = "SELECT message FROM outbox WHERE run = :run AND key = :key AND state = 'sent'"
POST_OF = "SELECT run, key FROM outbox WHERE message = :message AND state = 'sent'"


def said(tx: Transaction, claim: Claim, run: str, key: str) -> str:
    """The id of the message under a key; empty if there is none."""
    assert_owner(tx, claim)
    row = tx.one(SAID, {"run": run, "key": key})
    return "" if row is None else str(row[0])


def intend(tx: Transaction, claim: Claim, key: str, place: Place) -> Entry:
    """Write the intent to post, or read what became of an earlier one."""
    assert_owner(tx, claim)
    new = tx.run(
        INTEND,
        {
            "run": claim.run,
            "key": key,
            "platform": place.platform,
            "channel": place.channel,
            "thread": place.thread,
            "now": time.time(),
            "scope": claim.scope,
            "person": claim.person,
        },
    )
    row = tx.one(
        "SELECT state, message FROM outbox WHERE run = :run AND key = :key",
        {"run": claim.run, "key": key},
    )
    assert row is not None
    return Entry(str(row[0]), str(row[1]), before=not new)


def record(tx: Transaction, claim: Claim, key: str, state: str, message: str, reason: str) -> None:
    """Write what became of a post.

    Not fenced: it is a fact, whoever owns the run now, and the new owner would only have to look.
    """
    tx.run(
        RECORD,
        {
            "run": claim.run,
            "key": key,
            "state": state,
            "message": message,
            "reason": reason,
            "now": time.time(),
        },
    )
