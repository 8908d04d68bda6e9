from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.knowledge.chunk import graphemes, sentences
from core.knowledge.sentences import Window, best, quotes, windows
from core.knowledge.units import limit_of, units_of


@dataclass(frozen=True)
class Passage:
    text: str
    heading: str = ""
    score: float = 0.5


def quoted(query: str, text: str, heading: str = "") -> list[str]:
    return [quote.text for quote in quotes(query, [Passage(text, heading)])]


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def test_a_quote_is_whole_sentences_word_for_word() -> None:
    text = "加班可以调休。年假每年 15 天。病假需要证明。" + "无关的句子。" * 30
    first = quoted("年假有几天？", text)[0]
    assert "年假每年 15 天。" in first
    assert first in text
    assert first.endswith("。")


def test_neighbours_are_quoted_together_as_far_as_they_fit() -> None:
    text = "One is short. Two is short. " + "Three is much longer than that. " * 10
    assert quoted("one", text)[0].startswith("One is short. Two is short. Three")


def test_a_sentence_that_is_too_long_is_cut_at_its_clauses_and_shows_it() -> None:
    clauses = "，".join(f"第{n}款说的是一件与众不同的事情" for n in range(20))
    shown = quoted("第9款", f"{clauses}。")[0]
    assert "第9款说的是一件与众不同的事情" in shown
    assert shown.startswith("…第")
    assert shown.endswith("，…")


@pytest.mark.parametrize(
    "text",
    [
        "Ask Dr. Smith first. Then go.",
        "See e.g. the handbook. Then go.",
        "It was J. K. Rowling who came. Then go.",
        "Version 2.4 is out. Then go.",
        "The U.S. office is closed. Then go.",
        "1. Ask your lead. Then go.",
    ],
)
def test_an_abbreviation_or_a_number_ends_no_sentence(text: str) -> None:
    assert len(list(sentences(text))) == 2


def test_a_line_that_was_wrapped_goes_on() -> None:
    assert [unit.text for unit in units_of("Leave is asked for\nin the time sheet.")] == [
        "Leave is asked for in the time sheet."
    ]


def test_a_heading_alone_is_no_quote() -> None:
    text = "二、年假\n员工每年享有 12 天带薪年假。"
    assert quoted("年假", text, "请假制度 > 二、年假") == ["员工每年享有 12 天带薪年假。"]
    assert quoted("Annual leave", "Annual leave\nIt is 12 days.\nSick leave\nTell us.") == [
        "Annual leave It is 12 days. Sick leave Tell us."
    ]


def test_a_heading_is_quoted_where_there_is_nothing_else() -> None:
    alone = Passage("请假制度", "请假制度", 0.9)
    other = Passage("本制度自一月起执行。", "请假制度 > 适用范围", 0.3)
    assert [quote.text for quote in quotes("请假制度", [alone])] == ["请假制度"]
    assert [quote.text for quote in quotes("请假制度", [alone, other])] == [other.text]


def test_a_number_of_a_list_stays_with_its_item() -> None:
    text = "1. Send the request. Wait.\n2. Your lead answers.\n3. Put the dates in."
    assert [unit.text for unit in units_of(text)] == [
        "1. Send the request.",
        "Wait.",
        "2. Your lead answers.",
        "3. Put the dates in.",
    ]


def test_markdown_is_not_quoted_raw() -> None:
    text = "- **Dark mode** follows [the system](https://example.com/x).\n* Exports hold 10 rows."
    assert quoted("dark mode", text) == ["Dark mode follows the system. Exports hold 10 rows."]
    assert quoted("backup", "Run `deploy --now` as it is, 2**10 times.") == [
        "Run `deploy --now` as it is, 2**10 times."
    ]


TABLE = "| Occasion | Paid days |\n|---|---|\n| Marriage | 3 |\n| Moving house | 1 |"


def test_a_row_of_a_table_is_told_with_the_names_of_its_columns() -> None:
    assert quoted("days for moving house", TABLE)[0] == "Occasion: Moving house; Paid days: 1"
    assert quoted("婚假", "| 类型 | 天数 |\n| --- | --- |\n| 婚假 | 3 天 |") == [
        "类型：婚假；天数：3 天"
    ]


def test_a_row_is_not_praised_for_what_its_neighbour_says() -> None:
    table = (
        "| Level | First answer | Update |\n|---|---|---|\n"
        "| P1 | 5 minutes | hourly |\n| P2 | 15 minutes | every two hours of the day and night |"
    )
    assert quoted("first answer P1", table)[0].startswith("Level: P1")


