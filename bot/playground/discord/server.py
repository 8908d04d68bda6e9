"""A Discord of our own on loopback: REST, gateway and file links over real sockets.

The real client library works against it unchanged, in its own process, with the environment that
`PracticeDiscord.environment` gives. People act through the page, or in tests through `say`,
`slash`, `click` and their like; `wait_for` waits for what the bot does.
"""

from __future__ import annotations

import asyncio
import errno
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from bot.playground.discord import events, views
from bot.playground.discord.acts import Acts
from bot.playground.discord.buckets import Buckets
from bot.playground.discord.cdn import Cdn
from bot.playground.discord.clock import Clock
from bot.playground.discord.commands import Commands
from bot.playground.discord.compose import Composer
from bot.playground.discord.gateway import Gateway, Session
from bot.playground.discord.guild import APP, BOT, DM, GUILD, Guild
from bot.playground.discord.interactions import Interactions
from bot.playground.discord.page_api import DiscordPage
from bot.playground.discord.rest import Rest
from bot.playground.discord.routes_app import CONTENT_FLAG, AppRoutes
from bot.playground.discord.routes_channels import ChannelRoutes
from bot.playground.discord.routes_interactions import InteractionRoutes
from bot.playground.discord.routes_messages import MessageRoutes
from bot.playground.discord.routes_webhooks import WebhookRoutes
from bot.playground.discord.seed import seed, share_samples
from bot.playground.live_page import local_only
from bot.playground.rows import Json
from core.errors import WrongUse

WAIT_S = 10.0
MAX_BODY = 101 * 2**20

T = TypeVar("T")


