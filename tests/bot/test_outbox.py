"""The outbox says everything once, whatever breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import outbox as outbox_module
from bot.outbox import Outbox, intend
from bot.platform import Draft, PlatformLimits
from core.errors import LostRun, TryLater, Undeliverable, UnknownOutcome
from core.journal import Claim, claim_run
from core.store.sqlite import SqliteStore
from tests.rigs.platform import MemoryPlatform, a_place

PLACE = a_place()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_module, "PAUSE_S", 0.001)


@pytest.fixture
def platform() -> MemoryPlatform:
    return MemoryPlatform()


@pytest.fixture
async def outbox(store: SqliteStore, platform: MemoryPlatform) -> AsyncIterator[Outbox]:
    made = Outbox(store, {"memory": platform}, lambda draft, _: draft)
    yield made
    await made.close()


async def claimed(store: SqliteStore, run: str = "m:1") -> Claim:
    return await store.write(
        lambda tx: claim_run(tx, run, "me", thread=PLACE.thread, scope="channel:c", person="p")
    )


async def row(store: SqliteStore, key: str) -> tuple[str, str, str]:
    found = await store.read(
        lambda tx: tx.one("SELECT state, message, reason FROM outbox WHERE key = :k", {"k": key})
    )
    assert found is not None
    return found


async def test_a_key_is_posted_once_however_often_it_is_said(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    claim = await claimed(store)
    first = await outbox.say(claim, "post:answer:1", PLACE, Draft(text="hello"))
    second = await outbox.say(claim, "post:answer:1", PLACE, Draft(text="hello"))
    assert first == second == platform.posts[0].id
    assert len(platform.posts) == 1
    assert platform.posts[0].mark == "m:1#post:answer:1"


async def test_after_a_crash_between_post_and_record_the_platform_is_asked_first(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    old = await claimed(store)
    await store.write(lambda tx: intend(tx, old, "post:answer:1", PLACE))
    posted = await platform.post(PLACE, Draft(text="hello"), "m:1#post:answer:1")
    new = await claimed(store)
    assert await outbox.say(new, "post:answer:1", PLACE, Draft(text="hello")) == posted
    assert len(platform.posts) == 1


async def test_after_a_crash_before_the_post_it_is_posted(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    old = await claimed(store)
    await store.write(lambda tx: intend(tx, old, "post:answer:1", PLACE))
    new = await claimed(store)
    await outbox.say(new, "post:answer:1", PLACE, Draft(text="hello"))
    assert platform.texts(PLACE.thread) == ["hello"]
    assert platform.calls[:2] == ["find", "post"]


async def test_a_broken_connection_after_the_post_does_not_double_it(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    platform.lost_answers = [UnknownOutcome("cut")]
    claim = await claimed(store)
    assert await outbox.say(claim, "k", PLACE, Draft(text="once")) == platform.posts[0].id
    assert platform.texts(PLACE.thread) == ["once"]


async def test_a_broken_connection_before_the_post_does_not_lose_it(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    platform.faults = [UnknownOutcome("cut")]
    await outbox.say(await claimed(store), "k", PLACE, Draft(text="once"))
    assert platform.texts(PLACE.thread) == ["once"]


async def test_a_busy_platform_is_tried_again(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    platform.faults = [TryLater(seconds=0.01), TryLater(seconds=0.01)]
    await outbox.say(await claimed(store), "k", PLACE, Draft(text="once"))
    assert platform.texts(PLACE.thread) == ["once"]


async def test_a_closed_channel_is_recorded_and_never_tried_again(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    platform.faults = [Undeliverable("is_archived")]
    claim = await claimed(store)
    assert await outbox.say(claim, "k", PLACE, Draft(text="x")) is None
    assert await outbox.say(claim, "k", PLACE, Draft(text="x")) is None
    assert await row(store, "k") == ("undeliverable", "", "is_archived")
    assert platform.calls == ["post"]


async def test_an_old_owner_says_nothing(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    old = await claimed(store)
    await claimed(store)
    with pytest.raises(LostRun):
        await outbox.say(old, "k", PLACE, Draft(text="x"))
    assert platform.calls == []


async def test_every_text_passes_the_filter(store: SqliteStore, platform: MemoryPlatform) -> None:
    def clean(draft: Draft, platform: str) -> Draft:
        return Draft(text=f"clean on {platform}: {draft.text}")

    outbox = Outbox(store, {"memory": platform}, clean)
    claim = await claimed(store)
    await outbox.say(claim, "k", PLACE, Draft(text="said"))
    await outbox.show(claim, "s", PLACE, Draft(text="shown"))
    await outbox.show(claim, "s", PLACE, Draft(text="edited"))
    await outbox.settle(claim, "s")
    await outbox.whisper(PLACE, "p", Draft(text="whispered"))
    said = [draft.text for post in platform.posts for draft in post.drafts]
    assert all(text.startswith("clean on memory: ") for text in said)
    assert platform.whispers == [("p", "clean on memory: whispered")]
    await outbox.close()


async def test_the_newest_text_wins_and_settles(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    claim = await claimed(store)
    for number in range(50):
        await outbox.show(claim, "s", PLACE, Draft(text=f"text {number}"))
    await outbox.settle(claim, "s")
    assert len(platform.posts) == 1
    assert platform.posts[0].text == "text 49"
    assert len(platform.posts[0].drafts) <= 3, "drafts in between are passed over"


@pytest.mark.parametrize(
    "faults", [[None, TryLater(seconds=0)], [None, UnknownOutcome("cut"), TryLater(seconds=0)]]
)
async def test_the_final_text_is_never_lost_to_a_failing_edit(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox, faults: list[Exception | None]
) -> None:
    platform.faults = faults
    claim = await claimed(store)
    await outbox.show(claim, "s", PLACE, Draft(text="draft"))
    await platform.posted.wait()
    await outbox.show(claim, "s", PLACE, Draft(text="final"))
    await outbox.settle(claim, "s")
    assert platform.posts[0].text == "final"


async def test_a_resumed_run_edits_the_message_that_its_former_owner_posted(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    old = await claimed(store)
    await outbox.show(old, "s", PLACE, Draft(text="half"))
    await outbox.settle(old, "s")
    new = await claimed(store)
    await outbox.show(new, "s", PLACE, Draft(text="whole"))
    await outbox.settle(new, "s")
    assert [post.text for post in platform.posts] == ["whole"]


async def test_a_deleted_message_ends_its_edits_and_is_recorded(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    platform.faults = [None, Undeliverable("message_not_found")]
    claim = await claimed(store)
    await outbox.show(claim, "s", PLACE, Draft(text="draft"))
    await outbox.settle(claim, "s")
    await outbox.show(claim, "s", PLACE, Draft(text="final"))
    await outbox.settle(claim, "s")
    state, _, reason = await row(store, "s")
    assert (state, reason) == ("undeliverable", "message_not_found")


async def test_settling_tells_that_the_run_was_lost(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    old = await claimed(store)
    await outbox.show(old, "s", PLACE, Draft(text="draft"))
    await outbox.settle(old, "s")
    await claimed(store)
    await outbox.show(old, "s", PLACE, Draft(text="final"))
    with pytest.raises(LostRun):
        await outbox.settle(old, "s")
    assert platform.posts[0].text == "draft"


async def test_posts_into_one_channel_keep_the_gap_and_other_channels_do_not_wait(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr(outbox_module, "time", clock)
    monkeypatch.setattr(outbox_module.asyncio, "sleep", clock.sleep)
    platform = MemoryPlatform(limits=PlatformLimits(12_000, 4_000, post_gap_s=1.0, edit_gap_s=1.0))
    outbox = Outbox(store, {"memory": platform}, lambda draft, _: draft)
    claim = await claimed(store)
    for number in range(3):
        await outbox.say(claim, f"k{number}", PLACE, Draft(text="x"))
    assert clock.now == pytest.approx(2.0), "three posts, two pauses"
    await outbox.say(claim, "other", a_place(channel="C2"), Draft(text="x"))
    assert clock.now == pytest.approx(2.0)


class FakeClock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += max(0.0, seconds)


async def test_closing_leaves_no_writer_behind(
    store: SqliteStore, platform: MemoryPlatform, outbox: Outbox
) -> None:
    before = asyncio.all_tasks()
    claim = await claimed(store)
    await outbox.show(claim, "a", PLACE, Draft(text="a"))
    await outbox.show(claim, "b", PLACE, Draft(text="b"))
    await outbox.close()
    assert asyncio.all_tasks() == before


async def test_signs_and_whispers_never_fail_a_run(store: SqliteStore) -> None:
    asked: list[str] = []

    class Sulking(MemoryPlatform):
        async def react(self, *_: object) -> None:
            asked.append("react")
            raise Undeliverable("missing_scope")

        async def whisper(self, *_: object) -> None:
            asked.append("whisper")
            raise Undeliverable("user_not_in_channel")

    outbox = Outbox(store, {"memory": Sulking()}, lambda draft, _: draft)
    await outbox.react(PLACE, "m", "seen", True)
    await outbox.whisper(PLACE, "p", Draft(text="x"))
    assert asked == ["react", "whisper"]


FAULTS = st.lists(
    st.sampled_from(["ok", "later", "cut before", "cut after", "crash before", "crash after"]),
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(faults=FAULTS)
def test_whatever_breaks_and_whenever_it_dies_the_post_is_there_once(faults: list[str]) -> None:
    asyncio.run(said_once(faults))


async def said_once(faults: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "t.db")
        try:
            platform = MemoryPlatform()
            for fault in faults:
                claim = await claimed(store)
                outbox = Outbox(store, {"memory": platform}, lambda draft, _: draft)
                task = asyncio.create_task(try_it(outbox, platform, claim, fault))
                await asyncio.gather(task, return_exceptions=True)
                await outbox.close()
            claim = await claimed(store)
            last = Outbox(store, {"memory": platform}, lambda draft, _: draft)
            assert await last.say(claim, "k", PLACE, Draft(text="x")) == platform.posts[0].id
            assert len(platform.posts) == 1
        finally:
            await store.close()


async def try_it(outbox: Outbox, platform: MemoryPlatform, claim: Claim, fault: str) -> None:
    platform.faults, platform.lost_answers = [], []
    match fault:
        case "later":
            platform.faults = [TryLater(seconds=0)]
        case "cut before":
            platform.faults = [UnknownOutcome("cut")]
        case "cut after":
            platform.lost_answers = [UnknownOutcome("cut")]
        case "crash before":
            platform.faults = [Crash()]
        case "crash after":
            platform.lost_answers = [Crash()]
        case _:
            pass
    await outbox.say(claim, "k", PLACE, Draft(text="x"))


class Crash(Exception):
    """The process dies here."""
