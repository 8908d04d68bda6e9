"""The beginning of a passage, as people are shown it beside its source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.knowledge.units import beginning

TABLE = """# 年假

| 工龄 | 天数 |
|---|---|
| 1 年 | 5 |
| 10 年 | **10** |

说明见[附录](http://a.example)。
"""


@pytest.mark.parametrize(
    ("text", "heading", "shown"),
    [
        (TABLE, "制度 > 年假", "工龄：1 年；天数：5 · 工龄：10 年；天数：10 · 说明见附录。"),
        ("## Leave\n\n- Ten days.\n- **Sick** leave too.", "Leave", "Ten days. Sick leave too."),
        ("年假每年 15 天。\n病假另算。", "", "年假每年 15 天。病假另算。"),
        ("# Leave", "Leave", "Leave"),
        ("", "", ""),
    ],
)
def test_people_are_shown_words_and_no_markdown(text: str, heading: str, shown: str) -> None:
    assert beginning(text, 300, heading) == shown


def test_what_is_longer_ends_with_an_ellipsis() -> None:
    shown = beginning("One two three. " * 100, 50)
    assert shown.startswith("One two three. One two three.") and shown.endswith("…")


@given(st.text(st.sampled_from("年假 a.。|\n-#*`[]()5"), max_size=300), st.integers(1, 80))
def test_a_beginning_stays_within_its_limit_on_one_line(text: str, limit: int) -> None:
    shown = beginning(text, limit)
    assert len(shown) <= limit and "\n" not in shown
