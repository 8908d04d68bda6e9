"""The parent's side: limits, dead children, honest endings."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from core.knowledge.parse import Parsed, Parser
from core.texts import say
from tests.rigs import documents


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture
async def parser() -> AsyncIterator[Parser]:
    made = Parser(timeout_s=30)
    yield made
    await made.close()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def hanging(folder: Path) -> Path:
    """A pipe that nobody writes to: reading it never ends."""
    path = folder / "hanging.txt"
    os.mkfifo(path)
    return path


async def test_a_file_that_hangs_is_given_up_and_the_next_one_works(tmp_path: Path) -> None:
    parser = Parser(timeout_s=0.8)
    try:
        stuck = await parser.parse(hanging(tmp_path), "hanging.txt")
        assert (stuck.status, stuck.reason) == ("failed", "parse.too_slow")
        parser.timeout_s = 30
        fine = await parser.parse(put(tmp_path, "a.txt", b"fine"), "a.txt")
        assert fine.blocks[0].text == "fine"
    finally:
        await parser.close()


async def test_a_child_that_dies_fails_its_file_only(parser: Parser, tmp_path: Path) -> None:
    reading, child = await start_reading(parser, hanging(tmp_path))
    child.send_signal(signal.SIGSEGV)
    lost = await reading
    assert (lost.status, lost.reason) == ("failed", "parse.crashed")
    assert (await parser.parse(put(tmp_path, "a.md", b"# Hi\n\nyou"), "a.md")).status == "ready"


async def test_a_file_whose_child_is_killed_from_outside_is_read_by_another(
    parser: Parser, tmp_path: Path
) -> None:
    pipe = hanging(tmp_path)
    reading, child = await start_reading(parser, pipe)
    child.kill()
    pipe.rename(tmp_path / "pipe")
    put(tmp_path, pipe.name, b"fine")
    read = await reading
    assert (read.status, read.blocks[0].text) == ("ready", "fine")


async def test_a_file_whose_children_are_killed_twice_is_told_so(
    parser: Parser, tmp_path: Path
) -> None:
    reading, child = await start_reading(parser, hanging(tmp_path))
    before = set(psutil.Process().children())
    child.kill()
    async with asyncio.timeout(20):
        while not (born := set(psutil.Process().children()) - before):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    born.pop().kill()
    lost = await reading
    assert (lost.status, lost.reason) == ("failed", "parse.memory")


async def start_reading(parser: Parser, path: Path) -> tuple[asyncio.Task[Parsed], psutil.Process]:
    """A reading under way, and the child that does it."""
    before = set(psutil.Process().children())
    reading = asyncio.create_task(parser.parse(path, path.name))
    async with asyncio.timeout(20):
        while not (born := set(psutil.Process().children()) - before):  # noqa: ASYNC110
            # Nothing tells when a process has been started but the system's own list.
            await asyncio.sleep(0.01)
    return reading, born.pop()


async def test_a_file_that_eats_memory_is_told_so(tmp_path: Path) -> None:
    parser = Parser(memory_mb=250)
    try:
        greedy = put(tmp_path, "greedy.json", b"[" + b"[1],[2]," * 1_500_000 + b"0]")
        told = await parser.parse(greedy, "greedy.json")
        assert (told.status, told.reason) == ("failed", "parse.memory")
    finally:
        await parser.close()


async def test_a_cancelled_reading_leaves_no_child_behind(parser: Parser, tmp_path: Path) -> None:
    reading, child = await start_reading(parser, hanging(tmp_path))
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not child.is_running()


async def test_one_warm_child_reads_one_file_after_the_other(parser: Parser, folder: Path) -> None:
    before = set(psutil.Process().children())
    for n in range(5):
        await parser.parse(put(folder, f"{n}.txt", b"text"), f"{n}.txt")
    assert len(set(psutil.Process().children()) - before) == 1


async def test_a_child_knows_no_secret_of_ours(
    parser: Parser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    before = set(psutil.Process().children())
    await parser.parse(put(folder, "a.txt", b"text"), "a.txt")
    (child,) = set(psutil.Process().children()) - before
    assert "SLACK_BOT_TOKEN" not in child.environ()


async def test_a_file_of_60_mb_gets_its_sentence(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "film.pdf"
    with path.open("wb") as file:
        file.truncate(60 * 2**20)
    told = await parser.parse(path, "film.pdf")
    assert told.status == "unsupported"
    assert "60 MB" in say(told.reason, "en", **told.values)
    assert "50 MB" in say(told.reason, "zh", **told.values)


async def test_a_path_may_be_relative_to_where_we_work(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "a.txt", b"here")
    assert (await parser.parse(Path("a.txt"), "a.txt")).blocks[0].text == "here"


async def test_a_file_that_is_gone_is_told_so(parser: Parser, tmp_path: Path) -> None:
    assert (await parser.parse(tmp_path / "no.txt", "no.txt")).reason == "parse.gone"


HOSTILE = {
    "bomb.zip": (documents.bomb(400), "unsupported", "parse.archive_bomb"),
    "many.zip": (
        documents.archive({str(n): "" for n in range(10_001)}),
        "unsupported",
        "parse.archive_entries",
    ),
    "laughs.docx": (
        documents.archive(
            {
                "[Content_Types].xml": documents.content_types({}),
                "word/document.xml": '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l/>',
            }
        ),
        "corrupt",
        "parse.entities",
    ),
    "login.pdf": (
        b"<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in</body></html>",
        "corrupt",
        "parse.html_instead",
    ),
    "cut.pdf": (b"%PDF-1.7\n" + bytes(range(256)) * 4, "corrupt", "parse.damaged"),
    "cut.docx": (documents.docx(documents.paragraph("x"))[:600], "corrupt", "parse.damaged"),
    "noise.pdf": (bytes(range(256)) * 20, "corrupt", "parse.damaged"),
    "noise.dat": (bytes(range(256)) * 20, "unsupported", "parse.unsupported"),
    "old.doc": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "WordDocument".encode("utf-16-le"),
        "unsupported",
        "parse.legacy_office",
    ),
    "locked.docx": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"),
        "encrypted",
        "parse.encrypted",
    ),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "unsupported", "parse.picture"),
    "nothing.txt": (b"", "empty", "parse.empty"),
    "blanks.md": (b" \r\n\t\n", "empty", "parse.empty"),
    "blank.pdf": (documents.pdf([[], []]), "empty", "parse.empty_pages"),
    "scan.pdf": (documents.scan_pdf(3), "needs_ocr", "parse.needs_ocr"),
    "pictures.docx": (
        documents.docx("", **{"word/media/image1.png": b"\x89PNG"}),
        "needs_ocr",
        "parse.pictures_only",
    ),
    "deep.html": (b"<div>" * 20_000, "empty", "parse.empty"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_cannot_be_read_says_why_in_two_languages(
    parser: Parser, folder: Path, name: str
) -> None:
    data, status, reason = HOSTILE[name]
    told = await parser.parse(put(folder, name, data), name)
    assert (told.status, told.reason, told.blocks) == (status, reason, ())
    for language in ("zh", "en"):
        assert name in say(told.reason, language, **told.values)


async def test_a_pdf_of_too_many_pages_is_read_as_far_as_the_limit(
    parser: Parser, folder: Path
) -> None:
    lines = [(10.0, "One line of ordinary words on each of these pages.")]
    parsed = await parser.parse(put(folder, "long.pdf", documents.pdf([lines] * 2005)), "long.pdf")
    assert (parsed.status, parsed.pages, parsed.blocks[-1].page) == ("partial", 2005, 2000)
    assert parsed.skipped[0].values["pages"] == "2001-2005"


def test_every_reason_has_its_sentence_with_a_way_out() -> None:
    from core.texts.parse import TEXTS

    for key, (zh, en) in TEXTS.items():
        assert zh.endswith("。") and en.endswith("."), key
