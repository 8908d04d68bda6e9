"""Tools of an installation's own, taken from modules by name."""

import sys
from pathlib import Path

import pytest

from core.errors import WrongConfig
from core.tools.builtin import BUILTIN
from core.tools.own import with_own

BALANCE = '''
from core.tools.definition import tool

@tool(keywords=("余额", "balance"))
async def get_balance(name: str) -> dict:
    """The balance of an account.

    name: Whose account.
    """
    return {"name": name, "balance": 10}

@tool(effect="external", needs_approval=True)
async def recharge(name: str, amount: int) -> str:
    """Top up an account.

    name: Whose account.
    amount: How much, in yuan.
    """
    return f"{name}: {amount}"
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def test_the_functions_of_a_module_become_tools(here: Path) -> None:
    (here / "own_balance.py").write_text(BALANCE, "utf-8")
    box = with_own(BUILTIN, ["own_balance"])
    assert box.effect("get_balance") == "read"
    assert box.effect("recharge") == "external"
    assert set(box.names) - set(BUILTIN.names) == {"get_balance", "recharge"}
    assert "recharge" not in box.permitted(None, ("recharge",))
    assert "recharge" in box.permitted(("recharge",), ("recharge",))


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("own_missing", None, "own_missing cannot be loaded: ModuleNotFoundError"),
        ("own_empty", "x = 1", "own_empty holds no function with @tool"),
        ("own_broken", "raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("own_taken", BALANCE.replace("get_balance", "get_time"), "get_time is taken"),
        ("../evil", None, "no name of a Python module"),
    ],
)
def test_a_module_that_cannot_be_taken_is_named(
    here: Path, module: str, source: str | None, said: str
) -> None:
    if source is not None:
        (here / f"{module}.py").write_text(source, "utf-8")
    with pytest.raises(WrongConfig, match=said):
        with_own(BUILTIN, [module])
