"""What the answer and dependents get of a result: inside a budget, the cut said, no mark halved."""

from hypothesis import given
from hypothesis import strategies as st

from core.plan.results import LEAST_CHARACTERS, UPSTREAM_RESULTS, NodeResult, cut, upstream
from core.sources import marks_of


def done(number: int, text: str) -> NodeResult:
    return NodeResult(
        id=f"n{number}", step=f"node:n{number}", title=f"T{number}", state="done", text=text
    )


def test_a_short_result_is_given_whole() -> None:
    assert cut("fifteen days [1]", 16) == "fifteen days [1]"


def test_a_long_result_says_how_much_of_it_is_shown() -> None:
    assert (
        cut("字" * 7_000, 6_000)
        == "字" * 6_000 + "\n[cut here: 6,000 of 7,000 characters are shown]"
    )


@given(
    words=st.lists(st.sampled_from(["leave ", "年假", "[1]", "[12]", "[345]", "\n"]), max_size=60),
    limit=st.integers(1, 120),
)
def test_a_cut_makes_no_new_mark(words: list[str], limit: int) -> None:
    text = "".join(words)
    assert set(marks_of(cut(text, limit))) <= set(marks_of(text))


@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=20), st.integers(500, 6_000))
def test_what_a_sub_agent_gets_stays_inside_its_budget(sizes: list[int], budget: int) -> None:
    results = [done(number, "x" * size) for number, size in enumerate(sizes)]
    given_text = upstream(results, budget)
    assert given_text.count("x") <= max(UPSTREAM_RESULTS * budget, LEAST_CHARACTERS * len(sizes))
    for result in results:
        assert f"{result.title}:\n" in given_text
        assert len(result.text) > LEAST_CHARACTERS or result.text in given_text
