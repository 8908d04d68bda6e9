"""What the page talks to: one stream of changes, and a few things that a person can do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

from bot.playground import transfer
from bot.playground.compose import split_command, wire
from bot.playground.limits import SlackError
from bot.playground.methods_files import guess_mime
from bot.playground.rows import Json
from bot.playground.workspace import BOT_USER

if TYPE_CHECKING:
    from bot.playground.server import PracticeServer

PAGE = Path(__file__).parent / "page"
LOCAL = ("127.0.0.1", "localhost", "[::1]")
KEEP_ALIVE_S = 15.0
BEHIND = 1_000
"""Changes that a page may have unread before it is let go."""
SHOWN = 500
"""Newest messages of a channel in the page's first answer."""
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


class PageApi:
    """Routes of the page; one queue of changes for every open page."""

    def __init__(self, server: PracticeServer) -> None:
        self._server = server
        self._feeds: dict[asyncio.Queue[Json | None], str] = {}
        """The person that each open page is."""
        server.watchers.append(self._watch)

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/", self._index)
        app.router.add_get("/page/{name}", self._static)
        app.router.add_get("/live", self._live)
        app.router.add_get("/file/{file}", self._file)
        app.router.add_get("/files/{user}/{file}", self._to_file)
        app.router.add_get("/archives/{channel}/{message}", self._to_message)
        app.router.add_post("/do/upload", self._upload)
        app.router.add_post("/do/{what}", self._do)

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE / "index.html", headers=HEADERS)

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in {path.name for path in PAGE.iterdir()}:
            return web.Response(status=404, text="not found")
        return web.FileResponse(PAGE / name, headers=HEADERS)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        ws, file = self._server.workspace, request.match_info["file"]
        return transfer.send(ws.files.get(file), ws.blob(file))

    async def _to_message(self, request: web.Request) -> web.StreamResponse:
        """A permalink of Slack's kind (`/archives/C1/p1700000000000100`) opens the page there."""
        channel, digits = request.match_info["channel"], request.match_info["message"][1:]
        ts = f"{digits[:-6]}.{digits[-6:]}"
        raise web.HTTPFound(f"/#/{quote(channel)}/{quote(ts)}")

    async def _to_file(self, request: web.Request) -> web.StreamResponse:
        """A file's permalink opens the page at the message that brought it."""
        ws, file = self._server.workspace, request.match_info["file"]
        for message in ws.rows.all("message").values():
            if file in message.get("files", ()):
                raise web.HTTPFound(f"/#/{message['channel']}/{message['ts']}")
        return web.Response(status=404, text="not found")

    # The stream

    async def _live(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events: first everything, then every change as it happens."""
        person = request.query.get("person", "")
        if person not in self._server.workspace.people:
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

    def snapshot(self, person: str) -> Json:
        ws = self._server.workspace
        channels = [c for c in ws.channels if self._sees(person, c)]
        return {
            "type": "snapshot",
            "me": person,
            "bot": BOT_USER,
            "connected": self._server.hub.connected,
            "people": [{"id": p, **row} for p, row in ws.people.items()],
            "channels": [{"id": c, **ws.channels[c]} for c in channels],
            "messages": [
                self._shown(message) for c in channels for message in ws.timeline(c)[-SHOWN:]
            ],
        }

    def _watch(self, change: str, data: Json) -> None:
        if change == "stop":
            for queue in self._feeds:
                queue.put_nowait(None)
            return
        told = self._told(change, data)
        for queue, person in self._feeds.items():
            if told is None or not self._concerns(person, told):
                continue
            # One that does not read is let go; its browser comes back and gets everything anew.
            queue.put_nowait(told if queue.qsize() < BEHIND else None)

    def _told(self, change: str, data: Json) -> Json | None:
        ws = self._server.workspace
        match change:
            case "message":
                return {"type": "message", "message": self._shown(data)}
            case "changed":
                return {"type": "message", "message": self._shown(data["message"])}
            case "reaction":
                message = ws.find(data["channel"], data["ts"])
                return {"type": "message", "message": self._shown(message)}
            case "deleted":
                left = [m for m in ws.timeline(data["channel"]) if m["ts"] == data["ts"]]
                if left:
                    return {"type": "message", "message": self._shown(left[0])}
                return {"type": "gone", "channel": data["channel"], "ts": data["ts"]}
            case "whisper":
                return {"type": "whisper", "to": data["user"], "message": data["message"]}
            case "failed":
                told = {"channel": data["channel_id"], "to": data["user_id"]}
                return {
                    "type": "failed",
                    "command": data["command"],
                    "error": data["error"],
                    **told,
                }
            case "bot":
                return {"type": "bot", "connected": data["connected"]}
            case _:
                return None

    def _shown(self, message: Json) -> Json:
        return {**self._server.workspace.view(message), "channel": message["channel"]}

    def _concerns(self, person: str, told: Json) -> bool:
        channel = told.get("channel") or told.get("message", {}).get("channel")
        return told.get("to", person) == person and (not channel or self._sees(person, channel))

    def _sees(self, person: str, channel: str) -> bool:
        row = self._server.workspace.channels[channel]
        return person in row["members"] or "im" not in row

    # What a person does

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        """The body is the file; the query holds `person` and `name`."""
        ws = self._server.workspace
        person, name = request.query.get("person", ""), request.query.get("name", "")
        if person not in ws.people or not name:
            return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
        file = ws.add_file(name, person, mime=guess_mime(name))
        size = await transfer.store(ws.blob(file), request.content.read)
        ws.filled(file, size)
        return web.json_response({"ok": True, "file": file})

    async def _do(self, request: web.Request) -> web.StreamResponse:
        try:
            asked = json.loads(await request.text())
            answer = self._act(request.match_info["what"], asked)
        except SlackError as error:
            return web.json_response({"ok": False, "error": error.name})
        except (ValueError, KeyError, TypeError, AttributeError):
            return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
        return web.json_response({"ok": True, **answer})

    def _act(self, what: str, asked: Json) -> Json:
        server, person = self._server, str(asked["person"])
        server.workspace.person(person)
        match what:
            case "say":
                return self._say(person, asked)
            case "edit":
                self._own(person, asked)
                text = wire(asked["text"], server.workspace)
                server.edit(asked["channel"], asked["ts"], text)
            case "delete":
                self._own(person, asked)
                server.delete(asked["channel"], asked["ts"])
            case "react":
                name, on = str(asked["name"]), bool(asked["on"])
                server.react(asked["channel"], asked["ts"], name, person, on)
            case "click":
                server.click(asked["channel"], asked["ts"], asked["action"], person)
            case _:
                raise SlackError("unknown_method")
        return {}

    def _say(self, person: str, asked: Json) -> Json:
        server = self._server
        channel, text, thread = asked["channel"], str(asked.get("text") or ""), asked.get("thread")
        files = [str(file) for file in asked.get("files") or ()]
        if not text.strip() and not files:
            raise SlackError("no_text")
        command = None if files else split_command(text)
        if command is None:
            words = wire(text, server.workspace)
            return {"ts": server.say(channel, person, words, thread, files)}
        if thread:
            # Slack does not run slash commands in threads either.
            raise SlackError("no_command_in_thread")
        server.command(channel, person, *command)
        return {}

    def _own(self, person: str, asked: Json) -> None:
        if self._server.workspace.find(asked["channel"], asked["ts"])["user"] != person:
            raise SlackError("cant_update_message")
