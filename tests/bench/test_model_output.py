"""The bench of model outputs: what counts as expected, and that nothing else does."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from bench.model_output import pieces, report, rows_of, said


def row(
    number: int, kind: str, output: str, expected: dict[str, Any], **more: Any
) -> dict[str, Any]:
    return {"id": f"r{number}", "kind": kind, "output": output, "expected": expected, **more}


GOOD_NODE = {"id": "1", "tool": "find", "args": {"q": "x"}, "depends_on": [], "race_group": None}
PLAN = json.dumps({"nodes": [{"id": 1, "tool": "find", "args": {"q": "x"}}]})
RING = json.dumps({"nodes": [{"id": 1, "tool": "find", "args": {"q": "x"}, "depends_on": [1]}]})


def verdicts(*rows: dict[str, Any]) -> list[bool]:
    failed = {one["id"] for one in report(list(rows), cuts=3)["failed"]}
    return [one["id"] not in failed for one in rows]


def test_a_row_is_right_only_if_all_of_it_is() -> None:
    assert verdicts(
        row(1, "json", "```\n[1]\n```", {"json": [1]}),
        row(2, "json", "```\n[1]\n```", {"json": [2]}),
        row(3, "args", '{"a": "x', {"arguments": {"a": "x"}}),
        row(4, "args", "null", {"arguments": {}}),
        row(5, "plan", PLAN, {"nodes": [GOOD_NODE], "errors": []}),
        row(6, "plan", PLAN, {"nodes": [], "errors": []}),
        row(7, "plan", PLAN, {"nodes": [GOOD_NODE], "errors": ["cycle"]}),
        row(8, "plan", RING, {"nodes": [], "errors": ["self_dependency"]}),
        row(9, "plan", RING, {"nodes": [GOOD_NODE], "errors": ["cycle"]}),
        row(10, "plan", RING, {"nodes": [], "errors": ["unknown_tool"]}),
    ) == [True, False, True, False, True, False, False, True, True, False]


def test_the_figures_are_counted_by_kind_and_policy() -> None:
    found = report(
        [
            row(1, "json", "[1]", {"json": [1]}),
            row(2, "json", "[1]", {"json": [2]}, policy="projects differ"),
        ],
        cuts=1,
    )
    assert (found["ok"], found["total"]) == (1, 2)
    assert found["by_kind"] == {"json": {"ok": 1, "total": 2}}
    assert found["by_policy"] == {"failed": 1}
    assert found["failed"][0]["policy"] == "projects differ"


def test_a_text_is_cut_into_pieces_that_are_the_text() -> None:
    rng = random.Random(1)
    for _ in range(20):
        parts = list(pieces("年假 15 天", rng))
        assert len(parts) > 1 and said(parts) == "年假 15 天"


def test_the_corpus_is_read_as_expected() -> None:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS is not set")
    rows = rows_of(Path(folder) / "model-output" / "llm-outputs.jsonl")
    mine = [one for one in rows if one["kind"] in ("json", "args", "plan")]
    assert len(mine) > 60
    assert report(mine, cuts=5)["failed"] == []
