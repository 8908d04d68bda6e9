"""docs/architecture.md draws the tree that is there."""

import re
from pathlib import Path

import pytest

from core.knowledge.parse.model import Status

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def drawn(package: str) -> set[str]:
    """The rooms of `bot` or `core` in the picture; names stand before two spaces."""
    part = re.search(rf"^{package}/\n((?:  .*\n)+)", TEXT, re.M)
    assert part is not None
    names = (re.split(r"\s{2,}", line.strip())[0].split() for line in part[1].splitlines())
    return {name.rstrip("/") for line in names for name in line}


@pytest.mark.parametrize("package", ["bot", "core"])
def test_every_room_is_drawn_and_every_drawn_room_exists(package: str) -> None:
    there = {
        path.stem
        for path in (ROOT / package).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert drawn(package) == there - {"__init__"}


def test_every_table_is_named_with_its_room() -> None:
    made = {
        table
        for path in (ROOT / "core" / "store" / "migrations").glob("*.sql")
        for table in re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", path.read_text("utf-8"))
    }
    rows = re.search(r"\| tables \| room \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT)
    assert rows is not None
    assert {name for name in re.findall(r"`([a-z_]+)`", rows[1])} == made


def test_every_state_of_a_document_is_named() -> None:
    sentence = re.search(r"A document's state is .*", TEXT)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[0])) == set(Status.__args__)


def test_every_kind_of_step_key_is_one_that_the_code_writes() -> None:
    part = TEXT[TEXT.index("### Step keys") : TEXT.index("## What is kept")]
    keys = {key for key in re.findall(r"`([a-z][a-z:A-Z0-9]*)`", part) if key != "tool"}
    code = "\n".join(
        path.read_text("utf-8") for top in ("bot", "core") for path in (ROOT / top).rglob("*.py")
    )
    for key in keys:
        # Numbers and modes are put in; what is left must stand in the code as it is written here.
        pieces = [piece for piece in re.split(r"\b(?:N|M|ID|1)\b|^[a-z]+(?=:model$)", key) if piece]
        assert all(piece.strip(":") in code for piece in pieces), key
