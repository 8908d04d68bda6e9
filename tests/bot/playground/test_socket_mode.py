"""Socket Mode, with Slack's own Bolt at the other end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.seed import HANDBOOK, LIN, NORA
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER
from tests.rigs.slack_faults import SlackFaults

Seen = list[dict[str, Any]]


class Bolt:
    """A small app that writes down what it is sent."""

    def __init__(self, server: PracticeServer) -> None:
        client = AsyncWebClient(token=server.bot_token, base_url=server.api_url)
        self.app = AsyncApp(client=client)
        self.seen: Seen = []
        self.app.middleware(self._note)
        self.app.event("message")(self._quiet)
        self.app.event("app_mention")(self._quiet)
        self.app.event("member_joined_channel")(self._quiet)
        self._handler = AsyncSocketModeHandler(self.app, server.app_token)

    async def _note(self, body: dict[str, Any], next: Any) -> None:
        self.seen.append(body)
        await next()

    async def _quiet(self) -> None:
        pass

    @property
    def events(self) -> Seen:
        return [body["event"] for body in self.seen if "event" in body]

    async def __aenter__(self) -> Bolt:
        await self._handler.connect_async()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._handler.close_async()


@asynccontextmanager
async def socket(server: PracticeServer) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A bare socket, to see the frames themselves."""
    headers = {"Authorization": f"Bearer {server.app_token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(f"{server.api_url}apps.connections.open") as response:
            url = (await response.json())["url"]
        async with session.ws_connect(url) as ws:
            assert (await ws.receive_json())["type"] == "hello"
            yield ws


async def test_a_mention_comes_twice_and_is_acknowledged(server: PracticeServer) -> None:
    async with Bolt(server) as bolt:
        ts = server.say(HANDBOOK, LIN, f"<@{BOT_USER}> 你好")
        await server.wait_for(lambda: not server.hub.envelopes)
    assert [(e["type"], e["ts"]) for e in bolt.events] == [("message", ts), ("app_mention", ts)]
    assert len({body["event_id"] for body in bolt.seen}) == 2


async def test_what_was_said_while_the_bot_was_off_arrives_when_it_connects(
    server: PracticeServer,
) -> None:
    server.say(HANDBOOK, LIN, "早", files=[("a.md", b"# a")])
    async with Bolt(server) as bolt:
        await server.wait_for(lambda: not server.hub.envelopes)
    (event,) = bolt.events
    assert (event["subtype"], event["files"][0]["name"]) == ("file_share", "a.md")


async def test_edits_deletions_and_joins_are_told(server: PracticeServer) -> None:
    async with Bolt(server) as bolt:
        ts = server.say(HANDBOOK, LIN, "typo")
        server.edit(HANDBOOK, ts, f"<@{BOT_USER}> fixed")
        server.delete(HANDBOOK, ts)
        server.workspace.leave(HANDBOOK, NORA)
        server.invite(HANDBOOK, NORA, by=LIN)
        await server.wait_for(lambda: not server.hub.envelopes)
    told = [(e["type"], e.get("subtype")) for e in bolt.events]
    assert told == [
        ("message", None),
        ("message", "message_changed"),
        ("app_mention", None),
        ("message", "message_deleted"),
        ("member_joined_channel", None),
    ]
    assert bolt.events[2]["edited"]["user"] == LIN
    assert bolt.events[3]["deleted_ts"] == ts


async def test_nothing_is_told_about_channels_without_the_bot(server: PracticeServer) -> None:
    server.workspace.leave(HANDBOOK, BOT_USER)
    server.say(HANDBOOK, LIN, "among us")
    assert server.hub.envelopes == {}


async def test_a_command_is_answered_through_its_acknowledgement_and_its_address(
    server: PracticeServer,
) -> None:
    async with Bolt(server) as bolt:

        async def ask(ack: Any, respond: Any) -> None:
            await ack("taken")
            await respond("later", response_type="in_channel")

        bolt.app.command("/ask")(ask)
        assert await server.command(HANDBOOK, LIN, "/ask", "what").done()
        await server.wait_for(lambda: server.whispers and server.from_bot(HANDBOOK))
    body = bolt.seen[0]
    assert (body["command"], body["text"], body["user_id"]) == ("/ask", "what", LIN)
    assert server.whispers[0]["message"]["text"] == "taken"
    assert server.from_bot(HANDBOOK)[0]["text"] == "later"


async def test_a_click_carries_the_button_and_its_message(server: PracticeServer) -> None:
    button = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Remove"},
        "action_id": "remove",
        "value": "d1",
    }
    async with Bolt(server) as bolt:
        posted = await bolt.app.client.chat_postMessage(
            channel=HANDBOOK, text="t", blocks=[{"type": "actions", "elements": [button]}]
        )

        async def remove(ack: Any, respond: Any) -> None:
            await ack()
            await respond("removed", replace_original=True)

        bolt.app.action("remove")(remove)
        assert await server.click(HANDBOOK, posted["ts"], "remove", LIN).done()
        await server.wait_for(lambda: server.from_bot(HANDBOOK)[0]["text"] == "removed")
    click = next(body for body in bolt.seen if body.get("type") == "block_actions")
    assert click["actions"][0]["value"] == "d1"
    assert click["message"]["ts"] == click["container"]["message_ts"] == posted["ts"]


async def test_commands_fail_at_once_while_nobody_is_connected(server: PracticeServer) -> None:
    envelope = server.command(HANDBOOK, LIN, "/ask", "x")
    assert not await envelope.done()
    assert envelope.failed == "dispatch_failed"


