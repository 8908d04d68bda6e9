"""Bad days: connections that break, sessions that are lost, tokens that are wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import SecretStr

from bot.discord import commands
from bot.discord.account import DiscordConfig, who_are_we
from bot.discord.adapter import DiscordAdapter
from bot.discord.cursor import Cursor
from bot.discord.wire import Rest
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import LIN, NORA
from core.errors import StoreFull, TryLater, WrongConfig
from core.store.sqlite import SqliteStore
from tests.bot.discord.conftest import Kept, Rig, config
from tests.rigs.discord_faults import DiscordFaults

Break = Callable[[Rig], None]


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda rig: rig.faults.drop(), id="drop"),
        pytest.param(lambda rig: rig.faults.reconnect(), id="op 7"),
        pytest.param(lambda rig: rig.faults.invalidate(True), id="op 9, resumable"),
        pytest.param(lambda rig: rig.faults.close(4000), id="close 4000"),
        pytest.param(lambda rig: rig.faults.close(1000), id="close 1000"),
    ],
)
async def test_what_is_said_while_the_connection_is_broken_comes_once(rig: Rig, broken: Break):
    broken(rig)
    rig.practice.say("random", NORA, "@Threadmate in the gap")
    await rig.taken()
    await rig.practice.wait_connected()
    rig.practice.say("random", NORA, "@Threadmate after it")
    await rig.taken(2)
    assert [message.text for message in rig.inbox.all] == ["in the gap", "after it"]


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(lambda rig: rig.faults.invalidate(False), id="op 9"),
        pytest.param(lambda rig: rig.faults.lose_sessions(), id="sessions lost"),
    ],
)
async def test_what_is_said_before_a_new_session_is_read_from_the_history(rig: Rig, lost: Break):
    rig.practice.say("random", NORA, "@Threadmate before")
    rig.practice.dm(LIN, "你好")
    await rig.taken(2)
    lost(rig)
    rig.practice.say("random", NORA, "@Threadmate in the gap")
    rig.practice.dm(LIN, "在吗")
    rig.practice.say("random", NORA, "nobody is asked")
    await rig.taken(4)
    texts = sorted(message.text for message in rig.inbox.all)
    assert texts == sorted(["before", "你好", "in the gap", "在吗"])
    assert len(rig.inbox.arrivals) == len(set(rig.inbox.arrivals))


async def test_the_history_is_read_past_our_own_last_post(rig: Rig):
    rig.practice.say("random", NORA, "@Threadmate one")
    await rig.taken()
    rig.faults.lose_sessions()
    rig.practice.say("random", NORA, "@Threadmate two")
    await rig.say(rig.place("random"), "Ours in between.", "x#post:1")
    rig.practice.say("random", NORA, "@Threadmate three")
    await rig.taken(3)
    assert {message.text for message in rig.inbox.all} == {"one", "two", "three"}


async def test_an_event_that_comes_twice_starts_one_run(rig: Rig):
    rig.faults.duplicate(3)
    rig.practice.say("random", NORA, "@Threadmate hello")
    await rig.taken()
    await rig.quiet()
    assert len(rig.inbox.messages) == 1


async def test_a_message_that_is_being_dealt_with_holds_its_channels_cursor_back(
    store: SqliteStore,
):
    cursor = Cursor(store)
    cursor.begin("1", "9", "100")
    cursor.begin("1", "9", "101")
    cursor.end("1", "101")
    assert cursor.marks["1"].safe == 99
    cursor.end("1", "100")
    await cursor.keep()
    again = Cursor(store)
    await again.load()
    assert again.knows("9") and not again.knows("8")
    assert again.first("1", "9", "500", is_new=True) == 101
    assert again.first("2", "9", "500", is_new=False) is None
    assert again.first("2", "9", "600", is_new=False) == 500
    assert again.first("3", "9", "600", is_new=True) == 0


async def test_a_channel_that_was_empty_at_the_first_visit_is_read_from_its_beginning_later(
    store: SqliteStore,
):
    cursor = Cursor(store)
    assert cursor.first("1", "9", "", is_new=False) is None
    await cursor.keep()
    again = Cursor(store)
    await again.load()
    assert again.knows("9")
    assert again.first("1", "9", "500", is_new=False) == 0


async def test_what_is_said_in_a_thread_that_was_made_meanwhile_is_read_from_its_beginning(
    rig: Rig,
):
    rig.practice.say("random", NORA, "hm")
    await rig.quiet()
    rig.faults.lose_sessions()
    number = rig.practice.say("handbook", LIN, "hm")
    rig.practice.open_thread(LIN, number, "talk")
    rig.practice.say(number, NORA, "@Threadmate first word")
    (message,) = await rig.taken()
    assert message.text.endswith("first word")


async def test_a_history_that_cannot_be_read_at_once_is_read_later(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bot.discord.catchup.PAUSE_S", 0.01)
    rig.practice.say("random", NORA, "@Threadmate one")
    await rig.taken()
    rig.faults.lose_sessions()
    rig.faults.cut_before("message.list", times=2)
    rig.faults.error("message.list", 503, 0)
    rig.practice.say("random", NORA, "@Threadmate two")
    await rig.taken(2)


async def test_a_message_that_could_not_be_kept_before_a_stop_is_read_at_the_next_start(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bot.discord.adapter.FINISH_S", 0.01)
    rig.practice.say("random", NORA, "@Threadmate first")
    await rig.taken()
    rig.inbox.refuse, rig.inbox.refusals = StoreFull("disk"), -1
    rig.practice.say("random", NORA, "@Threadmate kept later")
    await rig.inbox.refused.wait()
    await rig.adapter.stop()
    await rig.adapter.close()
    rig.inbox.refusals = 0
    await rig.adapter.start()
    await rig.taken(2)
    assert rig.inbox.all[-1].text == "kept later"


async def test_a_wrong_token_is_named(practice: PracticeDiscord, store: SqliteStore):
    wrong = DiscordConfig(SecretStr("wrong"), practice.api_url, practice.gateway_url)
    with pytest.raises(WrongConfig) as error:
        await DiscordAdapter(wrong, store, Kept()).start()
    assert error.value.key == "discord.token_wrong"


async def test_a_discord_that_is_not_there_is_tried_later(store: SqliteStore):
    nowhere = DiscordConfig(SecretStr("t"), "http://127.0.0.1:9/api/v10")
    with pytest.raises(TryLater):
        await DiscordAdapter(nowhere, store, Kept()).start()


async def test_a_gateway_that_closes_for_good_is_opened_anew(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bot.discord.adapter.PAUSE_S", 0.01)
    rig.faults.close(4013)
    await rig.practice.wait_for(lambda: not rig.practice.gateway.connected)
    await rig.practice.wait_connected(20)
    rig.practice.say("random", NORA, "@Threadmate hello")
    await rig.taken()


async def test_readiness_follows_the_gateway(rig: Rig):
    assert await rig.adapter.connected()
    await rig.adapter.stop()
    assert not await rig.adapter.connected()
    # Runs that drain have their last words.
    await rig.say(rig.place("random"), "Last words.", "x#post:1")


# Commands


async def test_commands_are_registered_only_when_they_changed(rig: Rig, store: SqliteStore):
    assert rig.calls("command.overwrite") == 1
    application = rig.adapter.account.application
    assert not await commands.register(rig.adapter.rest, store, application)
    assert rig.calls("command.overwrite") == 1


@pytest.mark.parametrize("code", [30034, 50001])
async def test_a_discord_that_takes_no_commands_is_worked_with_all_the_same(
    practice: PracticeDiscord, store: SqliteStore, code: int
):
    DiscordFaults(practice).error("command.overwrite", 403, code)
    inbox = Kept()
    adapter = DiscordAdapter(config(practice), store, inbox)
    await adapter.start()
    practice.say("random", NORA, "@Threadmate hello")
    await inbox.until(1)
    await adapter.stop()
    await adapter.close()


async def test_commands_whose_registration_broke_off_are_tried_later(
    practice: PracticeDiscord, store: SqliteStore
):
    DiscordFaults(practice).server_error("command.overwrite", 503)
    adapter = DiscordAdapter(config(practice), store, Kept())
    with pytest.raises(TryLater):
        await adapter.start()
    await adapter.start()
    await adapter.stop()
    await adapter.close()


async def test_commands_that_discord_does_not_have_are_registered_again(
    rig: Rig, store: SqliteStore
):
    fresh = PracticeDiscord()
    await fresh.start()
    try:
        rest = Rest(config(fresh))
        await rest.open()
        account = await who_are_we(config(fresh))
        assert await commands.register(rest, store, account.application)
        await rest.close()
    finally:
        await fresh.stop()


def test_every_name_is_one_that_discord_takes_chinese_ones_too():
    for command in commands.tree():
        names = [command["name"], *command.get("name_localizations", {}).values()]
        if command["type"] == commands.SLASH:
            assert all(commands.NAME.fullmatch(name) and name == name.lower() for name in names)
        for option in command.get("options", []):
            for name in (option["name"], *option["name_localizations"].values()):
                assert commands.NAME.fullmatch(name)
            assert len(option["description"]) <= 100
    chinese = {c["name"]: c["name_localizations"]["zh-CN"] for c in commands.tree()}
    assert chinese["ask"] == "提问" and chinese["kb"] == "知识库"
    assert not commands.NAME.fullmatch("/提问") and commands.NAME.fullmatch("提问")


async def test_two_configurations_live_in_one_process(rig: Rig, tmp_path):
    other = PracticeDiscord(rates=0.1)
    await other.start()
    store = await SqliteStore.open(tmp_path / "other.db")
    inbox = Kept()
    adapter = DiscordAdapter(config(other), store, inbox)
    try:
        await adapter.start()
        other.say("random", NORA, "@Threadmate there")
        rig.practice.say("random", NORA, "@Threadmate here")
        (here,) = await rig.taken()
        await inbox.until(1)
        assert here.text == "here"
        assert [message.text for message in inbox.all] == ["there"]
    finally:
        await adapter.stop()
        await adapter.close()
        await store.close()
        await other.stop()
