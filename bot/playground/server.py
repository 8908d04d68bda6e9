"""A Slack of our own on loopback: the Web API and Socket Mode over real sockets.

The real Slack adapter works against it unchanged, in its own process, with the environment that
`PracticeServer.environment` gives. People act through the page, or in tests through `say`,
`command`, `click` and their like; `wait_for` waits for what the bot does.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from . import methods_chat, methods_conversations, methods_files, transfer
from .call import Call, read_call
from .events import SUBSCRIBED, events_of, refreshed, wrap
from .interact import Interactions
from .limits import SlackError
from .methods import METHODS
from .rows import Json
from .seed import seed
from .sockets import Envelope, Hub
from .workspace import APP, BOT_USER, Change, Workspace

assert methods_chat and methods_conversations and methods_files  # they fill METHODS

log = logging.getLogger(__name__)

POST_GAP_S = 1.0
"""Slack: one message a second and channel."""
WAIT_S = 10.0
MAX_BODY = 101 * 2**20

T = TypeVar("T")


class Cut(Exception):
    """Raised by a hook: the connection breaks here, without an answer."""


BeforeRequest = Callable[[Call], Awaitable[web.StreamResponse | None]]
"""Runs before a call is worked; an answer it gives is sent instead. May raise `Cut`."""
AfterRequest = Callable[[Call, Json], Awaitable[web.StreamResponse | None]]
"""Runs when a call was worked and not yet answered. May raise `Cut`."""


@dataclass(frozen=True)
class Request:
    """A call that the app made, and what it was answered (None: cut, or not an API answer)."""

    method: str
    params: Json
    answer: Json | None
    at: float = field(default_factory=time.monotonic)


class PracticeServer:
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
        self.workspace = Workspace(folder)
        self.hub = Hub(self.workspace.rows)
        self.interactions = Interactions(self.workspace)
        self.strict = strict
        self.scopes: set[str] | None = None
        """What the bot token may; None for everything."""
        self.requests: list[Request] = []
        self.whispers: list[Json] = []
        """Everything that was shown to one person only: `{channel, user, message}`."""
        self.before_request: BeforeRequest | None = None
        self.after_request: AfterRequest | None = None
        self.watchers: list[Callable[[str, Json], None]] = []
        """Called with every change of the workspace, and with `bot` when it comes or goes."""
        self._samples = samples
        self._subscribed = subscribed
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Event()
        self._posted: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._connected = False

    # Life

    async def start(self) -> None:
        self.workspace.open()
        self.hub.app_id = APP
        self.hub.prepare = lambda payload: refreshed(self.workspace, payload)
        self.hub.on_change = self._hub_changed
        self.workspace.listeners.append(self._workspace_changed)
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.workspace.base_url = self.url
        self.hub.start()
        await seed(self.workspace, self._samples)

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
    def bot_token(self) -> str:
        return str(self.workspace.tokens["bot"])

    @property
    def app_token(self) -> str:
        return str(self.workspace.tokens["app"])

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
        self._own(self._after_command(envelope))
        return envelope

    def click(self, channel: str, ts: str, action: str, user: str) -> Envelope:
        """Press the button `action` (its action_id) of a message, also of an ephemeral one."""
        channel = self.workspace.channel(channel)
        payload = self.interactions.click(channel, ts, user, action, self._shown(channel, ts))
        return self.hub.emit("interactive", payload)

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
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self.hub.serve)
        app.router.add_route("*", "/upload/v1/{file}", self._upload)
        app.router.add_get("/files-pri/{file}/{tail:.*}", self._download)
        app.router.add_post("/response/{key}", self._respond)
        return app

    async def _api(self, request: web.Request) -> web.StreamResponse:
        try:
            call = await read_call(request, request.match_info["method"])
        except SlackError as error:
            return _json({"ok": False, "error": error.name})
        return await self._hooked(request, call, self._answer)

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        call = Call("files.upload", {"file": request.match_info["file"]}, "")

        async def work(_: Call) -> web.StreamResponse:
            return await transfer.receive(self.workspace, request)

        return await self._hooked(request, call, work)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        call = Call("files.download", {"file": request.match_info["file"]}, token)

        async def work(_: Call) -> web.StreamResponse:
            allowed = token == self.bot_token and self._may("files:read")
            return transfer.send(self.workspace, request, allowed)

        return await self._hooked(request, call, work)

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        try:
            call = await read_call(request, "response_url")
        except SlackError as error:
            return web.Response(status=400, text=error.name)

        async def work(call: Call) -> web.StreamResponse:
            try:
                self.interactions.respond(request.match_info["key"], call.params)
            except SlackError as error:
                return web.Response(status=404, text=error.name)
            return web.Response(text="ok")

        return await self._hooked(request, call, work)

    async def _hooked(
        self,
        request: web.Request,
        call: Call,
        work: Callable[[Call], Awaitable[Json | web.StreamResponse]],
    ) -> web.StreamResponse:
        """Run a call between the two hooks, and write it down."""
        answer: Json | None = None
        try:
            response = None if self.before_request is None else await self.before_request(call)
            if response is None:
                result = await work(call)
                answer = result if isinstance(result, dict) else None
                if self.after_request is not None:
                    response = await self.after_request(call, answer or {})
                if response is None:
                    response = result if isinstance(result, web.StreamResponse) else _json(result)
        except Cut:
            if request.transport is not None:
                request.transport.abort()
            response = web.Response()
        self.requests.append(Request(call.method, call.params, answer))
        self._changed.set()
        return response

    async def _answer(self, call: Call) -> Json | web.StreamResponse:
        try:
            if call.method == "apps.connections.open":
                return self._open_connection(call)
            self._check_token(call)
            if self._too_fast(call):
                body = {"ok": False, "error": "ratelimited"}
                return web.json_response(body, status=429, headers={"Retry-After": "1"})
            if call.method == "views.open":
                self.interactions.use_trigger(call.need("trigger_id", "invalid_trigger_id"))
            answer = METHODS[call.method].run(self.workspace, call)
        except SlackError as error:
            return {"ok": False, "error": error.name, **error.details}
        return {"ok": True, **answer}

    def _check_token(self, call: Call) -> None:
        if call.method not in METHODS:
            raise SlackError("unknown_method", req_method=call.method)
        if not call.token:
            raise SlackError("not_authed")
        if call.token == self.app_token:
            raise SlackError("not_allowed_token_type")
        if call.token != self.bot_token:
            raise SlackError("invalid_auth")
        scope = METHODS[call.method].scope
        if not self._may(scope):
            provided = ",".join(sorted(self.scopes or ()))
            raise SlackError("missing_scope", needed=scope, provided=provided)

    def _may(self, scope: str) -> bool:
        return self.scopes is None or not scope or scope in self.scopes

    def _open_connection(self, call: Call) -> Json:
        if call.token != self.app_token:
            known = call.token == self.bot_token
            raise SlackError("not_allowed_token_type" if known else "invalid_auth")
        ticket = self.hub.ticket()
        if ticket is None:
            raise SlackError("too_many_websockets")
        return {"ok": True, "url": f"ws://{self._host}:{self._port}/socket?ticket={ticket}"}

    def _too_fast(self, call: Call) -> bool:
        if not self.strict or call.method != "chat.postMessage":
            return False
        channel, now = call.text("channel"), time.monotonic()
        if now - self._posted.get(channel, -POST_GAP_S) < POST_GAP_S:
            return True
        self._posted[channel] = now
        return False

    def _file(self, user: str, file: str | Path | tuple[str, bytes]) -> str:
        if isinstance(file, str):
            return file
        name, data = (file.name, file.read_bytes()) if isinstance(file, Path) else file
        made = self.workspace.add_file(name, user, mime=methods_files.guess_mime(name))
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

    async def _after_command(self, envelope: Envelope) -> None:
        await envelope.done()
        if envelope.answer:
            self.interactions.answer_command(envelope.payload, envelope.answer)
        if envelope.failed:
            told = {key: envelope.payload[key] for key in ("channel_id", "user_id", "command")}
            self._notify("command_failed", {**told, "error": envelope.failed})

    def _own(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _workspace_changed(self, change: Change, data: Json) -> None:
        if change == "whisper":
            self.whispers.append(data)
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


def _json(answer: Json) -> web.Response:
    return web.json_response(answer)
