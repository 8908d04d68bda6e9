"""The inbox: on disk before it is acknowledged; a stop acts at once."""

from __future__ import annotations

import asyncio

import pytest

from bot.inbox import Inbox, is_stop
from bot.outbox import Outbox
from bot.platform import Draft
from core.errors import StoreFull
from core.events import Need
from core.journal import claim_run
from core.messages import Attachment, Click, Message, Person
from core.needs import Needs
from core.runs import Waiting
from core.settings import SettingsBook
from core.store.sqlite import SqliteStore
from tests.rigs.platform import MemoryPlatform, a_message, a_place

NOW = 1_000_000.0


class Line:
    """The queue as the inbox sees it."""

    def __init__(self) -> None:
        self.runs: dict[str, Waiting] = {}
        self.error: Exception | None = None

    async def enqueue(self, key: str, thread: str, payload: str, said_at: float) -> bool:
        if self.error is not None:
            raise self.error
        if key in self.runs:
            return False
        self.runs[key] = Waiting(key, thread, payload)
        return True

    async def ahead(self, thread: str) -> int:
        return len(await self.unfinished(thread))

    async def unfinished(self, thread: str) -> list[Waiting]:
        return [run for run in self.runs.values() if run.thread == thread]


@pytest.fixture
def platform() -> MemoryPlatform:
    return MemoryPlatform()


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def inbox(store: SqliteStore, platform: MemoryPlatform, line: Line) -> Inbox:
    return inbox_with(store, platform, line)


def inbox_with(
    store: SqliteStore, platform: MemoryPlatform, line: Line, **settings: object
) -> Inbox:
    outbox = Outbox(store, {"memory": platform}, lambda draft, _: draft)
    book = SettingsBook(defaults=settings)
    return Inbox(line, store, outbox, book)  # pyright: ignore[reportArgumentType]


async def stops(store: SqliteStore) -> list[tuple[str, str]]:
    return await store.read(lambda tx: tx.all("SELECT run, person FROM stop_request"))


async def test_a_message_is_queued_and_gets_its_first_sign(
    inbox: Inbox, platform: MemoryPlatform, line: Line
) -> None:
    message = a_message("when is payday?")
    assert await inbox.accept(message)
    await inbox.close()
    assert Message.model_validate_json(line.runs["m:1"].payload) == message
    assert platform.signs == [(message.id, "seen", True)]
    assert platform.whispers == []


async def test_a_secret_is_not_kept_and_its_owner_is_told_once(
    inbox: Inbox, platform: MemoryPlatform, line: Line
) -> None:
    message = a_message("why does ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4 not work?")
    for _ in range(2):
        await inbox.accept(message)
        await inbox.close()
    kept = Message.model_validate_json(line.runs["m:1"].payload)
    assert kept.text == "why does [redacted] not work?"
    ((person, text),) = platform.whispers
    assert person == message.author.id
    assert "change it" in text
    assert "ghp_" not in text


async def test_a_second_arrival_is_no_second_run_and_gets_no_second_sign(
    inbox: Inbox, platform: MemoryPlatform
) -> None:
    await inbox.accept(a_message("when is payday?"))
    assert not await inbox.accept(a_message("when is payday?"))
    await inbox.close()
    assert len(platform.signs) == 1


async def test_the_acknowledgement_does_not_wait_for_the_first_sign(
    store: SqliteStore, line: Line
) -> None:
    class Slow(MemoryPlatform):
        async def react(self, *_: object) -> None:
            await asyncio.Event().wait()

    inbox = inbox_with(store, Slow(), line)
    async with asyncio.timeout(5):
        assert await inbox.accept(a_message("hi"))
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def test_what_cannot_be_written_is_not_accepted(
    inbox: Inbox, line: Line, platform: MemoryPlatform
) -> None:
    line.error = StoreFull()
    with pytest.raises(StoreFull):
        await inbox.accept(a_message("hi"))
    await inbox.close()
    assert platform.signs == []


async def test_a_message_that_waits_is_told_how_many_are_ahead(
    inbox: Inbox, platform: MemoryPlatform
) -> None:
    await inbox.accept(a_message("one", key="m:1"))
    await inbox.close()
    await inbox.accept(a_message("two", key="m:2"))
    await inbox.close()
    await inbox.accept(a_message("elsewhere", key="m:3", thread="2"))
    await inbox.close()
    ((person, text),) = platform.whispers
    assert person == "memory:T1/U1"
    assert "1 ahead" in text


@pytest.mark.parametrize(
    "word", ["停", "停止！", " Stop. ", "STOP!!", "cancel", "ｓｔｏｐ", "取消。"]
)
async def test_a_stop_word_acts_at_once_and_waits_in_no_line(
    inbox: Inbox, store: SqliteStore, line: Line, word: str
) -> None:
    await inbox.accept(a_message("a long task", key="m:1"))
    await inbox.accept(a_message(word, key="m:2"))
    await inbox.close()
    assert await stops(store) == [("m:1", "memory:T1/U1")]
    assert list(line.runs) == ["m:1"]


