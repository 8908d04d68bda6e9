"""A practice Discord for one test, and the real client library on it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.playground.discord import PracticeDiscord
from tests.rigs.discord_client import Plain, connected
from tests.rigs.discord_faults import DiscordFaults


@pytest.fixture
async def practice() -> AsyncIterator[PracticeDiscord]:
    practice = PracticeDiscord()
    await practice.start()
    yield practice
    await practice.stop()


@pytest.fixture
def faults(practice: PracticeDiscord) -> DiscordFaults:
    return DiscordFaults(practice)


@pytest.fixture
async def client(practice: PracticeDiscord) -> AsyncIterator[Plain]:
    async with connected(practice) as client:
        yield client
