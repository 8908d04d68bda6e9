"""Presenter: shows a run in its thread: the plan, the answer as it is written, the sources."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.platform import Button, Draft, Platform, PlatformLimits, Speaker
from bot.presenter.answer import Writer
from bot.presenter.plan import closing, compact, plan_text, step_line
from bot.presenter.view import View
from bot.text.links import hosts_in
from bot.text.sources import source_hosts, sources_footer
from core.events import Answer, Done, Event, Stopped, Suspended, TeammateChanged
from core.journal import Claim
from core.messages import Message, Place
from core.settings import Settings
from core.texts import say

QUICK_S = 0.6
"""A run that ends sooner gets no plan: its steps stand in the small print of the answer."""

REPLAY_S = 0.6
"""A run that goes on shows nothing before this: its first events only repeat what was done."""

THINKING_S = 2.5
"""A run without steps gets a plan after this time, so that it can be stopped."""

TEXT_S = 1.2
TEXT_CHARS = 160
"""A text is shown from this age or length on: what is shorter may be a thought before a call."""

REFRESH_S = 0.3
"""Pause between two views that are made of a growing text; the outbox paces the posts itself."""

USUAL_LIMITS = PlatformLimits(post_chars=4_000, edit_bytes=4_000, post_gap_s=1, edit_gap_s=1)


class Shows(Protocol):
    """What the presenter needs of an outbox."""

    async def show(self, claim: Claim, key: str, place: Place, draft: Draft) -> None: ...

    async def settle(self, claim: Claim, key: str) -> None: ...


class Presenter:
    """Presents runs. All state of a run lives in `present`; a resumed run uses the same keys."""

    def __init__(
        self,
        outbox: Shows,
        platforms: Mapping[str, Platform] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = outbox
        self._platforms = platforms or {}
        self._clock = clock

    async def present(
        self,
        claim: Claim,
        message: Message,
        events: AsyncIterator[Event],
        settings: Settings,
        *,
        leg: int = 0,
        speaker: Callable[[], Speaker | None] = lambda: None,
    ) -> Answer | None:
        """Show a run until it ends; its answer, or None if it has none (yet).

        `leg` counts the decisions of people so far: what a run says after one stands below it.
        `speaker` is asked who speaks, whenever something is said.

        Returns when the last post is on the platform or known as undeliverable. Whatever happens
        here, the stream of events is closed, and with it the run.
        """
        platform = self._platforms.get(message.place.platform)
        limits = platform.limits if platform is not None else USUAL_LIMITS
        stage = Stage(self._outbox, claim, message, settings, limits, self._clock, leg, speaker)
        upcoming: asyncio.Task[Event | None] | None = None
        try:
            while True:
                upcoming = upcoming or asyncio.ensure_future(_next(events))
                await asyncio.wait({upcoming}, timeout=stage.due())
                if upcoming.done():
                    event = upcoming.result()
                    upcoming = None
                    if event is None:
                        break
                    await stage.take(event)
                await stage.refresh()
            return await stage.close()
        finally:
            await _end(upcoming, events)


async def _next(events: AsyncIterator[Event]) -> Event | None:
    return await anext(events, None)


async def _end(upcoming: asyncio.Task[Event | None] | None, events: AsyncIterator[Event]) -> None:
    if upcoming is not None:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()


@dataclass
class Stage:
    """One run on its way into a thread."""

    outbox: Shows
    claim: Claim
    message: Message
    settings: Settings
    limits: PlatformLimits
    clock: Callable[[], float]
    leg: int = 0
    speaker: Callable[[], Speaker | None] = lambda: None
    view: View = field(default_factory=View)
    started: float = 0.0
    text_since: float | None = None
    refreshed: float = float("-inf")
    changed: bool = False
    planned: bool = False
    """The plan is in the thread."""
    posts: int = 0
    """Posts of the answer, by the one who speaks now, that are in the thread."""
    sent: dict[str, Draft] = field(default_factory=dict[str, Draft])

    def __post_init__(self) -> None:
        self.started = self.clock()
        # A resumed run may have left a plan behind; it has to be shown again to be closed.
        self.planned = self.resumed = self.claim.epoch > 1
        self.writer = Writer(self.limits, self.message)
        self.view = View(language=self.message.author.language or "en")

    async def take(self, event: Event) -> None:
        """Fold one event."""
        if isinstance(event.body, TeammateChanged):
            await self._leave_posts()
        self.view = self.view.fold(event)
        self.changed = True
        if not self.view.text:
            self.text_since = None
        elif self.text_since is None:
            self.text_since = self.clock()

    def due(self) -> float:
        """Seconds until the view should be shown, without another event."""
        now = self.clock()
        times = [self.refreshed + REFRESH_S] if self.changed else []
        if self.resumed:
            times = [max(time, self.started + REPLAY_S) for time in times]
        if not self.planned:
            times.append(self.started + (QUICK_S if self.view.shown_steps else THINKING_S))
        if self.text_since is not None and not self.posts:
            times.append(self.text_since + TEXT_S)
        return max(0.02, min(times, default=now + 60.0) - now)

    async def refresh(self) -> None:
        """Show what has changed, if it is time to."""
        now = self.clock()
        age = now - self.started
        if self.view.ending is not None or now - self.refreshed < REFRESH_S:
            return
        if self.resumed and age < REPLAY_S:
            return
        self.refreshed, self.changed = now, False
        if self.planned or age >= (QUICK_S if self.view.shown_steps else THINKING_S):
            await self._show_steps()
        await self._show_early(now)

    async def close(self) -> Answer | None:
        """Show the end of the run, and wait until all of it is on the platform."""
        ending = self.view.ending
        if isinstance(ending, Suspended):
            if self.planned or self.view.shown_steps:
                await self._show_steps()
            await self._leave_posts()
        else:
            await self._show_answer()
        for key in self.sent:
            await self.outbox.settle(self.claim, key)
        return ending.answer if isinstance(ending, Done) else None

    async def _show_answer(self) -> None:
        posts = self.writer.final(self.view)
        if self.planned:
            await self._show_steps()
        for number, text in enumerate(posts, 1):
            last = number == len(posts)
            draft = self._draft(text, self._footer() if last else "")
            if last:
                draft = draft.model_copy(update={"buttons": self._verdicts()})
            await self._show(self._key(number), draft)
            await self.outbox.settle(self.claim, self._key(number))
        await self._void(len(posts) + 1)

    async def _leave_posts(self) -> None:
        """What was shown early was no answer: it stays as the thought that it was."""
        if self.posts:
            thought = self.writer.thought(self.view)
            await self._show(self._key(1), self._draft(thought))
            await self._void(2)
        self.posts, self.text_since = 0, None

    async def _void(self, first: int) -> None:
        """Say of posts that were shown early and hold nothing any more where it went."""
        for number in range(first, self.posts + 1):
            void = say("presenter.void", self.view.language)
            await self._show(self._key(number), self._draft(void))

    def _key(self, number: int) -> str:
        """A post of the answer. What is said after a decision or by another has posts of its own,
        below the earlier ones."""
        if not (self.leg or self.view.switches):
            return f"post:answer:{number}"
        return f"post:answer:{self.leg}.{self.view.switches}:{number}"

    async def _show_steps(self) -> None:
        self.planned = True
        if self.settings.steps == "replies":
            await self._show_replies()
            return
        await self._show("post:plan", self._plan_draft(plan_text(self.view, self._seconds())))

    async def _show_replies(self) -> None:
        """One reply a step, and one small message that can stop the run and counts them."""
        view = self.view
        text = f"▸ {say('presenter.working', view.language)}"
        if view.ending is not None:
            text = closing(view, self._seconds())
        await self._show("post:plan", self._plan_draft(text))
        for step in view.shown_steps:
            if step.state != "running" or view.ending is not None:
                line = step_line(step, view.language, view.ending is not None)
                await self._show(f"post:step:{step.id}", Draft(text=line))

    async def _show_early(self, now: float) -> None:
        """Show the text so far. A post is settled before the next begins, to keep their order."""
        if self.text_since is None:
            if self.posts:
                anew = say("presenter.anew", self.view.language)
                await self._show(self._key(1), self._draft(anew, stop=not self.planned))
            return
        posts = self.writer.early(self.view)
        if not posts or not (self.posts or self._is_ripe(posts[0], now)):
            return
        for number in range(max(self.posts, 1), len(posts) + 1):
            last = number == len(posts)
            key = self._key(number)
            draft = self._draft(posts[number - 1], stop=last and not self.planned)
            await self._show(key, draft)
            self.posts = max(self.posts, number)
            if not last:
                await self.outbox.settle(self.claim, key)

    def _is_ripe(self, text: str, now: float) -> bool:
        assert self.text_since is not None
        return len(text) >= TEXT_CHARS or now - self.text_since >= TEXT_S

    async def _show(self, key: str, draft: Draft) -> None:
        # A post keeps the speaker that it was made with; platforms let nobody change that.
        before = self.sent.get(key)
        speaker = self.speaker() if before is None else before.speaker
        draft = draft.model_copy(update={"speaker": speaker})
        if before != draft:
            self.sent[key] = draft
            await self.outbox.show(self.claim, key, self.message.place, draft)

    def _plan_draft(self, text: str) -> Draft:
        running = self.view.ending is None
        return Draft(text=text, buttons=(self._stop(),) if running else ())

    def _draft(self, text: str, footer: str = "", *, stop: bool = False) -> Draft:
        ending = self.view.ending
        people = [self.message.author.id]
        if isinstance(ending, Stopped):
            people.append(ending.by)
        sources: tuple[str, ...] = ()
        if isinstance(ending, Done) and not ending.answer.refused:
            sources = source_hosts(ending.answer.sources)
        return Draft(
            text=text,
            footer=footer,
            buttons=(self._stop(),) if stop else (),
            hosts=(*self.settings.hosts, *hosts_in(self.message.text), *sources),
            people=tuple(people),
        )

    def _footer(self) -> str:
        """Sources, and the steps of a run that was too quick for a plan."""
        ending = self.view.ending
        parts: list[str] = []
        if isinstance(ending, Done) and not ending.answer.refused:
            parts.append(sources_footer(ending.answer.sources, ending.answer.language))
        if not self.planned:
            parts.append(compact(self.view))
        return "\n".join(part for part in parts if part)

    def _verdicts(self) -> tuple[Button, ...]:
        """Helpful or not, under an answer, where the channel wants to know."""
        if not (self.settings.feedback and isinstance(self.view.ending, Done)):
            return ()
        run, language = self.claim.run, self.view.language
        return tuple(
            Button(action=verdict, label=say(f"feedback.{verdict}", language), value=run)
            for verdict in ("helpful", "unhelpful")
        )

    def _stop(self) -> Button:
        label = say("presenter.stop", self.view.language)
        return Button(action="stop", label=label, value=self.claim.run)

    def _seconds(self) -> float:
        return self.clock() - self.started
