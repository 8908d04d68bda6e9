"""Two towns for all stories, one with a model and one without: a start takes seconds."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.stories.town import Town, a_town


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    async with a_town(tmp_path_factory.mktemp("town"), with_model=True) as town:
        yield town


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def keyless(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    async with a_town(tmp_path_factory.mktemp("keyless"), with_model=False) as town:
        yield town
