"""What reaches into discord.py: its HTTP and its gateway (`windows`: its rate limits).

Both take their addresses from our configuration, per object: discord.py's own constants stay as
they are, so that two configurations can live in one process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
import discord
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, Route
from yarl import URL

from bot.discord.account import API_URL, DiscordConfig
from bot.discord.errors import PAUSE_S, TROUBLE, ours, refusal
from bot.discord.windows import LONGEST_LIMIT_S, Window
from core.errors import TryLater, UnknownOutcome, WrongConfig

log = logging.getLogger(__name__)

IDENTIFY_S = 5.0
"""Discord: one new session in five seconds."""
TIMEOUT = aiohttp.ClientTimeout(total=30, connect=10)
VOICE = ("discord.client", "discord.voice_client")

Heard = Callable[[str, Any], None]
"""Called with a gateway event's name and data."""
TAKEN = frozenset(
    {
        "MESSAGE_CREATE",
        "MESSAGE_UPDATE",
        "MESSAGE_DELETE",
        "MESSAGE_DELETE_BULK",
        "INTERACTION_CREATE",
    }
)
"""Events that are ours alone: no objects of discord.py are made of them."""
SHARED = frozenset(
    {
        "READY",
        "RESUMED",
        "GUILD_CREATE",
        "GUILD_DELETE",
        "CHANNEL_CREATE",
        "CHANNEL_UPDATE",
        "CHANNEL_DELETE",
        "THREAD_CREATE",
        "THREAD_UPDATE",
        "THREAD_DELETE",
        "THREAD_LIST_SYNC",
    }
)
"""Events that discord.py works too."""


