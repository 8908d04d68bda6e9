"""The faults that other tests rely on do what they say."""

from __future__ import annotations

import asyncio

import aiohttp
import discord
import pytest

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import HANDBOOK, NORA
from tests.rigs.discord_client import Plain
from tests.rigs.discord_faults import DiscordFaults

CREATE = "message.create"


@pytest.fixture
def channel(client: Plain) -> discord.TextChannel:
    found = client.get_channel(int(HANDBOOK))
    assert isinstance(found, discord.TextChannel)
    return found


async def test_a_rate_limit_is_waited_for(
    practice: PracticeDiscord, faults: DiscordFaults, channel: discord.TextChannel
) -> None:
    faults.rate_limit(CREATE, retry_after=0.01)
    await channel.send("x")
    assert faults.fired == [CREATE]
    assert len(practice.messages(HANDBOOK)) == 1


async def test_a_ban_is_raised(
    practice: PracticeDiscord, faults: DiscordFaults, channel: discord.TextChannel
) -> None:
    faults.rate_limit(CREATE, cloudflare=True)
    with pytest.raises(discord.HTTPException) as caught:
        await channel.send("x")
    assert caught.value.status == 429
    assert practice.messages(HANDBOOK) == []


@pytest.mark.parametrize(("after", "posts"), [(False, 0), (True, 1)])
async def test_a_cut_leaves_the_caller_without_an_answer(
    practice: PracticeDiscord,
    faults: DiscordFaults,
    channel: discord.TextChannel,
    after: bool,
    posts: int,
) -> None:
    (faults.cut_after if after else faults.cut_before)(CREATE)
    with pytest.raises(aiohttp.ClientError):
        await channel.send("x")
    assert len(practice.messages(HANDBOOK)) == posts


async def test_an_answer_can_be_held_until_it_is_released(
    practice: PracticeDiscord, faults: DiscordFaults, channel: discord.TextChannel
) -> None:
    release = asyncio.Event()
    faults.hold_after(CREATE, release)
    call = asyncio.create_task(channel.send("x"))
    await practice.wait_for(lambda: practice.messages(HANDBOOK))
    assert not call.done()
    release.set()
    assert (await call).content == "x"


async def test_an_error_is_discords_own(
    faults: DiscordFaults, channel: discord.TextChannel
) -> None:
    faults.error(CREATE, 403, 50013)
    with pytest.raises(discord.Forbidden) as caught:
        await channel.send("x")
    assert caught.value.code == 50013


async def test_a_thread_is_deleted_just_before_a_post_into_it(
    practice: PracticeDiscord, faults: DiscordFaults, client: Plain
) -> None:
    said = practice.say("handbook", NORA, "x")
    thread = await (await client.hears("x")).create_thread(name="x")
    faults.delete_before(CREATE, said)
    with pytest.raises(discord.NotFound) as caught:
        await thread.send("late")
    assert caught.value.code == 10003
