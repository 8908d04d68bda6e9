"""What tests of every room stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.sqlite import SqliteStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """A store of this test alone."""
    opened = await SqliteStore.open(tmp_path / "threadmate.db")
    yield opened
    await opened.close()
