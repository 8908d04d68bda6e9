"""The worker: a queued key becomes a delivered answer, and no error is swallowed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.commands import Commands
from bot.inbox import ask_to_stop
from bot.outbox import Outbox
from bot.presenter import Presenter
from bot.worker import Desk, Worker
from bot.worker import worker as worker_module
from core.agent import Agent
from core.assemble import Assembler
from core.context import Limits
from core.errors import KnowledgeError, StoreFull
from core.journal import claim_run
from core.knowledge.library import Library
from core.memory.conversation import Conversation
from core.messages import Attachment, Click, Message, Person
from core.model.protocol import Model, ModelRequest
from core.model.scripted import ScriptedModel, Step
from core.runs import Waiting
from core.settings import SettingsBook
from core.store.sqlite import SqliteStore
from tests.core.knowledge.rigs import HashEmbedder, TextParser
from tests.rigs.platform import MemoryPlatform, a_message

LEAVE = "# Annual leave\n\nNew people have 12 days of annual leave in their first year.\n"
THREAD = "memory:T1/C1/1"


@dataclass
class Line:
    """The queue as the worker sees it."""

    scratch: Path
    executor: str = "me"
    waiting: list[Message] = field(default_factory=list[Message])

    async def unfinished_below(self, start: str, holding: str) -> list[Waiting]:
        runs = [Waiting(one.key, one.place.thread, one.model_dump_json()) for one in self.waiting]
        return [run for run in runs if run.thread.startswith(start) and holding in run.payload]


@dataclass
class Office:
    """A worker at a desk in memory."""

    store: SqliteStore
    library: Library
    platform: MemoryPlatform
    line: Line
    outbox: Outbox
    worker: Worker

    async def work(self, message: Message) -> list[str]:
        """Work a message; what stands in its thread then."""
        await self.worker.handle(message.key, message.model_dump_json())
        return self.platform.texts(message.place.thread)

    async def state(self, run: str) -> str:
        row = await self.store.read(
            lambda tx: tx.one("SELECT state FROM run_claim WHERE run = :run", {"run": run})
        )
        assert row is not None
        return str(row[0])

    async def documents(self) -> list[str]:
        kbs = [kb.id for kb in await self.library.kbs(["channel:memory:T1/C1"])]
        return [one.name for one in await self.library.listing(kbs)]


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    store = await SqliteStore.open(tmp_path / "t.db")
    library = Library(store, TextParser(), HashEmbedder(), tmp_path / "blobs")
    await library.start()
    (tmp_path / "scratch").mkdir()
    made = open_office(store, library, Line(tmp_path / "scratch"))
    yield made
    await made.worker.close()
    await made.outbox.close()
    await library.close()
    await store.close()


def open_office(
    store: SqliteStore, library: Library, line: Line, model: Model | None = None
) -> Office:
    platform, settings = MemoryPlatform(), SettingsBook()
    platforms = {"memory": platform}
    conversation = Conversation(store)
    outbox = Outbox(store, platforms, lambda draft, _: draft)
    desk = Desk(
        store=store,
        runs=line,  # pyright: ignore[reportArgumentType]
        library=library,
        agent=Agent(library, model),
        assembler=Assembler(library, settings, conversation, model=model.name if model else None),
        commands=Commands(library, settings),
        conversation=conversation,
        settings=settings,
        outbox=outbox,
        presenter=Presenter(outbox, platforms),
        platforms=platforms,
        limits=Limits(),
        file_limit=1_000_000,
        pictures=line.scratch.parent / "pictures",
    )
    return Office(store, library, platform, line, outbox, Worker(desk))


def a_file(number: int = 1, name: str = "leave.md") -> Attachment:
    return Attachment(id=f"F{number}", name=name, mime="text/markdown")


async def test_a_dropped_file_becomes_knowledge_and_gets_one_receipt_with_a_remove_button(
    office: Office,
) -> None:
    office.platform.files["F1"] = LEAVE.encode()
    message = a_message("", kind="file", attachments=(a_file(),))
    (receipt,) = await office.work(message)
    assert "leave.md" in receipt
    (post,) = office.platform.posts
    assert [button.action for button in post.drafts[-1].buttons] == ["remove"]
    assert await office.documents() == ["leave.md"]
    assert office.platform.signs[-2:] == [(message.id, "done", True), (message.id, "seen", False)]
    assert list(office.line.scratch.iterdir()) == [], "no temporary file stays"


async def test_a_file_and_a_question_in_one_message_are_one_receipt_and_an_answer_from_the_file(
    office: Office,
) -> None:
    office.platform.files["F1"] = LEAVE.encode()
    asked = a_message("How many days of annual leave are there?", attachments=(a_file(),))
    receipt, answer, *_ = [text for text in await office.work(asked) if text]
    assert "leave.md" in receipt
    assert "12 days" in answer


async def test_a_file_that_cannot_be_fetched_is_told_in_the_receipt_and_the_others_are_taken(
    office: Office,
) -> None:
    office.platform.files = {
        "F1": LEAVE.encode(),
        "F2": KnowledgeError("secret.md", key="slack.file_login", name="secret.md"),
    }
    files = (a_file(1), a_file(2, "secret.md"))
    (receipt,) = await office.work(a_message("", kind="file", attachments=files))
    assert "files:read" in receipt
    assert await office.documents() == ["leave.md"]


async def test_a_file_that_was_taken_before_a_crash_is_not_fetched_again(office: Office) -> None:
    office.platform.files["F1"] = LEAVE.encode()
    message = a_message("", kind="file", attachments=(a_file(),))
    await office.work(message)
    office.platform.files.clear()
    await reopen(office, message.key)
    assert len(await office.work(message)) == 1, "one receipt, posted once"
    assert await office.state(message.key) == "done"


async def reopen(office: Office, run: str) -> None:
    """As if the process had died just before it noted the end of the run."""
    await office.store.write(
        lambda tx: tx.run("UPDATE run_claim SET state = 'running' WHERE run = :run", {"run": run})
    )


async def test_a_run_that_ended_is_not_worked_again(office: Office) -> None:
    message = a_message("Hello!")
    await office.work(message)
    calls = list(office.platform.calls)
    await office.work(message)
    assert office.platform.calls == calls


async def test_an_answered_question_is_remembered_as_a_turn_of_its_thread(office: Office) -> None:
    await office.work(a_message("Hello!"))
    turns = await Conversation(office.store).turns(THREAD, "memory:T1/C1")
    assert [turn.question for turn in turns] == ["Hello!"]


async def test_a_question_waits_for_the_file_that_the_same_person_dropped_just_before(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "FILE_LOOK_S", 0.01)
    office.platform.files["F1"] = LEAVE.encode()
    dropped = a_message("", key="m:0", thread="0", kind="file", attachments=(a_file(),))
    office.line.waiting = [dropped.model_copy(update={"sent_at": 100.0})]
    asked = a_message("How many days of annual leave are there?", sent_at=130.0)
    answering = asyncio.create_task(office.work(asked))
    await office.work(dropped)
    office.line.waiting = []
    assert any("12 days" in text for text in await answering)


@pytest.mark.parametrize(
    ("author", "said", "kind"),
    [
        ("memory:T1/U2", 100.0, "file"),
        ("memory:T1/U1", 10.0, "file"),
        ("memory:T1/U1", 100.0, "ask"),
    ],
)
def test_nobody_waits_for_another_persons_or_an_old_file(
    author: str, said: float, kind: str
) -> None:
    other = a_message("", key="m:0", author=Person(id=author), sent_at=said, kind=kind)
    asked = a_message("?", sent_at=130.0)
    assert not worker_module.dropped_before(other, asked)


async def test_a_question_that_was_stopped_in_the_line_is_not_worked(office: Office) -> None:
    await office.store.write(lambda tx: ask_to_stop(tx, "m:1", "memory:T1/U1", "channel:c"))
    texts = await office.work(a_message("How many days of annual leave are there?"))
    assert await office.state("m:1") == "stopped"
    assert texts and all("12" not in text for text in texts)


async def test_a_stop_request_of_another_process_ends_a_run_that_waits(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.worker.stop.WATCH_S", 0.01)
    dropped = a_message("", key="m:0", thread="0", kind="file", attachments=(a_file(),))
    office.line.waiting = [dropped]
    working = asyncio.create_task(office.work(a_message("How many days?")))
    await office.store.write(lambda tx: ask_to_stop(tx, "m:1", "memory:T1/U1", "channel:c"))
    async with asyncio.timeout(10):
        (text,) = await working
    assert text == "Stopped."
    assert await office.state("m:1") == "stopped"


async def test_stop_where_nothing_is_at_work_is_answered(office: Office) -> None:
    (text,) = await office.work(a_message("停"))
    assert text == "No answer is under way in this thread."


async def test_a_command_is_done_once_even_if_its_end_was_not_noted(office: Office) -> None:
    office.platform.files["F1"] = LEAVE.encode()
    await office.work(a_message("", key="m:0", thread="0", kind="file", attachments=(a_file(),)))
    asked = a_message("delete leave.md", kind="command", command="kb")
    (text,) = await office.work(asked)
    assert "leave.md" in text
    await reopen(office, asked.key)
    assert await office.work(asked) == [text], "the second time says what the first one did"
    assert await office.documents() == []


async def test_the_remove_button_works_for_the_owner_only(office: Office) -> None:
    office.platform.files["F1"] = LEAVE.encode()
    await office.work(a_message("", key="m:0", kind="file", attachments=(a_file(),)))
    value = office.platform.posts[0].drafts[-1].buttons[0].value
    click = Click(action="remove", value=value, message=office.platform.posts[0].id)
    other = Person(id="memory:T1/U2", language="en")
    await office.work(a_message("", key="m:1", kind="click", click=click, author=other))
    assert await office.documents() == ["leave.md"]
    assert office.platform.whispers[0][0] == other.id
    await office.work(a_message("", key="m:2", kind="click", click=click))
    assert await office.documents() == []
    assert "leave.md" in office.platform.posts[-1].text
    receipt = office.platform.posts[0].drafts[-1]
    assert receipt.buttons == () and "leave.md** was removed" in receipt.text


async def test_a_receipt_of_many_keeps_the_buttons_of_what_is_still_there(office: Office) -> None:
    office.platform.files |= {"F1": LEAVE.encode(), "F2": b"# Other\n\nSome other words here.\n"}
    files = (a_file(1), a_file(2, "other.md"))
    await office.work(a_message("", key="m:0", kind="file", attachments=files))
    first, second = office.platform.posts[0].drafts[-1].buttons
    click = Click(action="remove", value=first.value, message=office.platform.posts[0].id)
    await office.work(a_message("", key="m:1", kind="click", click=click))
    receipt = office.platform.posts[0].drafts[-1]
    assert receipt.buttons == (second,)
    assert "~~leave.md~~ removed" in receipt.text


async def test_what_breaks_is_logged_and_said_in_the_thread(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(Commands, "run", broken)
    message = a_message("list", kind="command", command="kb")
    (text,) = await office.work(message)
    assert "Something broke" in text
    assert "ZeroDivisionError" in caplog.text
    assert await office.state("m:1") == "failed"
    assert (message.id, "failed", True) in office.platform.signs


async def test_wrong_use_of_a_command_is_told_in_the_thread_and_is_no_bug_in_the_log(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    (text,) = await office.work(a_message("mode: fast why?", kind="command", command="ask"))
    assert "fast" in text
    assert not [record for record in caplog.records if record.exc_info or record.levelno > 20]


async def test_a_full_disk_holds_the_run_up_and_is_told_to_the_asker_only(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "STORE_PAUSE_S", 0.01)
    write, failures = office.store.write, [StoreFull(), StoreFull()]

    async def full(work: Callable[..., object]) -> object:
        if failures:
            raise failures.pop()
        return await write(work)

    monkeypatch.setattr(office.store, "write", full)
    texts = await office.work(a_message("Hello!"))
    assert texts, "answered when there was room again"
    ((person, text),) = office.platform.whispers
    assert person == "memory:T1/U1"
    assert "disk" in text.lower()


async def test_a_message_that_kills_us_every_time_is_given_up_and_says_so(office: Office) -> None:
    def claim_often(tx: object) -> None:
        for _ in range(worker_module.MOST_CLAIMS):
            claim_run(tx, "m:1", "x", thread=THREAD, scope="channel:c", person="p")  # pyright: ignore

    await office.store.write(claim_often)
    (text,) = await office.work(a_message("Hello!"))
    assert f"{worker_module.MOST_CLAIMS} times" in text
    assert await office.state("m:1") == "failed"


async def test_a_mention_without_words_is_asked_for_its_question(office: Office) -> None:
    (text,) = await office.work(a_message("  "))
    assert "What would you like to know" in text


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


def a_picture(number: int = 1) -> Attachment:
    return Attachment(id=f"F{number}", name="x.png", mime="image/png")


async def test_a_picture_beside_words_is_shown_to_the_model_and_gone_afterwards(
    office: Office, tmp_path: Path
) -> None:
    seen: list[tuple[str, bytes]] = []

    def look(made: ModelRequest) -> Step:
        pictures = made.messages[-1].pictures
        seen.extend((one.mime, Path(one.path).read_bytes()) for one in pictures)
        return "A red square."

    model = ScriptedModel([look, look])
    lab = open_office(office.store, office.library, office.line, model)
    lab.platform.files |= {"F1": PNG, "F2": b"<html>Please log in</html>"}
    message = a_message("hi, what is this?", attachments=(a_picture(1), a_picture(2)))
    said = await lab.work(message)
    assert seen == [("image/png", PNG)]
    assert said[-1].startswith("A red square.")
    assert await lab.documents() == []
    assert not list((tmp_path / "pictures").glob("*/*"))
    await lab.worker.close()
    await lab.outbox.close()


async def test_without_a_model_a_picture_goes_the_way_of_files(office: Office) -> None:
    office.platform.files["F1"] = b"text in a picture"
    said = await office.work(a_message("hi", attachments=(a_picture(),)))
    assert "x.png" in said[0]
    assert await office.documents() == ["x.png"]