async def test_an_event_that_is_not_acknowledged_comes_again_as_a_retry(
    server: PracticeServer,
) -> None:
    SlackFaults(server).retry_quickly(0.05)
    async with socket(server) as ws:
        server.say(HANDBOOK, LIN, "hello")
        first, second = await ws.receive_json(), await ws.receive_json()
        await ws.send_json({"envelope_id": second["envelope_id"]})
        await server.wait_for(lambda: not server.hub.envelopes)
    assert first["payload"]["event_id"] == second["payload"]["event_id"]
    assert (first["retry_attempt"], second["retry_attempt"]) == (0, 1)
    assert (first["retry_reason"], second["retry_reason"]) == ("", "timeout")


async def test_after_the_last_retry_slack_gives_up(server: PracticeServer) -> None:
    SlackFaults(server).retry_quickly(0.02)
    async with socket(server) as ws:
        server.say(HANDBOOK, LIN, "hello")
        (envelope,) = server.hub.envelopes.values()
        assert not await envelope.done()
        attempts = [(await ws.receive_json())["retry_attempt"] for _ in range(4)]
    assert attempts == [0, 1, 2, 3]


async def test_an_event_on_a_broken_socket_goes_to_the_next_one(server: PracticeServer) -> None:
    async with socket(server) as ws:
        server.say(HANDBOOK, LIN, "hello")
        lost = await ws.receive_json()
        SlackFaults(server).drop_sockets()
        await server.wait_for(lambda: not server.hub.connected)
    async with socket(server) as ws:
        again = await ws.receive_json()
        await ws.send_json({"envelope_id": again["envelope_id"]})
        await server.wait_for(lambda: not server.hub.envelopes)
    assert again["payload"]["event_id"] == lost["payload"]["event_id"]
    assert again["retry_attempt"] == 1


async def test_several_sockets_share_the_events(server: PracticeServer) -> None:
    async with socket(server) as one, socket(server) as two:
        for number in range(4):
            server.say(HANDBOOK, LIN, str(number))
        seen: list[str] = []
        for ws in (one, two):
            for _ in range(2):
                frame = await ws.receive_json()
                seen.append(frame["payload"]["event"]["text"])
                await ws.send_json({"envelope_id": frame["envelope_id"]})
        await server.wait_for(lambda: not server.hub.envelopes)
    assert sorted(seen) == ["0", "1", "2", "3"]


async def test_an_app_has_at_most_ten_sockets(server: PracticeServer) -> None:
    server.hub.connections += [None] * 10  # type: ignore[list-item]
    client = AsyncWebClient(token=server.app_token, base_url=server.api_url)
    with pytest.raises(Exception, match="too_many_websockets"):
        await client.apps_connections_open(app_token=server.app_token)
    server.hub.connections.clear()


async def test_a_refresh_moves_the_app_to_a_new_socket(server: PracticeServer) -> None:
    async with Bolt(server) as bolt:
        old = server.hub.connections[0]
        await server.hub.refresh()
        await server.wait_for(
            lambda: any(c is not old and not c.leaving for c in server.hub.connections)
        )
        server.say(HANDBOOK, LIN, "still there?")
        await server.wait_for(lambda: not server.hub.envelopes)
    assert [event["text"] for event in bolt.events] == ["still there?"]


async def test_a_response_address_works_five_times(server: PracticeServer) -> None:
    async with socket(server) as ws:
        envelope = server.command(HANDBOOK, LIN, "/ask", "x")
        frame = await ws.receive_json()
        await ws.send_json({"envelope_id": frame["envelope_id"]})
        assert await envelope.done()
    async with aiohttp.ClientSession() as session:
        statuses: list[int] = []
        for number in range(6):
            async with session.post(
                frame["payload"]["response_url"], json={"text": str(number)}
            ) as response:
                statuses.append(response.status)
    assert statuses == [200] * 5 + [404]
    assert len(server.whispers) == 5


async def test_a_trigger_opens_one_view(server: PracticeServer) -> None:
    async with socket(server) as ws:
        envelope = server.command(HANDBOOK, LIN, "/ask", "x")
        frame = await ws.receive_json()
        await ws.send_json({"envelope_id": frame["envelope_id"]})
        await envelope.done()
    client = AsyncWebClient(token=server.bot_token, base_url=server.api_url)
    view = {"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": []}
    trigger = frame["payload"]["trigger_id"]
    assert (await client.views_open(trigger_id=trigger, view=view))["view"]["id"]
    with pytest.raises(Exception, match="invalid_trigger_id"):
        await client.views_open(trigger_id=trigger, view=view)


async def test_a_restart_keeps_messages_files_ids_and_unacknowledged_events(
    tmp_path: Path,
) -> None:
    first = PracticeServer(data=tmp_path)
    await first.start()
    ts = first.say(HANDBOOK, LIN, "kept", files=[("a.txt", b"bytes")])
    before = first.messages(HANDBOOK)[0]
    token, old_url = first.bot_token, first.url
    await first.stop()

    second = PracticeServer(data=tmp_path)
    await second.start()
    after = second.messages(HANDBOOK)[0]
    assert second.bot_token == token
    assert (after["ts"], after["files"][0]["id"]) == (ts, before["files"][0]["id"])
    assert second.say(HANDBOOK, LIN, "later") > ts
    async with Bolt(second) as bolt:
        await second.wait_for(lambda: not second.hub.envelopes)
    await second.stop()
    assert [event["text"] for event in bolt.events] == ["kept", "later"]
    address = bolt.events[0]["files"][0]["url_private_download"]
    assert address.startswith(second.url) and not address.startswith(f"{old_url}/")


async def test_waiting_for_what_never_comes_ends(server: PracticeServer) -> None:
    with pytest.raises(asyncio.TimeoutError):
        await server.wait_for(lambda: False, timeout=0.01)