@pytest.mark.parametrize(
    "text", ["stop it", "don't stop", "停电了怎么办", "how do I cancel?", "", "!"]
)
def test_a_sentence_with_the_word_in_it_is_no_stop(text: str) -> None:
    assert not is_stop(text)


async def test_a_stop_where_nothing_is_at_work_is_a_message_like_any_other(
    inbox: Inbox, store: SqliteStore, line: Line
) -> None:
    await inbox.accept(a_message("stop"))
    await inbox.close()
    assert await stops(store) == []
    assert list(line.runs) == ["m:1"]


async def test_another_person_cannot_stop_a_run_and_is_told_who_can(
    inbox: Inbox, store: SqliteStore, platform: MemoryPlatform
) -> None:
    await inbox.accept(a_message("a long task", key="m:1"))
    other = Person(id="memory:T1/U2", language="zh")
    await inbox.accept(a_message("停", key="m:2", author=other))
    await inbox.close()
    assert await stops(store) == []
    ((person, text),) = platform.whispers
    assert person == "memory:T1/U2"
    assert "<@U1>" in text


async def test_an_admin_can_stop_a_run_of_another_person(
    store: SqliteStore, platform: MemoryPlatform, line: Line
) -> None:
    inbox = inbox_with(store, platform, line, admins=("memory:T1/U2",))
    await inbox.accept(a_message("a long task", key="m:1"))
    await inbox.accept(a_message("停", key="m:2", author=Person(id="memory:T1/U2")))
    await inbox.close()
    assert await stops(store) == [("m:1", "memory:T1/U2")]


async def test_the_button_stops_the_run_that_it_names(
    inbox: Inbox, store: SqliteStore, line: Line
) -> None:
    await inbox.accept(a_message("first", key="m:1"))
    await inbox.accept(a_message("second", key="m:2"))
    click = Click(action="stop", value="m:2", message="memory:T1/C1/9")
    await inbox.accept(a_message("", key="m:3", kind="click", click=click))
    await inbox.close()
    assert await stops(store) == [("m:2", "memory:T1/U1")]
    assert list(line.runs) == ["m:1", "m:2"]


async def test_files_are_left_alone_where_the_channel_says_so(
    store: SqliteStore, platform: MemoryPlatform, line: Line
) -> None:
    file = Attachment(id="F1", name="a.pdf", mime="application/pdf")
    picture = Attachment(id="F2", name="a.png", mime="image/png")
    dropped = a_message("", kind="file", attachments=(file,))
    chatter = a_message("", kind="file", attachments=(picture,))
    for ingest, message, taken in [
        ("auto", dropped, True),
        ("auto", chatter, False),
        ("mention", dropped, False),
        ("off", dropped, False),
    ]:
        inbox = inbox_with(store, platform, Line(), ingest=ingest)
        assert await inbox.accept(message) is taken, (ingest, message)
        await inbox.close()


async def test_a_thread_is_active_for_a_day_after_our_last_post(
    inbox: Inbox, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = a_place()
    claim = await store.write(
        lambda tx: claim_run(tx, "r", "me", thread=place.thread, scope="channel:c", person="p")
    )
    monkeypatch.setattr("bot.outbox.time.time", lambda: NOW)
    assert not await inbox.active(place.thread, NOW)
    await inbox._outbox.say(claim, "k", place, Draft(text="x"))  # pyright: ignore
    assert await inbox.active(place.thread, NOW + 3600)
    assert not await inbox.active(place.thread, NOW + 25 * 3600)
    assert not await inbox.active(a_place("2").thread, NOW)


async def test_a_thread_is_active_while_a_run_of_it_is_not_over(inbox: Inbox, line: Line) -> None:
    message = a_message("a long task")
    await inbox.accept(message)
    assert await inbox.active(message.place.thread, NOW)
    line.runs.clear()
    assert not await inbox.active(message.place.thread, NOW)
    await inbox.close()


async def test_whoever_edits_a_question_is_told_once_how_to_ask_anew(
    inbox: Inbox, store: SqliteStore, platform: MemoryPlatform
) -> None:
    asked = a_message("how many days?")
    await inbox.edited(asked)
    await inbox.close()
    assert platform.whispers == [], "it never asked us anything"
    place = asked.place.thread
    await store.write(
        lambda tx: claim_run(tx, asked.key, "me", thread=place, scope="channel:c", person="p")
    )
    for text in ("how many days exactly?", "how many weeks?"):
        await inbox.edited(asked.model_copy(update={"text": text}))
    await inbox.close()
    ((person, text),) = platform.whispers
    assert person == asked.author.id and "send a new message" in text


async def test_a_thread_is_active_while_something_in_it_waits_for_a_person(
    inbox: Inbox, store: SqliteStore
) -> None:
    message = a_message("top up")
    claim = await store.write(
        lambda tx: claim_run(
            tx, message.key, "me", thread=message.place.thread, scope="c", person="p"
        )
    )
    need = Need(id="k", what="approval", tool="t", title="T")
    assert not await inbox.active(message.place.thread, NOW)
    await Needs(store).ask(claim, message, [need], "en", "UTC", 1e6)
    assert await inbox.active(message.place.thread, NOW)
