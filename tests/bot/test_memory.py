"""Memory where people meet it: the practice workspace over Slack's own wire, the real worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from bot.app import Rooms, bot, rooms
from bot.config import Config
from bot.ending import Ending
from bot.playground.seed import NORA, OMAR, RANDOM
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

LONG_S = 60.0
ANN, BEN = NORA, OMAR
GENERAL = RANDOM


@dataclass
class Office:
    """A workspace and a bot in it, without a model."""

    server: PracticeServer
    core: Rooms
    data: Path

    async def told(self, channel: str, user: str, text: str, thread: str | None = None) -> str:
        """Say something to the bot and wait for its answer's text."""
        direct = channel.startswith("D")
        words = text if direct else f"<@{BOT_USER}> {text}"
        before = len(self.server.from_bot(channel))
        self.server.say(channel, user, words, thread)
        await self.server.wait_for(lambda: len(self.server.from_bot(channel)) > before, LONG_S)
        posts = self.server.from_bot(channel)
        return str(posts[-1]["text"])

    async def whispered(self, channel: str, user: str, rest: str) -> str:
        """What `/memory …` shows to whoever typed it."""
        before = len(self.server.whispers)
        self.server.command(channel, user, "/memory", rest)
        await self.server.wait_for(lambda: len(self.server.whispers) > before, LONG_S)
        shown = self.server.whispers[-1]
        assert shown["user"] == user
        return str(shown["message"]["text"])

    async def remembered(self, user: str, holds: str) -> str:
        """The text of a memory of a person, once the gate has looked."""
        person = f"slack:T0PRACTICE/{user}"
        async with asyncio.timeout(LONG_S):
            while True:
                await self.core.keeper.attention.look()
                for memory in await self.core.keeper.listing(person):
                    if holds in memory.text:
                        return memory.text
                await asyncio.sleep(0.05)

    async def purged(self, marker: str) -> list[str]:
        """Files that still hold a text once the forgotten runs have ended and were purged."""
        async with asyncio.timeout(LONG_S):
            while True:
                await self.core.keeper.forgetting.purge()
                left = await self.core.store.read(
                    lambda tx: tx.one("SELECT 1 FROM memory_purge LIMIT 1")
                )
                if left is None:
                    return held(self.data, marker)
                await asyncio.sleep(0.05)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("THREADMATE_MODEL", "SLACK_API_URL", "DISCORD_TOKEN"):
            patch.delenv(name, raising=False)
        server = PracticeServer()
        await server.start()
        data = tmp_path_factory.mktemp("data")
        config = Config(
            data=data,
            slack_bot_token=SecretStr(server.bot_token),
            slack_app_token=SecretStr(server.app_token),
            slack_api_url=server.api_url,
        )
        async with AsyncExitStack() as stack:
            core = await stack.enter_async_context(rooms(config))
            await stack.enter_async_context(bot(core, Ending(), adapters=True))
            yield Office(server, core, data)
        await server.stop()


def held(data: Path, marker: str) -> list[str]:
    """Files below a folder that hold a text, in any of the ways it may be written."""
    forms = {marker.encode(), marker.encode("utf-16-le"), ascii(marker)[1:-1].encode()}
    return [
        str(path.relative_to(data))
        for path in sorted(data.rglob("*"))
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


@pytest.mark.parametrize(
    ("marker", "said", "forget"),
    [
        ("ZEBRA7391", "I live in Zebra7391 with my dog ZEBRA7391", "1"),
        ("岚雾谷九号", "我住在岚雾谷九号", "all"),
    ],
)
async def test_what_was_forgotten_is_in_no_file(
    office: Office, marker: str, said: str, forget: str
) -> None:
    direct = office.server.direct(ANN)
    answer = await office.told(direct, ANN, said)
    assert answer
    await office.remembered(ANN, marker)
    assert held(office.data, marker), "the marker must be there before, or the search finds nothing"
    listed = await office.whispered(direct, ANN, "list")
    assert marker in listed
    told = await office.whispered(direct, ANN, f"forget {forget}")
    assert "1" in told
    assert await office.purged(marker) == []


async def test_remember_is_done_at_once_and_forget_in_words_too(office: Office) -> None:
    direct = office.server.direct(BEN)
    assert "remember: " in (await office.told(direct, BEN, "Remember that I prefer aisle seats"))
    assert "remember that already" in await office.told(
        direct, BEN, "please remember that I prefer aisle seats"
    )
    assert "aisle seats" in await office.whispered(GENERAL, BEN, "")
    assert "aisle" not in await office.whispered(GENERAL, ANN, "list")
    assert "Forgotten: 1" in await office.told(direct, BEN, "forget that I prefer aisle seats")
    assert "nothing of you" in await office.whispered(direct, BEN, "list")


async def test_a_secret_is_not_remembered(office: Office) -> None:
    direct = office.server.direct(BEN)
    told = await office.told(direct, BEN, "记住：数据库密码是 Hx9kk2pQ77")
    assert "不记" in told
    assert held(office.data, "Hx9kk2pQ77") == []


async def test_who_switches_memory_off_is_not_remembered(office: Office) -> None:
    direct = office.server.direct(BEN)
    assert "Nothing that you say" in await office.whispered(direct, BEN, "off")
    assert "is off" in await office.told(direct, BEN, "remember that I play chess")
    await office.told(direct, BEN, "I prefer window seats")
    await office.core.keeper.attention.look()
    assert "window" not in await office.whispered(direct, BEN, "list")
    await office.whispered(direct, BEN, "on")


async def test_a_corrected_fact_wins_and_only_admins_silence_a_channel(office: Office) -> None:
    direct = office.server.direct(BEN)
    await office.told(direct, BEN, "remember that I live in Zurich")
    assert "Munich" in await office.whispered(direct, BEN, "correct 1 I live in Munich")
    listed = await office.whispered(direct, BEN, "list")
    assert "Munich" in listed and "Zurich" not in listed
    assert "Only admins" in await office.whispered(GENERAL, BEN, "off channel")
    await office.whispered(direct, BEN, "forget all")
