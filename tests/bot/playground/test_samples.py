"""The documents that a new practice workspace starts with."""

from __future__ import annotations

from pathlib import Path

import pypdfium2

from bot.playground.seed import POSTS, SAMPLES
from bot.playground.server import PracticeServer
from tests.rigs.sample_pdf import PAGES


def test_the_sample_pdf_holds_its_text_on_its_pages() -> None:
    document = pypdfium2.PdfDocument(SAMPLES / "请假制度.pdf")
    texts = ["".join(page.get_textpage().get_text_range().split()) for page in document]
    document.close()
    assert len(texts) == len(PAGES)
    for shown, page in zip(texts, PAGES, strict=True):
        wanted = "".join(heading + "".join(lines) for heading, lines in page)
        assert shown.removeprefix("请假制度") == "".join(wanted.split())


def test_every_sample_is_posted_and_no_post_lacks_its_file() -> None:
    posted = [name for _, _, _, files in POSTS for name in files]
    assert sorted(posted) == sorted(path.name for path in SAMPLES.iterdir())


async def test_samples_are_posted_at_the_first_start_only(tmp_path: Path) -> None:
    counts: list[int] = []
    for _ in range(2):
        server = PracticeServer(data=tmp_path, samples=True)
        await server.start()
        files = [
            f
            for c in server.workspace.channels
            for m in server.messages(c)
            for f in m.get("files", ())
        ]
        for file in files:
            assert (
                server.workspace.blob(file["id"]).read_bytes()
                == (SAMPLES / file["name"]).read_bytes()
            )
        counts.append(len(files))
        # What the bot has not taken yet waits for it, over the restart as well.
        assert len(server.hub.envelopes) == len(POSTS)
        await server.stop()
    assert counts == [5, 5]
