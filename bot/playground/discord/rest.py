"""The REST API: routes, who asks, rate limits, faults, and the answer's shape."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.playground.discord.buckets import Buckets, Verdict
from bot.playground.discord.call import Call, read
from bot.playground.discord.errors import DiscordError, unauthorized
from bot.playground.discord.guild import APP

log = logging.getLogger(__name__)

Handler = Callable[[Call], Awaitable[Any]]
"""Its answer is sent as JSON; None is 204."""
BeforeRequest = Callable[[Call], Awaitable["web.StreamResponse | None"]]
AfterRequest = Callable[[Call, Any], Awaitable["web.StreamResponse | None"]]

API = re.compile(r"/api(?:/v(?P<version>\d+))?(?P<path>/.*)")
INVALID_REQUESTS = 10_000
"""Discord bans an address after so many 401, 403 and 429 within ten minutes."""
MAJOR = ("channel_id", "guild_id", "webhook_id", "token")
MAJOR_OF = {"interaction_id": "token"}


class Cut(Exception):
    """Raised by a fault: the connection breaks here, without an answer."""


class Routes:
    """Path templates (`/channels/{channel_id}`) by method, with a short name each."""

    def __init__(self) -> None:
        self._table: list[tuple[str, re.Pattern[str], str, str, Handler, bool]] = []

    def add(
        self, ask: str, name: str, handler: Handler, *, bucket: str = "", free: bool = False
    ) -> None:
        """`ask` is `POST /path`; `free`: the path carries its own token, no bot is needed."""
        method, _, template = ask.partition(" ")
        pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template)
        self._table.append((method, re.compile(pattern), name, bucket or name, handler, free))

    def find(self, method: str, path: str) -> tuple[str, str, Handler, bool, dict[str, str]]:
        known = False
        for way, pattern, name, bucket, handler, free in self._table:
            found = pattern.fullmatch(path)
            known = known or found is not None
            if found and way == method:
                return name, bucket, handler, free, found.groupdict()
        if known:
            raise DiscordError(405, 0, "405: Method Not Allowed")
        raise DiscordError(404, 0, "404: Not Found")


class Rest:
    """Answers `/api/v10/...`. Hooks may answer in a handler's place, or after it has worked."""

    def __init__(self, token: Callable[[], str], buckets: Buckets) -> None:
        self.routes = Routes()
        self.buckets = buckets
        self.before_request: BeforeRequest | None = None
        self.after_request: AfterRequest | None = None
        self.invalid = 0
        """401, 403 and 429 that the bot caused."""
        self.limited: list[str] = []
        """Routes that were answered with 429 because of the limits."""
        self.calls: list[str] = []
        """Routes that were asked for, in order."""
        self.odd: Callable[[str], None] = lambda line: None
        """Told of what the bot asked that does not exist here."""
        self._token = token

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = API.fullmatch(request.path)
        if path is None:
            return _answer(404, {"message": "404: Not Found", "code": 0})
        try:
            if path["version"] not in (None, "10"):
                raise DiscordError(400, 50041, "Invalid API version provided.")
            return await self._work(request, path["path"])
        except DiscordError as error:
            if error.status in (404, 405) and error.code == 0:
                self.odd(f"{request.method} {path['path']}: no such route")
            self.invalid += error.status in (401, 403)
            return _answer(error.status, error.body)
        except Cut:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()

    async def _work(self, request: web.Request, path: str) -> web.StreamResponse:
        name, bucket, handler, free, params = self.routes.find(request.method, path)
        if "webhook_id" in params and params["webhook_id"] == APP:
            name, bucket = (of.replace("webhook.", "interaction.") for of in (name, bucket))
            name = name.replace(".execute", ".followup")
            bucket = bucket.replace(".execute", ".followup")
        self.calls.append(name)
        if not free and request.headers.get("Authorization") != f"Bot {self._token()}":
            raise unauthorized()
        exempt = name.startswith("interaction.")
        major = "/".join(params[key] for key in MAJOR if key in params)
        verdict = self.buckets.take(bucket, major, exempt)
        if verdict.retry_after is not None:
            self.limited.append(name)
            self.invalid += 1
            return _limited(verdict)
        call = await read(name, request, params)
        return await self._answered(call, handler, verdict)

    async def _answered(self, call: Call, handler: Handler, verdict: Verdict) -> web.StreamResponse:
        if self.before_request is not None:
            instead = await self.before_request(call)
            if instead is not None:
                return instead
        try:
            answer = await handler(call)
        except DiscordError as error:
            self.invalid += error.status in (401, 403)
            return _answer(error.status, error.body, verdict.headers)
        if self.after_request is not None:
            instead = await self.after_request(call, answer)
            if instead is not None:
                return instead
        return _answer(204 if answer is None else 200, answer, verdict.headers)


def _answer(
    status: int, body: Any = None, headers: dict[str, str] | None = None
) -> web.StreamResponse:
    """With the headers that the client library looks for: the bare JSON type, and `Via`."""
    held = {"Via": "1.1 google", **(headers or {})}
    if body is None:
        return web.Response(status=status, headers=held)
    data = json.dumps(body).encode()
    return web.Response(status=status, body=data, headers=held | {"Content-Type": JSON_TYPE})


JSON_TYPE = "application/json"


def rate_limited(retry_after: float, *, all_routes: bool = False, scope: str = "user") -> Any:
    """A 429 as Discord words it."""
    headers = {"Retry-After": str(max(1, round(retry_after))), "X-RateLimit-Scope": scope}
    body = {
        "message": "You are being rate limited.",
        "retry_after": round(retry_after, 3),
        "global": all_routes,
    }
    return _answer(429, body, headers)


def _limited(verdict: Verdict) -> web.StreamResponse:
    wait = verdict.retry_after or 0.0
    response = rate_limited(wait, all_routes=verdict.scope == "global", scope=verdict.scope)
    response.headers.update(verdict.headers)
    return response
