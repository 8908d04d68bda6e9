import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.text.markdown import cjk_safe, escaped, plain
from bot.text.sources import source_hosts, sources_footer
from core.sources import Source


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("**重要提示：**请注意。", "**重要提示**：请注意。"),
        ("这是**粗体**文字", "这是**粗体**文字"),
        ("他说**“年假”**很重要", "他说\u2009**“年假”**\u2009很重要"),
        ("**注意！**马上", "**注意**！马上"),
        ("**Note:** see", "**Note:** see"),
        ("**Note:**see", "**Note**:see"),
        ("a * b * c", "a * b * c"),
        ("`**重要：**请`", "`**重要：**请`"),
        ("```\n**重要：**请\n```", "```\n**重要：**请\n```"),
        ("*重点。*然后", "*重点*。然后"),
        ("**（一）**请假", "**（一）**\u2009请假"),
        (r"\**重要：**请", r"\**重要：**请"),
        ("2**3 和 4**5", "2**3 和 4**5"),
    ],
)
def test_emphasis_works_beside_chinese(text: str, mended: str):
    assert cjk_safe(text) == mended


@given(st.text("ab文字，：。“”（）*` \n", max_size=60))
@settings(max_examples=200, deadline=None)
def test_mending_emphasis_keeps_every_sign_and_settles(text: str):
    once = cjk_safe(text)
    assert sorted(once.replace("\u2009", "")) == sorted(text)
    assert cjk_safe(once) == once


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Title\n\n**Bold** and *it* and `code`", "Title\n\nBold and it and code"),
        ("[guide](https://docs.example.com/a)", "guide (https://docs.example.com/a)"),
        ("```py\nx = a_b_c * 2 * 3\n```", "x = a_b_c * 2 * 3"),
        ("a_b_c and 2 * 3 * 4", "a_b_c and 2 * 3 * 4"),
        ("* one\n* two", "- one\n- two"),
        (r"a\*b", "a*b"),
    ],
)
def test_plain_text_has_no_marks(text: str, shown: str):
    assert plain(text) == shown


@given(st.text("ab_*`[]()<>\\#~| \n文", max_size=40))
@settings(max_examples=200, deadline=None)
def test_an_escaped_name_reads_as_it_was_written(name: str):
    line = escaped(name)
    assert "\n" not in line
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line) == " ".join(name.split()) or "\\" in name


def source(mark: int, **values: object) -> Source:
    fields = {"mark": mark, "document": "policy.pdf", "document_id": "d1", "version": 1, "page": 3}
    return Source.model_validate(fields | values)


def test_sources_are_one_line_each_and_the_same_place_shares_one():
    found = [
        source(2, heading="请假 > 年假"),
        source(1),
        source(3),
        source(4, page=None, version=2),
    ]
    assert sources_footer(found, "zh") == (
        "[1][3] policy.pdf · 第 3 页\n[2] policy.pdf · 第 3 页 · 请假 > 年假\n"
        "[4] policy.pdf · 第 2 版"
    )
    assert sources_footer([source(1)], "en") == "[1] policy.pdf · p. 3"
    assert sources_footer([], "en") == ""


def test_a_source_with_a_link_is_a_link_and_its_host_is_known():
    linked = source(1, link="https://team.example/archives/C1/p1", document="a[1].pdf")
    assert sources_footer([linked], "en") == (
        "[1] [a(1).pdf](https://team.example/archives/C1/p1) · p. 3"
    )
    assert source_hosts([linked, source(2), source(3, link="javascript:x")]) == ("team.example",)
