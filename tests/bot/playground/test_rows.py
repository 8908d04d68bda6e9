"""The workspace file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.playground.rows import Rows
from core.errors import StoreFull

CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from("123"),
        st.one_of(st.none(), st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2)),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(CHANGES)
def test_what_was_written_is_read_again(tmp_path_factory: object, changes: list) -> None:
    path = Path(tmp_path_factory.mktemp("rows")) / "rows.jsonl"  # type: ignore[attr-defined]
    rows = Rows(path)
    rows.open()
    for kind, row, value in changes:
        if value is None:
            rows.drop(kind, row)
        else:
            rows.put(kind, row, value)
    rows.close()
    again = Rows(path)
    again.open()
    again.close()
    for kind in ("a", "b"):
        assert list(again.all(kind).items()) == list(rows.all(kind).items())


@pytest.mark.parametrize(
    "left", [b'["a","2",{"te', b"\xe5\xb9\n", b"\x00\xff\xfe\n", b"7\n", b"null\n"]
)
def test_a_line_that_a_crash_left_behind_loses_only_itself(left: bytes, tmp_path: Path) -> None:
    rows = Rows(tmp_path / "rows.jsonl")
    rows.open()
    rows.put("a", "1", {"text": "年假"})
    rows.close()
    with (tmp_path / "rows.jsonl").open("ab") as file:
        file.write(left)
    again = Rows(tmp_path / "rows.jsonl")
    again.open()
    again.put("a", "3", {})
    again.close()
    assert list(again.all("a")) == ["1", "3"]


def test_a_full_disk_at_the_start_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreFull):
        Rows(tmp_path / "rows.jsonl").open()
