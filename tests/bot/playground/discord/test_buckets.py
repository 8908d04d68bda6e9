"""Rate limits: windows by place, the global one, and what the headers say."""

from __future__ import annotations

import discord
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.buckets import GLOBAL_PER_S, WINDOWS, Buckets
from bot.playground.discord.seed import HANDBOOK
from tests.rigs.discord_client import connected


@given(st.lists(st.floats(0.01, 3.0), min_size=1, max_size=60))
def test_no_window_lets_more_through_than_its_limit(pauses: list[float]) -> None:
    now = 0.0
    buckets = Buckets(clock=lambda: now)
    taken: list[float] = []
    limit, seconds = WINDOWS["message.edit"]
    for pause in pauses:
        now += pause
        verdict = buckets.take("message.edit", "1")
        if verdict.retry_after is None:
            taken.append(now)
        else:
            assert now + verdict.retry_after <= taken[-limit] + seconds + 0.01
            assert verdict.headers["X-RateLimit-Remaining"] == "0"
    for first, after in zip(taken, taken[2 * limit :], strict=False):
        # A fixed window lets two limits through round its edge, never more.
        assert after - first >= seconds - 0.01


def test_places_have_windows_of_their_own_and_everything_has_one_together() -> None:
    now = 0.0
    buckets = Buckets(clock=lambda: now)
    for place in range(GLOBAL_PER_S):
        assert buckets.take("message.create", str(place)).retry_after is None
    over = buckets.take("message.create", "another")
    assert over.scope == "global" and over.retry_after is not None
    assert buckets.take("interaction.callback", "x", exempt=True).retry_after is None
    now += 1.001
    assert buckets.take("message.create", "another").retry_after is None


async def test_the_client_reads_the_headers_and_is_never_refused() -> None:
    practice = PracticeDiscord(rates=0.05)
    await practice.start()
    try:
        async with connected(practice) as client:
            channel = client.get_channel(int(HANDBOOK))
            assert isinstance(channel, discord.TextChannel)
            sent = await channel.send("0")
            for number in range(1, 13):
                await sent.edit(content=str(number))
        assert practice.rest.limited == []
        assert practice.messages("handbook")[0]["content"] == "12"
    finally:
        await practice.stop()
