"""What the page of the practice Discord talks to.

The page thinks in time stamps (`ts`) and roots; a Discord id is time as well, so each goes into
the other and back without loss.
"""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from aiohttp import web

from bot.playground import transfer
from bot.playground.discord.clock import id_of, ts_of
from bot.playground.discord.commands import NoCommand, Value
from bot.playground.discord.errors import DiscordError
from bot.playground.discord.guild import APP, BOT, DM, FORUM, STARTER, THREAD
from bot.playground.discord.names import wire
from bot.playground.discord.offers import CHINESE, offered, parts
from bot.playground.live_page import LivePage, Refusal
from bot.playground.rows import Json

if TYPE_CHECKING:
    from bot.playground.discord.server import PracticeDiscord

SHOWN = 500
"""Newest messages of a channel or thread in the page's first answer."""
LOADING = 1 << 7
REACTIONS = {
    "+1": "👍",
    "heart": "❤️",
    "tada": "🎉",
    "eyes": "👀",
    "white_check_mark": "✅",
    "pray": "🙏",
}
"""What the page offers, by its names."""


class DiscordPage(LivePage):
    """The page with the look of Discord."""

    look = "discord"

    def __init__(self, server: PracticeDiscord) -> None:
        super().__init__()
        self._server = server
        self._guild = server.guild
        server.watchers.append(self.watch)

    def add_routes(self, app: web.Application) -> None:
        super().add_routes(app)
        app.router.add_get("/channels/{guild}/{channel}", self._to_message)
        app.router.add_get("/channels/{guild}/{channel}/{message}", self._to_message)

    async def _to_message(self, request: web.Request) -> web.StreamResponse:
        """A link of Discord's kind opens the page at a message, or at a thread's first."""
        channel = request.match_info["channel"]
        message = request.match_info.get("message") or channel
        row = self._guild.channels.get(channel)
        if row is None:
            return web.Response(status=404, text="no such channel")
        place = row["parent"] if row["type"] == THREAD else channel
        mark = "" if message == channel and row["type"] != THREAD else f"/{ts_of(message)}"
        raise web.HTTPFound(f"/#/{quote(place)}{mark}")

    # What the page sees

    def known(self, person: str) -> str | None:
        row = self._guild.people.get(person)
        return person if row is not None and not row["bot"] else None

    def snapshot(self, person: str) -> Json:
        guild = self._guild
        shown = [c for c, row in guild.channels.items() if row["type"] in (0, DM, FORUM)]
        channels = [c for c in shown if self._sees(person, c)]
        threads = [row for row in guild.threads() if row["parent"] in channels]
        places = [*channels, *(row["id"] for row in threads)]
        messages = [m for place in places for m in guild.timeline(place)[-SHOWN:]]
        return {
            "type": "snapshot",
            "me": person,
            "bot": BOT,
            "connected": self._server.gateway.connected,
            "people": [self._person(p, row) for p, row in guild.people.items()],
            "channels": [self._channel(c) for c in channels],
            "commands": self._commands(person),
            "messages": [
                *(self._shown(m) for m in messages if m["type"] != STARTER),
                *(self._orphan(row) for row in threads if not self._starter(row)),
            ],
        }

    def told(self, change: str, data: Json) -> Json | None:
        match change:
            case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
                return self._message(data)
            case "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE":
                return self._message(self._guild.find(data["channel"], data["message"]))
            case "MESSAGE_DELETE":
                place, ts = self._place(data["channel"]), ts_of(data["id"])
                return {"type": "gone", "channel": place, "ts": ts}
            case "THREAD_CREATE" | "THREAD_UPDATE":
                root = self._starter(data)
                told = self._shown(root) if root else self._orphan(data)
                return {"type": "message", "message": told}
            case "WHISPER":
                return {"type": "whisper", "to": data["to"], "message": self._shown(data)}
            case "WHISPER_GONE":
                return {"type": "unwhisper", "to": data["to"], "ts": ts_of(data["id"])}
            case "TYPING_START":
                return self._typing(data)
            case "INTERACTION" if data["state"] == "failed":
                failed = {"error": "operation_timeout", "command": data["command"]}
                place = (
                    self._place(data["channel"]) if data["channel"] in self._guild.channels else ""
                )
                return {"type": "failed", "to": data["person"], "channel": place, **failed}
            case "bot":
                return {"type": "bot", "connected": data["connected"]}
            case (
                "COMMANDS"
                | "CHANNEL_CREATE"
                | "CHANNEL_UPDATE"
                | "CHANNEL_DELETE"
                | "THREAD_DELETE"
            ):
                return {"type": "anew"}
            case _:
                return None

    def concerns(self, person: str, told: Json) -> bool:
        channel = told.get("channel") or told.get("message", {}).get("channel")
        return told.get("to", person) == person and (not channel or self._sees(person, channel))

    def _sees(self, person: str, channel: str) -> bool:
        return channel in self._guild.channels and self._guild.allowed(
            person, channel, "VIEW_CHANNEL"
        )

    def _person(self, person: str, row: Json) -> Json:
        kept = {key: row[key] for key in ("name", "locale", "color")}
        return {"id": person, "tz": "", "is_bot": row["bot"], **kept}

    def _channel(self, channel: str) -> Json:
        row = self._guild.channel(channel)
        shown: Json = {"id": channel, "name": row["name"], "topic": row["name"]}
        if row["type"] == DM:
            shown["im"] = row["person"]
        if row["type"] == FORUM:
            shown["forum"] = True
        return shown

    def _commands(self, person: str) -> Json:
        """What a person is offered in the guild and in private, in their own language."""
        guild = self._guild
        chinese = guild.person(person)["locale"] == CHINESE
        first = next(c for c, row in guild.channels.items() if row["type"] == 0)
        places = {"guild": first, "direct": guild.direct(person)}
        return {
            where: [offered(c, chinese) for c in self._server.commands.usable(person, channel)]
            for where, channel in places.items()
        }

    # Messages

    def _message(self, row: Json) -> Json | None:
        if row["type"] == STARTER:
            return None
        return {"type": "message", "message": self._shown(row)}

    def _starter(self, thread: Json) -> Json | None:
        """The message that a thread hangs on, if it is still there."""
        for place in (thread["parent"], thread["id"]):
            for message in self._guild.timeline(place):
                if message["id"] == thread["id"]:
                    return message
        return None

    def _orphan(self, thread: Json) -> Json:
        """In the place of a first message that is gone, or never was."""
        shown = self._blank(thread["parent"], thread["id"], thread["owner"])
        return {**shown, "subtype": "tombstone", "thread": _thread(thread)}

    def _blank(self, channel: str, message: str, user: str) -> Json:
        return {"channel": channel, "ts": ts_of(message), "user": user, "text": ""}

    def _place(self, channel: str) -> str:
        return str(self._guild.place(channel)["id"])

    def _shown(self, row: Json) -> Json:
        guild, place = self._guild, row["channel"]
        channel = guild.channel(place)
        shown = self._blank(self._place(place), row["id"], row["author"])
        shown |= {"text": row["content"], "markup": "discord", "blocks": parts(row)}
        if channel["type"] == THREAD:
            shown["thread_ts"] = ts_of(place)
        if row["id"] in guild.channels:
            shown["thread"] = _thread(guild.channels[row["id"]])
        if row["author"] == BOT or row.get("webhook_id") in guild.webhooks:
            shown["bot_id"] = APP
        if "username" in row:
            shown |= {"username": row["username"], "face": row.get("avatar_url") or ""}
        if row["edited"]:
            shown["edited"] = {"user": row["author"]}
        if "to" in row:
            shown["is_ephemeral"] = True
        if row["flags"] & LOADING:
            shown["loading"] = True
        shown |= {"files": [self._file_of(f) for f in row["files"]], "embeds": row["embeds"]}
        shown["reactions"] = [
            {"name": name, "users": users, "count": len(users)}
            for name, users in row["reactions"].items()
        ]
        return shown | self._about(row)

    def _about(self, row: Json) -> Json:
        """Whom a message answers, what command made it, what it forwards."""
        about: Json = {}
        if "interaction" in row:
            about["asked"] = {"user": row["interaction"]["user"]["id"], "command": row["command"]}
        if "snapshots" in row:
            held = row["snapshots"][0]["message"]
            about["forwarded"] = {"text": held["content"], "files": len(held["attachments"])}
        elif "reference" in row:
            reference = row["reference"]
            held = next(
                (
                    m
                    for m in self._guild.timeline(reference["channel_id"])
                    if m["id"] == reference["message_id"]
                ),
                None,
            )
            about["answers"] = {"ts": ts_of(reference["message_id"])}
            if held is not None:
                about["answers"] |= {"user": held["author"], "text": held["content"][:200]}
                about["answers"] |= {"username": held.get("username", "")}
        return about

    def _typing(self, data: Json) -> Json:
        channel = self._guild.channel(data["channel"])
        told: Json = {"type": "typing", "channel": self._place(data["channel"])}
        told["user"] = data["person"]
        if channel["type"] == THREAD:
            told["thread"] = ts_of(data["channel"])
        return told

    def _file_of(self, file: str) -> Json:
        row = self._guild.files[file]
        kind = row["name"].rpartition(".")[2].lower() if "." in row["name"] else "binary"
        shown = {"id": file, "name": row["name"], "title": row["name"]}
        return {**shown, "filetype": kind, "size": row["size"]}

    # Files

    async def file(self, request: web.Request) -> web.StreamResponse:
        file = request.match_info["file"]
        row = self._guild.files.get(file)
        if row is None:
            return transfer.send(None, self._guild.blob(file))
        held = {**row, "ready": True, "mimetype": row["mime"] or "application/octet-stream"}
        return transfer.send(held, self._guild.blob(file))

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """The body is the file; the query holds `person` and `name`."""
        person, name = request.query.get("person", ""), request.query.get("name", "")
        if person not in self._guild.people or not name:
            return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
        file = self._guild.clock.snowflake()
        size = await transfer.store(self._guild.blob(file), request.content.read)
        row = {"name": name, "size": size, "mime": mimetypes.guess_type(name)[0]}
        # It belongs to a place from when it is posted.
        self._guild.rows.put("file", file, {**row, "channel": "0"})
        return web.json_response({"ok": True, "file": file})

    # What a person does

    def act(self, what: str, asked: Json) -> Json:
        try:
            person = str(asked["person"])
            self._guild.person(person)
            return self._act(what, person, asked)
        except DiscordError as error:
            raise Refusal(f"discord_{error.code}") from error
        except NoCommand as error:
            raise Refusal(str(error)) from error

    def _act(self, what: str, person: str, asked: Json) -> Json:
        server = self._server
        match what:
            case "say":
                return self._say(person, asked)
            case "post":
                return self._post(person, asked)
            case "command":
                return self._command(person, asked)
            case "menu":
                server.context_menu(person, self._id(asked), str(asked["name"]))
            case "edit":
                self._own(person, asked)
                server.edit(self._id(asked), wire(str(asked["text"]), self._guild))
            case "delete":
                self._own(person, asked)
                server.delete(self._id(asked))
            case "react":
                emoji = REACTIONS.get(str(asked["name"]), str(asked["name"]))
                server.react(person, self._id(asked), emoji, bool(asked["on"]))
            case "click":
                server.click(person, self._id(asked), str(asked["action"]))
            case "typing":
                server.type(person, self._where(person, asked, make=False))
            case _:
                raise Refusal("unknown_method")
        return {}

    def _id(self, asked: Json) -> str:
        return id_of(str(asked["ts"]))

    def _where(self, person: str, asked: Json, *, make: bool) -> str:
        """The channel or thread that a person writes in; a thread is opened at need."""
        channel, thread = str(asked["channel"]), asked.get("thread")
        if not thread:
            return channel
        root = id_of(str(thread))
        if root in self._guild.channels:
            return root
        if not make or self._guild.channel(channel)["type"] == DM:
            return channel
        held = self._guild.find(channel, root)
        name = " ".join(held["content"].split())[:60] or "Thread"
        return self._server.open_thread(person, root, name)

    def _say(self, person: str, asked: Json) -> Json:
        text, files = str(asked.get("text") or ""), [str(f) for f in asked.get("files") or ()]
        if not text.strip() and not files:
            raise Refusal("no_text")
        place = self._where(person, asked, make=True)
        reply = asked.get("reply")
        answered = id_of(str(reply)) if reply else None
        said = self._server.say(place, person, wire(text, self._guild), files, answered)
        return {"ts": ts_of(said)}

    def _post(self, person: str, asked: Json) -> Json:
        """A new post in a forum."""
        title, text = str(asked.get("title") or "").strip(), str(asked.get("text") or "")
        files = [str(f) for f in asked.get("files") or ()]
        if not title or not (text.strip() or files):
            raise Refusal("no_text")
        channel = str(asked["channel"])
        made = self._server.forum_post(channel, person, title, wire(text, self._guild), files)
        return {"ts": ts_of(made)}

    def _command(self, person: str, asked: Json) -> Json:
        given: dict[str, Any] = asked.get("options") or {}
        options: dict[str, Value] = {str(k): v for k, v in given.items() if v not in (None, "")}
        place = self._where(person, asked, make=False)
        self._server.slash(person, place, str(asked["command"]), options)
        return {}

    def _own(self, person: str, asked: Json) -> None:
        if self._server.message(self._id(asked))["author"] != person:
            raise Refusal("discord_50005")


def _thread(row: Json) -> Json:
    return {"id": row["id"], "name": row["name"], "archived": row["archived"]}