class Rest(HTTPClient):
    """discord.py's HTTP client at our address. `await open()`, `await close()`."""

    def __init__(self, config: DiscordConfig) -> None:
        super().__init__(asyncio.get_running_loop(), max_ratelimit_timeout=LONGEST_LIMIT_S)
        self._config = config
        self._plain: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """WrongConfig if the token is refused; TryLater if Discord is not there."""
        try:
            await self.static_login(self._config.token.get_secret_value().strip())
        except discord.LoginFailure as error:
            raise WrongConfig(key="discord.token_wrong") from error
        except TROUBLE as error:
            raise TryLater(str(ours(error))) from error

    async def close(self) -> None:
        await super().close()
        if self._plain is not None:
            await self._plain.close()
            self._plain = None

    def get_ratelimit(self, key: str) -> Window:
        held = self._buckets.get(key)
        if not isinstance(held, Window):
            held = self._buckets[key] = Window(self.max_ratelimit_timeout)
            self._try_clear_expired_ratelimits()
        return held

    async def request(self, route: Route, **arguments: Any) -> Any:
        route.url = at(self._config, route.url)
        return await super().request(route, **arguments)

    async def call(
        self,
        method: str,
        path: str,
        *,
        json: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        **major: str,
    ) -> Any:
        """Call Discord; `path` has `{channel_id}` and so on. Raises the errors of `bot.platform`.

        Rate limits and failures of Discord's own are waited for and tried again inside.
        """
        route = Route(method, path, **major)
        arguments: dict[str, Any] = {}
        if json is not None:
            arguments["json"] = json
        if params:
            arguments["params"] = params
        try:
            return await self.request(route, **arguments)
        except TROUBLE as error:
            raise ours(error) from error

    async def once(
        self,
        method: str,
        path: str,
        *,
        json: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call Discord a single time, without our token: for addresses that hold their own.

        What webhooks and interactions are sent has no nonce, so discord.py's own repetition after
        a 502 would say it twice. UnknownOutcome lets the outbox look before it repeats.
        """
        if self._plain is None or self._plain.closed:
            self._plain = aiohttp.ClientSession(timeout=TIMEOUT)
        try:
            async with self._plain.request(
                method, self._config.api + path, json=json, params=params
            ) as answer:
                return await _read(answer)
        except aiohttp.ClientConnectorError as error:
            raise TryLater(f"no connection to Discord: {error}", seconds=PAUSE_S) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise UnknownOutcome(type(error).__name__) from error


async def _read(answer: aiohttp.ClientResponse) -> Any:
    try:
        held: Any = await answer.json(content_type=None)
    except ValueError:
        held = None
    if answer.status < 300:
        return held
    told: Mapping[str, Any] = held if isinstance(held, dict) else {}
    try:
        wait = float(told.get("retry_after") or answer.headers.get("Retry-After") or PAUSE_S)
    except ValueError:
        wait = PAUSE_S
    code = told.get("code")
    raise refusal(
        answer.status, code if isinstance(code, int) else 0, str(told.get("message") or ""), wait
    )


def at(config: DiscordConfig, url: str) -> str:
    """discord.py's address of a call at our base."""
    return config.api + url.removeprefix(Route.BASE) if url.startswith(Route.BASE) else url


class Gateway:
    """The gateway's shards, until `close`. `heard` gets the events; it must not block.

    Resuming, heartbeats and reconnecting are discord.py's.
    """

    def __init__(self, config: DiscordConfig, heard: Heard, *, content: bool) -> None:
        self._config = config
        self._heard = heard
        self._content = content
        self._client: discord.AutoShardedClient | None = None
        self._task: asyncio.Task[None] | None = None
        self._up = asyncio.Event()
        self._identified = float("-inf")

    async def open(self) -> None:
        """Connect; WrongConfig names the token or the intent, TryLater: Discord is not there."""
        quiet_voice()
        client = self._made()
        self._client = client
        self._up.clear()
        try:
            await client.login(self._config.token.get_secret_value().strip())
        except discord.LoginFailure as error:
            await self.close()
            raise WrongConfig(key="discord.token_wrong") from error
        except TROUBLE as error:
            await self.close()
            raise TryLater(str(ours(error))) from error
        self._task = asyncio.create_task(self._run(client), name="discord-gateway")
        up = asyncio.create_task(self._up.wait())
        try:
            await asyncio.wait({up, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
        if self._task.done():
            await self._task
            raise TryLater("the gateway closed at once")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    @property
    def connected(self) -> bool:
        client = self._client
        return (
            client is not None
            and self._task is not None
            and not self._task.done()
            and bool(client.shards)
            and not any(shard.is_closed() for shard in client.shards.values())
        )

    async def ended(self) -> None:
        """Return (or raise what ended it) when the gateway is over for good."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _run(self, client: discord.AutoShardedClient) -> None:
        try:
            await client.connect()
        except discord.PrivilegedIntentsRequired as error:
            raise WrongConfig(key="discord.intent_wrong") from error
        except discord.ConnectionClosed as error:
            if error.code == 4004:
                raise WrongConfig(key="discord.token_wrong") from error
            raise TryLater(f"the gateway closed with {error.code}") from error
        except TROUBLE as error:
            raise TryLater(str(ours(error))) from error

    def _made(self) -> discord.AutoShardedClient:
        intents = discord.Intents.none()
        intents.guilds = True
        intents.guild_messages = True
        intents.dm_messages = True
        intents.message_content = self._content
        client = discord.AutoShardedClient(
            intents=intents,
            # Every body of ours names its own; this holds for whatever is sent past them.
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_ratelimit_timeout=LONGEST_LIMIT_S,
            guild_ready_timeout=0.05,
        )
        self._point(client)
        self._listen(client)
        client.before_identify_hook = self._before_identify
        return client

    async def _before_identify(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py waits five seconds at each new session; here only where one was just begun."""
        del shard_id, initial
        loop = asyncio.get_running_loop()
        wait = self._identified + IDENTIFY_S - loop.time()
        self._identified = loop.time() + max(0.0, wait)
        await asyncio.sleep(max(0.0, wait))

    def _point(self, client: discord.AutoShardedClient) -> None:
        """Our addresses on this client's own HTTP object."""
        http, config = client.http, self._config
        request, connect, gateway = http.request, http.ws_connect, http.get_bot_gateway

        async def requested(route: Route, **arguments: Any) -> Any:
            route.url = at(config, route.url)
            return await request(route, **arguments)

        async def connected(url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
            usual = DiscordWebSocket.DEFAULT_GATEWAY
            asked = URL(url)
            # After an invalid session discord.py goes back to its constant.
            if asked.host == usual.host and self._gateway:
                url = str(URL(self._gateway).with_query(asked.query))
            return await connect(url, compress=compress)

        async def gateway_of() -> Any:
            shards, url, limit = await gateway()
            if config.gateway_url:
                url = config.gateway_url
            elif config.api != API_URL:
                self._gateway = url
            return shards, url, limit

        self._gateway = config.gateway_url
        http.request = requested
        http.ws_connect = connected
        http.get_bot_gateway = gateway_of

    def _listen(self, client: discord.AutoShardedClient) -> None:
        parsers: dict[str, Any] = client._connection.parsers  # pyright: ignore[reportPrivateUsage]

        def hear(name: str, then: Callable[[Any], None] | None) -> Callable[[Any], None]:
            def parse(data: Any) -> None:
                # First ours: discord.py's parsers take some of the data apart.
                self._hear(name, data)
                if then is not None:
                    then(data)

            return parse

        for name in TAKEN:
            parsers[name] = hear(name, None)
        for name in SHARED:
            parsers[name] = hear(name, parsers.get(name))

    def _hear(self, name: str, data: Any) -> None:
        if name in ("READY", "RESUMED"):
            self._up.set()
        try:
            self._heard(name, data)
        except Exception:  # The adapter's border: one bad event must not end the shard.
            log.exception("an event could not be taken: %s", name)


def quiet_voice() -> None:
    """discord.py warns that voice is not installed; nobody here speaks."""
    for name in VOICE:
        logging.getLogger(name).addFilter(_no_voice)


def _no_voice(record: logging.LogRecord) -> bool:
    return "voice will NOT be supported" not in record.getMessage()
