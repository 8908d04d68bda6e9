"""A card narrows what its place offers; it never adds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.request import Reach, TeammateCard
from core.teammates.narrow import as_teammate, kbs_for, role_in
from tests.core.runs_of_one import a_request

KBS = ((1, ""), (2, "handbook"), (3, "法务"))


def test_knowledge_is_named_and_the_channels_own_has_a_word() -> None:
    assert kbs_for(TeammateCard(), KBS) == (1, 2, 3)
    assert kbs_for(TeammateCard(knowledge=()), KBS) == ()
    assert kbs_for(TeammateCard(knowledge=("Handbook", "本频道")), KBS) == (2, 1)
    assert kbs_for(TeammateCard(knowledge=("secret",)), KBS) == ()


def test_a_role_is_given_in_the_language_of_the_answer() -> None:
    role = "For all.\n<!-- zh -->\n中文。\n<!-- en -->\nEnglish."
    assert role_in(role, "zh") == "For all.\n\n中文。"
    assert role_in(role, "en") == "For all.\n\nEnglish."
    assert role_in("Plain.", "zh") == "Plain."
    assert role_in("<!-- en -->\nOnly.", "zh") == "Only."


def test_another_teammate_has_its_own_role_tools_knowledge_language_and_style() -> None:
    asked = a_request(
        teammate=TeammateCard(name="a", style="Calm."),
        team=(TeammateCard(name="b"), TeammateCard(name="c")),
        tools=("one",),
        kbs=(1,),
        style="Calm.\nNo emoji.",
        reach=Reach(kbs=KBS),
    )
    card = TeammateCard(
        name="b",
        role="R",
        tools=("two", "three"),
        knowledge=("法务",),
        language="zh",
        style="Bold.",
    )
    made = as_teammate(asked, card, ("two",))
    assert (made.teammate.name, made.tools, made.kbs) == ("b", ("two",), (3,))
    assert (made.language, made.style) == ("zh", "Bold.\nNo emoji.")
    assert [other.name for other in made.team] == ["a", "c"]
    back = as_teammate(made, asked.teammate, ("one",))
    assert (back.tools, back.kbs) == (("one",), (1, 2, 3))


@settings(max_examples=100, deadline=None)
@given(st.none() | st.lists(st.sampled_from(["handbook", "here", "x", "法务"])).map(tuple))
def test_no_card_adds_knowledge(listed: tuple[str, ...] | None) -> None:
    assert set(kbs_for(TeammateCard(knowledge=listed), KBS)) <= {1, 2, 3}
