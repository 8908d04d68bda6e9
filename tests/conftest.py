"""What tests of every room stand on."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core.store.sqlite import SqliteStore

# A slow machine is no failed test: how long an example takes says nothing of what it shows.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if settings.get_current_profile_name() == "default":
    settings.load_profile("calm")


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """A command that a test runs sets up the process's log; the next test gets its own again."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """A store of this test alone."""
    opened = await SqliteStore.open(tmp_path / "threadmate.db")
    yield opened
    await opened.close()
