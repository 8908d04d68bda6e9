from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platform import Draft, PlatformLimits
from bot.text.fit import fit, fitted
from bot.text.tables import WIDEST, width, without_tables

LIMITS = PlatformLimits(200, 0, post_gap_s=0, edit_gap_s=0, utf16=True, tables=False)


def test_columns_are_aligned_by_how_wide_signs_are_seen():
    table = "看：\n| 名称 | 数量 |\n|---|--:|\n| **年假** | 10 |\n| sick leave | 5 |\n好"
    assert without_tables(table) == (
        "看：\n```\n名称        数量\n----------  ----\n年假          10\nsick leave     5\n```\n好"
    )


def test_a_table_that_is_too_wide_becomes_a_list_with_every_cell():
    table = "| a | b | c |\n|---|---|---|\n| " + "长" * 30 + " | " + "x" * 40 + " | z |"
    assert without_tables(table) == f"- **{'长' * 30}** · b: {'x' * 40} · c: z"


def test_tables_in_code_and_lines_that_only_have_bars_are_left_alone():
    for text in ("```\n| a | b |\n|---|---|\n```", "a | b\nc | d", "`| a |`", "no bars"):
        assert without_tables(text) == text


def test_cells_beyond_the_head_and_missing_ones_are_kept_in_place():
    shown = without_tables("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |\n")
    assert "1  2 | 3\n" in shown and "4\n" in shown


CELL = st.text(st.sampled_from("ab 字👨é`*"), max_size=8)
ROWS = st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=6)


@given(ROWS)
@settings(max_examples=100, deadline=None)
def test_every_line_of_a_laid_out_table_is_as_wide_as_its_columns(rows: list[list[str]]):
    head = rows[0]
    table = "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows[1:]])
    shown = without_tables(table)
    assert without_tables(shown) == shown
    if shown.startswith("```"):
        _, first, rule, *rest, _ = shown.split("\n")
        assert all(width(line) <= width(rule) <= WIDEST for line in (first, *rest))


@given(ROWS, st.text(st.sampled_from("ab 字。\n`|-"), max_size=400))
@settings(max_examples=100, deadline=None)
def test_a_draft_is_fitted_into_posts_that_keep_its_end_at_the_last(
    rows: list[list[str]], text: str
):
    table = "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * 2, *rows])
    draft = Draft(text=f"{text}\n\n{table}", footer="f", people=("p",))
    made = fitted(draft, LIMITS)
    assert [one.footer for one in made] == [""] * (len(made) - 1) + ["f"]
    assert all(one.people == ("p",) for one in made)
    for one in made:
        assert len(one.text.encode("utf-16-le")) // 2 <= LIMITS.post_chars or len(made) == 1


def test_what_fits_is_one_draft_and_an_empty_one_stays():
    assert fitted(Draft(text="a", footer="f"), LIMITS) == [Draft(text="a", footer="f")]
    assert fitted(Draft(text=""), LIMITS) == [Draft(text="")]
    assert fit("", LIMITS) == []
