"""Asking people: posts for what a run waits for, and who decides it, once.

The decision goes into the journal of the run that waits, and whoever brings it works that run on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.inbox import language
from bot.outbox import Outbox
from bot.platform import Draft, Speaker
from bot.text.listing import local_time
from bot.text.needs import names_of, need_draft, settled_draft
from core.events import Decision, Need
from core.journal import Claim, StoredJournal
from core.messages import Message
from core.needs import Asked, Needs, fits
from core.request import Request
from core.rights import EVERYBODY
from core.settings import Settings, SettingsBook
from core.store import Store
from core.texts import say

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Woken:
    """A run that goes on: the message that asked for it, and the claim on it."""

    message: Message
    claim: Claim


@dataclass(frozen=True)
class Asking:
    """Asks people and hears what they decide."""

    store: Store
    needs: Needs
    outbox: Outbox
    settings: SettingsBook
    owner: str
    seconds: float
    """How long a need is good for."""
    room: int
    """Longest text of one post."""
    clock: Callable[[], float] = time.time

    async def ask(
        self, claim: Claim, message: Message, needs: Sequence[Need], speaker: Speaker | None
    ) -> None:
        """Keep what the run waits for and post it, once; take back what it waited for before."""
        request = await StoredJournal(self.store, claim).kept("request", Request)
        tongue = request.language if request else language(message)
        zone = request.time_zone if request else "UTC"
        kept = await self.needs.ask(claim, message, needs, tongue, zone, self.seconds)
        await self._take_back(claim, [asked.body.id for asked in kept])
        settings = self.settings.of(message.place)
        for asked in kept:
            if asked.state == "open":
                draft = need_draft(asked, approvers(asked, settings), self.room, speaker)
                await self.outbox.say(claim, post_key(asked), message.place, draft)

    async def close(self, claim: Claim) -> None:
        """The run has ended: nobody is to decide anything about it any more."""
        await self._take_back(claim, ())

    async def click(self, message: Message, claim: Claim) -> Woken | None:
        """Approve or Reject was pressed; the run that goes on, if this decided something."""
        click = message.click
        assert click is not None
        asked = await self.needs.get(click.value)
        if asked is None or asked.body.need.what != "approval" or asked.state == "void":
            await self._whisper(message, "needs.gone")
            return None
        if asked.decided_in == claim.run:
            # Decided in an earlier life of this click: whatever rights and clocks say since, the
            # run is awake and nobody else goes on with it.
            return await self._decide(message, claim, asked, yes=True)
        if not may_decide(asked, message.author.id, self.settings.of(asked.message.place)):
            await self._refuse(message, asked)
            return None
        if asked.expired(message.sent_at or self.clock()):
            await self.needs.expire(asked)
            await self._too_late(message, claim, asked)
            return None
        return await self._decide(message, claim, asked, yes=click.action == "approve")

    async def answer(self, message: Message, claim: Claim) -> list[Woken] | None:
        """The run that asked for what `message` tells; None if none did.

        Empty if it went on to its end without us: a process died between the two.
        """
        if decided := await self.needs.decided_in(message.key):
            return as_list(await self._decide(message, claim, decided[0], yes=True))
        if message.attachments or not message.text.strip():
            return None
        for asked in await self.needs.questions_to(message):
            if fits(message.text, asked.body.need):
                woken = await self._decide(message, claim, asked, yes=True, text=message.text)
                return None if woken is None else [woken]
        return None

    async def give_up(self, message: Message, claim: Claim) -> list[Woken] | None:
        """The runs that a stop ends while they wait in its thread: its author's, or anybody's for
        an admin. None if there are none; they go on only to end as stopped.
        """
        by, settings = message.author.id, self.settings.of(message.place)
        waiting = [
            *await self.needs.decided_in(message.key),
            *await self.needs.open_in(message.place.thread),
        ]
        may_all = settings.may(by, "admin")
        found = {
            asked.body.run: asked
            for asked in waiting
            if may_all or by == asked.body.asker or asked.decided_in == message.key
        }
        if not found:
            return None
        woken: list[Woken] = []
        for run, asked in found.items():
            theirs = await self.needs.give_up(claim, run, self.owner)
            if theirs is not None:
                await self._show_void(theirs, await self.needs.of(run))
                woken.append(Woken(asked.message, theirs))
        return woken

    async def _decide(
        self, message: Message, claim: Claim, asked: Asked, *, yes: bool, text: str = ""
    ) -> Woken | None:
        decision = Decision(
            by=message.author.id,
            yes=yes,
            text=text,
            digest=asked.body.need.digest,
            at=message.sent_at or self.clock(),
        )
        now, theirs = await self.needs.decide(claim, asked, decision, self.owner)
        if theirs is None:
            if now.decided_in != claim.run and now.decision is not None:
                who = now.decision.by.rsplit("/", 1)[-1]
                await self._whisper(message, "needs.decided", mention=(now.decision.by,), who=who)
            return None
        log.info("run %s goes on: %s was decided", now.body.run, now.body.need.id)
        await self._settle(theirs, now)
        return Woken(now.message, theirs)

    async def _take_back(self, claim: Claim, besides: Sequence[str]) -> None:
        await self._show_void(claim, await self.needs.leave(claim, besides))

    async def _show_void(self, claim: Claim, needs: Sequence[Asked]) -> None:
        for asked in needs:
            if asked.state == "void":
                await self._settle(claim, asked)

    async def _settle(self, claim: Claim, asked: Asked) -> None:
        """Edit the post of a need: what became of it, and no buttons."""
        draft = settled_draft(asked, self.clock())
        await self.outbox.amend(claim, post_key(asked), asked.message.place, draft)

    async def _too_late(self, message: Message, claim: Claim, asked: Asked) -> None:
        body = asked.body
        time = local_time(body.expires_at, body.time_zone, self.clock())
        draft = Draft(text=say("needs.too_late", body.language, time=time))
        await self.outbox.say(claim, "post:notice:run", message.place, draft)
        late = asked.model_copy(update={"state": "expired"})
        shown = settled_draft(late, self.clock())
        await self.outbox.amend(claim, post_key(asked), message.place, shown, of=body.run)

    async def _refuse(self, message: Message, asked: Asked) -> None:
        named = approvers(asked, self.settings.of(asked.message.place))
        if named:
            people = names_of(named, language(message))
            await self._whisper(message, "needs.not_listed", mention=named, people=people)
            return
        asker = asked.body.asker.rsplit("/", 1)[-1]
        await self._whisper(message, "needs.not_yours", mention=(asked.body.asker,), asker=asker)

    async def _whisper(
        self, message: Message, key: str, *, mention: Sequence[str] = (), **values: object
    ) -> None:
        draft = Draft(text=say(key, language(message), **values), people=tuple(mention))
        await self.outbox.whisper(message.place, message.author.id, draft)


def as_list(woken: Woken | None) -> list[Woken]:
    return [] if woken is None else [woken]


def may_decide(asked: Asked, person: str, settings: Settings) -> bool:
    """Whoever has the right to approve here, now: the asker and admins where nobody is named."""
    return settings.may(person, "approve", asker=asked.body.asker)


def approvers(asked: Asked, settings: Settings) -> tuple[str, ...]:
    """The people who decide, where it is not just the asker beside the admins."""
    asker = asked.body.asker
    people = settings.who_may("approve", asker=asker)
    if EVERYBODY in settings.rights.approve:
        return (EVERYBODY,)
    return () if people == (asker,) else people


def post_key(asked: Asked) -> str:
    """Key of a need's post among the posts of its run."""
    return f"post:need:{asked.body.need.id}"
