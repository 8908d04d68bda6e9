"""`threadmate teammates` and `ask --teammate`, as a shell calls them."""

import json
import sys
from pathlib import Path

import pytest

from bot.cli import run

LAWYER = "---\nname: lawyer\navatar: ⚖️\ndescription: Reads contracts\n---\nYou read contracts.\n"


@pytest.fixture(autouse=True)
def _shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THREADMATE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    for name in ("THREADMATE_MODEL", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    Path("teammates").mkdir()


def own(name: str, text: str) -> None:
    Path("teammates", name).write_text(text, encoding="utf-8")


OWN_TOOL = """
from core.tools.definition import tool

@tool()
async def send_fax(number: str) -> str:
    \"\"\"Sends a fax.\"\"\"
    return number
"""


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_those_that_ship_and_own_ones_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    own("lawyer.md", LAWYER)
    code, out, err = called(capsys, "teammates", "list")
    assert (code, err) == (0, "")
    assert "lawyer" in out and "researcher" in out and "Reads contracts" in out
    code, out, _ = called(capsys, "teammates", "list", "--json")
    rows = {row["name"]: row for row in json.loads(out)["teammates"]}
    assert rows["lawyer"]["file"] == "teammates/lawyer.md"
    assert [name for name, row in rows.items() if row["default"]] == ["generalist"]


def test_a_check_names_file_line_and_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "teammates", "check") == (
        0,
        "4 teammates; all their files are whole.\n",
        "",
    )
    own("broken.md", "---\nmode: fast\n---\nrole")
    own("lawyer.md", LAWYER.replace("---\nYou", "tools: [read, send_fax]\n---\nYou"))
    code, out, err = called(capsys, "teammates", "check")
    assert (code, err) == (1, "")
    assert "broken.md, line 2: mode cannot be" in out
    assert "lawyer.md: there is no tool send_fax" in out
    code, out, _ = called(capsys, "teammates", "check", "--json")
    told = json.loads(out)
    assert (code, told["ok"]) == (1, False)
    assert [(row["file"], row["line"]) for row in told["errors"]] == [
        ("broken.md", 2),
        ("lawyer.md", 0),
    ]


def test_a_question_goes_to_the_teammate_that_was_picked_or_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own("lawyer.md", LAWYER)
    for arguments in (
        ("ask", "年假有几天？", "--teammate", "Lawyer", "--json"),
        ("ask", "@lawyer 年假有几天？", "--json"),
    ):
        code, out, err = called(capsys, *arguments)
        assert code == 0, err
        assert json.loads(out)["teammate"] == "lawyer"
    code, out, err = called(capsys, "ask", "hi", "--teammate", "nobody")
    assert (code, out) == (2, "")
    assert "lawyer" in err and "nobody" in err


def test_the_doctor_names_a_broken_teammate(capsys: pytest.CaptureFixture[str]) -> None:
    own("broken.md", "---\nmode: fast\n---\nrole")
    Path("threadmate.toml").write_text('[weather]\ngeocoding_url = ""\n', "utf-8")
    code, out, _ = called(capsys, "doctor")
    assert code == 1
    assert "broken.md, line 2" in out


def test_a_check_knows_the_tools_of_the_installation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    own("lawyer.md", LAWYER.replace("---\nYou", "tools: [read, send_fax]\n---\nYou"))
    Path("fax_of_ours.py").write_text(OWN_TOOL, "utf-8")
    assert called(capsys, "teammates", "check")[0] == 1
    Path("threadmate.toml").write_text('tools = ["fax_of_ours"]\n', "utf-8")
    assert called(capsys, "teammates", "check")[:2] == (
        0,
        "5 teammates; all their files are whole.\n",
    )
