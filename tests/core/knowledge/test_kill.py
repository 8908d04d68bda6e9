from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.core.knowledge.killed import POINTS
from tests.core.knowledge.rigs import SCOPE, opened


@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_leaves_no_half_document_and_the_rerun_is_told_the_same(
    tmp_path: Path, point: str
) -> None:
    (tmp_path / "a.txt").write_text("第一页的内容。\f第二页的内容。", encoding="utf-8")
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.core.knowledge.killed", str(tmp_path), point
    )
    assert await child.wait() == -signal.SIGKILL
    async with opened(tmp_path) as desk:
        kb = await desk.library.kb_for(SCOPE)
        there = await desk.count("document")
        # All of it or nothing of it.
        assert await desk.count("version") == await desk.count("receipt") == there
        assert await desk.count("passage") == 2 * there
        assert len(desk.blobs()) == await desk.count("blob") == there
        assert len(await desk.library.search([kb], "内容")) == 2 * there
        receipt = await desk.library.ingest(
            kb, scope=SCOPE, owner="u", name="a.txt", path=tmp_path / "a.txt", key="run:file"
        )
        assert (receipt.version, receipt.passages, receipt.duplicate) == (1, 2, False)
        await desk.library.embedded()
        assert await desk.count("document") == await desk.count("version") == 1
        assert await desk.count("vector") == 2
        assert len(desk.blobs()) == 1


async def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """The write fails after the blob's rename: rows are rolled back, the next start sweeps."""
    async with opened(tmp_path) as desk:
        kb = await desk.library.kb_for(SCOPE)
        await desk.store.write(
            lambda tx: tx.run(
                "CREATE TRIGGER full BEFORE INSERT ON passage "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        )
        with pytest.raises(Exception, match="full"):
            await desk.library.ingest(
                kb, scope=SCOPE, owner="u", name="a.txt", path=desk.file("内容。")
            )
        assert await desk.count("document") == await desk.count("blob") == 0
        await desk.store.write(lambda tx: tx.run("DROP TRIGGER full"))
    async with opened(tmp_path) as desk:
        assert desk.blobs() == []
