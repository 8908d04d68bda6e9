from pathlib import Path

import numpy as np
import pytest

from core.index.embed import DISK_FULL, give_back, unpack


def test_a_disk_too_full_to_unpack_the_encoder_is_named_and_left_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(name: Path, array: object) -> None:
        name.write_bytes(b"half of it")
        raise OSError("Not enough free space to write 65541120 bytes after offset 128")

    monkeypatch.setattr("core.index.embed.np.save", full)
    with pytest.raises(SystemExit) as caught:
        unpack(str(tmp_path))
    assert caught.value.code == DISK_FULL
    assert list(tmp_path.iterdir()) == []


def test_pages_given_back_are_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", np.arange(100_000))
    table = np.load(tmp_path / "table.npy", mmap_mode="r")
    before = int(table.sum())
    give_back(table)
    assert int(table.sum()) == before
    give_back(np.zeros(3))
