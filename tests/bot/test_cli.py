"""The commands, as a shell calls them: exit codes, and JSON and nothing else."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from bot.cli import run
from bot.cli.shell import complain
from core.errors import StoreBusy, ThreadmateError, WrongConfig, WrongUse

NOTE = """# 请假制度

## 年假

员工每年有十五天年假，入职不满一年的按月折算。

## Sick leave

A doctor's note is needed from the third day on.
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose embedder's table is unpacked once for all commands."""
    return tmp_path_factory.mktemp("shell") / "data"


@pytest.fixture(autouse=True)
def _shell(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THREADMATE_DATA", str(data))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    for name in ("THREADMATE_MODEL", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    Path("leave.md").write_text(NOTE, encoding="utf-8")


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_becomes_its_channels_knowledge_and_no_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = called(capsys, "ingest", "leave.md", "--channel", "handbook", "--json")
    [document] = json.loads(out)["documents"]
    assert (code, document["status"], document["version"]) == (0, "ready", 1)

    code, out, err = called(capsys, "ask", "年假有几天？", "--channel", "handbook", "--json")
    answer = json.loads(out)
    assert code == 0, err
    assert "十五天年假" in answer["answer"]
    assert (answer["language"], answer["refused"]) == ("zh", False)
    assert answer["sources"][0]["document"] == "leave.md"
    assert answer["sources"][0]["heading"].endswith("年假")
    assert [step["status"] for step in answer["steps"]] == ["done"]

    code, out, _ = called(capsys, "ask", "年假有几天？", "--channel", "random", "--json")
    elsewhere = json.loads(out)
    assert (elsewhere["refused"], elsewhere["sources"]) == (True, [])
    assert "十五" not in elsewhere["answer"]
    assert json.loads(called(capsys, "search", "年假", "--channel", "random", "--json")[1]) == {
        "hits": []
    }


def test_events_are_json_lines_with_gap_free_numbers_and_one_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = called(capsys, "ask", "what time is it in Tokyo?", "--events")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events].count("done") == 1
    assert events[-1]["output"]["answer"]["mode"] == "tool"
    assert all(
        sum(slot in event for slot in ("output", "action", "error")) == 1 for event in events
    )


def test_wrong_use_is_one_line_that_names_the_thing(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, named in (
        (("ingest", "nowhere.pdf"), "nowhere.pdf"),
        (("ask", "  "), "empty"),
        (("ask", "hello", "--json", "--events"), "--events"),
        (("ask", "hello", "--teammate", "ghost"), "threadmate"),
        (("ask", "hello", "--tools", "launch_rocket"), "launch_rocket"),
        (("ask", "hello", "--mode", "dance"), "dance"),
        (("ask", "hello", "--as", "\udcff"), "--as"),
        (("ask", "hello", "--channel", "\udcff"), "--channel"),
        (("manifest", "irc"), "irc"),
        (("frobnicate",), "frobnicate"),
    ):
        code, out, err = called(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert named in err, arguments
        assert len(err.strip().splitlines()) == 1, err


def test_a_wrong_configuration_ends_with_78_and_every_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xapp-swapped-token")
    monkeypatch.setenv("THREADMATE_API_BASE", "localhost")
    code, out, err = called(capsys, "run")
    assert (code, out) == (78, "")
    assert "SLACK_BOT_TOKEN" in err and "THREADMATE_API_BASE" in err
    assert "swapped" not in err


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (WrongUse(key="playground.port_taken", port=8321), "8321"),
        (WrongConfig(key="slack.bot_token_wrong", reason="invalid_auth"), "SLACK_BOT_TOKEN"),
        (WrongConfig("threadmate.toml: langauge"), "langauge"),
        (StoreBusy("locked"), "database"),
    ],
)
def test_an_error_is_told_by_its_own_sentence(
    error: ThreadmateError, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    complain(error)
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert err.startswith("threadmate: ") and named in err


def test_a_page_that_is_not_there_is_named_with_the_last_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    called(capsys, "ingest", "leave.md", "-c", "pages")
    code, out, err = called(capsys, "documents", "show", "leave.md", "-c", "pages", "--page", "3")
    assert (code, out) == (1, "")
    assert "leave.md has no page 3; its last one is 1." in err


def test_wrong_use_is_told_in_the_shells_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    for wrong in (("ask",), ("nothing",), ("ask", "a", "--nothing")):
        code, _, err = called(capsys, *wrong)
        assert code == 2
        assert err.startswith("threadmate: 用法不对：")
    assert "没有“irc”的清单" in called(capsys, "manifest", "irc")[2]


def test_documents_are_listed_shown_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "ingest", "leave.md", "--channel", "team")[0] == 0
    [info] = json.loads(called(capsys, "documents", "list", "-c", "team", "--json")[1])["documents"]
    assert info["name"] == "leave.md"
    shown = called(capsys, "documents", "show", "leave.md", "-c", "team")[1]
    assert "十五天年假" in shown
    code, out, _ = called(capsys, "documents", "delete", info["id"], "-c", "team", "--json")
    assert code == 0 and json.loads(out)["deleted"]["passages"] > 0
    assert json.loads(called(capsys, "documents", "list", "-c", "team", "--json")[1]) == {
        "documents": []
    }
    code, _, err = called(capsys, "documents", "delete", "leave.md", "-c", "team")
    assert code == 1 and "leave.md" in err


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    Path("empty.txt").write_bytes(b"")
    arguments = ("leave.md", "broken.pdf", "empty.txt")
    code, out, _ = called(capsys, "ingest", *arguments, "-c", "mixed", "--json")
    documents = {row["name"]: row for row in json.loads(out)["documents"]}
    assert code == 1
    assert documents["leave.md"]["status"] == "ready"
    assert documents["empty.txt"]["status"] == "empty"
    assert documents["broken.pdf"]["status"] in ("corrupt", "failed")
    assert all(row["reason"] for name, row in documents.items() if name != "leave.md")