def test_a_long_row_is_quoted_in_parts_that_each_begin_with_its_name() -> None:
    cells = [f"value {n} of the row, told at some length" for n in range(12)]
    found = quoted("value 9", "| srv-7 | " + " | ".join(cells) + " |")
    assert all(quote.startswith("srv-7; value") for quote in found)
    assert "value 9" in found[0]


def test_code_is_quoted_as_code() -> None:
    text = "Roll back so:\n```sh\ndeploy rollback --to previous\n```\nIt takes 4 minutes."
    assert "`deploy rollback --to previous`" in quoted("deploy rollback previous", text)


def test_a_heading_that_no_source_shows_is_quoted_before_its_text() -> None:
    assert quoted("请假", "请假制度\n年假 15 天。") == ["请假制度 年假 15 天。"]


def test_no_space_is_put_between_chinese_lines() -> None:
    assert quoted("年假", "年假 12 天。\n满一年计。") == ["年假 12 天。满一年计。"]
    assert quoted("年假", "Ask first.\n\n年假 12 天。") == ["Ask first. 年假 12 天。"]


def test_weights_of_words_decide_between_windows() -> None:
    far = "无关的话说了很多很多。" * 9
    hits = [Passage(f"报销规定说得很清楚。{far}年假规定写在这里。{far}")]
    assert "年假" in quotes("年假规定", hits, 1, {"年假": 5.0, "规定": 0.1})[0].text


def test_meaning_decides_where_words_are_equal() -> None:
    found = windows("报销", [Passage("甲事。"), Passage("乙事。")], {})
    assert [quote.text for quote in best(found, {"乙事。": 0.9}, 1)] == ["乙事。"]


def test_the_same_sentence_of_two_documents_is_quoted_once() -> None:
    hits = [Passage("年假 15 天。"), Passage("年假 15 天。", score=0.4)]
    assert [quote.hit_index for quote in quotes("年假", hits)] == [0]


def test_nothing_is_quoted_from_nothing() -> None:
    assert quotes("年假", []) == []
    assert quotes("", [Passage("  \n ")]) == []


texts = st.text(
    alphabet=st.sampled_from("年假。，；！？…”ab1. ,;:\n|-`*#e\u0301👩\u200d🇨🇳[]()"), max_size=500
) | st.text(max_size=200)
prose = st.text(alphabet=st.sampled_from("年假。，；！？ab1. ,:\ne\u0301👩\u200d🇨🇳"), max_size=500)


@given(texts, st.sampled_from(["年假", "a b", "1", ""]))
@settings(max_examples=200, deadline=None)
def test_no_quote_is_over_its_limit(text: str, query: str) -> None:
    for quote in windows(query, [Passage(text)], {}):
        assert 0 < len(quote.text) <= limit_of(quote.text)


@given(prose)
@settings(max_examples=150, deadline=None)
def test_a_quote_stands_in_its_passage(text: str) -> None:
    whole = "".join(text.split())
    for quote in windows("年假 a", [Passage(text)], {}):
        assert "".join(quote.text.strip("…").split()) in whole


@given(texts)
@settings(max_examples=150, deadline=None)
def test_no_letter_is_quoted_that_the_passage_does_not_hold_in_this_order(text: str) -> None:
    rest = iter(letters(text)) if "|" not in text else None
    said = letters("".join(unit.text for unit in units_of(text)))
    assert rest is None or all(letter in rest for letter in said)


@given(st.text(alphabet=st.sampled_from("年a\u0301👩\u200d🏽🇨🇳é"), max_size=400))
@settings(max_examples=100, deadline=None)
def test_a_cut_leaves_graphemes_whole(text: str) -> None:
    whole = list(graphemes(text))
    # A tower of marks that fills a quote alone has to be cut somewhere.
    assume(all(len(grapheme) < 60 for grapheme in whole))
    shown = [grapheme for unit in units_of(text) for grapheme in graphemes(unit.text)]
    assert shown == whole


@given(texts)
@settings(max_examples=100, deadline=None)
def test_sentences_make_up_the_text(text: str) -> None:
    assert "".join(sentences(text)) == text


@given(st.lists(texts, max_size=4), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_quotes_do_not_overlap_and_come_best_first(passages: list[str], limit: int) -> None:
    found: list[Window] = windows("年假 a", [Passage(text) for text in passages], {})
    shown = best(found, {}, limit)
    assert len(shown) <= limit
    assert [quote.score for quote in shown] == sorted((q.score for q in shown), reverse=True)
    assert len({quote.text for quote in shown}) == len(shown)
