"""Runs that wait for people: allowed, refused, answered, stopped, too late; killed meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.worker.deleted import Deleted
from bot.worker.pictures import Pictures
from bot.worker.worker import MOST_CLAIMS
from core.agent import MOST_NEEDS
from core.journal import Claim, StoredJournal
from core.messages import Message, Person
from core.needs import Needs
from core.store.sqlite import SqliteStore
from core.tools.execute import Outcome
from tests.rigs.bank import Bank, Purse, open_bank, open_library
from tests.rigs.platform import MemoryPlatform, a_message

OTHER = Person(id="memory:T1/U2", language="en")


@pytest.fixture
async def bank(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Bank]:
    library = await open_library(store, tmp_path)
    bank = open_bank(store, library, tmp_path)
    yield bank
    await bank.close()
    await library.close()


async def test_a_call_that_needs_approval_waits_and_shows_its_exact_arguments(bank: Bank) -> None:
    message = await bank.say("recharge 50")
    assert await bank.state() == "suspended"
    assert bank.purse.paid == []
    plan, asked = bank.texts()
    assert "waiting for you" in plan
    assert "<@U1>" in asked and "amount: 50" in asked
    assert [label for label in ("Approve", "Reject") if bank.buttons(label)] == [
        "Approve",
        "Reject",
    ]
    assert (message.id, "working", True) in bank.platform.signs


async def test_the_askers_click_goes_on_and_nothing_is_asked_or_done_twice(bank: Bank) -> None:
    message = await bank.say("recharge 50")
    await bank.press("Approve")
    assert bank.purse.paid == [50]
    assert bank.answers() == ["All done: 1 results, topped up 50."]
    assert len(bank.model.calls) == 2, "the round before the wait is not asked again"
    assert await bank.state() == "done"
    asked = next(
        post for post in bank.platform.posts if "recharge" in post.text and post.drafts[0].buttons
    )
    assert asked.drafts[-1].buttons == ()
    assert "<@U1> approved" in asked.text
    assert (message.id, "done", True) in bank.platform.signs
    assert bank.platform.signs[-2:] == [
        (message.id, "working", False),
        ("memory:T1/C1/c:1", "seen", False),
    ], "the post of the button says more than a sign"


async def test_a_refusal_is_told_to_the_model_and_the_run_goes_on_without_the_call(
    bank: Bank,
) -> None:
    await bank.say("recharge 50")
    await bank.press("Reject")
    assert bank.purse.paid == []
    assert bank.answers() and "error: declined" in bank.answers()[0]
    assert any("<@U1> said no" in text for text in bank.texts())
    assert await bank.state() == "done"


async def test_a_click_of_somebody_else_decides_nothing_and_is_told_who_may(bank: Bank) -> None:
    await bank.say("recharge 50")
    await bank.press("Approve", author=OTHER)
    assert bank.purse.paid == [] and await bank.state() == "suspended"
    assert bank.platform.whispers == [(OTHER.id, "<@U1> or an admin decides on this one.")]
    await bank.press("Approve", "c:2")
    assert bank.purse.paid == [50]


async def test_a_second_click_does_nothing_and_is_told_that_it_was_decided(bank: Bank) -> None:
    await bank.say("recharge 50")
    await bank.press("Approve", "c:1")
    await bank.press("Reject", "c:2")
    await bank.press("Approve", "c:3", author=OTHER)
    assert bank.purse.paid == [50] and len(bank.answers()) == 1
    first, second = (text for _, text in bank.platform.whispers)
    assert "<@U1> has decided" in first
    assert "<@U1> or an admin" in second


@pytest.mark.parametrize(
    ("settings", "asker", "other"),
    [
        ({"admins": (OTHER.id,)}, True, True),
        ({"rights": {"approve": (OTHER.id,)}}, False, True),
        ({"rights": {"approve": ("memory:T1/U9",)}}, False, False),
    ],
)
async def test_who_may_decide_is_what_the_channel_says(
    store: SqliteStore, tmp_path: Path, settings: dict[str, object], asker: bool, other: bool
) -> None:
    library = await open_library(store, tmp_path)
    for person, may in ((Person(id="memory:T1/U1", language="en"), asker), (OTHER, other)):
        bank = open_bank(store, library, tmp_path, **settings)
        await bank.say("recharge 50", person.id)
        await bank.press("Approve", f"c:{person.id}", author=person)
        assert bool(bank.purse.paid) is may
        await bank.close()
    await library.close()


async def test_approvers_are_called_in_the_post_and_named_to_others(
    store: SqliteStore, tmp_path: Path
) -> None:
    library = await open_library(store, tmp_path)
    bank = open_bank(store, library, tmp_path, rights={"approve": (OTHER.id,)})
    await bank.say("recharge 50")
    (_, post), *_ = bank.buttons("Approve")
    assert "<@U2>" in bank.platform.of(post).text
    await bank.press("Approve")
    assert "<@U2>" in bank.platform.whispers[0][1]
    await bank.close()
    await library.close()


async def test_a_click_that_comes_too_late_is_told_so_in_the_thread_and_does_nothing(
    store: SqliteStore, tmp_path: Path
) -> None:
    library = await open_library(store, tmp_path)
    bank = open_bank(store, library, tmp_path, patience_s=60.0)
    asked = await bank.say("recharge 50")
    (button, post), *_ = bank.buttons("Approve")
    late = bank.click("Approve", sent_at=9_999_999_999.0)
    await bank.work(late)
    assert bank.purse.paid == []
    assert "out of date" in bank.texts()[-1]
    assert bank.platform.of(post).drafts[-1].buttons == ()
    assert "Out of date" in bank.platform.of(post).text
    await bank.press("Approve", "c:2")
    assert bank.purse.paid == [], "once expired it stays so, whatever the clock says"
    del asked, button
    await bank.close()
    await library.close()


async def test_two_calls_are_two_posts_and_each_is_done_when_it_is_allowed(bank: Bank) -> None:
    await bank.say("recharge 50 recharge 70")
    assert len(bank.buttons("Approve")) == 2
    await bank.press("Approve", "c:1", 0)
    assert bank.purse.paid == [50] and await bank.state() == "suspended"
    assert bank.answers() == []
    assert len(bank.buttons("Approve")) == 2, "the other one is not asked anew"
    await bank.press("Approve", "c:2", 1)
    assert bank.purse.paid == [50, 70]
    assert bank.answers() == ["All done: 2 results, topped up 50 topped up 70."]


async def test_the_thread_is_free_while_a_run_waits(bank: Bank) -> None:
    await bank.say("recharge 50")
    await bank.say("hello", "m:2")
    assert bank.texts()[-1] == "Hello!"
    await bank.press("Approve")
    assert bank.texts()[-1].startswith("All done")


async def test_the_next_message_that_fits_is_the_answer_and_others_are_questions(
    bank: Bank,
) -> None:
    await bank.say("please ask")
    assert await bank.state() == "suspended"
    question = bank.texts()[-1]
    assert "<@U1> To which address?" in question
    await bank.say("hello", "m:2")
    assert bank.texts()[-1] == "Hello!" and await bank.state() == "suspended"
    await bank.say("ann@example.com", "m:3", author=OTHER)
    assert await bank.state() == "suspended", "only the asker answers"
    await bank.say("to ann@example.com please", "m:4")
    assert bank.answers() == ["All done: 1 results, to ann@example.com please."]
    assert await bank.state() == "done"
    assert await bank.state("m:4") == "done"


async def test_what_was_said_before_the_question_is_no_answer_to_it(bank: Bank) -> None:
    await bank.say("please ask")
    await bank.say("bob@example.com", "m:2", sent_at=1_000.0)
    assert await bank.state() == "suspended" and bank.answers() == []


async def test_in_a_direct_conversation_the_answer_needs_no_thread(bank: Bank) -> None:
    place = a_message("").place.model_copy(update={"direct": True})
    await bank.say("please ask", place=place)
    elsewhere = place.model_copy(update={"thread": f"{place.channel}/2"})
    await bank.say("ann@example.com", "m:2", place=elsewhere)
    assert len(bank.answers()) == 1
    assert bank.platform.posts[-1].place.thread == place.thread


async def test_a_stop_word_gives_up_what_waits_and_its_buttons(bank: Bank) -> None:
    await bank.say("recharge 50")
    await bank.say("stop", "m:2")
    assert await bank.state() == "stopped"
    plan, asked, stopped = bank.texts()
    assert plan.startswith("· recharge 50") and "Stopped" in plan
    assert "Not needed any more" in asked
    assert stopped == "Stopped."
    await bank.press("Approve")
    assert bank.purse.paid == []
    assert "over" in bank.platform.whispers[-1][1]


async def test_what_waits_is_given_up_when_the_message_that_asked_is_deleted(
    bank: Bank, tmp_path: Path
) -> None:
    message = await bank.say("recharge 50")
    other = await bank.say("recharge 20", "m:2")
    deleted = Deleted(
        Needs(bank.store),
        bank.outbox,
        bank.line,  # pyright: ignore[reportArgumentType]
        Pictures(tmp_path / "pictures"),
    )
    await deleted(message.place, "memory:T1/C1/nobody's")
    assert await bank.state() == "suspended"
    await deleted(message.place, message.id)
    await deleted(message.place, message.id)
    assert (await bank.state(), await bank.state(other.key)) == ("stopped", "suspended")
    first, second = [post for post in bank.platform.posts if post.drafts[0].buttons]
    assert first.drafts[-1].buttons == () and "Not needed any more" in first.text
    assert len(first.drafts) == 2, "a second event changes nothing"
    assert second.drafts[-1].buttons
    await bank.press("Approve", "c:1", number=0)
    assert bank.purse.paid == []
    assert "over" in bank.platform.whispers[-1][1]
    await bank.press("Approve", "c:2", number=1)
    assert bank.purse.paid == [20]


async def test_a_run_at_work_is_left_alone_when_its_message_is_deleted(
    bank: Bank, tmp_path: Path
) -> None:
    message = await bank.say("recharge 50")
    bank.purse.may_end.clear()
    going_on = asyncio.create_task(bank.press("Approve"))
    await bank.purse.began.wait()
    assert await Needs(bank.store).drop(message.place.channel, message.id, "x") == []
    bank.purse.may_end.set()
    await going_on
    assert bank.purse.paid == [50] and await bank.state() == "done"


async def test_a_stop_of_somebody_else_gives_up_nothing(bank: Bank) -> None:
    await bank.say("recharge 50")
    await bank.say("stop", "m:2", author=OTHER)
    assert await bank.state() == "suspended"
    await bank.press("Approve")
    assert bank.purse.paid == [50]


async def test_a_run_that_goes_on_can_be_stopped_by_its_asker(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.stop.WATCH_S", 0.01)
    asked = await bank.say("recharge 50")
    bank.purse.may_end.clear()
    click = bank.click("Approve")
    await bank.inbox.accept(click)
    going_on = asyncio.create_task(bank.work(click))
    await bank.purse.began.wait()
    stop = a_message("stop", key="m:2")
    assert await bank.inbox.accept(stop)
    await posted(bank, "let finish")
    assert not going_on.done(), "money is under way: it is let finish"
    bank.purse.may_end.set()
    await going_on
    assert bank.purse.paid == [50]
    assert await bank.state(asked.key) == "stopped"
    assert bank.answers() == []
    claim = Claim(asked.key, 0, "", "")
    kept = await StoredJournal(bank.store, claim).kept("loop:1:call:1", Outcome)
    assert kept is not None and kept.text == "topped up 50", "what was done is written down"
    await bank.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in others if "embed" not in task.get_name()], "nothing runs on"


async def test_a_second_stop_ends_even_that_but_a_second_delivery_of_one_does_not(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.stop.WATCH_S", 0.01)
    await bank.say("recharge 50")
    bank.purse.may_end.clear()
    click = bank.click("Approve")
    await bank.inbox.accept(click)
    going_on = asyncio.create_task(bank.work(click))
    await bank.purse.began.wait()
    for _ in range(3):
        await bank.inbox.accept(a_message("stop", key="m:2"))
    await posted(bank, "let finish")
    assert not going_on.done()
    await bank.inbox.accept(a_message("stop", key="m:3"))
    await going_on
    assert bank.purse.paid == []
    assert await bank.state() == "stopped"


async def test_texts_are_in_the_persons_language(bank: Bank) -> None:
    chinese = Person(id="memory:T1/U1", language="zh")
    await bank.say("请帮我充值 recharge 50 元", author=chinese)
    await bank.press("同意", author=chinese)
    texts = "\n".join(bank.texts())
    assert "已同意" in texts
    assert bank.purse.paid == [50]


async def test_after_a_restart_the_click_finds_the_run_and_asks_the_model_only_what_is_new(
    store: SqliteStore, tmp_path: Path
) -> None:
    library = await open_library(store, tmp_path)
    before = open_bank(store, library, tmp_path)
    await before.say("recharge 50")
    await before.close()
    after = open_bank(store, library, tmp_path, platform=before.platform, purse=before.purse)
    await after.press("Approve")
    assert after.purse.paid == [50] and len(after.answers()) == 1
    assert len(after.model.calls) == 1
    await after.close()
    await library.close()


async def test_a_click_that_was_heard_goes_on_after_a_restart_whoever_may_approve_since(
    store: SqliteStore, tmp_path: Path
) -> None:
    library = await open_library(store, tmp_path)
    before = open_bank(store, library, tmp_path)
    await before.say("recharge 50")
    before.purse.may_end.clear()
    click = before.click("Approve")
    working = asyncio.create_task(before.work(click))
    await before.purse.began.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await before.close()
    rights = {"approve": (OTHER.id,)}
    after = open_bank(store, library, tmp_path, platform=before.platform, rights=rights)
    await after.work(click)
    assert await after.state() == "done"
    assert len(after.answers()) == 1 and "unknown_outcome" in after.answers()[0]
    await after.close()
    await library.close()


async def test_many_decisions_are_asked_for_a_few_at_a_time_and_are_no_sign_of_harm(
    bank: Bank,
) -> None:
    sums = list(range(1, MOST_CLAIMS + 2))
    await bank.say(" ".join(f"recharge {amount}" for amount in sums))
    for number in range(len(sums)):
        assert len(bank.buttons("Approve")) == min(number + MOST_NEEDS, len(sums))
        await bank.press("Approve", f"c:{number}", number)
    assert bank.purse.paid == sums
    assert await bank.state() == "done"


async def posted(bank: Bank, words: str) -> None:
    """Wait until a post of the thread holds `words`."""
    while not any(words in text for text in bank.texts()):
        bank.platform.posted.clear()
        await bank.platform.posted.wait()


class Mortal:
    """A store whose process dies at its `fatal`th write, before it or after it."""

    def __init__(self, store: SqliteStore, fatal: int, *, after: bool) -> None:
        self._store = store
        self._fatal = fatal
        self._after = after
        self.writes = 0
        self.dead = asyncio.Event()

    async def read(self, work: object) -> object:
        if self.dead.is_set():
            await asyncio.Event().wait()
        return await self._store.read(work)  # pyright: ignore

    async def write(self, work: object) -> object:
        self.writes += 1
        if self.writes == self._fatal and not self._after:
            self.dead.set()
        if self.dead.is_set():
            await asyncio.Event().wait()
        result = await self._store.write(work)  # pyright: ignore
        if self.writes == self._fatal:
            self.dead.set()
            await asyncio.Event().wait()
        return result


class DyingPlatform(MemoryPlatform):
    """What a dead process would still say is never sent."""

    def __init__(self, dead: asyncio.Event) -> None:
        super().__init__()
        self.dead = dead

    async def post(self, *values: object) -> str:
        await self._alive()
        return await super().post(*values)  # pyright: ignore

    async def edit(self, *values: object) -> None:
        await self._alive()
        await super().edit(*values)  # pyright: ignore

    async def _alive(self) -> None:
        if self.dead.is_set():
            await asyncio.Event().wait()


WAYS = [("click", False), ("click", True), ("words", True), ("stop", True)]


@pytest.mark.parametrize(("way", "after"), WAYS)
async def test_killed_at_any_write_between_question_and_answer_it_goes_on_once(
    tmp_path: Path, way: str, after: bool
) -> None:
    fatal, ended = 1, False
    while not ended:
        folder = tmp_path / f"{fatal}"
        folder.mkdir()
        ended = await killed_once(folder, way, fatal, after)
        fatal += 1
    assert fatal > 12, "there were writes to be killed at"


async def killed_once(folder: Path, way: str, fatal: int, after: bool) -> bool:
    """Ask, decide, and die once on the way; True if there was no write left to die at."""
    store = await SqliteStore.open(folder / "t.db")
    library = await open_library(store, folder)
    mortal = Mortal(store, fatal, after=after)
    platform = DyingPlatform(mortal.dead)
    bank = open_bank(mortal, library, folder, platform=platform)  # pyright: ignore
    message = a_message("please ask" if way == "words" else "recharge 50")
    died = not await survived(bank, message, mortal)
    if died:
        bank = reborn(bank, store, library, folder)
        await bank.work(message)
    second = deciding(bank, way)
    if not died and not await survived(bank, second, mortal):
        died, bank = True, reborn(bank, store, library, folder)
        await bank.work(message)  # Its own row in the queue may not have been ticked off.
        await bank.work(second)
    elif died:
        await bank.work(second)
    told = f"killed at write {fatal}, {'after' if after else 'before'} it"
    assert len(bank.platform.posts) == 3, told
    assert await bank.state(second.key) == "done", told
    assert_ended_once(bank, way, told)
    assert await bank.state() == ("stopped" if way == "stop" else "done"), told
    await bank.close()
    await library.close()
    await store.close()
    return not died


def deciding(bank: Bank, way: str) -> Message:
    if way == "click":
        return bank.click("Approve")
    return a_message("ann@example.com" if way == "words" else "stop", key="m:2")


def assert_ended_once(bank: Bank, way: str, told: str) -> None:
    if way == "stop":
        assert bank.answers() == [] and bank.texts()[-1] == "Stopped.", told
        assert bank.purse.paid == [], told
        return
    assert len(bank.answers()) == 1, told
    if way == "words":
        assert "ann@example.com" in bank.answers()[0], told
    elif not bank.purse.paid:
        assert "unknown_outcome" in bank.answers()[0], told
    else:
        assert bank.purse.paid == [50], told


async def survived(bank: Bank, message: Message, mortal: Mortal) -> bool:
    working = asyncio.create_task(bank.work(message))
    dying = asyncio.create_task(mortal.dead.wait())
    await asyncio.wait({working, dying}, return_when=asyncio.FIRST_COMPLETED)
    over = working.done()
    for task in (working, dying):
        task.cancel()
    await asyncio.gather(working, dying, return_exceptions=True)
    if not over:
        await bank.close()
    return over


def reborn(bank: Bank, store: SqliteStore, library: object, folder: Path) -> Bank:
    bank.platform.dead = asyncio.Event()  # pyright: ignore
    purse: Purse = bank.purse
    return open_bank(store, library, folder, platform=bank.platform, purse=purse)  # pyright: ignore
