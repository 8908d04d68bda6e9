"""Slack's payloads to messages: pure, no I/O.

`translate` says what a payload means for us. Whether a thread is active, what a command's thread
becomes and when to acknowledge is the adapter's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bot.commands import COMMANDS
from bot.slack import entities, ids
from bot.talk import Spoken
from core.messages import MAX_TEXT, Attachment, Click, Message, Person, Place

Json = Mapping[str, Any]

SUBTYPES = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of `message` that are a person speaking. Every other one is Slack's own bookkeeping."""

_BANG = re.compile(r"[!！]\s?(\S+)\s*(.*)", re.DOTALL)
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True)
class Us:
    """Who we are in this workspace, from `auth.test`."""

    team: str
    user: str
    bot: str = ""
    allowed_bots: frozenset[str] = frozenset()
    """Ids of bots that may ask; nobody by default, since two bots answer each other for ever."""


@dataclass(frozen=True)
class Ours:
    """A message to accept."""

    message: Message


@dataclass(frozen=True)
class Twin:
    """An `app_mention`. Its `message` event says the same and has files; better take that."""

    message: Message


@dataclass(frozen=True)
class Reply:
    """An untagged reply: ours if its thread is active and nobody else is meant."""

    message: Message
    otherwise: Message | None
    """What it is if not: its files for the KB, or nothing."""
    to_another: bool
    """It opens with another person's mention."""


@dataclass(frozen=True)
class Command:
    """A slash command: its thread does not exist yet."""

    message: Message
    line: str
    """As typed: `/ask how many …`."""
    response_url: str


@dataclass(frozen=True)
class Edited:
    """A message was edited; if it asked us something, it does not ask again."""

    message: Message


@dataclass(frozen=True)
class Gone:
    """A message was deleted."""

    place: Place
    message: str


@dataclass(frozen=True)
class Joined:
    """We were invited to a channel."""

    place: Place
    key: str


@dataclass(frozen=True)
class Nothing:
    """Not for us; `reason` is for the debug log."""

    reason: str
    said: Message | None = field(default=None, compare=False)
    """What a person said to others, for a channel where we listen."""


Outcome = Ours | Twin | Reply | Command | Edited | Gone | Joined | Nothing
PersonOf = Callable[[str], Person]
"""A profile by our id, without waiting: what is known now."""


def bare_person(person: str) -> Person:
    return Person(id=person)


def translate(body: Json, us: Us, person_of: PersonOf = bare_person) -> Outcome:
    """What a payload (event callback, slash command, click) means for us."""
    if body.get("type") == "event_callback":
        return _Event(body, us, person_of).outcome()
    if body.get("type") == "block_actions":
        return _click(body, us, person_of)
    if "command" in body:
        return _slash(body, us, person_of)
    return Nothing(f"payload {body.get('type')}")


def spoken(body: Json, us: Us) -> Spoken | None:
    """Who spoke where, for telling a talk between people from one with us; None if nobody did."""
    event = _map(body.get("event"))
    if event.get("type") != "message" or _text(event, "subtype") not in SUBTYPES | {"bot_message"}:
        return None
    channel, ts = _text(event, "channel"), _text(event, "ts")
    thread = ids.message_id(_team(body, us), channel, _text(event, "thread_ts") or ts)
    author = _text(event, "user") or _text(event, "bot_id")
    return Spoken(thread, author, us.user in entities.mentioned(_text(event, "text")))


