"""The real adapter against the practice Discord, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import SecretStr

from bot.discord.account import DiscordConfig
from bot.discord.adapter import DiscordAdapter
from bot.platform import Draft
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.guild import GUILD
from bot.playground.discord.seed import OMAR
from core.messages import Message, Place
from core.store.sqlite import SqliteStore
from tests.rigs.discord_faults import DiscordFaults

WAIT_S = 20.0


@dataclass
class Kept:
    """An inbox that keeps what it is given, like the queue: a known key starts nothing."""

    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    arrivals: list[str] = field(default_factory=list[str])
    edits: list[str] = field(default_factory=list[str])
    threads: set[str] = field(default_factory=set[str])
    """Threads that count as active."""
    came: asyncio.Event = field(default_factory=asyncio.Event)
    refused: asyncio.Event = field(default_factory=asyncio.Event)
    refuse: Exception | None = None
    refusals: int = 0
    """How many more times `refuse` is raised; -1: always."""

    async def accept(self, message: Message) -> bool:
        if self.refuse is not None and self.refusals:
            self.refusals -= 1
            self.refused.set()
            raise self.refuse
        self.arrivals.append(message.key)
        new = message.key not in self.messages
        self.messages.setdefault(message.key, message)
        self.came.set()
        return new

    async def edited(self, message: Message) -> None:
        self.edits.append(message.key)

    async def active(self, thread: str, now: float) -> bool:
        assert now > 0
        return thread in self.threads

    @property
    def all(self) -> list[Message]:
        return list(self.messages.values())

    async def until(self, count: int) -> None:
        """Wait until `count` messages were kept."""
        async with asyncio.timeout(WAIT_S):
            while len(self.messages) < count:
                self.came.clear()
                await self.came.wait()


async def idle(adapter: DiscordAdapter) -> None:
    """Wait until every event so far was taken or left."""
    async with asyncio.timeout(WAIT_S):
        while adapter.in_hand:
            await asyncio.wait(adapter.in_hand)


@dataclass
class Rig:
    practice: PracticeDiscord
    faults: DiscordFaults
    adapter: DiscordAdapter
    inbox: Kept
    store: SqliteStore
    gone: list[tuple[Place, str]] = field(default_factory=list[tuple[Place, str]])

    async def taken(self, count: int = 1) -> list[Message]:
        """Wait until `count` messages are kept."""
        await self.inbox.until(count)
        await self.settled()
        return self.inbox.all

    async def settled(self) -> None:
        """Wait until nothing is in hand: every event so far was taken or left."""
        await idle(self.adapter)

    async def quiet(self) -> None:
        """Let every event before this be dealt with: events of one gateway come in order."""
        before = len(self.inbox.messages)
        number = self.practice.dm(OMAR, "marker")
        await self.taken(before + 1)
        self.inbox.messages.pop(f"discord:{number}")

    def place(self, channel: str, thread: str = "") -> Place:
        """A place of the practice guild; without `thread` the channel itself."""
        channel = self.practice.place(channel)
        return Place(
            platform="discord",
            workspace=f"discord:{GUILD}",
            channel=f"discord:{GUILD}/{channel}",
            thread=f"discord:{GUILD}/{channel}/{thread or channel}",
        )

    def calls(self, route: str) -> int:
        return self.practice.rest.calls.count(route)

    async def say(self, place: Place, text: str, mark: str, **more: Any) -> str:
        return await self.adapter.post(place, Draft(text=text, **more), mark)


def config(practice: PracticeDiscord) -> DiscordConfig:
    return DiscordConfig(SecretStr(practice.token), practice.api_url, practice.gateway_url)


@pytest.fixture(autouse=True)
def no_pause_between_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.discord.wire.IDENTIFY_S", 0.0)


@pytest.fixture
async def practice() -> AsyncIterator[PracticeDiscord]:
    practice = PracticeDiscord(rates=0.1)
    await practice.start()
    yield practice
    await practice.stop()


def adapter_on(practice: PracticeDiscord, store: SqliteStore, inbox: Kept) -> DiscordAdapter:
    adapter = DiscordAdapter(config(practice), store, inbox)
    adapter.bursts.wait_s = 0.3
    return adapter


@pytest.fixture
async def rig(practice: PracticeDiscord, store: SqliteStore) -> AsyncIterator[Rig]:
    inbox = Kept()
    adapter = adapter_on(practice, store, inbox)
    rig = Rig(practice, DiscordFaults(practice), adapter, inbox, store)

    async def forget(place: Place, message: str) -> None:
        rig.gone.append((place, message))

    adapter.forget = forget
    await adapter.start()
    await practice.wait_connected()
    yield rig
    await adapter.stop()
    await adapter.close()
