"""Discord's messages to ours: pure, no I/O.

The same JSON comes from the gateway and from the history, so one translation serves both. What a
message stands in (`Channel`) is looked up before; whether a thread is active is the adapter's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bot.commands import COMMANDS
from bot.discord import ids, marks
from bot.discord.channels import Channel
from bot.discord.files import attachment_from
from core.messages import MAX_TEXT, Attachment, Language, Message, Person, Place

Json = Mapping[str, Any]

SPOKEN = frozenset({0, 19})
"""Discord: types of messages that a person writes (a message, a reply). Others are its own."""
FORWARD = 1
"""Discord: the type of a reference to a forwarded message."""

_BANG = re.compile(r"[!！]\s?(\S+)\s*(.*)", re.DOTALL)

LanguageOf = Callable[[str], Language | None]
"""The language of a person by Discord's id, where an interaction told it."""


@dataclass(frozen=True)
class Us:
    """Who we are, and which roles are only ours (Discord makes one for each application)."""

    user: str
    application: str = ""
    allowed_bots: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ours:
    """A message to accept."""

    message: Message
    starts_thread: bool = False
    """It stands in a channel: its answer belongs into a thread that begins at it."""


@dataclass(frozen=True)
class Reply:
    """An untagged message of a thread: ours if the thread is active and nobody else is meant."""

    message: Message
    otherwise: Message | None
    """What it is if not: its files for the KB, or nothing."""
    to_another: bool


@dataclass(frozen=True)
class Edited:
    """A message was edited; what it asked before is not asked again."""

    message: Message
    asks: bool
    """It mentions us now: a question, if it was none before."""


@dataclass(frozen=True)
class Nothing:
    """Not for us; `reason` is for the debug log."""

    reason: str
    said: Message | None = field(default=None, compare=False)
    """What a person said to others, for a channel where we listen."""


Outcome = Ours | Reply | Edited | Nothing


def no_language(user: str) -> Language | None:
    del user
    return None


def translate(
    data: Json,
    channel: Channel,
    us: Us,
    *,
    free: bool = False,
    edited: bool = False,
    language_of: LanguageOf = no_language,
) -> Outcome:
    """What a message means for us. `free`: every message of its channel is a question.

    `edited`: it was changed; what it asked before stays asked, so only a mention counts, and its
    run has the same key, which a run that was begun already keeps from being begun again.
    """
    return _Said(data, channel, us, language_of).outcome(free, edited)


def part(data: Json, channel: Channel, us: Us) -> Message:
    """A message as the next part of the one before it, whether it is for us or not."""
    return _Said(data, channel, us, no_language).build("ask")


@dataclass(frozen=True)
class _Said:
    data: Json
    channel: Channel
    us: Us
    language_of: LanguageOf

    def outcome(self, free: bool, edited: bool) -> Outcome:
        silent = self.silent()
        if silent is not None:
            return silent
        tagged = is_tagged(self.data, self.us)
        if edited:
            asks = tagged and not self.channel.is_direct
            return Edited(self.build("ask", files=False), asks)
        if tagged or self.channel.is_direct:
            return Ours(self.build("ask"), self.starts_thread)
        return self.untagged(free)

    @property
    def starts_thread(self) -> bool:
        return not (self.channel.is_thread or self.channel.is_direct)

    def silent(self) -> Nothing | None:
        """Nobody that we answer: ourselves, our own webhooks, other bots, Discord."""
        author = _map(self.data.get("author"))
        user = _text(author, "id")
        if user == self.us.user:
            return Nothing("our own message")
        application = _text(self.data, "application_id")
        if application and application == self.us.application:
            return Nothing("our own webhook")
        if self.data.get("type", 0) not in SPOKEN:
            return Nothing(f"a message of type {self.data.get('type')}")
        if _text(self.data, "webhook_id") or author.get("bot"):
            known = {user, _text(self.data, "webhook_id")} & self.us.allowed_bots
            return None if known else Nothing("another bot")
        return None if user else Nothing("no author")

    def untagged(self, free: bool) -> Outcome:
        files = bool(attachments(self.data))
        for_kb = self.build("file") if files else None
        text = _text(self.data, "content")
        to_another = self.is_to_another(text)
        if not text.strip() and not files and not snapshots(self.data):
            return Nothing("no content that we may see")
        if free and not to_another:
            return Ours(self.build("ask"), self.starts_thread)
        if self.channel.is_thread:
            return Reply(self.build("ask"), for_kb, to_another)
        if for_kb:
            return Ours(for_kb, True)
        return Nothing("nobody asked us", self.build("ask"))

    def is_to_another(self, text: str) -> bool:
        """It opens with somebody's mention, or answers somebody else's message."""
        answered = _map(self.data.get("referenced_message"))
        other = bool(answered) and not is_ours(answered, self.us)
        return bool(marks.opens_with(text)) or other

    def build(self, kind: str, *, files: bool = True) -> Message:
        number, text = _text(self.data, "id"), self.text()
        held = attachments(self.data) if files else ()
        others = (one for one in _people(self.data) if one != self.us.user)
        fields: dict[str, Any] = {
            "key": ids.run_key(number),
            "kind": "file" if held and not text else kind,
            "place": place_of(self.channel, number),
            "author": author_of(self.data, self.language_of),
            "id": ids.message_id(self.channel.guild, self.channel.id, number),
            "attachments": held,
            "mentions": tuple(ids.person_id(one) for one in others),
            "sent_at": ids.sent_at(number),
        }
        if fields["kind"] == "file":
            # The words of a message whose file was taken may become a question by an edit.
            fields["key"] += ":file" if kind == "file" else ""
        if fields["kind"] == "ask" and (command := command_of(text)):
            fields |= {"kind": "command", "command": command[0]}
            text = command[1]
        return Message(**fields, **cut(text))

    def text(self) -> str:
        return spoken_text(self.data, self.us)


