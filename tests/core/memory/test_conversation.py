"""Conversation: turns of our threads, read back where they were spoken and cut between turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.memory.conversation import Conversation, cut_history
from core.messages import Message, Person, Place
from core.model.tokens import tokens_of
from core.request import Turn
from core.store.sqlite import SqliteStore

C1 = "slack:T1/C1"


@pytest.fixture
async def conversation(tmp_path: Path) -> AsyncIterator[Conversation]:
    store = await SqliteStore.open(tmp_path / "data.db")
    yield Conversation(store)
    await store.close()


def message(key: str, at: float, channel: str = C1, thread: str = f"{C1}/1.0") -> Message:
    return Message(
        key=key,
        kind="ask",
        place=Place(platform="slack", workspace="slack:T1", channel=channel, thread=thread),
        author=Person(id="slack:T1/U1", name="小明"),
        id=f"id-{key}",
        text="x",
        sent_at=at,
    )


async def test_turns_come_back_oldest_first_and_without_old_marks(
    conversation: Conversation,
) -> None:
    await conversation.log_turn(message("b", 2), "病假呢？", "要证明 [2][3]。")
    await conversation.log_turn(message("a", 1), "年假几天？", "15 天[1]。")
    assert await conversation.turns(f"{C1}/1.0", C1) == [
        Turn(person="小明", question="年假几天？", answer="15 天。", by="slack:T1/U1"),
        Turn(person="小明", question="病假呢？", answer="要证明。", by="slack:T1/U1"),
    ]
    assert [t.question for t in await conversation.turns(f"{C1}/1.0", C1, 1)] == ["病假呢？"]


async def test_the_same_run_again_is_one_turn(conversation: Conversation) -> None:
    await conversation.log_turn(message("a", 1), "Q", "old")
    await conversation.log_turn(message("a", 1), "Q", "new")
    assert [t.answer for t in await conversation.turns(f"{C1}/1.0", C1)] == ["new"]


async def test_a_turn_is_seen_only_in_its_thread_and_channel(conversation: Conversation) -> None:
    await conversation.log_turn(message("a", 1), "Q", "A")
    assert await conversation.turns(f"{C1}/2.0", C1) == []
    assert await conversation.turns(f"{C1}/1.0", "slack:T1/C2") == []


async def test_a_deleted_message_takes_its_turn_along(
    conversation: Conversation,
) -> None:
    for key, at in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        await conversation.log_turn(message(key, at), key, "A")
    assert await conversation.forget_message("id-a", "slack:T1/C2") == 0
    assert await conversation.forget_message("id-a", C1) == 1
    assert [t.question for t in await conversation.turns(f"{C1}/1.0", C1)] == ["b", "c"]


def test_a_chinese_character_weighs_a_token_and_an_english_word_about_one() -> None:
    assert tokens_of("") == 0
    assert tokens_of("请假制度") == 4
    assert tokens_of("leave policy") == 3
    assert tokens_of("请假 policy") == 4
    assert tokens_of("１２３") == 3


TURNS = st.lists(
    st.builds(
        Turn,
        person=st.just("A"),
        question=st.text(alphabet="ab 年假", max_size=30),
        answer=st.text(alphabet="ab 年假", max_size=60),
    ),
    max_size=8,
)


@settings(max_examples=100, deadline=None)
@given(TURNS, st.integers(0, 120))
def test_the_newest_turns_that_fit_are_kept_whole(turns: list[Turn], budget: int) -> None:
    def weight(some: list[Turn]) -> int:
        return sum(tokens_of(t.person) + tokens_of(t.question) + tokens_of(t.answer) for t in some)

    kept = list(cut_history(turns, budget))
    assert kept == turns[len(turns) - len(kept) :]
    assert weight(kept) <= budget
    if len(kept) < len(turns):
        assert weight(turns[len(turns) - len(kept) - 1 :]) > budget
