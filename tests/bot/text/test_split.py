import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.text.measure import Size, whole
from bot.text.regions import OpenFence, opened_by
from bot.text.split import pieces, split

LINES = st.sampled_from(
    [
        "", " ", "plain words in a row, and some more of them", "x" * 70, "字" * 70, "结论：",
        "请假需要提前三天申请。年假有十五天；病假另计！", "# Title", "> quoted", "1. first",
        "```python", "```", "~~~", "````md", "```js {highlight: [1,2]}", "> ```", "- ```sh",
        "  ```", "    indented = True  # code", "  - nested item", "- item one", "def f(x):",
        "| a | b |", "|---|---|", "| 1 | 2 |", "👨\u200d👩\u200d👧" * 12, "e\u0301" * 40,
        "\treturn x", "**bold words** and `code span` [link](https://a.example/b)",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=40).map("\n".join)
SIZES = st.tuples(st.integers(60, 400), st.none() | st.integers(120, 600), st.booleans())


def open_fence_at_end(text: str) -> OpenFence | None:
    fence = None
    for line in text.split("\n"):
        if fence is None:
            fence = opened_by(line)
        elif fence.closed_by(line):
            fence = None
    return fence


@given(TEXTS, SIZES)
@settings(max_examples=150, deadline=None)
def test_every_post_fits_is_not_empty_and_closes_its_fences(
    text: str, size: tuple[int, int | None, bool]
):
    chars, in_bytes, utf16 = size
    for post in split(text, chars, in_bytes, utf16=utf16):
        units = len(post.encode("utf-16-le")) // 2 if utf16 else len(post)
        assert units <= chars
        assert in_bytes is None or len(post.encode()) <= in_bytes
        assert post.strip()
        assert open_fence_at_end(post) is None or post == text


@given(TEXTS, SIZES)
@settings(max_examples=150, deadline=None)
def test_the_bodies_of_the_posts_joined_are_the_text(text: str, size: tuple[int, int | None, bool]):
    found = pieces(text, Size(*size))
    assert "".join(piece.body for piece in found) == text or not text.strip()
    for piece in found:
        assert piece.body.strip() in piece.text


@given(st.text("ab é文👨👩\u200d\u0301\ufe0f🇨🇳🏽\n", max_size=200), st.integers(40, 80))
@settings(max_examples=150, deadline=None)
def test_no_visible_sign_is_cut(text: str, limit: int):
    at = 0
    for piece in pieces(text, Size(limit))[:-1]:
        at += len(piece.body)
        assert whole(text, at) == at


def test_a_block_of_code_is_closed_and_opened_again_with_its_language_and_indentation():
    code = "\n".join(f"    value_{n} = compute({n})" for n in range(300))
    posts = split(f"Here:\n\n```python title=x\n{code}\n```\nDone.", 2000)
    assert len(posts) > 3
    assert all(post.count("```") == 2 for post in posts)
    assert all(post.startswith("```python\n    value_") for post in posts[1:])
    joined = "\n".join(re.findall(r"^    value.*$", "\n".join(posts), re.M))
    assert joined == code


def test_a_fence_is_not_opened_at_the_end_of_a_post_for_nothing():
    posts = split("a" * 60 + "\n```py\n" + "b" * 60 + "\n```", 100)
    assert posts == ["a" * 60, "```py\n" + "b" * 60 + "\n```"]


def test_chinese_is_cut_after_a_sentence():
    posts = split("请假需要提前三天申请。" * 40, 100)
    assert all(post.endswith("。") for post in posts)
    assert "".join(posts) == "请假需要提前三天申请。" * 40


def test_a_table_is_cut_between_rows_and_its_head_is_repeated():
    table = "| name | days |\n|---|---|\n" + "\n".join(f"| person {n} | {n} |" for n in range(60))
    posts = split(f"Days:\n\n{table}", 300)
    assert all("| name | days |\n|---|---|\n| person" in post for post in posts)
    rows = [line for post in posts for line in post.split("\n") if line.startswith("| person")]
    assert rows == table.split("\n")[2:]


def test_a_heading_moves_on_with_what_it_heads():
    posts = split("x" * 60 + "\n\n## Next\n" + "y" * 50, 110)
    assert posts == ["x" * 60, "## Next\n" + "y" * 50]


def test_bold_words_spans_and_links_are_not_cut():
    text = (
        "word " * 30
        + "**very bold words here** "
        + "word " * 30
        + "`some code here` "
        + "[a b](https://a.example/b) " * 9
    )
    for post in split(text, 110):
        assert post.count("**") % 2 == 0 and post.count("`") % 2 == 0
        assert post.count("[a b](https://a.example/b)") == post.count("[")


def test_bytes_count_where_a_platform_counts_bytes():
    posts = split("汉" * 3000, 4000, 4000)
    assert max(len(post.encode()) for post in posts) <= 4000
    assert "".join(posts) == "汉" * 3000


@pytest.mark.parametrize("text", ["", " \n ", "\n\n\n"])
def test_nothing_gives_no_post(text: str):
    assert split(text, 100) == []


def test_a_text_that_fits_is_not_touched():
    assert split("  a\n\nb \n", 100) == ["  a\n\nb \n"]


def test_what_looks_like_a_table_in_code_is_code_in_every_post():
    rows = "| name | days |\n|---|---|\n" + "| annual leave | 12 |\n" * 30
    posts = split(f"```text\n{rows}```", 200)
    assert len(posts) > 2
    assert all(post.startswith("```text\n") and post.endswith("```") for post in posts)
    assert sum(post.count("| name | days |") for post in posts) == 1
