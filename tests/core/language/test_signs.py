"""A text is cut between visible signs only."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.language.signs import graphemes, is_between_signs


def test_a_flag_a_family_and_a_letter_with_marks_are_each_one() -> None:
    assert list(graphemes("🇨🇳🇩🇪👨‍👩‍👧é각a")) == ["🇨🇳", "🇩🇪", "👨‍👩‍👧", "é", "각", "a"]


@pytest.mark.parametrize(
    "pair", ["\r\n", "🇨🇳", "e\u0301", "👩\u200d👩", "\u1100\u1161", "👍🏽", "ｶﾞ"]
)
def test_two_that_are_one_sign_are_not_parted(pair: str) -> None:
    assert not is_between_signs(pair, 1)
    assert is_between_signs(f"a{pair}b", 1) and is_between_signs(f"a{pair}b", len(pair) + 1)


@pytest.mark.parametrize("text", ["ab", "年假", "\n\u0301", "a\r"])
def test_others_are_parted(text: str) -> None:
    assert is_between_signs(text, 1)


@given(st.text(max_size=120))
@settings(max_examples=150, deadline=None)
def test_graphemes_make_up_the_text(text: str) -> None:
    assert "".join(graphemes(text)) == text
    assert all(graphemes(text))