@dataclass(frozen=True)
class _Event:
    body: Json
    us: Us
    person_of: PersonOf

    @property
    def team(self) -> str:
        return _team(self.body, self.us)

    def outcome(self) -> Outcome:
        event = _map(self.body.get("event"))
        match event.get("type"):
            case "message":
                return self.message(event)
            case "app_mention":
                return self.mention(event)
            case "member_joined_channel" if event.get("user") == self.us.user:
                channel = _text(event, "channel")
                place = self.place(channel, "", _text(event, "channel_type"))
                return Joined(place, f"joined:{place.channel}:{_text(event, 'event_ts')}")
            case kind:
                return Nothing(f"event {kind}")

    def message(self, event: Json) -> Outcome:
        match subtype := _text(event, "subtype"):
            case "message_changed":
                return self.changed(event)
            case "message_deleted":
                return self.gone(event, _text(event, "deleted_ts"))
            case _ if subtype not in SUBTYPES:
                return Nothing(f"subtype {subtype}")
            case _:
                return self.silent(event) or self.said(event)

    def mention(self, event: Json) -> Outcome:
        if event.get("edited"):
            # Its message_changed tells whether the mention is new.
            return Nothing("app_mention of an edit")
        return self.silent(event) or Twin(self.build(event, "ask"))

    def silent(self, event: Json) -> Nothing | None:
        """Nobody that we answer: ourselves, other bots, Slackbot, nobody."""
        user, bot = _text(event, "user"), _text(event, "bot_id")
        if user == self.us.user or (bot and bot == self.us.bot):
            return Nothing("our own message")
        if bot or user == _SLACKBOT:
            return None if {bot, user} & self.us.allowed_bots else Nothing("another bot")
        return None if user else Nothing("no author")

    def said(self, event: Json) -> Outcome:
        text = _text(event, "text")
        files = bool(event.get("files"))
        if self.us.user in entities.mentioned(text) or self.direct(event):
            return Ours(self.build(event, "ask"))
        replied = _text(event, "thread_ts") not in ("", _text(event, "ts"))
        if replied and _command(entities.decode(text, self.us.user, _no_name)):
            return Ours(self.build(event, "ask"))
        for_kb = self.build(event, "file") if files else None
        if replied:
            opener = entities.opens_with(text)
            return Reply(self.build(event, "ask"), for_kb, bool(opener))
        return Ours(for_kb) if for_kb else Nothing("nobody asked us", self.build(event, "ask"))

    def changed(self, event: Json) -> Outcome:
        """An edit asks only if a person adds our mention; what we were asked before stays asked."""
        now, before = _map(event.get("message")), _map(event.get("previous_message"))
        if now.get("subtype") == "tombstone":
            return self.gone(event, _text(now, "ts"))
        if _text(now, "subtype") not in SUBTYPES:
            return Nothing("an edit by Slack")
        inside = {**now, "channel": event.get("channel"), "channel_type": event.get("channel_type")}
        silent = self.silent(inside)
        if silent:
            return silent
        us = self.us.user
        added = us in entities.mentioned(_text(now, "text")) and us not in entities.mentioned(
            _text(before, "text")
        )
        if not added or self.direct(inside):
            if _text(now, "text") == _text(before, "text"):
                return Nothing("an edit of nothing that was said")
            return Edited(self.build(inside, "ask"))
        # Its files, if any, were a run of the plain key; the question is a run of its own, once.
        key = ids.message_key(self.team, _text(event, "channel"), _text(now, "ts"))
        message = self.build(inside, "ask")
        return Ours(message.model_copy(update={"key": f"{key}:mention"}))

    def gone(self, event: Json, ts: str) -> Gone:
        channel = _text(event, "channel")
        thread = _text(_map(event.get("previous_message")), "thread_ts") or ts
        place = self.place(channel, thread, _text(event, "channel_type"))
        return Gone(place, ids.message_id(self.team, channel, ts))

    def direct(self, event: Json) -> bool:
        return _direct(_text(event, "channel"), _text(event, "channel_type"))

    def place(self, channel: str, ts: str, kind: str) -> Place:
        return _place(self.team, channel, ids.message_id(self.team, channel, ts), kind)

    def build(self, event: Json, kind: str) -> Message:
        team, channel, ts = self.team, _text(event, "channel"), _text(event, "ts")
        marked = _text(event, "text")
        text = entities.decode(marked, self.us.user, self.name_of)
        files = attachments(event)
        others = (user for user in entities.mentioned(marked) if user != self.us.user)
        fields: dict[str, Any] = {
            "key": ids.message_key(team, channel, ts),
            "kind": "file" if files and not text else kind,
            "place": self.place(
                channel, _text(event, "thread_ts") or ts, _text(event, "channel_type")
            ),
            "author": self.person_of(
                ids.person_id(team, _text(event, "user") or _text(event, "bot_id"))
            ),
            "id": ids.message_id(team, channel, ts),
            "attachments": files,
            "mentions": tuple(ids.person_id(team, user) for user in others),
            "sent_at": ids.sent_at(ts),
        }
        if fields["kind"] == "ask" and (command := _command(text)):
            fields |= {"kind": "command", "command": command[0]}
            text = command[1]
        return Message(**fields, **_cut(text))

    def name_of(self, user: str) -> str:
        return self.person_of(ids.person_id(self.team, user)).name


