from __future__ import annotations

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.chunk import CODE_LIMIT, SLACK, TARGET, chunk, pack, size
from core.knowledge.parse.model import Block


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_a_short_text_is_one_passage() -> None:
    [piece] = chunk([Block(page=2, heading=("请假",), text="年假 10 天。")])
    assert (piece.page, piece.heading, piece.text) == (2, ("请假",), "年假 10 天。")


def test_neighbours_under_one_heading_are_joined_and_pages_never_are() -> None:
    pieces = chunk(
        [
            Block(page=1, heading=("A",), text="one."),
            Block(page=1, heading=("A",), text="two."),
            Block(page=2, heading=("A",), text="three."),
            Block(page=2, heading=("B",), text="four."),
        ]
    )
    assert [(piece.page, piece.text) for piece in pieces] == [
        (1, "one.\n\ntwo."),
        (2, "three."),
        (2, "four."),
    ]


def test_chinese_without_any_space_is_cut_at_sentence_ends() -> None:
    text = "这一句讲的是请假制度的一条规定。" * 100
    pieces = chunk([Block(text=text)])
    assert len(pieces) > 3
    assert all(piece.text.endswith("。") for piece in pieces)
    assert all(size(piece.text) <= SLACK * TARGET for piece in pieces)


def test_the_last_passage_is_no_crumb() -> None:
    text = "A sentence of some forty letters in all. " * 40
    sizes = [size(piece.text) for piece in chunk([Block(text=text)])]
    assert min(sizes) > TARGET / 2


def test_a_code_fence_stays_whole_in_prose() -> None:
    code = "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(40)) + "\n```"
    text = "Some words before. " * 30 + "\n\n" + code + "\n\n" + "And after. " * 60
    assert sum(code in piece.text for piece in chunk([Block(text=text)])) == 1


def test_endless_code_is_cut_between_lines() -> None:
    text = "\n".join(f"    value_{n} = compute({n})" for n in range(400))
    pieces = chunk([Block(kind="code", text=text)])
    assert all(size(piece.text) <= CODE_LIMIT for piece in pieces)
    assert all(piece.text.startswith("    value_") for piece in pieces)


def test_every_part_of_a_table_begins_with_its_header() -> None:
    header = "| 姓名 | 部门 |\n| --- | --- |"
    rows = "\n".join(f"| 员工{n} | 第{n}部门 |" for n in range(120))
    pieces = chunk([Block(kind="table", text=f"{header}\n{rows}")])
    assert len(pieces) > 2
    assert all(piece.text.startswith(header) for piece in pieces)
    assert all(any(f"| 员工{n} |" in piece.text for piece in pieces) for n in range(120))


texts = st.text(
    alphabet=st.sampled_from("年假。，！a b.\n|-`~é\u0301👩\u200d🇨🇳各ก็"), max_size=600
) | st.text(max_size=60)
blocks = st.lists(
    st.builds(
        Block,
        page=st.sampled_from([None, 1, 2]),
        heading=st.sampled_from([(), ("a",), ("a", "b")]),
        kind=st.sampled_from(["text", "table", "code"]),
        text=texts,
    ),
    max_size=5,
)


@given(blocks, st.integers(20, 120))
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost_and_order_is_kept(given_blocks: list[Block], target: int) -> None:
    found = bare("".join(piece.text for piece in chunk(given_blocks, target)))
    # Headers are repeated, so the whole is a subsequence of what was found.
    rest = iter(found)
    assert all(character in rest for character in bare("".join(b.text for b in given_blocks)))


@given(blocks.map(lambda all: [b for b in all if b.kind != "table"]), st.integers(20, 120))
@settings(max_examples=100, deadline=None)
def test_without_tables_nothing_is_added_either(given_blocks: list[Block], target: int) -> None:
    found = "".join(piece.text for piece in chunk(given_blocks, target))
    assert bare(found) == bare("".join(block.text for block in given_blocks))


@given(texts, st.integers(20, 120))
@settings(max_examples=150, deadline=None)
def test_no_passage_begins_inside_a_grapheme(text: str, target: int) -> None:
    for piece in chunk([Block(text=text)], target)[1:]:
        first = piece.text[0]
        follows_space = unicodedata.category(first) in ("Mn", "Mc", "Me") and bool(
            re.search(r"\s" + re.escape(piece.text[:3]), text)
        )
        assert follows_space or not unicodedata.combining(first)
        assert first != "\u200d" or re.search(r"\s\u200d", text)


@given(st.lists(st.text(max_size=30), max_size=40), st.integers(5, 80))
@settings(max_examples=100, deadline=None)
def test_packing_keeps_every_unit(units: list[str], target: int) -> None:
    assert "".join(pack(units, target)) == "".join(units)
