"""Worker: one queued key in, one delivered answer out. The border where a run's errors end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from bot.commands import ASKS, COMMANDS, PRIVATE
from bot.inbox import is_stop, language
from bot.platform import Draft
from bot.worker.asking import Asking, Woken, as_list
from bot.worker.course import Course, State
from bot.worker.desk import Desk
from bot.worker.gate import Gate
from bot.worker.pictures import Pictures
from bot.worker.receipts import Receipts
from bot.worker.stop import StopWatch
from bot.worker.verdicts import Verdicts
from core.context import StopSignal, ended
from core.errors import (
    Denied,
    LostRun,
    PlatformError,
    RunStopped,
    StoreError,
    ThreadmateError,
    WrongUse,
)
from core.journal import Claim, StoredJournal, claim_run, end_run
from core.messages import Message
from core.needs import Needs
from core.request import Picks, Request
from core.scope import channel_scope
from core.settings import PERSON
from core.store import Transaction
from core.texts import say

log = logging.getLogger(__name__)

MOST_CLAIMS = 20
"""A run that was begun this often ends the process each time: it is given up and says so."""

STORE_PAUSE_S = 2.0
LONGEST_STORE_PAUSE_S = 60.0

FILE_BEFORE_S = 60.0
"""A question waits for a file that the same person dropped in the channel up to a minute before."""

FILE_MARK = '"kind":"file"'
"""Stands in the payload of a message that is only files."""

FILE_WAIT_S = 60.0
FILE_LOOK_S = 0.2


PROFILE_S = 2.0
"""A profile that is not there by then is done without: it never holds up an answer."""


class Worker:
    """Works runs. Its `handle` is the handler of `core.runs.Runs`; `close` after the drain."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._watch = StopWatch(desk.store)
        self._needs = Needs(desk.store)
        self._receipts = Receipts(desk)
        self._gate = Gate(desk.settings, desk.outbox)
        self._verdicts = Verdicts(desk)
        self._pictures = Pictures(desk.pictures)

    async def handle(self, key: str, payload: str) -> None:
        """Work one queued run to its end, whatever the store does meanwhile."""
        del key  # The message carries it.
        message = await self._with_profile(Message.model_validate_json(payload))
        pause = STORE_PAUSE_S
        while True:
            try:
                await self._handle(await self._as_they_wish(message))
                return
            except LostRun:
                log.info("run %s has a new owner", message.key)
                return
            except StoreError as error:
                # Nothing may be recorded now, so nothing may be said for good either: the steps
                # that are kept are kept, and the run goes on when the store does.
                log.warning("run %s waits for the store: %s", message.key, error)
                if pause == STORE_PAUSE_S:
                    await self._complain(message, error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_STORE_PAUSE_S)

    async def work(self, message: Message, claim: Claim, stop: StopSignal) -> State:
        """Do what the message asks for and say it in the thread; how it ended."""
        match message.kind:
            case "click":
                return await self._click(message, claim)
            case "command" if message.command == "stop":
                return await self._stop_what_waits(message, claim)
            case "command" if message.command != "ask":
                return await self._command(message, claim)
            case "file":
                await stop.during(self._receipts.take(message, claim))
                return "done"
            case _:
                return await self._ask(message, claim, stop)

    async def close(self) -> None:
        await self._watch.close()

    async def _with_profile(self, message: Message) -> Message:
        """The message with its author's name, language and zone, if they can be had in time."""
        if message.author.language is not None or message.author.name:
            return message
        try:
            async with asyncio.timeout(PROFILE_S):
                platform = self._desk.platforms[message.place.platform]
                author = await platform.person(message.author.id)
        except (PlatformError, TimeoutError) as error:
            log.info("run %s does without its author's profile: %s", message.key, error)
            return message
        return message.model_copy(update={"author": author})

    async def _as_they_wish(self, message: Message) -> Message:
        """The message with the language and zone that its author set, if they did."""
        desk = self._desk
        if desk.kept is not None:
            await desk.kept.refresh()
        merged = desk.settings.merged(message.place, message.author.id)
        own = {
            name: getattr(merged.settings, name)
            for name in ("language", "time_zone")
            if merged.layer(name) == PERSON
        }
        author = message.author.model_copy(update=own)
        return message.model_copy(update={"author": author}) if own else message

    async def _handle(self, message: Message) -> None:
        desk = self._desk
        claim = await desk.store.write(lambda tx: take(tx, message, desk.runs.executor))
        if claim is None:
            return
        await self._carry(message, claim)

    async def _carry(self, message: Message, claim: Claim) -> None:
        """Work a run that is ours now, as far as it goes, and note how it ended."""
        desk = self._desk
        stop = await self._watch.begin(claim.run)
        try:
            state = await self._guarded(message, claim, stop)
        finally:
            self._watch.end(claim.run)
            await desk.outbox.leave(claim)
        if state != "suspended":
            await self._pictures.drop(claim.run)
            if claim.epoch > 1:
                await self._asking(message).close(claim)
        await self._sign(message, claim, state)
        await desk.store.write(lambda tx: end_run(tx, claim, state))

    async def _guarded(self, message: Message, claim: Claim, stop: StopSignal) -> State:
        """The border of a run: an error becomes a sentence in the thread."""
        try:
            if claim.epoch > MOST_CLAIMS and (lives := await self._lives(claim)) > MOST_CLAIMS:
                await self._notice(message, claim, "worker.given_up", count=lives - 1)
                return "failed"
            return await self.work(message, claim, stop)
        except (LostRun, StoreError):
            raise
        except RunStopped:
            await self._notice(message, claim, "worker.stopped")
            return "stopped"
        except WrongUse as error:
            log.info("run %s was asked in a wrong way: %s", claim.run, error)
            await self._notice(message, claim, error.key, **error.values)
            return "failed"
        except Exception as error:
            log.exception("run %s failed", claim.run)
            known = error if isinstance(error, ThreadmateError) else ThreadmateError()
            await self._notice(message, claim, known.key, **known.values)
            return "failed"

    async def _lives(self, claim: Claim) -> int:
        """How often a run was begun; that a person decided something for it is no sign of harm."""
        past = await self._needs.of(claim.run)
        return claim.epoch - sum(asked.state == "decided" for asked in past)

    async def _ask(self, message: Message, claim: Claim, stop: StopSignal) -> State:
        if message.attachments:
            await stop.during(self._receipts.take(message, claim))
            if not message.text.strip():
                return "done"
        if not message.text.strip():
            await self._notice(message, claim, "worker.no_text")
            return "done"
        if is_stop(message.text):
            return await self._stop_what_waits(message, claim)
        decided = await self._needs.decided_in(message.key)
        # An answer that was heard woke its run: only we go on with it, whoever may chat since.
        if not decided and not await self._gate.lets(message, "chat"):
            return "failed"
        woken = await self._asking(message).answer(message, claim)
        if woken is not None:
            return await self._carry_on(woken)
        if await self._about_memory(message, claim):
            return "done"
        await stop.during(self._wait_for_file(message))
        return await self._answer(message, claim, stop)

    async def _answer(self, message: Message, claim: Claim, stop: StopSignal) -> State:
        desk = self._desk
        journal = StoredJournal(desk.store, claim)
        past = await self._needs.of(claim.run) if claim.epoch > 1 else []
        course = Course(journal, past)
        asked = message
        message, picks = desk.commands.question(message)
        telling = asyncio.create_task(self._tell_finishing(message, claim, stop))
        try:
            async with desk.agent.run(
                claim.run,
                lambda: self._request(message, picks),
                journal,
                stop,
                desk.limits,
                language=language(message),
            ) as events:
                answer = await desk.presenter.present(
                    claim,
                    message,
                    course.watch(events),
                    desk.settings.of(message.place),
                    leg=course.leg,
                    speaker=lambda: course.speaker,
                )
        finally:
            await ended(telling)
        if course.forbidden:
            await self._gate.refuse(asked, "tools")
        if course.needs:
            await self._asking(message).ask(claim, asked, course.needs, course.speaker)
        if answer is not None:
            await self._verdicts.keep(message, journal, answer)
            await self._log(message, answer.text)
        return course.state

    async def _request(self, message: Message, picks: Picks) -> Request:
        """The request, with the pictures that a model may look at."""
        request = await self._desk.assembler.assemble(message, picks)
        if request.model is None:
            return request
        platform = self._desk.platforms[message.place.platform]
        pictures = await self._pictures.take(message, platform)
        return request.model_copy(update={"pictures": pictures})

    async def _log(self, message: Message, answer: str) -> None:
        """Keep the turn; what of it is worth remembering is found out later, beside the work."""
        await self._desk.conversation.log_turn(message, message.text, answer)
        if self._desk.keeper is not None:
            self._desk.keeper.attention.consider()

    async def _about_memory(self, message: Message, claim: Claim) -> bool:
        """Answer a message that is only about what is remembered; False if it is for the agent."""
        commands = self._desk.commands
        if not commands.hears(message.text):
            return False
        drafts = await self._drafts("memory", message, claim, commands.heard)
        for number, draft in enumerate(drafts, 1):
            await self._desk.outbox.say(claim, f"post:answer:{number}", message.place, draft)
        return bool(drafts)

    async def _tell_finishing(self, message: Message, claim: Claim, stop: StopSignal) -> None:
        """Say that a stop waits for a call with effects, if it does."""
        await stop.asked()
        if stop.finishing:
            draft = Draft(text=say("needs.finishing", language(message)))
            await self._desk.outbox.say(claim, "post:notice:stop", message.place, draft)

    async def _wait_for_file(self, message: Message) -> None:
        """Let a file that the asker dropped in the channel just before become searchable."""
        runs = self._desk.runs
        deadline = time.monotonic() + FILE_WAIT_S
        while time.monotonic() < deadline:
            waiting = await runs.unfinished_below(message.place.channel + "/", FILE_MARK)
            others = [Message.model_validate_json(run.payload) for run in waiting]
            if not any(dropped_before(other, message) for other in others):
                return
            await asyncio.sleep(FILE_LOOK_S)

    async def _command(self, message: Message, claim: Claim) -> State:
        word = COMMANDS.get(message.command)
        if word in ASKS and not await self._gate.lets(message, "chat"):
            return "failed"
        if word not in PRIVATE:
            await self._do("command", message, claim, self._desk.commands.run)
            return "done"
        for draft in await self._drafts("command", message, claim, self._desk.commands.run):
            await self._desk.outbox.whisper(message.place, message.author.id, draft)
        return "done"

    async def _click(self, message: Message, claim: Claim) -> State:
        match message.click.action if message.click is not None else "":
            case "remove":
                await self._remove(message, claim)
            case "stop":
                # It would have acted in the inbox if its run were still at work.
                await self._whisper(message, "command.nothing_to_stop")
            case "helpful" | "unhelpful" as verdict:
                await self._verdicts.take(message, verdict)
            case "approve" | "reject":
                woken = await self._asking(message).click(message, claim)
                await self._carry_on(as_list(woken))
            case _:
                pass
        return "done"

    async def _remove(self, message: Message, claim: Claim) -> None:
        try:
            await self._do("remove", message, claim, self._desk.commands.remove)
        except Denied as error:
            await self._whisper(message, error.key, **error.values)
            return
        await self._receipts.mark_removed(message, claim)

    async def _stop_what_waits(self, message: Message, claim: Claim) -> State:
        """Nothing is at work any more; what waits for a person in the thread is given up."""
        woken = await self._asking(message).give_up(message, claim)
        if woken is None:
            await self._notice(message, claim, "command.nothing_to_stop")
        return await self._carry_on(woken or [])

    async def _carry_on(self, woken: Sequence[Woken]) -> State:
        """Work the runs that a decision wakes, in the name of whoever brought it."""
        for run in woken:
            try:
                await self._carry(run.message, run.claim)
            except LostRun:
                # Another decision woke it since; those behind it still wait for us.
                log.info("run %s has a new owner", run.claim.run)
        return "done"

    def _asking(self, message: Message) -> Asking:
        desk = self._desk
        limits = desk.platforms[message.place.platform].limits
        return Asking(
            store=desk.store,
            needs=self._needs,
            outbox=desk.outbox,
            settings=desk.settings,
            owner=desk.runs.executor,
            seconds=desk.patience_s,
            room=limits.post_chars,
        )

    async def _do(
        self,
        step: str,
        message: Message,
        claim: Claim,
        work: Callable[[Message], Awaitable[list[Draft]]],
    ) -> None:
        """Do something once and post what it says."""
        drafts = await self._drafts(step, message, claim, work)
        for number, draft in enumerate(drafts, 1):
            await self._desk.outbox.say(claim, f"post:answer:{number}", message.place, draft)

    async def _drafts(
        self,
        step: str,
        message: Message,
        claim: Claim,
        work: Callable[[Message], Awaitable[list[Draft]]],
    ) -> list[Draft]:
        """Do something once: it may delete what a second time would miss."""
        journal = StoredJournal(self._desk.store, claim)
        return await journal.step(step, list[Draft], lambda: work(message))

    async def _whisper(self, message: Message, key: str, **values: object) -> None:
        text = say(key, language(message), **values)
        await self._desk.outbox.whisper(message.place, message.author.id, Draft(text=text))

    async def _notice(self, message: Message, claim: Claim, key: str, **values: object) -> None:
        draft = Draft(text=say(key, language(message), **values))
        await self._desk.outbox.say(claim, "post:notice:run", message.place, draft)

    async def _sign(self, message: Message, claim: Claim, state: State) -> None:
        react = self._desk.outbox.react
        if message.kind != "click" or state == "failed":
            # The post of a button that worked is edited and says more than a sign.
            sign = "working" if state == "suspended" else state
            await react(message.place, message.id, sign, True)
        await react(message.place, message.id, "seen", False)
        if claim.epoch > 1 and state != "suspended":
            # It may have waited for a person before.
            await react(message.place, message.id, "working", False)

    async def _complain(self, message: Message, error: StoreError) -> None:
        await self._whisper(message, error.key, **error.values)


OVER = ("done", "failed", "stopped", "suspended")
"""States in which the queue has nothing more to do for a run; only a person wakes the last."""


def take(tx: Transaction, message: Message, owner: str) -> Claim | None:
    """Claim the run of a message; None if it was worked to its end before the queue noted it."""
    row = tx.one("SELECT state FROM run_claim WHERE run = :run", {"run": message.key})
    if row is not None and row[0] in OVER:
        return None
    return claim_run(
        tx,
        message.key,
        owner,
        thread=message.place.thread,
        scope=channel_scope(message.place.channel),
        person=message.author.id,
    )


def dropped_before(other: Message, message: Message) -> bool:
    """True if `other` is a file of the same person, dropped up to a minute before `message`.

    Not one of the same thread: if it is still in line there, it is in line behind us.
    """
    return (
        other.kind == "file"
        and other.place.thread != message.place.thread
        and other.author.id == message.author.id
        and 0 <= message.sent_at - other.sent_at <= FILE_BEFORE_S
    )