def _slash(body: Json, us: Us, person_of: PersonOf) -> Outcome:
    team, channel = _text(body, "team_id") or us.team, _text(body, "channel_id")
    trigger, word = _text(body, "trigger_id"), _text(body, "command").lstrip("/")
    if word not in COMMANDS or not (channel and trigger):
        return Nothing(f"command {word}")
    typed = _text(body, "text")
    message = Message(
        key=ids.trigger_key(team, trigger),
        kind="command",
        place=_place(team, channel, ids.command_thread(team, channel, trigger), ""),
        author=person_of(ids.person_id(team, _text(body, "user_id"))),
        command=COMMANDS[word],
        mentions=tuple(
            ids.person_id(team, user) for user in entities.mentioned(typed) if user != us.user
        ),
        **_cut(
            entities.decode(typed, us.user, lambda user: person_of(ids.person_id(team, user)).name)
        ),
    )
    line = f"/{word} {message.text}".rstrip()
    return Command(message, line, _text(body, "response_url"))


def _click(body: Json, us: Us, person_of: PersonOf) -> Outcome:
    actions = _maps(body.get("actions"))
    container, shown = _map(body.get("container")), _map(body.get("message"))
    channel = _text(_map(body.get("channel")), "id") or _text(container, "channel_id")
    ts = _text(shown, "ts") or _text(container, "message_ts")
    trigger = _text(body, "trigger_id")
    if not (actions and channel and ts and trigger):
        return Nothing("a click on nothing of ours")
    # The clicker's team stands in the payload; in a shared channel it is not the channel's.
    team, user = us.team, _text(_map(body.get("user")), "id")
    root = _text(shown, "thread_ts") or _text(container, "thread_ts") or ts
    held = ids.message_id(team, channel, ts)
    click = Click(
        action=_text(actions[0], "action_id").partition(":")[0],
        value=_text(actions[0], "value"),
        message=held,
    )
    return Ours(
        Message(
            key=ids.trigger_key(team, trigger),
            kind="click",
            place=_place(team, channel, ids.message_id(team, channel, root), ""),
            author=person_of(ids.person_id(team, user)),
            id=held,
            click=click,
            sent_at=ids.sent_at(_text(actions[0], "action_ts")),
        )
    )


def _command(text: str) -> tuple[str, str] | None:
    """`!ask how many` -> (`ask`, `how many`)."""
    found = _BANG.fullmatch(text)
    word = found.group(1).casefold() if found else ""
    return (COMMANDS[word], found.group(2).strip()) if found and word in COMMANDS else None


def attachments(event: Json) -> tuple[Attachment, ...]:
    """The files of a message event, or of a message that was looked up."""
    return tuple(_attachment(file) for file in _maps(event.get("files")) if _text(file, "id"))


def with_files(message: Message, event: Json) -> Message:
    """A mention that came without its files, completed from the message itself."""
    files = attachments(event)
    if not files:
        return message
    only_files = message.kind == "ask" and not message.text
    kind = "file" if only_files else message.kind
    return message.model_copy(update={"attachments": files, "kind": kind})


def _attachment(file: Json) -> Attachment:
    """A Slack Connect file comes without addresses: `files.info` has them at download."""
    return Attachment(
        id=_text(file, "id"),
        name=_text(file, "name") or _text(file, "title") or _text(file, "id"),
        size=size if isinstance(size := file.get("size"), int) else 0,
        mime=_text(file, "mimetype"),
        handle=_text(file, "url_private_download") or _text(file, "url_private"),
    )


def _place(team: str, channel: str, thread: str, kind: str) -> Place:
    return Place(
        platform=ids.NAME,
        workspace=ids.workspace_id(team),
        channel=ids.channel_id(team, channel),
        thread=thread,
        direct=_direct(channel, kind),
    )


def _direct(channel: str, kind: str) -> bool:
    return kind == "im" or channel.startswith(ids.DIRECT)


def _team(body: Json, us: Us) -> str:
    """The outer team: in a shared channel, the one inside the event is the author's."""
    return _text(body, "team_id") or us.team


def _cut(text: str) -> dict[str, Any]:
    return {"text": text[:MAX_TEXT], "cut": max(0, len(text) - MAX_TEXT)}


def _no_name(user: str) -> str:
    del user
    return ""


def _map(value: object) -> Json:
    return cast(Json, value) if isinstance(value, Mapping) else {}


def _maps(value: object) -> list[Json]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(Json, item) for item in items if isinstance(item, Mapping)]


def _text(of: Json, name: str) -> str:
    value = of.get(name)
    return value if isinstance(value, str) else ""
