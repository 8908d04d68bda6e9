"""What the page of the practice Slack talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

from bot.playground import transfer
from bot.playground.compose import split_command, wire
from bot.playground.limits import SlackError
from bot.playground.live_page import LivePage, Refusal
from bot.playground.methods_files import guess_mime
from bot.playground.rows import Json
from bot.playground.workspace import BOT_USER

if TYPE_CHECKING:
    from bot.playground.server import PracticeServer

SHOWN = 500
"""Newest messages of a channel in the page's first answer."""


class PageApi(LivePage):
    """The page with the look of Slack."""

    def __init__(self, server: PracticeServer) -> None:
        super().__init__()
        self._server = server
        server.watchers.append(self.watch)

    def add_routes(self, app: web.Application) -> None:
        super().add_routes(app)
        app.router.add_get("/files/{user}/{file}", self._to_file)
        app.router.add_get("/archives/{channel}/{message}", self._to_message)

    async def file(self, request: web.Request) -> web.StreamResponse:
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

    def known(self, person: str) -> str | None:
        return person if person in self._server.workspace.people else None

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

    def told(self, change: str, data: Json) -> Json | None:
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

    def concerns(self, person: str, told: Json) -> bool:
        channel = told.get("channel") or told.get("message", {}).get("channel")
        return told.get("to", person) == person and (not channel or self._sees(person, channel))

    def _sees(self, person: str, channel: str) -> bool:
        row = self._server.workspace.channels[channel]
        return person in row["members"] or "im" not in row

    # What a person does

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """The body is the file; the query holds `person` and `name`."""
        ws = self._server.workspace
        person, name = request.query.get("person", ""), request.query.get("name", "")
        if person not in ws.people or not name:
            return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
        file = ws.add_file(name, person, mime=guess_mime(name))
        size = await transfer.store(ws.blob(file), request.content.read)
        ws.filled(file, size)
        return web.json_response({"ok": True, "file": file})

    def act(self, what: str, asked: Json) -> Json:
        try:
            return self._act(what, asked)
        except SlackError as error:
            raise Refusal(error.name) from error

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
