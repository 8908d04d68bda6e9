"""The platforms that have tokens: opened, listened to and ended in order.

A platform that cannot be reached is waited for; it holds up its own runs, not those of another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from bot.config import Config
from bot.ending import BROKEN, WRONG_CONFIG, Ending
from bot.inbox import Inbox
from bot.platform import Platform
from core.errors import TryLater, WrongConfig
from core.messages import Place
from core.runs import Runs
from core.settings import SettingsBook
from core.store import Store
from core.texts import say, told

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
START_S = 30.0
"""How long the start waits for every platform; one that is later joins the others at work."""

Forget = Callable[[Place, str], Awaitable[None]]
"""What an adapter calls when a message was deleted."""


class Adapter(Platform, Protocol):
    """A platform that is opened for posting; one with `listen` takes events too."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...


class Listener(Adapter, Protocol):
    inbox: Any
    heard: Any
    """Called with what people say to each other, where the adapter is asked to listen."""

    async def listen(self) -> None: ...

    async def stop(self) -> None: ...


@dataclass
class Port:
    """A platform on its way to being there."""

    platform: Adapter
    listener: Listener | None = None
    """The same, where this process takes its events."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self, ending: Ending, queue: asyncio.Event) -> None:
        """Open, then listen once the queue is open, however long the platform is not there."""
        if await patiently(self.platform.open, ending):
            self.opened.set()
            if self.listener is not None:
                await queue.wait()
                await patiently(self.listener.listen, ending)


def ports_of(
    config: Config, store: Store, settings: SettingsBook, forget: Forget, *, adapters: bool
) -> dict[str, Port]:
    """The platforms that have tokens; each one's library is loaded only then.

    Without `adapters` they only post, for a process that works the queue beside another.
    """
    made: dict[str, Port] = {}
    if config.has_slack:
        made["slack"] = slack_port(config, store, forget, adapters)
    if config.has_discord:
        made["discord"] = discord_port(config, store, settings, forget, adapters)
    if not made:
        raise WrongConfig(
            "SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or DISCORD_TOKEN: missing; the queue posts there"
        )
    return made


def slack_port(config: Config, store: Store, forget: Forget, adapters: bool) -> Port:
    from bot.slack.account import SlackConfig
    from bot.slack.adapter import SlackAdapter
    from bot.slack.port import SlackPort

    assert config.slack_bot_token is not None and config.slack_app_token is not None
    tokens = config.slack_bot_token, config.slack_app_token
    slack = SlackConfig(*tokens, config.slack_api_url, config.bots_of("slack"))
    if not adapters:
        return Port(SlackPort(slack, store))
    adapter = SlackAdapter(slack, store, forget=forget)
    return Port(adapter, adapter)


def discord_port(
    config: Config, store: Store, settings: SettingsBook, forget: Forget, adapters: bool
) -> Port:
    from bot.discord.account import DiscordConfig
    from bot.discord.adapter import DiscordAdapter
    from bot.discord.port import DiscordPort

    assert config.discord_token is not None
    discord = DiscordConfig(
        config.discord_token,
        config.discord_api_url,
        config.discord_gateway_url or "",
        config.bots_of("discord"),
    )
    if not adapters:
        return Port(DiscordPort(discord, store))

    def free(place: Place) -> bool:
        return settings.of(place).respond == "all"

    adapter = DiscordAdapter(discord, store, forget=forget, free=free)
    return Port(adapter, adapter)


@asynccontextmanager
async def at_work(
    ports: Collection[Port], ending: Ending, runs: Runs, inbox: Inbox, drain_seconds: float
) -> AsyncGenerator[None]:
    """Platforms opened, the queue started, events taken: in this order, and ended in the other.
    Runs that are taken up again must be able to post.

    The queue starts with the first platform that is there; another that cannot be reached yet is
    waited for beside it. What is wrong with one's configuration ends the process.
    """
    queue = asyncio.Event()
    starting = [asyncio.create_task(port.start(ending, queue)) for port in ports]
    async with AsyncExitStack() as stack:
        for port in ports:
            stack.push_async_callback(port.platform.close)
        opened = [asyncio.create_task(port.opened.wait()) for port in ports]
        try:
            await asyncio.wait([*starting, *opened], return_when=asyncio.FIRST_COMPLETED)
            raise_failed(starting)
            if any(port.opened.is_set() for port in ports):
                stack.push_async_callback(runs.drain, drain_seconds)
                await runs.start()
                stack.push_async_callback(inbox.close)
            queue.set()
            for port in ports:
                if port.listener is not None:
                    stack.push_async_callback(port.listener.stop)
            await asyncio.wait(starting, timeout=START_S, return_when=asyncio.FIRST_EXCEPTION)
            raise_failed(starting)
            watch = asyncio.create_task(watched(starting, ending))
            stack.push_async_callback(end_tasks, [watch, *starting])
            yield
        finally:
            await end_tasks(opened)


def raise_failed(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()):
            raise error


async def watched(starting: Sequence[asyncio.Task[None]], ending: Ending) -> None:
    """A platform that comes late and turns out to be wrongly set up ends the process too."""
    for task in asyncio.as_completed(starting):
        try:
            await task
        except WrongConfig as error:
            log.error(told(error, "en"))
            ending.end(WRONG_CONFIG)
        except Exception:  # The border of a platform's start.
            log.exception("a platform could not be started")
            ending.end(BROKEN)


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def patiently(start: Callable[[], Awaitable[None]], ending: Ending) -> bool:
    """Start an adapter; while its platform cannot be reached, try again. False at an `ending`."""
    pause = FIRST_PAUSE_S
    while not ending.wanted.is_set():
        try:
            await start()
            return True
        except TryLater as error:
            log.warning("%s; trying again in %.0f s", say(error.key, "en", **error.values), pause)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await ending.wanted.wait()
        pause = min(pause * 2, LONGEST_PAUSE_S)
    return False
