"""The file bench: every expectation is looked at, and the corpus is read."""

import os
from pathlib import Path
from typing import Any

import pytest

from bench.files import misses, read_rows, run
from core.knowledge.parse import Block, Parsed

READ = Parsed(
    status="ready",
    title="T",
    pages=2,
    blocks=(
        Block(page=1, heading=("H",), text="one two"),
        Block(page=2, kind="table", text="| a | b |"),
    ),
)


@pytest.mark.parametrize(
    ("expect", "missed"),
    [
        ({"contains": ["one  two"]}, []),
        ({"contains": ["three"]}, ["contains"]),
        ({"contains_ignoring_spaces": ["onetwo"]}, []),
        ({"must_not_contain": ["two"]}, ["must_not_contain"]),
        ({"page": 1, "contains": ["two"]}, []),
        ({"page": 2, "contains": ["two"]}, ["page"]),
        ({"page_of": {"two": 1}}, []),
        ({"page_of": {"two": 2}}, ["page_of"]),
        ({"pages": 3}, ["pages"]),
        ({"heading": "H", "headings": ["H"]}, []),
        ({"heading": "h"}, ["heading"]),
        ({"same_row": [["a", "b"]]}, []),
        ({"same_row": [["one", "b"]]}, ["same_row"]),
        ({"title": "t"}, ["title"]),
        ({"status": "encrypted"}, ["status"]),
        ({"moons": 1}, ["moons"]),
        ({"note": "for the reader"}, []),
    ],
)
def test_each_expectation_is_held_or_missed(expect: dict[str, Any], missed: list[str]) -> None:
    assert misses(READ, expect, 0.1) == missed


def test_a_bounded_file_must_end_soon() -> None:
    assert misses(READ, {"status": "ok_bounded"}, 0.1) == []
    assert misses(READ, {"status": "ok_bounded"}, 9.0) == ["status"]


def test_a_file_that_was_not_read_holds_no_text() -> None:
    refused = Parsed(status="empty", reason="parse.empty", values={"name": "x"})
    assert misses(refused, {"must_not_contain": ["x"]}, 0.1) == ["status empty"]


async def test_the_corpus_of_files_is_read() -> None:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS is not set")
    files = Path(folder) / "files"
    found = await run(read_rows(files / "manifest.jsonl"), files, as_json=True)
    assert found["failed"] == [] and found["ok"] == found["total"] > 0
