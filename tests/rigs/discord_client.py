"""The real client library, pointed at a practice server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import yarl
from discord import AllowedMentions, Client, Intents, Message, app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.playground.discord import PracticeDiscord

READY_S = 0.02
"""The library waits so long for more guilds; two seconds by default."""


@contextmanager
def addresses(practice: PracticeDiscord) -> Generator[None]:
    """The library has its addresses as constants of two classes."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = practice.api_url, yarl.URL(practice.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before


class Plain(Client):
    """A client that keeps what it hears."""

    def __init__(self, content: bool = True) -> None:
        intents = Intents.default()
        intents.message_content = content
        nobody = AllowedMentions(everyone=False, roles=False, users=False, replied_user=True)
        super().__init__(intents=intents, allowed_mentions=nobody, guild_ready_timeout=READY_S)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[Message] = []
        self.news = asyncio.Condition()
        self.greeted = asyncio.Event()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """The library pauses for five seconds before every identify but the first."""

    async def on_ready(self) -> None:
        self.greeted.set()

    async def on_message(self, message: Message) -> None:
        async with self.news:
            self.heard.append(message)
            self.news.notify_all()

    async def hears(self, text: str) -> Message:
        """The first message with this text in it."""

        def found() -> list[Message]:
            return [m for m in self.heard if text in m.content]

        async with asyncio.timeout(10), self.news:
            await self.news.wait_for(found)
        return found()[0]


@asynccontextmanager
async def connected(
    practice: PracticeDiscord, client: Client | None = None
) -> AsyncGenerator[Plain]:
    """The client, ready; closed at the end."""
    held = client if isinstance(client, Plain) else Plain()
    with addresses(practice):
        running = asyncio.create_task(held.start(practice.token))
        waiting = asyncio.create_task(held.greeted.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            waiting.cancel()
            running.result()
        try:
            yield held
        finally:
            await held.close()
            await running
            await _quiet(held)


async def _quiet(client: Client) -> None:
    """The library leaves a timer behind that would greet once more, into a loop that is gone."""
    timer = client._connection._ready_task
    if timer is not None:
        timer.cancel()
        await asyncio.gather(timer, return_exceptions=True)
    while events := [t for t in asyncio.all_tasks() if t.get_name().startswith("discord.py: ")]:
        await asyncio.gather(*events, return_exceptions=True)