class PracticeDiscord(Acts):
    """`await start()`, then `api_url`, `gateway_url`, `token`; `await stop()` at the end.

    `data` is the folder that keeps the guild; without one it lives in a temporary folder and ends
    with the server. `samples` posts the sample documents when the bot comes for the first time.
    `message_content` is the application's switch for that intent. `rates` stretches every rate
    limit's window: 0.1 makes five seconds half a second.
    """

    def __init__(
        self,
        port: int = 0,
        data: Path | None = None,
        *,
        samples: bool = False,
        message_content: bool = True,
        rates: float = 1.0,
        host: str = "127.0.0.1",
    ) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="practice-") if data is None else None
        folder = data if data is not None else Path(self._temporary.name)  # pyright: ignore[reportOptionalMemberAccess]
        self.clock = Clock()
        self.guild = Guild(folder, self.clock)
        self.faults: list[str] = []
        """What the bot sent beyond Discord's limits, or so that it could ring a crowd."""
        self.watchers: list[Callable[[str, Json], None]] = []
        """Called with every change of the guild, and with `bot` when it comes or goes."""
        self.commands = Commands(self.guild)
        self.rest = Rest(lambda: self.token, Buckets(rates))
        self.rest.odd = self.faults.append
        self.gateway = Gateway(self._ready, lambda: views.guild_create(self.guild))
        self.gateway.token = lambda: self.token
        self.gateway.message_content = message_content
        self.gateway.on_change = self._gateway_changed
        self.gateway.members = self._members
        self.interactions = Interactions(self.guild, self._emit_plain)
        self.composer = Composer(self.guild, self.faults.append)
        self.cdn = Cdn(self.guild)
        self._content = message_content
        self._samples = samples
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Event()
        self._connected = False
        self._add_routes()
        self.page = DiscordPage(self)

    # Life

    async def start(self) -> None:
        self.guild.open()
        self.guild.listeners.append(self._guild_changed)
        seed(self.guild)
        self._runner = web.AppRunner(self.application(), access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.guild.base_url = self.url

    async def stop(self) -> None:
        self.interactions.stop()
        self._notify("stop", {})
        await self.gateway.stop()
        if self._runner is not None:
            await self._runner.cleanup()
        self.guild.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY, middlewares=[local_only])
        app.router.add_get("/gateway/", self.gateway.handle)
        app.router.add_get("/attachments/{channel}/{file}/{name}", self.cdn.send)
        app.router.add_route("*", "/api/{rest:.*}", self.rest.handle)
        self.page.add_routes(app)
        return app

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self._port}"

    @property
    def api_url(self) -> str:
        """For DISCORD_API_URL: what stands in the place of `https://discord.com/api/v10`."""
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        """For DISCORD_GATEWAY_URL."""
        return f"ws://{self._host}:{self._port}/gateway/"

    @property
    def token(self) -> str:
        return str(self.guild.secrets["token"])

    @property
    def connected(self) -> bool:
        """Whether the bot is here."""
        return self.gateway.connected

    @property
    def environment(self) -> dict[str, str]:
        """What the adapter's process needs to work here."""
        return {
            "DISCORD_TOKEN": self.token,
            "DISCORD_API_URL": self.api_url,
            "DISCORD_GATEWAY_URL": self.gateway_url,
        }

    # Waiting

    async def wait_for(self, predicate: Callable[[], T], timeout: float = WAIT_S) -> T:  # noqa: ASYNC109
        """The first truthy value of `predicate`, asked anew at every change; TimeoutError."""
        async with asyncio.timeout(timeout):
            while not (value := predicate()):
                self._changed.clear()
                await self._changed.wait()
            return value

    async def wait_connected(self, timeout: float = WAIT_S) -> None:  # noqa: ASYNC109
        await self.wait_for(lambda: self.gateway.connected, timeout)

    def skip(self, seconds: float) -> None:
        """Let time pass for tokens, file links and ids."""
        self.clock.skip(seconds)

    # Within

    def _add_routes(self) -> None:
        routes, guild, composer = self.rest.routes, self.guild, self.composer
        hooks = WebhookRoutes(guild, composer)
        AppRoutes(
            guild,
            composer,
            self.commands,
            lambda: self.gateway_url,
            lambda: self.gateway.identified,
            self._content,
        ).add(routes)
        MessageRoutes(guild, composer, self._content).add(routes)
        ChannelRoutes(guild, composer).add(routes)
        hooks.add(routes)
        InteractionRoutes(guild, composer, self.interactions, hooks).add(routes)

    def _ready(self, session: Session) -> Json:
        return {
            "v": 10,
            "user": {**views.user(self.guild, BOT), "verified": True, "mfa_enabled": False},
            "guilds": [{"id": GUILD, "unavailable": True}] if session.sees(GUILD) else [],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "shard": list(session.shard),
            "private_channels": [],
            "application": {"id": APP, "flags": CONTENT_FLAG if self._content else 0},
        }

    def _members(self, asked: Json) -> Json:
        wanted = asked.get("user_ids") or list(self.guild.people)
        ids = [str(p) for p in (wanted if isinstance(wanted, list) else [wanted])]
        found = [views.member(self.guild, p) for p in ids if p in self.guild.people]
        chunk: Json = {"guild_id": GUILD, "members": found, "chunk_index": 0, "chunk_count": 1}
        return chunk | ({"nonce": asked["nonce"]} if "nonce" in asked else {})

    def _emit_plain(self, event: str, guild: str | None, data: Json) -> None:
        self.gateway.emit(event, guild, lambda session: data)

    def _guild_changed(self, event: str, data: Json) -> None:
        if event == "MESSAGE_CREATE" and self.guild.channel(data["channel"])["type"] == DM:
            # Discord tells of a private channel before its first message.
            row = self.guild.channel(data["channel"])
            if len(self.guild.timeline(row["id"])) == 1:
                self._emit_plain("CHANNEL_CREATE", None, views.channel(self.guild, row))
        events.tell(self.guild, self.gateway.emit, event, data)
        self._notify(event, data)

    def _gateway_changed(self) -> None:
        if self._connected != self.gateway.connected:
            self._connected = self.gateway.connected
            self._notify("bot", {"connected": self._connected})
            if self._connected and self._samples:
                share_samples(self.guild)
        self._changed.set()

    def _notify(self, change: str, data: Json) -> None:
        self._changed.set()
        for watcher in self.watchers:
            watcher(change, data)


async def practice_discord(data: Path, port: int = 0, *, samples: bool = True) -> PracticeDiscord:
    """A started practice server that keeps its guild in `data`; the caller stops it.

    Give `environment` to the bot's process, and `url` to the person. A port that is taken raises
    `WrongUse`.
    """
    server = PracticeDiscord(port, data, samples=samples)
    try:
        await server.start()
    except OSError as error:
        await server.stop()
        if error.errno == errno.EADDRINUSE:
            raise WrongUse(key="playground.port_taken", port=port) from error
        raise
    return server
