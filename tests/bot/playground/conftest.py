"""A practice server for one test, and the real Slack client on it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import PracticeServer


@pytest.fixture
async def server() -> AsyncIterator[PracticeServer]:
    server = PracticeServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def client(server: PracticeServer) -> AsyncWebClient:
    return AsyncWebClient(token=server.bot_token, base_url=server.api_url)