def test_a_full_disk_is_told_for_the_file_it_refused_and_the_others_are_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("large.txt").write_text("A long report. " * 50)
    copy = shutil.copyfileobj

    def full(source: IO[bytes], target: IO[bytes], length: int = 0) -> None:
        if source.name.endswith("large.txt"):
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(source, target, length)

    monkeypatch.setattr(shutil, "copyfileobj", full)
    code, out, _ = called(capsys, "ingest", "leave.md", "large.txt", "-c", "full", "--json")
    documents = {row["name"]: row for row in json.loads(out)["documents"]}
    assert code == 1
    assert documents["leave.md"]["status"] == "ready"
    assert documents["large.txt"]["status"] == "failed"
    assert "disk is full" in documents["large.txt"]["reason"]
    held = json.loads(called(capsys, "documents", "list", "-c", "full", "--json")[1])
    assert [row["name"] for row in held["documents"]] == ["leave.md"]
    blobs = Path(os.environ["THREADMATE_DATA"]) / "blobs"
    assert not list(blobs.glob("*.part"))


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (OSError(errno.EROFS, "Read-only file system", "/data/practice"), "/data/practice"),
        (ZeroDivisionError(), "log"),
    ],
)
def test_what_breaks_a_command_is_told_in_one_sentence(
    error: Exception, named: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def broken(config: object) -> None:
        raise error

    monkeypatch.setattr("bot.app.migrated", broken)
    code, out, err = called(capsys, "migrate")
    told = [line for line in err.splitlines() if line.startswith("threadmate: ")]
    assert (code, out, len(told)) == (1, "", 1)
    assert named in told[0]


def test_a_reader_that_has_gone_ends_a_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    child = subprocess.run(
        [sys.executable, "-m", "bot", "documents", "list", "--json"],
        cwd=Path(__file__).parents[2],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(write)
    assert (child.returncode, child.stderr) == (1, b"")


def test_a_document_is_named_as_it_is_shown_or_as_the_file_is_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    odd = Path(os.fsdecode(b"Plan\xff.md"))
    odd.write_text(NOTE, encoding="utf-8")
    assert called(capsys, "ingest", str(odd), "-c", "odd")[0] == 0
    for name in ("Plan.md", "plan.md", str(odd)):
        assert "十五天" in called(capsys, "documents", "show", name, "-c", "odd")[1]


def test_the_doctor_finds_a_sound_installation(capsys: pytest.CaptureFixture[str]) -> None:
    Path("threadmate.toml").write_text('[weather]\ngeocoding_url = ""\n', "utf-8")
    code, out, _ = called(capsys, "doctor", "--json")
    states = {check["name"]: check["state"] for check in json.loads(out)["checks"]}
    assert code == 0
    assert states == {
        "config": "ok",
        "data": "ok",
        "files": "ok",
        "search": "ok",
        "teammates": "ok",
        "tools": "off",
        "web": "ok",
        "weather": "off",
        "mail": "off",
        "slack": "off",
        "discord": "off",
        "model": "off",
    }


def test_the_model_library_is_not_loaded_without_a_model() -> None:
    script = (
        "import sys; from bot.cli import run; "
        "code = run(['ask', 'how many documents are there?', '--json']); "
        "loaded = sorted(n for n in sys.modules if n.split('.')[0] in ('litellm', 'dbos', 'mcp')); "
        "sys.stderr.write(repr((code, loaded)))"
    )
    child = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(child.stdout)["mode"] == "tool"
    assert child.stderr.endswith("(0, [])")
