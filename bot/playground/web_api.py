"""The Web API over HTTP: hooks, tokens, scopes, rate limits, and a log of every call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from bot.playground import methods_chat, methods_conversations, methods_files, transfer
from bot.playground.call import Call, read_call
from bot.playground.interact import Interactions
from bot.playground.limits import SlackError
from bot.playground.methods import METHODS
from bot.playground.rows import Json
from bot.playground.sockets import Hub
from bot.playground.workspace import TEAM, Workspace

assert methods_chat and methods_conversations and methods_files  # they fill METHODS

KEPT_REQUESTS = 10_000
"""A practice workspace may run for weeks; its log of calls must not grow with it."""
FACES = ("username", "icon_url", "icon_emoji")
POST_GAP_S = 1.0
"""Slack: one message a second and channel."""


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


class WebApi:
    """Answers the app's calls; what people do is added by `PracticeServer`."""

    def __init__(self, workspace: Workspace, strict: bool) -> None:
        self.workspace = workspace
        self.hub = Hub(workspace.rows)
        self.interactions = Interactions(workspace)
        self.strict = strict
        """Hold the app to one post a second and channel."""
        self.scopes: set[str] | None = None
        """What the bot token may; None for everything."""
        self.requests: list[Request] = []
        self.before_request: BeforeRequest | None = None
        self.after_request: AfterRequest | None = None
        self._changed = asyncio.Event()
        self._posted: dict[str, float] = {}

    @property
    def bot_token(self) -> str:
        return str(self.workspace.tokens["bot"])

    @property
    def app_token(self) -> str:
        return str(self.workspace.tokens["app"])

    def add_routes(self, app: web.Application) -> None:
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self.hub.serve)
        app.router.add_route("*", "/upload/v1/{file}", self._upload)
        app.router.add_get("/files-pri/{file}/{tail:.*}", self._download)
        app.router.add_post("/response/{key}", self._respond)

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
            if not allowed:
                return transfer.sign_in()
            file = request.match_info["file"].removeprefix(f"{TEAM}-")
            return transfer.send(self.workspace.files.get(file), self.workspace.blob(file))

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
        self._note(Request(call.method, call.params, answer))
        return response

    def _note(self, request: Request) -> None:
        self.requests.append(request)
        if len(self.requests) > 2 * KEPT_REQUESTS:
            del self.requests[:KEPT_REQUESTS]
        self._changed.set()

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
        wears_a_face = any(call.has(name) for name in FACES)
        for scope in (METHODS[call.method].scope, "chat:write.customize" if wears_a_face else ""):
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
        address = self.workspace.base_url.replace("http", "ws", 1)
        return {"ok": True, "url": f"{address}/socket?ticket={ticket}"}

    def _too_fast(self, call: Call) -> bool:
        if not self.strict or call.method != "chat.postMessage":
            return False
        channel, now = call.text("channel"), time.monotonic()
        if now - self._posted.get(channel, -POST_GAP_S) < POST_GAP_S:
            return True
        self._posted[channel] = now
        return False


def _json(answer: Json) -> web.Response:
    return web.json_response(answer)
