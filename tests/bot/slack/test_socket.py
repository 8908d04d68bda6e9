"""A socket that is open but deaf is replaced; a restart of the other side is survived."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.playground.server import PracticeServer
from bot.slack import socket as room
from bot.slack.account import socket_address
from bot.slack.adapter import SlackAdapter
from core.store.sqlite import SqliteStore
from tests.bot.slack.conftest import HANDBOOK, LIN, ME, Kept, Rig, config


async def test_a_deaf_socket_is_replaced_and_the_next_event_is_taken(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CLOSE_S", 0.1)
    rig.faults.retry_quickly(0.3)
    socket = rig.adapter.socket
    assert socket is not None
    socket.look_s = 0.02
    rig.faults.deaf()
    socket.deaf_s = 0.2
    hub = rig.server.hub
    await rig.server.wait_for(lambda: any(one.hears.is_set() for one in hub.connections))
    socket.deaf_s = 45
    rig.server.say(HANDBOOK, LIN, f"{ME} still there?")
    (message,) = await rig.taken()
    assert message.text == "still there?"
    assert socket.renewed >= 1


async def test_a_quiet_socket_that_answers_pings_is_left_alone(rig: Rig) -> None:
    async def ignore(*_: object) -> None:
        return

    account = config(rig.server)
    quiet = room.Socket(
        web=rig.adapter.reads,
        app_token=account.app_token.get_secret_value(),
        address=lambda: socket_address(rig.adapter.writes, account),
        handler=ignore,
        deaf_s=2.0,
        ping_s=0.1,
        look_s=0.05,
    )
    await quiet.open()
    try:
        await asyncio.sleep(4.5)  # More than twice the silence that would count as deaf.
        assert quiet.renewed == 0
        assert await quiet.connected()
    finally:
        await quiet.close()


async def test_sockets_that_break_without_a_word_come_back(rig: Rig) -> None:
    socket = rig.adapter.socket
    assert socket is not None
    socket.look_s, socket.down_s = 0.02, 0.1
    rig.faults.drop_sockets()
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.text == "hi"


async def test_a_refresh_that_slack_asks_for_loses_nothing(rig: Rig) -> None:
    await rig.faults.refresh_sockets()
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.text == "hi"


async def test_a_refresh_that_finds_no_slack_for_a_while_comes_back(rig: Rig) -> None:
    socket = rig.adapter.socket
    assert socket is not None
    socket.look_s, socket.down_s = 0.02, 0.1
    rig.faults.server_error("apps.connections.open", 503, times=2)
    await rig.faults.refresh_sockets()
    await rig.server.wait_for(lambda: rig.calls("apps.connections.open") >= 2)
    rig.faults.drop_sockets()
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.text == "hi"


async def test_a_slack_that_restarts_is_found_again_with_a_fresh_address(
    store: SqliteStore, tmp_path: Path
) -> None:
    first = PracticeServer(data=tmp_path / "workspace")
    await first.start()
    inbox = Kept()
    adapter = SlackAdapter(config(first), store, inbox)
    await adapter.start()
    assert adapter.socket is not None
    adapter.socket.look_s, adapter.socket.down_s = 0.02, 0.1
    await first.stop()
    second = PracticeServer(first.port, tmp_path / "workspace")
    await second.start()
    try:
        second.say(HANDBOOK, LIN, f"{ME} hi")
        await second.wait_for(lambda: inbox.all, 15)
        assert inbox.all[0].text == "hi"
    finally:
        await adapter.stop()
        await second.stop()


async def test_a_stop_does_not_wait_for_a_server_that_does_not_listen(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CLOSE_S", 0.1)
    rig.faults.deaf()
    async with asyncio.timeout(3):
        await rig.adapter.stop()


async def test_the_watch_outlives_an_answer_of_slack_that_nobody_expected(rig: Rig) -> None:
    socket = rig.adapter.socket
    assert socket is not None
    socket.look_s, socket.down_s = 0.02, 0.1
    address, odd = socket.address, [KeyError("url")]

    async def odd_once() -> str:
        if odd:
            raise odd.pop()
        return await address()

    socket.address = odd_once
    rig.faults.server_error("apps.connections.open", 503, times=1)
    rig.faults.drop_sockets()
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.text == "hi"
