"""Assemble: all that a run needs, decided before it starts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.assemble import Assembler, clean_question
from core.errors import WrongUse
from core.knowledge.documents import Kb
from core.memory.conversation import Conversation
from core.messages import MAX_TEXT, Message, Person
from core.request import Picks, Request
from core.settings import SettingsBook
from core.store.sqlite import SqliteStore
from tests.core.fake_library import NOON, PLACE, FakeLibrary

OWN = "channel:slack:T1/C1"
SHARED = "workspace:slack:T1"


def library() -> FakeLibrary:
    return FakeLibrary(
        seen=[
            Kb(id=1, scope=OWN, name="", documents=3),
            Kb(id=2, scope=SHARED, name="handbook", documents=3),
            Kb(id=3, scope=SHARED, name="法务", documents=3),
            Kb(id=9, scope="channel:slack:T1/C9", name="", documents=3),
        ]
    )


@pytest.fixture
async def conversation(tmp_path: Path) -> AsyncIterator[Conversation]:
    store = await SqliteStore.open(tmp_path / "data.db")
    yield Conversation(store)
    await store.close()


def message(text: str = "年假几天？", **author: Any) -> Message:
    return Message(
        key="run-1",
        kind="ask",
        place=PLACE,
        author=Person(id="slack:T1/U1", **author),
        text=text,
        sent_at=5,
    )


async def assembled(
    conversation: Conversation,
    asked: Message,
    picks: Picks | None = None,
    channel: dict[str, Any] | None = None,
) -> Request:
    book = SettingsBook({}, {"C1": channel or {}})
    assembler = Assembler(library(), book, conversation, time_zone="UTC", clock=lambda: NOON)
    return await assembler.assemble(asked, picks)


async def test_a_request_holds_what_its_place_and_time_give(conversation: Conversation) -> None:
    made = await assembled(conversation, message(name="小明", time_zone="Asia/Tokyo"))
    assert (made.run, made.now, made.language) == ("run-1", NOON, "zh")
    assert made.audience == (OWN, SHARED)
    assert made.kbs == (1, 2, 3)
    assert "semantic_search" in made.tools
    assert Request.model_validate_json(made.model_dump_json()) == made


async def test_the_time_zone_is_the_persons_then_the_channels_then_ours(
    conversation: Conversation,
) -> None:
    tokyo, channel = message(time_zone="Asia/Tokyo"), {"time_zone": "Asia/Shanghai"}
    assert (await assembled(conversation, tokyo, channel=channel)).time_zone == "Asia/Tokyo"
    assert (await assembled(conversation, message(), channel=channel)).time_zone == "Asia/Shanghai"
    assert (await assembled(conversation, message(time_zone="Mars/Olympus"))).time_zone == "UTC"


async def test_a_channel_reads_its_own_kb_and_the_shared_ones_it_names(
    conversation: Conversation,
) -> None:
    assert (await assembled(conversation, message(), channel={"kbs": ["法务"]})).kbs == (1, 3)
    assert (await assembled(conversation, message(), channel={"kbs": []})).kbs == (1,)


@pytest.mark.parametrize(
    ("names", "kbs"),
    [
        ((), ()),
        (("Handbook",), (2,)),
        (("channel",), (1,)),
        (("本频道", "法务"), (1, 3)),
    ],
)
async def test_a_pick_of_kbs_narrows(
    conversation: Conversation, names: tuple[str, ...], kbs: tuple[int, ...]
) -> None:
    assert (await assembled(conversation, message(), Picks(kb=names))).kbs == kbs


@pytest.mark.parametrize(
    "picks", [Picks(kb=("secret",)), Picks(tools=("shell",)), Picks(mode="yolo")]
)
async def test_a_pick_of_what_is_not_there_is_refused_with_what_there_is(
    conversation: Conversation, picks: Picks
) -> None:
    with pytest.raises(WrongUse) as refused:
        await assembled(conversation, message(), picks)
    assert "可以用" in str(refused.value)
    assert "法务" not in str(refused.value) or picks.kb


async def test_a_pick_cannot_widen_what_the_channel_reads(conversation: Conversation) -> None:
    with pytest.raises(WrongUse):
        await assembled(conversation, message(), Picks(kb=("法务",)), {"kbs": ["handbook"]})


async def test_a_picked_mode_wins_over_the_channels(conversation: Conversation) -> None:
    fixed = {"mode": "rag"}
    assert (await assembled(conversation, message(), channel=fixed)).picks.mode == "rag"
    made = await assembled(conversation, message(), Picks(mode="Loop"), fixed)
    assert made.picks.mode == "loop"
    assert (await assembled(conversation, message())).picks.mode is None


async def test_earlier_turns_of_the_thread_come_along(conversation: Conversation) -> None:
    await conversation.log_turn(message(), "年假几天？", "15 天[1]。")
    made = await assembled(conversation, message("病假呢？"))
    assert [turn.answer for turn in made.history] == ["15 天。"]


async def test_a_question_of_100_000_characters_is_cut_and_counted(
    conversation: Conversation,
) -> None:
    made = await assembled(conversation, message("问" * 100_000))
    assert len(made.question) == MAX_TEXT
    assert made.cut == 100_000 - MAX_TEXT


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="\x00\ud800\udfffa\n年", max_size=20))
def test_any_question_can_be_kept_as_json(text: str) -> None:
    question, cut = clean_question(text)
    assert question.encode("utf-8").decode("utf-8") == question
    assert "\x00" not in question
    assert cut == 0
