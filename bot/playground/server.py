"""A Slack of our own on loopback: the Web API and Socket Mode over real sockets.

The real Slack adapter works against it unchanged, in its own process, with the environment that
`PracticeServer.environment` gives. People act through the page, or in tests through `say`,
`command`, `click` and their like; `wait_for` waits for what the bot does.
"""

from __future__ import annotations

import asyncio
import errno
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from bot.playground.events import SUBSCRIBED, events_of, refreshed, wrap
from bot.playground.live_page import local_only
from bot.playground.methods_files import guess_mime
from bot.playground.page_api import PageApi
from bot.playground.rows import Json
from bot.playground.seed import seed
from bot.playground.sockets import Envelope
from bot.playground.web_api import AfterRequest, BeforeRequest, Cut, Request, WebApi
from bot.playground.workspace import APP, BOT_USER, Change, Workspace
from core.errors import WrongUse

__all__ = ["AfterRequest", "BeforeRequest", "Cut", "PracticeServer", "Request", "practice"]

KEPT_WHISPERS = 1_000
WAIT_S = 10.0
MAX_BODY = 101 * 2**20

T = TypeVar("T")


class PracticeServer(WebApi):
    """`await start()`, then `url`, `api_url`, `environment`; `await stop()` at the end.

    `data` is the folder that keeps the workspace; without one it lives in a temporary folder and
    ends with the server. `samples` posts the sample documents at the first start. `strict` holds
    the app to one post a second and channel.
    """

    def __init__(
        self,
        port: int = 0,
        data: Path | None = None,
        *,
        samples: bool = False,
        strict: bool = False,
        subscribed: frozenset[str] = SUBSCRIBED,
        host: str = "127.0.0.1",
    ) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="practice-") if data is None else None
        folder = data if data is not None else Path(self._temporary.name)  # pyright: ignore[reportOptionalMemberAccess]
        super().__init__(Workspace(folder), strict)
        self.whispers: list[Json] = []
        """Everything that was shown to one person only: `{channel, user, message}`."""
        self.watchers: list[Callable[[str, Json], None]] = []
        """Called with every change of the workspace, and with `bot` when it comes or goes."""
        self._samples = samples
        self._subscribed = subscribed
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._connected = False
        self.page = PageApi(self)

    # Life

    async def start(self) -> None:
        self.workspace.open()
        self.hub.app_id = APP
        self.hub.prepare = lambda payload: refreshed(self.workspace, payload)
        self.hub.on_change = self._hub_changed
        self.workspace.listeners.append(self._workspace_changed)
        self.hub.start()
        seed(self.workspace, self._samples)
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.workspace.base_url = self.url

    async def stop(self) -> None:
        await self.hub.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._notify("stop", {})
        if self._runner is not None:
            await self._runner.cleanup()
        self.workspace.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self._port}"

    @property
    def api_url(self) -> str:
        """For SLACK_API_URL."""
        return f"{self.url}/api/"

    @property
    def connected(self) -> bool:
        """Whether the bot is here."""
        return self.hub.connected

    @property
    def environment(self) -> dict[str, str]:
        """What the adapter's process needs to work here."""
        return {
            "SLACK_BOT_TOKEN": self.bot_token,
            "SLACK_APP_TOKEN": self.app_token,
            "SLACK_API_URL": self.api_url,
        }

    # What people do

    def say(
        self,
        channel: str,
        user: str,
        text: str = "",
        thread: str | None = None,
        files: Sequence[str | Path | tuple[str, bytes]] = (),
    ) -> str:
        """Post as a person; the message's ts. `text` as Slack sends it (`<@U0THREADMATE> hi`).

        Files are paths, (name, bytes), or ids of `workspace.add_file`.
        """
        ws = self.workspace
        channel = ws.channel(channel)
        ws.person(user)
        ids = [self._file(user, file) for file in files]
        fields: Json = {"thread_ts": thread, "files": ids}
        if ids:
            fields |= {"subtype": "file_share", "upload": True}
        return str(ws.post(channel, user, text, **fields)["ts"])

    def edit(self, channel: str, ts: str, text: str) -> None:
        self.workspace.change(self.workspace.channel(channel), ts, {"text": text})

    def delete(self, channel: str, ts: str) -> None:
        self.workspace.remove(self.workspace.channel(channel), ts)

    def command(self, channel: str, user: str, command: str, text: str = "") -> Envelope:
        """A slash command (`/ask`); `await envelope.done()` says whether the app took it."""
        payload = self.interactions.command(self.workspace.channel(channel), user, command, text)
        envelope = self.hub.emit("slash_commands", payload)
        told = {key: payload[key] for key in ("channel_id", "user_id", "command")}
        self._own(self._after(envelope, told))
        return envelope

    def click(self, channel: str, ts: str, action: str, user: str) -> Envelope:
        """Press the button `action` (its action_id) of a message, also of an ephemeral one."""
        channel = self.workspace.channel(channel)
        payload = self.interactions.click(channel, ts, user, action, self._shown(channel, ts))
        envelope = self.hub.emit("interactive", payload)
        self._own(self._after(envelope, {"channel_id": channel, "user_id": user, "command": ""}))
        return envelope

    def react(self, channel: str, ts: str, name: str, user: str, on: bool = True) -> None:
        self.workspace.react(self.workspace.channel(channel), ts, name, user, on)

    def invite(self, channel: str, user: str = BOT_USER, by: str = "") -> bool:
        return self.workspace.join(self.workspace.channel(channel), user, by)

    def direct(self, user: str) -> str:
        """The channel id of a person's direct conversation with the bot."""
        return self.workspace.direct(user)

    # What can be seen

    def messages(self, channel: str, thread: str | None = None) -> list[Json]:
        """As people see them, oldest first, with metadata; of one thread, or roots and replies."""
        ws = self.workspace
        channel = ws.channel(channel)
        kept = ws.timeline(channel) if thread is None else ws.thread(channel, thread)
        return [ws.view(message, metadata=True) for message in kept]

    def from_bot(self, channel: str, thread: str | None = None) -> list[Json]:
        return [m for m in self.messages(channel, thread) if m["user"] == BOT_USER]

    async def wait_for(self, predicate: Callable[[], T], timeout: float = WAIT_S) -> T:  # noqa: ASYNC109
        """The first truthy value of `predicate`, asked anew at every change; TimeoutError."""
        async with asyncio.timeout(timeout):
            while not (value := predicate()):
                self._changed.clear()
                await self._changed.wait()
            return value

    async def wait_connected(self, timeout: float = WAIT_S) -> None:  # noqa: ASYNC109
        await self.wait_for(lambda: self.hub.connected, timeout)

    # Within

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY, middlewares=[local_only])
        self.add_routes(app)
        self.page.add_routes(app)
        return app

    def _file(self, user: str, file: str | Path | tuple[str, bytes]) -> str:
        if isinstance(file, str):
            return file
        name, data = (file.name, file.read_bytes()) if isinstance(file, Path) else file
        made = self.workspace.add_file(name, user, mime=guess_mime(name))
        blob = self.workspace.blob(made)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(data)
        self.workspace.filled(made, len(data))
        return made

    def _shown(self, channel: str, ts: str) -> Json:
        for whisper in self.whispers:
            if whisper["channel"] == channel and whisper["message"]["ts"] == ts:
                return whisper["message"]
        return self.workspace.view(self.workspace.find(channel, ts))

    async def _after(self, envelope: Envelope, told: Json) -> None:
        """Show what came with the acknowledgement, or tell the person that none came."""
        await envelope.done()
        if envelope.answer:
            self.interactions.answer_directly(envelope.payload, envelope.answer)
        if envelope.failed:
            self._notify("failed", {**told, "error": envelope.failed})

    def _own(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _workspace_changed(self, change: Change, data: Json) -> None:
        if change == "whisper":
            self.whispers.append(data)
            del self.whispers[:-KEPT_WHISPERS]
        for event in events_of(self.workspace, change, data):
            kind = "reaction_added" if event["type"].startswith("reaction") else event["type"]
            if kind in self._subscribed:
                self.hub.emit("events_api", wrap(event))
        self._notify(change, data)

    def _hub_changed(self) -> None:
        if self._connected != self.hub.connected:
            self._connected = self.hub.connected
            self._notify("bot", {"connected": self._connected})
        self._changed.set()

    def _notify(self, change: str, data: Json) -> None:
        self._changed.set()
        for watcher in self.watchers:
            watcher(change, data)


async def practice(data: Path, port: int = 0, *, samples: bool = True) -> PracticeServer:
    """A started practice server that keeps its workspace in `data`; the caller stops it.

    Give `environment` to the bot's process, and `url` to the person. A port that is taken raises
    `WrongUse`.
    """
    server = PracticeServer(port, data, samples=samples)
    try:
        await server.start()
    except OSError as error:
        await server.stop()
        if error.errno == errno.EADDRINUSE:
            raise WrongUse(key="playground.port_taken", port=port) from error
        raise
    return server
