"""The mutations fit the tree: a table that fell behind the code would catch nothing."""

from pathlib import Path

import pytest

from tests.mutants.mutation import Mutation
from tests.mutants.table import MUTATIONS

ROOT = Path(__file__).parents[1]
ONE = Mutation("one", "a.py", "x = 1", "x = 2", "x is one", ("t.py",))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mutation_can_be_made_and_loads(mutation: Mutation) -> None:
    assert mutation.wrong(ROOT) == ""
    assert mutation.old != mutation.new
    text = (ROOT / mutation.file).read_text("utf-8")
    compile(text.replace(mutation.old, mutation.new), mutation.file, "exec")


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 30


def test_a_mutation_whose_text_is_gone_or_not_alone_names_itself(tmp_path: Path) -> None:
    (tmp_path / "t.py").touch()
    assert "a.py is gone" in ONE.wrong(tmp_path)
    (tmp_path / "a.py").write_text("x = 3")
    assert ONE.wrong(tmp_path) == "one: its old text is gone in a.py: 'x = 1'"
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n")
    assert "stands 2 times" in ONE.wrong(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    assert ONE.wrong(tmp_path) == ""
    ONE.make(tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
