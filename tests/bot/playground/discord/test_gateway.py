"""The gateway with the real client library: resuming, op 9, close codes, intents."""

from __future__ import annotations

import asyncio

import discord
import pytest

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import HANDBOOK, NORA, OMAR
from tests.rigs.discord_client import Plain, addresses, connected
from tests.rigs.discord_faults import DiscordFaults


@pytest.mark.parametrize("how", ["drop", "reconnect", "op 9", "4000", "1000"])
async def test_what_was_said_while_away_comes_with_the_resume(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults, how: str
) -> None:
    match how:
        case "drop":
            faults.drop()
        case "reconnect":
            faults.reconnect()
        case "op 9":
            faults.invalidate(resumable=True)
        case code:
            faults.close(int(code))
    # Not yet: the socket is as it was until the loop turns.
    practice.say("handbook", NORA, "said in the gap")
    await client.hears("said in the gap")
    await practice.wait_for(lambda: practice.gateway.resumed == 1)
    assert practice.gateway.identified == 1
    assert [m.content for m in client.heard] == ["said in the gap"]


async def test_after_an_invalid_session_what_was_said_is_lost_and_history_has_it(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults
) -> None:
    faults.invalidate(resumable=False)
    lost = practice.say("handbook", NORA, "nobody hears this")
    await practice.wait_for(lambda: practice.gateway.identified == 2)
    practice.say("handbook", NORA, "heard again")
    await client.hears("heard again")
    assert [m.content for m in client.heard] == ["heard again"]
    channel = client.get_channel(int(HANDBOOK))
    assert isinstance(channel, discord.TextChannel)
    before = discord.Object(int(lost) - 1)
    texts = [m.content async for m in channel.history(after=before)]
    assert texts == ["nobody hears this", "heard again"]


async def test_a_session_that_is_gone_cannot_be_resumed(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults
) -> None:
    faults.lose_sessions()
    await practice.wait_for(lambda: practice.gateway.identified == 2)
    practice.say("handbook", NORA, "back")
    await client.hears("back")
    assert practice.gateway.resumed == 0


async def test_a_duplicate_comes_twice(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults
) -> None:
    faults.duplicate()
    practice.say("handbook", NORA, "twice")
    practice.say("handbook", NORA, "end")
    await client.hears("end")
    assert [m.content for m in client.heard] == ["twice", "twice", "end"]


async def test_without_the_intent_only_what_is_meant_for_the_bot_has_its_content(
    practice: PracticeDiscord,
) -> None:
    async with connected(practice, Plain(content=False)) as client:
        practice.say("handbook", NORA, "among ourselves", [("a.txt", b"x")])
        practice.say("handbook", NORA, "@Threadmate a question", [("b.txt", b"x")])
        practice.dm(NORA, "in private")
        channel = client.get_channel(int(HANDBOOK))
        assert isinstance(channel, discord.TextChannel)
        own = await channel.send("from the bot")
        practice.say("handbook", OMAR, "a reply", reply_to=str(own.id))
        practice.say("handbook", OMAR, "a quiet reply", reply_to=str(own.id), ping=False)
        await client.hears("a reply")
        practice.dm(NORA, "end")
        await client.hears("end")
    seen = [
        (m.content.replace(f"<@{client.user.id}> ", ""), len(m.attachments)) for m in client.heard
    ]  # type: ignore[union-attr]
    assert seen == [
        ("", 0),
        ("a question", 1),
        ("in private", 0),
        ("from the bot", 0),
        ("a reply", 0),
        ("", 0),
        ("end", 0),
    ]


async def test_an_intent_that_is_not_switched_on_ends_the_connection() -> None:
    practice = PracticeDiscord(message_content=False)
    await practice.start()
    try:
        with addresses(practice):
            client = Plain()
            with pytest.raises(discord.PrivilegedIntentsRequired):
                await client.start(practice.token)
            await client.close()
        assert practice.gateway.refused == [4014]
    finally:
        await practice.stop()


async def test_a_channel_that_cannot_be_seen_is_silent(
    practice: PracticeDiscord, client: Plain
) -> None:
    practice.deny("random", "VIEW_CHANNEL")
    practice.say("random", NORA, "behind the wall")
    practice.say("handbook", NORA, "before it")
    await client.hears("before it")
    assert [m.content for m in client.heard] == ["before it"]


async def test_edits_deletions_reactions_and_typing_are_told(
    practice: PracticeDiscord, client: Plain
) -> None:
    told: list[str] = []
    over = asyncio.Event()

    def note(name: str):
        async def on(*_: object) -> None:
            told.append(name)
            if name == "on_typing":
                over.set()

        on.__name__ = name
        client.event(on)

    for name in (
        "on_raw_message_edit",
        "on_raw_message_delete",
        "on_raw_reaction_add",
        "on_typing",
    ):
        note(name)
    said = practice.say("handbook", NORA, "one")
    practice.edit(said, "two")
    practice.react(OMAR, said, "👍")
    practice.delete(said)
    practice.type(OMAR, "handbook")
    async with asyncio.timeout(10):
        await over.wait()
    assert set(told) >= {"on_raw_message_edit", "on_raw_message_delete", "on_raw_reaction_add"}


async def test_two_shards_share_the_guild_and_the_direct_messages(
    practice: PracticeDiscord,
) -> None:
    from bot.playground.discord.gateway import Session
    from bot.playground.discord.guild import GUILD

    home = (int(GUILD) >> 22) % 2
    shards = [Session(str(number), 0, (number, 2)) for number in range(2)]
    assert [shard.sees(GUILD) for shard in shards] == [home == 0, home == 1]
    assert [shard.sees(None) for shard in shards] == [True, False]
