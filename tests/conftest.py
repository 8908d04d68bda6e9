"""What tests of every room stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core.store.sqlite import SqliteStore

# A slow machine is no failed test: how long an example takes says nothing of what it shows.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if settings.get_current_profile_name() == "default":
    settings.load_profile("calm")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """A store of this test alone."""
    opened = await SqliteStore.open(tmp_path / "threadmate.db")
    yield opened
    await opened.close()
