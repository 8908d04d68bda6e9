"""The practice workspace's own process, at its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.playground.__main__ import practise
from bot.playground.folder import alone_in


async def test_a_second_workspace_on_one_folder_is_told_and_leaves_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with alone_in(tmp_path):
        assert await practise(tmp_path, 0, free=True, language="en") == 2
    told = capsys.readouterr().err
    assert (len(told.splitlines()), str(tmp_path) in told) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    with alone_in(tmp_path):
        """Free again once its holder is gone."""


async def test_a_folder_that_cannot_be_made_is_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert await practise(tmp_path / "file" / "practice", 0, free=True, language="zh") == 1
    told = capsys.readouterr().err
    assert told.startswith("threadmate: 数据文件夹不可用") and len(told.splitlines()) == 1
