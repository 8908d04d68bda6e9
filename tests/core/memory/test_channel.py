"""The channel's log: what was said is read back where it was said, as it reads now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.memory.channel import ChannelLog, Line, speakers
from core.memory.conversation import Conversation
from core.memory.off import Off
from core.messages import Message, Person, Place
from core.store.sqlite import SqliteStore
from core.tools.builtin.conversation import matching, read_thread, search_conversation
from core.tools.services import Services
from core.tools.toolbox import Bound
from tests.core.fake_library import request

C1, C2 = "slack:T1/C1", "slack:T1/C2"
NOW = datetime.fromisoformat("2026-03-10T12:00:00+00:00").timestamp()
DAY = 86_400.0


def said(
    text: str, name: str = "m1", at: float = NOW - DAY, channel: str = C1, person: str = "U1"
) -> Message:
    place = Place(platform="slack", workspace="slack:T1", channel=channel, thread=f"{channel}/1.0")
    return Message(
        key=name,
        kind="ask",
        place=place,
        author=Person(id=f"slack:T1/{person}", name="Alex"),
        id=name,
        text=text,
        sent_at=at,
    )


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "data.db")
    yield store
    await store.close()


async def texts(log: ChannelLog, channel: str = C1) -> list[str]:
    return [line.text for line in await log.since(channel, 0, NOW + DAY)]


async def test_edits_and_deletions_are_followed_and_secrets_masked(store: SqliteStore) -> None:
    log = ChannelLog(store)
    log.heard(said("we go with Kafka"))
    log.heard(said("my card is 4111 1111 1111 1111", "m2", NOW - 10))
    assert await texts(log) == ["we go with Kafka", "my card is [redacted]"]
    log.edited(said("we go with Pulsar"))
    log.edited(said("never logged", "m9"))
    assert (await texts(log))[0] == "we go with Pulsar"
    await log.deleted(said("").place, "m1")
    assert await texts(log) == ["my card is [redacted]"]
    await log.close()


async def test_nothing_is_read_beyond_its_channel(store: SqliteStore) -> None:
    log = ChannelLog(store)
    log.heard(said("here"))
    log.heard(said("there", "m2", channel=C2))
    assert await texts(log) == ["here"]
    assert [line.text for line in await log.thread(said("").place)] == ["here"]
    await log.close()


async def test_who_wants_nothing_remembered_is_not_logged(store: SqliteStore) -> None:
    log, off = ChannelLog(store), Off(store)
    await off.switch("slack:T1/U1", "slack:T1/U1", NOW, on=False)
    log.heard(said("quiet"))
    log.heard(said("loud", "m2", person="U2"))
    assert await texts(log) == ["loud"]
    await log.close()


async def test_a_question_to_us_stands_once_and_its_answer_behind_it(store: SqliteStore) -> None:
    log, asked = ChannelLog(store), said("which queue?", "q")
    log.heard(asked)
    await Conversation(store).log_turn(asked, asked.text, "Kafka.")
    assert await texts(log) == ["which queue?", "Kafka."]
    await log.close()


def test_two_people_with_one_name_stay_two() -> None:
    lines = [
        Line("1", "slack:T1/U1", "Alex", "a", 1, "t"),
        Line("2", "slack:T1/U2", "Alex", "b", 2, "t"),
        Line("3", "slack:T1/U3", "Bo", "c", 3, "t"),
    ]
    called = speakers(lines)
    assert sorted(called.values()) == ["Alex (1)", "Alex (2)", "Bo"]


def test_a_question_for_a_decision_finds_one_that_says_so_in_other_words() -> None:
    lines = [
        Line("1", "a", "A", "we talked about the queue", 1, "t"),
        Line("2", "b", "B", "好，就用 Kafka，定了", 2, "t"),
        Line("3", "c", "C", "lunch?", 3, "t"),
    ]
    assert matching(lines, "上周我们决定了什么")[0].message == "2"
    assert [line.message for line in matching(lines, "queue")] == ["1"]
    assert [line.message for line in matching(lines, "")] == ["3", "2", "1"]


async def test_the_tools_read_a_thread_and_look_through_the_days_that_are_asked_for(
    store: SqliteStore,
) -> None:
    log = ChannelLog(store)
    log.heard(said("decided: we keep the monolith", at=NOW - 6 * DAY))
    log.heard(said("decided: two reviewers", "m2", NOW - 40 * DAY, person="U2"))
    bound = Bound(
        request("what did we decide last week?").model_copy(update={"place": said("").place}),
        cast(Any, SimpleNamespace()),
        cast(Any, SimpleNamespace()),
        clock=lambda: NOW,
        services=Services(log=log),
    )
    search, thread = search_conversation(bound), read_thread(bound)
    assert search is not None and thread is not None
    found = await search.run(search.arguments(query="decide"))
    assert "monolith" in found.text and "reviewers" not in found.text and found.found
    older = await search.run(search.arguments(query="decide", since="2026-01-01"))
    assert "reviewers" in older.text
    whole = await thread.run(thread.arguments())
    assert [line.split(" ", 2)[2] for line in whole.text.splitlines()] == [
        "Alex (1): decided: two reviewers",
        "Alex (2): decided: we keep the monolith",
    ]
    none = await search.run(search.arguments(query="zzz"))
    assert not none.found
    await log.close()