def is_tagged(data: Json, us: Us) -> bool:
    """We are mentioned, by name or by our role, or a message of ours is answered."""
    content = _text(data, "content")
    pinged = us.user in (_text(one, "id") for one in _maps(data.get("mentions")))
    roles = {*marks.roles_in(content), *_texts(data.get("mention_roles"))}
    if pinged or us.user in marks.mentioned(content) or roles & us.roles:
        return True
    answers_us = is_ours(_map(data.get("referenced_message")), us)
    return answers_us and bool(content.strip()) and not marks.opens_with(content)


def is_ours(data: Json, us: Us) -> bool:
    """A message of ours, also one that a teammate of ours said through a webhook."""
    author = _text(_map(data.get("author")), "id")
    return author == us.user or (
        bool(us.application) and _text(data, "application_id") == us.application
    )


def place_of(channel: Channel, message: str) -> Place:
    """Where an answer to `message` goes: a thread (its own, if it stands in a channel)."""
    parent = channel.parent or channel.id
    root = channel.id if channel.is_thread or channel.is_direct else message
    return Place(
        platform=ids.NAME,
        workspace=ids.workspace_id(channel.guild),
        channel=ids.channel_id(channel.guild, parent),
        thread=ids.thread_id(channel.guild, parent, root),
        direct=channel.is_direct,
    )


def author_of(data: Json, language_of: LanguageOf = no_language) -> Person:
    user = _map(data.get("author"))
    number = _text(user, "id")
    return Person(
        id=ids.person_id(number),
        name=marks.display_name(user, _map(data.get("member"))),
        language=language_of(number),
    )


def spoken_text(data: Json, us: Us) -> str:
    """What was written, marks readable; a forwarded message's words stand quoted under it."""
    names = marks.names_in(data)

    def name_of(kind: str, number: str) -> str:
        return names.get((kind, number), "")

    own = marks.decode(_text(data, "content"), us.user, name_of, us.roles)
    quoted = [
        "\n".join(f"> {line}" for line in text.splitlines())
        for one in snapshots(data)
        if (text := marks.decode(_text(one, "content"), "", name_of))
    ]
    return "\n\n".join(part for part in (own, *quoted) if part)


def snapshots(data: Json) -> list[Json]:
    """The messages that this one forwards: their content is not its own."""
    return [_map(one.get("message")) for one in _maps(data.get("message_snapshots"))]


def attachments(data: Json) -> tuple[Attachment, ...]:
    """The files of a message, and of what it forwards."""
    where, number = _text(data, "channel_id"), _text(data, "id")
    held = [*_maps(data.get("attachments"))]
    for one in snapshots(data):
        held += _maps(one.get("attachments"))
    return tuple(attachment_from(file, where, number) for file in held if _text(file, "id"))


def answered(data: Json) -> str:
    """Discord's id of the message that this one replies to, or an empty text."""
    reference = _map(data.get("message_reference"))
    forwards = reference.get("type") == FORWARD
    return "" if forwards else _text(reference, "message_id")


def command_of(text: str) -> tuple[str, str] | None:
    """`!ask how many` -> (`ask`, `how many`)."""
    found = _BANG.fullmatch(text)
    word = found.group(1).casefold() if found else ""
    return (COMMANDS[word], found.group(2).strip()) if found and word in COMMANDS else None


def cut(text: str) -> dict[str, Any]:
    return {"text": text[:MAX_TEXT], "cut": max(0, len(text) - MAX_TEXT)}


def _people(data: Json) -> tuple[str, ...]:
    return marks.mentioned(_text(data, "content"))


def _map(value: object) -> Json:
    return cast(Json, value) if isinstance(value, Mapping) else {}


def _maps(value: object) -> list[Json]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(Json, item) for item in items if isinstance(item, Mapping)]


def _texts(value: object) -> list[str]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [str(item) for item in items]


def _text(of: Json, name: str) -> str:
    """Discord's ids come as text; a rig that sends numbers is understood too."""
    value = of.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""
