"""Who is addressed in a text, with and without spaces, and who is only written about."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.request import TeammateCard
from core.teammates.names import addressed, folded, mentioned

TEAM = (
    TeammateCard(name="researcher", aliases=("研究员",)),
    TeammateCard(name="writer"),
    TeammateCard(name="小研"),
    TeammateCard(name="小研究"),
    TeammateCard(name="qa-bot"),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@researcher what is new?", ("researcher",)),
        ("请@researcher查一下K8s", ("researcher",)),
        ("@研究员帮我查，然后@writer写成报告", ("researcher", "writer")),
        ("@Writer @RESEARCHER @writer", ("writer", "researcher")),
        ("＠ｗｒｉｔｅｒ写一下", ("writer",)),
        ("@小研究所的事", ("小研究",)),
        ("@小研查一下", ("小研",)),
        ("(@writer), please.", ("writer",)),
        ("ask @writer.", ("writer",)),
        ("@qa-bot: run", ("qa-bot",)),
        ("@qa-bots", ()),
        ("@writers and @writer_2 and @writer-bot and @writer.com", ()),
        ("mail writer@writer.com or a@researcher", ()),
        ("https://blog.example/@writer/post", ()),
        ("@@writer", ()),
        ("@everyone @nobody @ writer", ()),
        ("```\n@writer\nclass A: ...\n```", ()),
        ("the decorator `@writer` is gone", ()),
        ("> @writer said so\nis that right?", ()),
        ("", ()),
    ],
)
def test_names_are_found_where_somebody_is_addressed(text: str, names: tuple[str, ...]) -> None:
    assert mentioned(text, TEAM) == names


@pytest.mark.parametrize(
    ("text", "name", "question"),
    [
        ("@researcher what is new?", "researcher", "what is new?"),
        ("@研究员：K8s 是什么", "researcher", "K8s 是什么"),
        ("@小研查一下", "小研", "查一下"),
        ("what is new, @researcher?", "researcher", "what is new?"),
        ("what did @researcher say?", "researcher", "what did @researcher say?"),
        ("@researcher @writer write it", "researcher", "@writer write it"),
        ("@writer", "writer", ""),
        ("@writer write, @writer", "writer", "write"),
        ("nobody", "writer", "nobody"),
    ],
)
def test_an_address_is_no_part_of_the_question(text: str, name: str, question: str) -> None:
    assert addressed(text, TEAM, name) == question


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="@＠ writerse小研究 `>\n.-", max_size=60))
def test_names_are_known_ones_and_what_is_left_was_there(text: str) -> None:
    names = mentioned(text, TEAM)
    assert set(names) <= {card.name for card in TEAM}
    assert len(set(names)) == len(names)
    for name in names:
        left = addressed(text, TEAM, name)
        assert len(left) <= len(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_a_folded_text_keeps_its_places(text: str) -> None:
    assert len(folded(text)) == len(text)
