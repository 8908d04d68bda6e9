"""The real adapter against the practice server, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER
from bot.slack.account import SlackConfig
from bot.slack.adapter import SlackAdapter
from core.messages import Message, Place
from core.store.sqlite import SqliteStore
from tests.rigs.slack_faults import SlackFaults

HANDBOOK, RANDOM = "C0HANDBOOK", "C0RANDOM"
LIN, NORA = "U0LIN", "U0NORA"
ME = f"<@{BOT_USER}>"


@dataclass
class Kept:
    """An inbox that keeps what it is given, like the queue: a known key starts nothing."""

    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    arrivals: list[str] = field(default_factory=list[str])
    edits: list[Message] = field(default_factory=list[Message])
    threads: set[str] = field(default_factory=set[str])
    """Threads that count as active."""
    refuse: Exception | None = None
    refusals: int = 0
    """How many more times `refuse` is raised; -1: always."""

    async def accept(self, message: Message) -> None:
        if self.refuse is not None and self.refusals:
            self.refusals -= 1
            raise self.refuse
        self.arrivals.append(message.key)
        self.messages.setdefault(message.key, message)

    async def active(self, thread: str, now: float) -> bool:
        assert now > 0
        return thread in self.threads

    async def edited(self, message: Message) -> None:
        self.edits.append(message)

    @property
    def all(self) -> list[Message]:
        return list(self.messages.values())


@dataclass
class Rig:
    server: PracticeServer
    faults: SlackFaults
    adapter: SlackAdapter
    inbox: Kept
    gone: list[tuple[Place, str]]

    async def taken(self, count: int = 1) -> list[Message]:
        """Wait until `count` messages are kept."""
        await self.server.wait_for(lambda: len(self.inbox.messages) >= count)
        return self.inbox.all

    async def quiet(self) -> None:
        """Wait until every event so far was acknowledged, so that nothing more will come."""
        await self.server.wait_for(lambda: not self.server.hub.envelopes)

    def place(self, ts: str = "", channel: str = HANDBOOK) -> Place:
        team = self.adapter.account.us.team
        return Place(
            platform="slack",
            workspace=f"slack:{team}",
            channel=f"slack:{team}/{channel}",
            thread=f"slack:{team}/{channel}/{ts}",
        )

    def calls(self, method: str) -> int:
        return sum(1 for request in self.server.requests if request.method == method)


@pytest.fixture
async def server() -> AsyncIterator[PracticeServer]:
    server = PracticeServer()
    await server.start()
    yield server
    await server.stop()


def config(server: PracticeServer) -> SlackConfig:
    return SlackConfig(
        bot_token=SecretStr(server.bot_token),
        app_token=SecretStr(server.app_token),
        api_url=server.api_url,
    )


Build = Callable[[], SlackAdapter]


@pytest.fixture
async def rig(server: PracticeServer, store: SqliteStore) -> AsyncIterator[Rig]:
    inbox = Kept()
    gone: list[tuple[Place, str]] = []

    async def forget(place: Place, message: str) -> None:
        gone.append((place, message))

    adapter = SlackAdapter(config(server), store, inbox, forget)
    await adapter.start()
    await server.wait_connected()
    yield Rig(server, SlackFaults(server), adapter, inbox, gone)
    await adapter.stop()
