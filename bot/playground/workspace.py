"""The practice workspace: people, channels, messages and files, in Slack's own shapes and words.

Every change is on disk before the method returns, and is told to `listeners`. Methods raise
`SlackError` with Slack's name for what is wrong.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from bot.playground.limits import TEXT_CHARS, SlackError
from bot.playground.rows import Json, Rows

Change = Literal["message", "changed", "deleted", "reaction", "joined", "whisper", "file"]
Listener = Callable[[Change, Json], None]

TEAM = "T0PRACTICE"
BOT_USER = "U0THREADMATE"
BOT = "B0THREADMATE"
APP = "A0THREADMATE"
BOT_NAME = "Threadmate"


class Workspace:
    """Ids are stable over restarts; addresses (which hold the port) are made when asked for."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self.rows = Rows(folder / "workspace.jsonl")
        self.listeners: list[Listener] = []
        self.base_url = ""
        """`http://127.0.0.1:PORT`, set by the server."""
        self._clock = clock
        self._last_ts = 0
        self._channels: dict[str, dict[str, Json]] = {}
        self._threads: dict[tuple[str, str], dict[str, None]] = {}
        """Replies (ts) of each root, oldest first."""

    def open(self) -> None:
        self.rows.open()
        for message in self.rows.all("message").values():
            self._index(message)
            self._last_ts = max(self._last_ts, _micros(message["ts"]))
        if "tokens" not in self.rows.all("meta"):
            tokens = {
                "bot": f"xoxb-practice-{secrets.token_hex(12)}",
                "app": f"xapp-practice-{secrets.token_hex(12)}",
            }
            self.rows.put("meta", "tokens", tokens)

    def close(self) -> None:
        self.rows.close()

    @property
    def tokens(self) -> Json:
        return self.rows.all("meta")["tokens"]

    # People and channels

    @property
    def people(self) -> dict[str, Json]:
        return self.rows.all("person")

    @property
    def channels(self) -> dict[str, Json]:
        return self.rows.all("channel")

    def add_person(self, person: str, name: str, locale: str, zone: str, color: str = "") -> None:
        """A member; `locale` as Slack writes it (`zh-CN`), `zone` an IANA name."""
        bot = person == BOT_USER
        row = {"name": name, "locale": locale, "tz": zone, "color": color, "is_bot": bot}
        self.rows.put("person", person, row)

    def add_channel(self, channel: str, name: str, topic: str, members: Sequence[str]) -> None:
        created = int(self._clock())
        row = {"name": name, "topic": topic, "members": list(members), "created": created}
        self.rows.put("channel", channel, row)

    def direct(self, person: str) -> str:
        """The direct conversation of the bot with `person`; made at need."""
        self.person(person)
        for channel, row in self.channels.items():
            if row.get("im") == person:
                return channel
        channel = f"D0{person.removeprefix('U0')}"
        row = {
            "name": "",
            "topic": "",
            "members": [BOT_USER, person],
            "im": person,
            "created": int(self._clock()),
        }
        self.rows.put("channel", channel, row)
        return channel

    def person(self, person: str) -> Json:
        row = self.people.get(person)
        if row is None:
            raise SlackError("user_not_found")
        return row

    def channel(self, name: str) -> str:
        """The id of a channel that is given by id, `name` or `#name`."""
        if name in self.channels:
            return name
        plain = name.removeprefix("#")
        for channel, row in self.channels.items():
            if row["name"] == plain and plain:
                return channel
        raise SlackError("channel_not_found")

    def join(self, channel: str, person: str, inviter: str = "") -> bool:
        """False if `person` was there already."""
        self.person(person)
        row = self.channels[channel]
        if person in row["members"]:
            return False
        self.rows.put("channel", channel, {**row, "members": [*row["members"], person]})
        self._tell("joined", {"channel": channel, "user": person, "inviter": inviter})
        return True

    def leave(self, channel: str, person: str) -> None:
        row = self.channels[channel]
        members = [m for m in row["members"] if m != person]
        self.rows.put("channel", channel, {**row, "members": members})

    # Messages

    def timeline(self, channel: str) -> list[Json]:
        """All messages of a channel as kept, oldest first, replies among them."""
        return list(self._channels.get(channel, {}).values())

    def find(self, channel: str, ts: str) -> Json:
        message = self._channels.get(channel, {}).get(ts)
        if message is None:
            raise SlackError("message_not_found")
        return message

    def thread(self, channel: str, root: str) -> list[Json]:
        """The root and its replies, oldest first."""
        messages = self._channels.get(channel, {})
        stamps = [root, *self._threads.get((channel, root), ())]
        return [messages[ts] for ts in stamps if ts in messages]

    def post(self, channel: str, user: str, text: str, **fields: Any) -> Json:
        """Add a message; `fields` are Slack's (`thread_ts`, `blocks`, `files` as ids, ...)."""
        root = fields.get("thread_ts")
        if root is not None:
            fields["thread_ts"] = self._root(channel, str(root))
        message: Json = {
            "type": "message",
            "channel": channel,
            "user": user,
            "team": TEAM,
            "text": text[:TEXT_CHARS],
            "ts": self._stamp(),
            **{key: value for key, value in fields.items() if value not in (None, "", [], ())},
        }
        self._keep(message)
        for file in message.get("files", ()):
            shared = self.files[file].get("channels", [])
            self.change_file(file, {"channels": list(dict.fromkeys([*shared, channel]))})
        self._tell("message", message)
        return message

    def change(self, channel: str, ts: str, fields: Mapping[str, Any]) -> Json:
        """Edit a message; a field that is None goes away."""
        before = self.find(channel, ts)
        message = {**before, **fields}
        message["edited"] = {"user": before["user"], "ts": self._stamp()}
        message = {key: value for key, value in message.items() if value is not None}
        self._keep(message)
        self._tell("changed", {"channel": channel, "message": message, "previous": before})
        return message

    def remove(self, channel: str, ts: str) -> None:
        """Delete a message; a root with replies leaves its tombstone, as in Slack."""
        before = self.find(channel, ts)
        if len(self.thread(channel, ts)) > 1:
            keep = {key: before[key] for key in ("type", "channel", "team", "ts", "user")}
            self._keep({**keep, "subtype": "tombstone", "text": "This message was deleted."})
        else:
            del self._channels[channel][ts]
            self._threads.get((channel, before.get("thread_ts", "")), {}).pop(ts, None)
            self.rows.drop("message", f"{channel}/{ts}")
        self._tell("deleted", {"channel": channel, "ts": ts, "previous": before})

    def react(self, channel: str, ts: str, name: str, user: str, on: bool) -> None:
        """Put or take a reaction; raises `already_reacted` and `no_reaction`."""
        message = self.find(channel, ts)
        reactions = {r["name"]: list(r["users"]) for r in message.get("reactions", [])}
        users = reactions.setdefault(name, [])
        if (user in users) == on:
            raise SlackError("already_reacted" if on else "no_reaction")
        (users.append if on else users.remove)(user)
        kept = [{"name": n, "users": u, "count": len(u)} for n, u in reactions.items() if u]
        changed = {**message, "reactions": kept}
        if not kept:
            del changed["reactions"]
        self._keep(changed)
        told = {"channel": channel, "ts": ts, "name": name, "user": user, "on": on}
        self._tell("reaction", told)

    def whisper(self, channel: str, user: str, message: Json) -> Json:
        """Show something to one person; never kept, gone when the page is loaded anew."""
        shown = {
            **message,
            "type": "message",
            "subtype": "bot_message",
            "channel": channel,
            "ts": self._stamp(),
            "is_ephemeral": True,
        }
        self._tell("whisper", {"channel": channel, "user": user, "message": shown})
        return shown

    def view(self, message: Json, metadata: bool = False) -> Json:
        """The message as Slack's answers and events carry it."""
        hidden = ("channel",) if metadata else ("channel", "metadata")
        shown = {key: value for key, value in message.items() if key not in hidden}
        if "files" in message:
            shown["files"] = [self.file_view(f) for f in message["files"]]
        thread = [] if "thread_ts" in message else self.thread(message["channel"], message["ts"])
        if len(thread) > 1:
            users = list(dict.fromkeys(m["user"] for m in thread[1:]))
            shown |= {
                "thread_ts": message["ts"],
                "reply_count": len(thread) - 1,
                "reply_users": users,
                "reply_users_count": len(users),
                "latest_reply": thread[-1]["ts"],
            }
        return shown

    # Files

    @property
    def files(self) -> dict[str, Json]:
        return self.rows.all("file")

    def add_file(self, name: str, user: str, title: str = "", mime: str = "") -> str:
        """The id of a new file that has no bytes yet; write them to `blob(id)`, then `filled`."""
        file = f"F0{secrets.token_hex(5).upper()}"
        created = int(self._clock())
        row = {"name": name, "title": title or name, "user": user, "mimetype": mime}
        self.rows.put("file", file, {**row, "created": created, "size": 0, "ready": False})
        return file

    def blob(self, file: str) -> Path:
        return self.folder / "files" / file

    def filled(self, file: str, size: int) -> None:
        self.rows.put("file", file, {**self.files[file], "size": size, "ready": True})

    def change_file(self, file: str, fields: Json) -> None:
        self.rows.put("file", file, {**self.files[file], **fields})

    def remove_file(self, file: str) -> None:
        """Delete a file everywhere; its messages keep a mark of it."""
        self.rows.put("file", file, {**self.files[file], "mode": "tombstone", "ready": False})
        self.blob(file).unlink(missing_ok=True)
        self._tell("file", {"file": file})

    def file_view(self, file: str) -> Json:
        """The file object of Slack's answers, with addresses on this server."""
        row = self.files.get(file)
        if row is None:
            raise SlackError("file_not_found")
        if row.get("mode") == "tombstone":
            return {"id": file, "mode": "tombstone"}
        suffix = Path(row["name"]).suffix.removeprefix(".").lower()
        address = f"{self.base_url}/files-pri/{TEAM}-{file}"
        name = quote(row["name"], safe="")
        return {
            "id": file,
            "created": row["created"],
            "timestamp": row["created"],
            "name": row["name"],
            "title": row["title"],
            "mimetype": row["mimetype"],
            "filetype": suffix or "binary",
            "pretty_type": suffix.upper() or "Binary",
            "user": row["user"],
            "size": row["size"],
            "mode": "hosted",
            "is_external": False,
            "is_public": True,
            "file_access": "visible",
            "url_private": f"{address}/{name}",
            "url_private_download": f"{address}/download/{name}",
            "permalink": f"{self.base_url}/files/{row['user']}/{file}",
            "channels": row.get("channels", []),
        }

    # Within

    def _root(self, channel: str, ts: str) -> str:
        message = self._channels.get(channel, {}).get(ts)
        if message is None:
            raise SlackError("thread_not_found")
        return str(message.get("thread_ts") or ts)

    def _keep(self, message: Json) -> None:
        self._index(message)
        self.rows.put("message", f"{message['channel']}/{message['ts']}", message)

    def _index(self, message: Json) -> None:
        channel, ts = message["channel"], message["ts"]
        self._channels.setdefault(channel, {})[ts] = message
        if "thread_ts" in message:
            self._threads.setdefault((channel, message["thread_ts"]), {})[ts] = None

    def _stamp(self) -> str:
        """Seconds with six digits behind the point; never the same twice, never backwards."""
        self._last_ts = max(self._last_ts + 1, int(self._clock() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def _tell(self, change: Change, data: Json) -> None:
        for listener in self.listeners:
            listener(change, data)


def _micros(ts: str) -> int:
    seconds, _, micros = ts.partition(".")
    return int(seconds) * 1_000_000 + int(micros or 0)
