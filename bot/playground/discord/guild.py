"""The practice guild: people, channels, threads, messages, webhooks and files, in Discord's words.

Every change is on disk before the method returns, and is told to `listeners` under the gateway's
name for it. Rows hold ids; `views` makes the objects that Discord sends. Methods raise
`DiscordError`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.playground.discord import permissions
from bot.playground.discord.clock import Clock
from bot.playground.discord.errors import DiscordError, missing_access, missing_permissions, unknown
from bot.playground.discord.limits import WEBHOOKS
from bot.playground.rows import Json, Rows

Listener = Callable[[str, Json], None]
"""Called with a gateway event's name (or `WHISPER`, `INTERACTION`) and the row it is about."""

GUILD = "1100000000000000000"
BOT = "1100000000000000001"
APP = "1100000000000000002"
BOT_ROLE = "1100000000000000031"
ADMIN_ROLE = "1100000000000000032"
BOT_NAME = "Threadmate"
GUILD_NAME = "Practice"

TEXT, DM, CATEGORY, THREAD, FORUM = 0, 1, 4, 11, 15
DEFAULT, STARTER, REPLY = 0, 21, 19
HAS_THREAD = 1 << 5
NONCE_S = 300.0
"""Discord checks a nonce against "the past few minutes"."""


class Guild:
    """Ids are stable over restarts; addresses (which hold the port) are made when asked for."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.rows = Rows(folder / "guild.jsonl")
        self.clock = clock
        self.listeners: list[Listener] = []
        self.base_url = ""
        self.nonce_s = NONCE_S
        self.whispers: dict[str, Json] = {}
        """Ephemeral messages by id; `to` is who sees them. Never on disk."""
        self.typing: list[tuple[str, str, float]] = []
        """(channel, who, when) of every typing sign."""
        self._messages: dict[str, dict[str, Json]] = {}
        self._nonces: dict[tuple[str, str], tuple[str, str, float]] = {}

    def open(self) -> None:
        self.rows.open()
        for message in self.rows.all("message").values():
            self._messages.setdefault(message["channel"], {})[message["id"]] = message
            self.clock.seen(message["id"])
        for channel in self.channels:
            self.clock.seen(channel)
        if "secrets" not in self.rows.all("meta"):
            self.rows.put(
                "meta",
                "secrets",
                {
                    "token": f"practice.{secrets.token_hex(4)}.{secrets.token_hex(16)}",
                    "cdn": secrets.token_hex(16),
                },
            )

    def close(self) -> None:
        self.rows.close()

    @property
    def secrets(self) -> Json:
        return self.rows.all("meta")["secrets"]

    # People and roles

    @property
    def people(self) -> dict[str, Json]:
        return self.rows.all("person")

    @property
    def roles(self) -> dict[str, Json]:
        return self.rows.all("role")

    def add_person(
        self, person: str, name: str, locale: str, *, color: str = "", roles: Sequence[str] = ()
    ) -> None:
        username = name.lower().replace(" ", ".")
        row = {"name": name, "username": username, "locale": locale, "color": color}
        self.rows.put("person", person, {**row, "roles": list(roles), "bot": person == BOT})

    def add_role(self, role: str, name: str, bits: int) -> None:
        self.rows.put("role", role, {"name": name, "permissions": str(bits)})

    def person(self, person: str) -> Json:
        row = self.people.get(person)
        if row is None:
            raise unknown("User")
        return row

    # Channels and threads

    @property
    def channels(self) -> dict[str, Json]:
        """Channels, threads and direct conversations by id."""
        return self.rows.all("channel")

    def channel(self, channel: str) -> Json:
        row = self.channels.get(channel)
        if row is None:
            raise unknown("Channel")
        return row

    def add_channel(self, channel: str, name: str, kind: int = TEXT, **fields: Any) -> Json:
        """A channel of the guild; `fields`: topic, parent, tags, position."""
        row: Json = {"id": channel, "name": name, "type": kind, "overwrites": {}, **fields}
        self.rows.put("channel", channel, row)
        self.tell("CHANNEL_CREATE", row)
        return row

    def change_channel(self, channel: str, fields: Mapping[str, Any]) -> Json:
        row = {**self.channel(channel), **fields}
        self.rows.put("channel", channel, row)
        self.tell("THREAD_UPDATE" if row["type"] == THREAD else "CHANNEL_UPDATE", row)
        return row

    def remove_channel(self, channel: str) -> None:
        """Delete a channel or thread with all that is in it."""
        row = self.channel(channel)
        for thread in [c for c, r in self.channels.items() if r.get("parent") == channel]:
            if self.channels[thread]["type"] == THREAD:
                self.remove_channel(thread)
        for message in self._messages.pop(channel, {}):
            self.rows.drop("message", f"{channel}/{message}")
        for webhook in [w for w, r in self.webhooks.items() if r["channel"] == channel]:
            self.rows.drop("webhook", webhook)
        self.rows.drop("channel", channel)
        self.tell("THREAD_DELETE" if row["type"] == THREAD else "CHANNEL_DELETE", row)

    def direct(self, person: str) -> str:
        """The direct conversation of the bot with `person`; made at need."""
        self.person(person)
        for channel, row in self.channels.items():
            if row["type"] == DM and row["person"] == person:
                return channel
        channel = self.clock.snowflake()
        self.rows.put("channel", channel, {"id": channel, "type": DM, "person": person, "name": ""})
        return channel

    def open_thread(
        self, parent: str, owner: str, name: str, *, thread: str = "", **fields: Any
    ) -> Json:
        """A public thread; `thread` is the id of the message that it hangs on, if on any."""
        now = self.clock.now()
        row: Json = {
            "id": thread or self.clock.snowflake(),
            "type": THREAD,
            "name": name,
            "parent": parent,
            "owner": owner,
            "members": [owner],
            "archived": False,
            "locked": False,
            "minutes": 1_440,
            "changed": now,
            "created": now,
            **fields,
        }
        self.rows.put("channel", row["id"], row)
        self.tell("THREAD_CREATE", row)
        return row

    def join(self, thread: str, person: str) -> None:
        row = self.channel(thread)
        if person not in row["members"]:
            members = [*row["members"], person]
            self.rows.put("channel", thread, {**row, "members": members})
            self.tell("THREAD_MEMBERS_UPDATE", {"thread": thread, "person": person})

    def leave(self, thread: str, person: str) -> None:
        row = self.channel(thread)
        members = [m for m in row["members"] if m != person]
        self.rows.put("channel", thread, {**row, "members": members})

    def threads(self, parent: str | None = None) -> list[Json]:
        """Of a channel, or all; oldest first."""
        of = (r for r in self.channels.values() if r["type"] == THREAD)
        return sorted((r for r in of if parent in (None, r["parent"])), key=lambda r: int(r["id"]))

    def place(self, channel: str) -> Json:
        """The row that permissions stand in: a thread's parent, else the channel itself."""
        row = self.channel(channel)
        return self.channel(row["parent"]) if row["type"] == THREAD else row

    # Permissions

    def may(self, person: str, channel: str) -> int:
        """The bits of what a member may do in a channel or thread."""
        place = self.place(channel)
        if place["type"] == DM:
            return permissions.DIRECT if person in (BOT, place["person"]) else 0
        held = {GUILD, *self.person(person)["roles"]}
        base = permissions.granted(self.roles[role] for role in held)
        overwrites = [{"id": k, **v} for k, v in place["overwrites"].items()]
        return permissions.within(base, overwrites, GUILD, held, person)

    def allowed(self, person: str, channel: str, *names: str) -> bool:
        bits = permissions.mask(*names)
        return self.may(person, channel) & bits == bits

    def need(self, person: str, channel: str, *names: str) -> Json:
        """The channel's row; 50001 when it cannot be seen, 50013 when a permission is missing."""
        row = self.channel(channel)
        if not self.allowed(person, channel, "VIEW_CHANNEL"):
            raise missing_access()
        if not self.allowed(person, channel, *names):
            raise missing_permissions()
        return row

    def overwrite(self, channel: str, whom: str, allow: int, deny: int) -> None:
        """Set what a role or member may and may not do in a channel."""
        held = self.channel(channel)["overwrites"]
        told = {"allow": str(allow), "deny": str(deny), "type": 0 if whom in self.roles else 1}
        self.change_channel(channel, {"overwrites": {**held, whom: told}})

    # Messages

    def timeline(self, channel: str) -> list[Json]:
        """All messages of one channel or thread as kept, oldest first."""
        return list(self._messages.get(channel, {}).values())

    def find(self, channel: str, message: str) -> Json:
        found = self._messages.get(channel, {}).get(message) or self.whispers.get(message)
        if found is None or found["channel"] != channel:
            raise unknown("Message")
        return found

    def by_nonce(self, author: str, nonce: str) -> Json | None:
        """The author's message of the last minutes with this nonce, if it still stands."""
        channel, message, until = self._nonces.get((author, nonce), ("", "", 0.0))
        if until < self.clock.now():
            return None
        return self._messages.get(channel, {}).get(message)

    def post(self, channel: str, author: str, content: str, **fields: Any) -> Json:
        """Add a message; `fields` as in `blank`. A thread that was archived wakes up."""
        message = self.blank(channel, author, content, **fields)
        self._wake(channel, author)
        self._keep(message)
        nonce = message.get("nonce")
        if nonce is not None:
            until = self.clock.now() + self.nonce_s
            self._nonces[author, str(nonce)] = (channel, message["id"], until)
        self.tell("MESSAGE_CREATE", message)
        return message

    def blank(self, channel: str, author: str, content: str, **fields: Any) -> Json:
        """A message that is not kept yet."""
        return {
            "id": fields.pop("id", "") or self.clock.snowflake(),
            "channel": channel,
            "author": author,
            # Discord trims it.
            "content": content.strip(),
            "at": self.clock.now(),
            "edited": None,
            "type": DEFAULT,
            "mentions": [],
            "mention_roles": [],
            "mention_everyone": False,
            "files": [],
            "embeds": [],
            "components": [],
            "flags": 0,
            "reactions": {},
            **{k: v for k, v in fields.items() if v is not None},
        }

    def whisper(self, channel: str, to: str, content: str, **fields: Any) -> Json:
        """Show something to one person; gone when the page is loaded anew."""
        message: Json = {**self.blank(channel, BOT, content, **fields), "to": to}
        message["flags"] = int(message["flags"]) | 1 << 6
        self.whispers[message["id"]] = message
        self.tell("WHISPER", message)
        return message

    def change(self, channel: str, message: str, fields: Mapping[str, Any]) -> Json:
        before = self.find(channel, message)
        after = {**before, **fields}
        if before["id"] in self.whispers:
            self.whispers[message] = after
            self.tell("WHISPER", after)
            return after
        self._keep(after)
        self.tell("MESSAGE_UPDATE", after)
        return after

    def remove(self, channel: str, message: str) -> None:
        held = self.find(channel, message)
        if self.whispers.pop(message, None) is not None:
            self.tell("WHISPER_GONE", held)
            return
        del self._messages[channel][message]
        self.rows.drop("message", f"{channel}/{message}")
        self.tell("MESSAGE_DELETE", held)

    def react(self, channel: str, message: str, emoji: str, who: str, on: bool) -> None:
        """Put or take a reaction; doing it twice is no error, as in Discord."""
        held = self.find(channel, message)
        reactions = {name: list(users) for name, users in held["reactions"].items()}
        users = reactions.setdefault(emoji, [])
        if (who in users) == on:
            return
        (users.append if on else users.remove)(who)
        kept = {name: users for name, users in reactions.items() if users}
        self._keep({**held, "reactions": kept})
        told = {"channel": channel, "message": message, "emoji": emoji, "person": who}
        self.tell("MESSAGE_REACTION_ADD" if on else "MESSAGE_REACTION_REMOVE", told)

    def type(self, channel: str, who: str) -> None:
        self.channel(channel)
        self.typing.append((channel, who, self.clock.now()))
        self.tell("TYPING_START", {"channel": channel, "person": who})

    def replies(self, thread: str) -> int:
        """Messages in a thread besides the one that it hangs on."""
        return sum(m["type"] != STARTER and m["id"] != thread for m in self.timeline(thread))

    # Webhooks

    @property
    def webhooks(self) -> dict[str, Json]:
        return self.rows.all("webhook")

    def add_webhook(self, channel: str, name: str, owner: str, avatar: str | None) -> str:
        held = [w for w in self.webhooks.values() if w["channel"] == channel]
        if len(held) >= WEBHOOKS:
            raise DiscordError(400, 30007, f"Maximum number of webhooks reached ({WEBHOOKS})")
        webhook = self.clock.snowflake()
        row = {"channel": channel, "name": name, "owner": owner, "avatar": avatar}
        self.rows.put("webhook", webhook, {**row, "token": secrets.token_urlsafe(24)})
        self.tell("WEBHOOKS_UPDATE", {"channel": channel})
        return webhook

    def webhook(self, webhook: str, token: str | None = None) -> Json:
        row = self.webhooks.get(webhook)
        if row is None:
            raise unknown("Webhook")
        if token is not None and token != row["token"]:
            raise DiscordError(401, 50027, "Invalid Webhook Token")
        return row

    def remove_webhook(self, webhook: str) -> None:
        row = self.webhook(webhook)
        self.rows.drop("webhook", webhook)
        self.tell("WEBHOOKS_UPDATE", {"channel": row["channel"]})

    # Files

    @property
    def files(self) -> dict[str, Json]:
        return self.rows.all("file")

    def add_file(self, channel: str, name: str, data: bytes | int, mime: str | None) -> str:
        """The id of a new file; with a size instead of bytes, the caller writes `blob(id)`."""
        file = self.clock.snowflake()
        size = data if isinstance(data, int) else len(data)
        if not isinstance(data, int):
            self.blob(file).parent.mkdir(parents=True, exist_ok=True)
            self.blob(file).write_bytes(data)
        row = {"name": name, "size": size, "mime": mime, "channel": channel}
        self.rows.put("file", file, row)
        return file

    def blob(self, file: str) -> Path:
        return self.folder / "files" / file

    # Within

    def tell(self, event: str, data: Json) -> None:
        for listener in self.listeners:
            listener(event, data)

    def _keep(self, message: Json) -> None:
        if message["id"] in self.whispers:
            self.whispers[message["id"]] = message
            return
        self._messages.setdefault(message["channel"], {})[message["id"]] = message
        self.rows.put("message", f"{message['channel']}/{message['id']}", message)

    def _wake(self, channel: str, author: str) -> None:
        row = self.channel(channel)
        if row["type"] != THREAD:
            return
        if row["locked"] and not self.allowed(author, channel, "MANAGE_THREADS"):
            raise DiscordError(400, 160005, "Thread is locked")
        if row["archived"]:
            self.change_channel(channel, {"archived": False, "changed": self.clock.now()})
        self.join(channel, author)
