"""The faults that other tests rely on do what they say."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.seed import HANDBOOK, LIN
from bot.playground.server import PracticeServer
from tests.bot.playground.test_socket_mode import socket
from tests.rigs.slack_faults import SlackFaults

POST = "chat.postMessage"


@pytest.fixture
def faults(server: PracticeServer) -> SlackFaults:
    return SlackFaults(server)


@pytest.fixture
def bare(client: AsyncWebClient) -> AsyncWebClient:
    """Slack's client repeats a call on a broken connection by itself; here it must not."""
    client.retry_handlers.clear()
    return client


async def test_a_rate_limit_hits_one_call_and_does_not_work_it(
    server: PracticeServer, faults: SlackFaults, bare: AsyncWebClient
) -> None:
    faults.rate_limit(POST, retry_after=7)
    with pytest.raises(SlackApiError) as caught:
        await bare.chat_postMessage(channel=HANDBOOK, text="x")
    assert caught.value.response.headers["Retry-After"] == "7"
    assert server.messages(HANDBOOK) == []
    await bare.chat_postMessage(channel=HANDBOOK, text="x")
    assert len(server.messages(HANDBOOK)) == 1


async def test_a_server_error_is_no_json(faults: SlackFaults, bare: AsyncWebClient) -> None:
    faults.server_error(POST, status=503)
    with pytest.raises(SlackApiError) as caught:
        await bare.chat_postMessage(channel=HANDBOOK, text="x")
    assert caught.value.response.status_code == 503


@pytest.mark.parametrize(("after", "posts"), [(False, 0), (True, 1)])
async def test_a_cut_leaves_the_caller_without_an_answer(
    server: PracticeServer, faults: SlackFaults, bare: AsyncWebClient, after: bool, posts: int
) -> None:
    (faults.cut_after if after else faults.cut_before)(POST)
    with pytest.raises(aiohttp.ClientError):
        await bare.chat_postMessage(channel=HANDBOOK, text="x")
    assert len(server.messages(HANDBOOK)) == posts
    assert faults.fired == [POST]


async def test_an_answer_can_be_held_until_it_is_released(
    server: PracticeServer, faults: SlackFaults, bare: AsyncWebClient
) -> None:
    release = asyncio.Event()
    faults.hold_after(POST, release)
    call = asyncio.create_task(bare.chat_postMessage(channel=HANDBOOK, text="x"))
    await server.wait_for(lambda: server.messages(HANDBOOK))
    assert not call.done()
    release.set()
    assert (await call)["ok"]


async def test_a_duplicate_is_one_envelope_twice(
    server: PracticeServer, faults: SlackFaults
) -> None:
    faults.duplicate()
    async with socket(server) as ws:
        server.say(HANDBOOK, LIN, "x")
        one, two = await ws.receive_json(), await ws.receive_json()
        await ws.send_json({"envelope_id": one["envelope_id"]})
        await server.wait_for(lambda: not server.hub.envelopes)
    assert one == two


async def test_a_lost_delivery_comes_again(server: PracticeServer, faults: SlackFaults) -> None:
    faults.retry_quickly(0.05)
    faults.lose()
    async with socket(server) as ws:
        server.say(HANDBOOK, LIN, "x")
        frame = await ws.receive_json()
        await ws.send_json({"envelope_id": frame["envelope_id"]})
        await server.wait_for(lambda: not server.hub.envelopes)
    assert frame["retry_attempt"] == 1
