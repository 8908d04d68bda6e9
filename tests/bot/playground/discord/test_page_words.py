"""Ids as the page's time stamps, and names as Discord's marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.clock import Clock, id_of, ts_of
from bot.playground.discord.guild import BOT
from bot.playground.discord.names import wire
from bot.playground.discord.page_api import DiscordPage
from bot.playground.discord.seed import HANDBOOK, LIN, NORA
from bot.playground.live_page import Refusal

ids = st.integers(1 << 59, (1 << 62) - 1).map(str)


@given(ids, ids)
def test_an_id_survives_the_page_and_keeps_its_order(one: str, other: str) -> None:
    assert id_of(ts_of(one)) == one
    assert (ts_of(one) < ts_of(other)) == (int(one) < int(other))


def test_ids_never_come_twice_and_never_go_back() -> None:
    clock = Clock()
    made = [int(clock.snowflake()) for _ in range(1_000)]
    clock.skip(-3600)
    made.append(int(clock.snowflake()))
    assert made == sorted(set(made))


async def test_names_become_marks_except_in_code(practice: PracticeDiscord) -> None:
    typed = "@林悦你好 @nora ellis, see #handbook and `@Threadmate`; @Threadmate go"
    assert wire(typed, practice.guild) == (
        f"<@{LIN}>你好 <@{NORA}>, see <#{HANDBOOK}> and `@Threadmate`; <@{BOT}> go"
    )


async def test_a_person_changes_only_their_own_messages(practice: PracticeDiscord) -> None:
    said = practice.say("handbook", NORA, "mine")
    page = practice.page
    with pytest.raises(Refusal) as caught:
        page.act("delete", {"person": LIN, "ts": ts_of(said)})
    assert caught.value.name == "discord_50005"
    page.act("edit", {"person": NORA, "ts": ts_of(said), "text": "still mine"})
    assert practice.messages("handbook")[0]["content"] == "still mine"


async def test_a_thread_whose_message_is_gone_is_still_shown(practice: PracticeDiscord) -> None:
    said = practice.say("handbook", NORA, "x")
    practice.open_thread(NORA, said, "goes on")
    practice.say(said, LIN, "in it")
    practice.delete(said)
    shown = practice.page.snapshot(LIN)["messages"]
    assert [(m.get("subtype"), m["text"], m["ts"]) for m in shown] == [
        (None, "in it", shown[0]["ts"]),
        ("tombstone", "", ts_of(said)),
    ]
    assert shown[1]["thread"]["name"] == "goes on"


async def test_what_is_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    first = PracticeDiscord(data=tmp_path)
    await first.start()
    token, said = first.token, first.say("handbook", NORA, "kept", [("a.txt", b"abc")])
    await first.stop()
    again = PracticeDiscord(data=tmp_path)
    await again.start()
    try:
        assert again.token == token
        assert again.messages("handbook")[0]["content"] == "kept"
        assert int(again.say("handbook", NORA, "next")) > int(said)
        assert isinstance(again.page, DiscordPage)
    finally:
        await again.stop()
