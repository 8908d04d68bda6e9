"""Sources: numbered by code, shown as the marks name them."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.journal import MemoryJournal
from core.sources import Source, marks_of, rewrite_marks
from core.tools.sources import SHOWN_WITHOUT_MARKS, SourceBook, cite, place_of


def place(document: str, page: int | None = 1, version: int = 1, heading: str = "") -> Source:
    return Source(
        mark=0,
        document=f"{document}.pdf",
        document_id=document,
        version=version,
        page=page,
        heading=heading,
    )


async def test_places_are_numbered_in_order_of_first_touch() -> None:
    book = SourceBook(MemoryJournal())
    first = await book.touch([place("a"), place("b"), place("a")])
    again = await book.touch([place("b"), place("a", page=2), place("a", version=2)])
    assert [source.mark for source in first] == [1, 2, 1]
    assert [source.mark for source in again] == [2, 3, 4]
    assert book.by_mark(2) == first[1]
    assert book.by_mark(0) is None
    assert book.by_mark(5) is None


async def test_a_resumed_run_goes_on_with_the_same_numbers() -> None:
    journal = MemoryJournal()
    book = SourceBook(journal)
    await book.touch([place("a"), place("b")])
    await book.touch([place("c")])
    resumed = SourceBook(journal)
    await resumed.load()
    assert resumed.known == book.known
    assert [s.mark for s in await resumed.touch([place("d"), place("b")])] == [4, 2]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3))), max_size=6))
def test_side_by_side_or_not_every_place_has_one_number_without_gaps(
    batches: list[list[tuple[str, int]]],
) -> None:
    async def scenario() -> None:
        book = SourceBook(MemoryJournal())
        touched = await asyncio.gather(
            *(book.touch([place(name, page) for name, page in batch]) for batch in batches)
        )
        assert [source.mark for source in book.known] == list(range(1, len(book.known) + 1))
        marks = {place_of(source): source.mark for source in book.known}
        assert all(marks[place_of(s)] == s.mark for batch in touched for s in batch)

    asyncio.run(scenario())


def numbered(count: int) -> list[Source]:
    return [place(chr(97 + n)).model_copy(update={"mark": n + 1}) for n in range(count)]


def test_only_sources_that_marks_name_are_shown_in_their_order() -> None:
    cited = cite("B [2]. A [1], again [2].", numbered(3))
    assert [source.mark for source in cited.sources] == [2, 1]


def test_an_answer_without_marks_shows_all_that_was_touched_up_to_a_limit() -> None:
    assert len(cite("Fine.", numbered(9)).sources) == SHOWN_WITHOUT_MARKS
    assert cite("Fine.", ()).sources == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("15 天[1][7]。", "15 天[1]。"),
        ("15 days [7].", "15 days."),
        ("15 days [1, 7].", "15 days [1]."),
        ("15 天[1，2]。", "15 天[1][2]。"),
        ("`row[7]` is code [1].", "`row[7]` is code [1]."),
        ("```\nx = a[9]\n```\nso [9]", "```\nx = a[9]\n```\nso"),
    ],
)
def test_marks_out_of_range_are_removed_but_code_is_left_alone(text: str, kept: str) -> None:
    assert cite(text, numbered(2)).text == kept


@pytest.mark.parametrize(
    "text",
    [
        "暂无相关内容。没有写到[1]。",
        "**Nothing relevant in the documents** about it [1].",
        "nothing relevant in the documents",
    ],
)
def test_an_answer_that_begins_with_the_refusal_has_neither_marks_nor_sources(text: str) -> None:
    cited = cite(text, numbered(2))
    assert cited.refused
    assert cited.sources == ()
    assert marks_of(cited.text) == []


def test_a_partial_answer_keeps_its_sources() -> None:
    cited = cite("年假 15 天[1]。产假暂无相关内容。", numbered(2))
    assert not cited.refused
    assert [source.mark for source in cited.sources] == [1]


def test_what_is_labelled_as_not_from_the_documents_shows_no_touched_document() -> None:
    assert cite("Not in them.\nNot from your documents:\nFar away.", numbered(2)).sources == ()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab `[]0123456789,，\n。", max_size=80), st.integers(0, 4))
def test_after_citing_every_mark_left_has_a_source(text: str, count: int) -> None:
    cited = cite(text, numbered(count))
    assert set(marks_of(cited.text)) <= {source.mark for source in cited.sources}
    once = rewrite_marks(text, lambda marks: marks)
    assert rewrite_marks(once, lambda marks: marks) == once
    assert marks_of(once) == marks_of(text)
