"""The page's side of a practice server: its files, one stream of changes, what a person can do."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from bot.playground.rows import Json

PAGE = Path(__file__).parent / "page"
LOCAL = ("127.0.0.1", "localhost", "[::1]")
KEEP_ALIVE_S = 15.0
BEHIND = 1_000
"""Changes that a page may have unread before it is let go."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def local_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Other sites must not act here through the person's browser.

    A foreign host name is a rebound DNS entry. What the page does carries a header that another
    origin cannot send without asking first, and nobody answers that question.
    """
    if request.host.rpartition(":")[0] not in LOCAL and request.host not in LOCAL:
        return web.Response(status=403, text="this server answers on 127.0.0.1 only")
    if request.path.startswith("/do/") and "X-Practice" not in request.headers:
        return web.Response(status=403, text="not from the page")
    return await handler(request)


class Refusal(Exception):
    """What a person did is refused; `name` is in the page's catalogue, or is shown as it is."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class LivePage(ABC):
    """One queue of changes for every open page. A platform fills in what is at the end."""

    look = "slack"

    def __init__(self) -> None:
        self._feeds: dict[asyncio.Queue[Json | None], str] = {}
        """The person that each open page is."""

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/", self._index)
        app.router.add_get("/page/{name}", self._static)
        app.router.add_get("/live", self._live)
        app.router.add_get("/file/{file}", self.file)
        app.router.add_post("/do/upload", self.upload)
        app.router.add_post("/do/{what}", self._do)

    def watch(self, change: str, data: Json) -> None:
        """Tell every page of a change that concerns its person."""
        if change == "stop":
            for queue in self._feeds:
                queue.put_nowait(None)
            return
        told = self.told(change, data)
        for queue, person in self._feeds.items():
            if told is None or not self.concerns(person, told):
                continue
            if told["type"] == "anew":
                told = self.snapshot(person)
            # One that does not read is let go; its browser comes back and gets everything anew.
            queue.put_nowait(told if queue.qsize() < BEHIND else None)

    async def _index(self, request: web.Request) -> web.StreamResponse:
        text = (PAGE / "index.html").read_text(encoding="utf-8")
        text = text.replace('data-look=""', f'data-look="{self.look}"')
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in {path.name for path in PAGE.iterdir()}:
            return web.Response(status=404, text="not found")
        return web.FileResponse(PAGE / name, headers=HEADERS)

    async def _live(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events: first everything, then every change as it happens."""
        person = self.known(request.query.get("person", ""))
        if person is None:
            return web.Response(status=404, text="no such person")
        response = web.StreamResponse(
            headers={**HEADERS, "Content-Type": "text/event-stream; charset=utf-8"}
        )
        queue: asyncio.Queue[Json | None] = asyncio.Queue()
        await response.prepare(request)
        queue.put_nowait(self.snapshot(person))
        self._feeds[queue] = person
        try:
            with suppress(ConnectionError):
                await self._feed(queue, response)
        finally:
            del self._feeds[queue]
        return response

    async def _feed(self, queue: asyncio.Queue[Json | None], response: web.StreamResponse) -> None:
        while True:
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    change = await queue.get()
            except TimeoutError:
                await response.write(b": still here\n\n")
                continue
            if change is None:
                return
            await response.write(f"data: {json.dumps(change)}\n\n".encode())

    async def _do(self, request: web.Request) -> web.StreamResponse:
        try:
            asked = json.loads(await request.text())
            answer = self.act(request.match_info["what"], asked)
        except Refusal as error:
            return web.json_response({"ok": False, "error": error.name})
        except (ValueError, KeyError, TypeError, AttributeError):
            return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
        return web.json_response({"ok": True, **answer})

    # What a platform fills in

    @abstractmethod
    def known(self, person: str) -> str | None:
        """The id of the person that a page is for; None if there is no such one."""
        ...

    @abstractmethod
    def snapshot(self, person: str) -> Json:
        """Everything, as `person` sees it."""
        ...

    @abstractmethod
    def told(self, change: str, data: Json) -> Json | None:
        """A change in the page's words; `{"type": "anew"}` sends everything again."""
        ...

    @abstractmethod
    def concerns(self, person: str, told: Json) -> bool: ...

    @abstractmethod
    def act(self, what: str, asked: Json) -> Json:
        """What a person did; raises `Refusal`."""

    @abstractmethod
    async def file(self, request: web.Request) -> web.StreamResponse: ...

    @abstractmethod
    async def upload(self, request: web.Request) -> web.StreamResponse: ...
