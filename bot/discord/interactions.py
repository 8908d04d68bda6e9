"""Interactions to messages: slash commands, context menus, buttons. Pure.

Each outcome holds the first answer, which Discord wants within three seconds. It never waits for
the work: what comes after goes into the thread, where no token runs out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bot.commands import COMMANDS, PRIVATE
from bot.discord import events, ids, render
from bot.discord.channels import Channel, channel_from
from bot.discord.commands import ADD, ASK_ABOUT, PICKED
from bot.discord.events import Us
from bot.discord.files import attachment_from, note_from
from bot.discord.marks import decode, display_name, mentioned
from bot.discord.origins import Kind, Origin
from bot.discord.posting import quoted
from bot.discord.render import Pressed, read_custom_id
from bot.platform import Draft
from bot.text.invisible import without_invisible
from bot.text.outbound import clean
from core.messages import Attachment, Click, Language, Message, Person, Place
from core.redact import redact
from core.texts import say

Json = Mapping[str, Any]
Payload = dict[str, Any]

COMMAND, COMPONENT = 2, 3
"""Discord: types of interactions."""
SAID, DEFERRED, UNCHANGED, CHANGED = 4, 5, 6, 7
"""Discord: types of first answers. `DEFERRED` shows that we are at work."""
KEEP = "keep"
NOTE_CHARS = 40


@dataclass(frozen=True)
class Asked:
    """A run to start; `first` is the answer to give at once."""

    message: Message
    origin: Origin | None
    first: Payload


@dataclass(frozen=True)
class Aside:
    """Only an answer to give; no run."""

    first: Payload


Outcome = Asked | Aside | None


def language_of(locale: str) -> Language | None:
    """`zh-CN` -> zh, `en-GB` -> en, others: not told."""
    head = locale[:2].lower()
    return "zh" if head == "zh" else "en" if head == "en" else None


def person_of(data: Json) -> Person:
    member = _map(data.get("member"))
    user = _map(member.get("user") or data.get("user"))
    return Person(
        id=ids.person_id(str(user.get("id") or "")),
        name=display_name(user, member),
        language=language_of(str(data.get("locale") or "")),
    )


def read(data: Json, us: Us, now: float, channel: Channel | None = None) -> Outcome:
    """What an interaction means for us; `channel` is taken where Discord does not tell it."""
    told = _map(data.get("channel"))
    if told.get("id"):
        channel = channel_from(told, str(data.get("guild_id") or ""))
    if channel is None:
        guild, number = str(data.get("guild_id") or ""), str(data.get("channel_id") or "")
        channel = Channel(number, guild, kind=0 if guild else 1)
    got = _Got(data, us, now, channel, person_of(data))
    match data.get("type"):
        case 2:
            return got.command()
        case 3:
            return got.click()
        case _:
            return None


@dataclass(frozen=True)
class _Got:
    data: Json
    us: Us
    now: float
    channel: Channel
    person: Person

    @property
    def number(self) -> str:
        return str(self.data["id"])

    @property
    def language(self) -> Language:
        return self.person.language or "en"

    def command(self) -> Outcome:
        held = _map(self.data.get("data"))
        name = str(held.get("name") or "")
        if held.get("type") == 3:
            return self.menu(name, held)
        word = COMMANDS.get(name)
        if word is None:
            return None
        options = self.options(held)
        if word == "ask":
            return self.ask(options, held)
        if word == "stop":
            return self.asked(self.message(word, ""), "reply", "/stop", self.whispered("stopping"))
        if word == "kb":
            return self.kb(held)
        text = str(options.get("text") or "")
        first = self.deferred(private=word in PRIVATE)
        return self.asked(self.message(word, text), "reply", f"/{word} {text}", first)

    def ask(self, options: Json, held: Json) -> Asked:
        typed = "".join([*picked(options), str(options.get("question") or "")])
        files = self.files(options, held)
        message = self.message("ask", typed, files)
        line = f"/ask {message.text}".rstrip() + "".join(f"\n📎 {one.name}" for one in files)
        draft = quoted(redact(line), message.author.id)
        return self.asked(message, "ask", line, {"type": SAID, "data": render.body(draft)})

    def kb(self, held: Json) -> Outcome:
        chosen = next(iter(_maps(held.get("options"))), {})
        action, options = str(chosen.get("name") or "list"), self.options(chosen)
        if action == "add":
            files = self.files(options, held)
            message = self.message("ask", "", files, kind="ask")
            return self.asked(message, "reply", "/kb add", self.deferred())
        text = " ".join([action, *(str(value) for value in options.values())])
        return self.asked(self.message("kb", text), "reply", f"/kb {text}", self.deferred())

    def menu(self, name: str, held: Json) -> Outcome:
        number = str(held.get("target_id") or "")
        target = _map(_map(_map(held.get("resolved")).get("messages")).get(number))
        if not target:
            return None
        target = {"channel_id": self.channel.id, **target}
        text = without_invisible(events.spoken_text(target, self.us)).strip()
        files = events.attachments(target)
        spot = ids.message_id(self.channel.guild, self.channel.id, number)
        if name == ASK_ABOUT and (text or files):
            message = self.message("ask", text, files, kind="ask").model_copy(
                update={"place": events.place_of(self.channel, number), "id": spot}
            )
            return self.asked(message, "ask", "", self.whispered("taken"))
        if name == ADD and (text or files):
            files = files or (self.note(text, number, target),)
            message = self.message("ask", "", files, kind="ask").model_copy(update={"id": spot})
            return self.asked(message, "reply", f"/{ADD}", self.deferred())
        return Aside(self.whispered("nothing_to_add"))

    def note(self, text: str, number: str, target: Json) -> Attachment:
        """A message without files, as a document of its own."""
        at = str(target.get("timestamp") or "")[:10]
        who = display_name(_map(target.get("author")), {})[:NOTE_CHARS]
        name = say("discord.note", self.language, date=at, name=who)
        return note_from(text, " ".join(name.replace("/", " ").split()), number)

    def click(self) -> Outcome:
        pressed = read_custom_id(str(_map(self.data.get("data")).get("custom_id") or ""))
        shown = _map(self.data.get("message"))
        number = pressed.held or str(shown.get("id") or "")
        if pressed.action == KEEP:
            return Aside(self.changed("kept"))
        if not (pressed.action and number):
            return None
        if pressed.asks:
            return Aside(self.confirm(pressed, number, shown))
        spot = ids.message_id(self.channel.guild, self.channel.id, number)
        message = Message(
            key=ids.run_key(self.number),
            kind="click",
            place=events.place_of(self.channel, number),
            author=self.person,
            id=spot,
            click=Click(action=pressed.action, value=pressed.value, message=spot),
            sent_at=ids.sent_at(self.number),
        )
        first = self.changed("taken") if pressed.held else {"type": UNCHANGED}
        return Asked(message, None, first)

    def confirm(self, pressed: Pressed, number: str, shown: Json) -> Payload:
        """Discord's buttons ask nothing before they act; this does, in private."""
        label = _label_of(shown, str(_map(self.data.get("data")).get("custom_id")))
        body = self.private(say("discord.confirm", self.language, label=label))
        yes = render.custom_id(pressed.action, pressed.value, held=number)
        no = render.custom_id(KEEP, "")
        body["components"] = [
            {
                "type": 1,
                "components": [
                    {"type": 2, "style": 4, "label": label or "✓", "custom_id": yes},
                    {
                        "type": 2,
                        "style": 2,
                        "label": say("discord.keep", self.language),
                        "custom_id": no,
                    },
                ],
            }
        ]
        return {"type": SAID, "data": body}

    def asked(self, message: Message, kind: Kind, line: str, first: Payload) -> Asked:
        place = message.place
        origin = Origin(
            id=self.number,
            kind=kind,
            thread=place.thread,
            channel=place.channel,
            line=line.rstrip(),
            token=str(self.data.get("token") or ""),
            message="",
            mark="",
            written_at=self.now,
            person=message.author.id,
        )
        return Asked(message, origin, first)

    def message(
        self, word: str, text: str, files: tuple[Attachment, ...] = (), *, kind: str = "command"
    ) -> Message:
        def name_of(sort: str, number: str) -> str:
            users = _map(_map(_map(self.data.get("data")).get("resolved")).get("users"))
            return display_name(_map(users.get(number)), {}) if sort == "@" else ""

        fields: dict[str, Any] = {
            "key": ids.run_key(self.number),
            "kind": kind,
            "place": self.place(),
            "author": self.person,
            "attachments": files,
            "command": word if kind == "command" else "",
            "mentions": tuple(ids.person_id(one) for one in mentioned(text) if one != self.us.user),
            "sent_at": ids.sent_at(self.number),
        }
        return Message(**fields, **events.cut(decode(text, self.us.user, name_of)))

    def place(self) -> Place:
        place = events.place_of(self.channel, self.number)
        if self.channel.is_thread or self.channel.is_direct:
            return place
        thread = ids.command_thread(self.channel.guild, self.channel.id, self.number)
        return place.model_copy(update={"thread": thread})

    def options(self, held: Json) -> dict[str, Any]:
        return {str(one.get("name")): one.get("value") for one in _maps(held.get("options"))}

    def files(self, options: Json, held: Json) -> tuple[Attachment, ...]:
        """Attachments of options: no message holds them, so no fresh address can be asked for."""
        there = _map(_map(held.get("resolved")).get("attachments"))
        chosen = (there.get(str(value)) for value in options.values())
        return tuple(
            attachment_from(one, self.channel.id, "") for one in chosen if isinstance(one, Mapping)
        )

    def deferred(self, *, private: bool = False) -> Payload:
        """Discord: what is said next is as private as this, whatever it says of itself."""
        flags = {"data": {"flags": render.EPHEMERAL}} if private else {}
        return {"type": DEFERRED, **flags}

    def whispered(self, key: str) -> Payload:
        return {"type": SAID, "data": self.private(say(f"discord.{key}", self.language))}

    def changed(self, key: str) -> Payload:
        text = say(f"discord.{key}", self.language)
        return {"type": CHANGED, "data": render.body(Draft(text=text))}

    def private(self, text: str) -> Payload:
        body = render.body(clean(Draft(text=text), ids.NAME))
        return body | {"flags": body["flags"] | render.EPHEMERAL}


def picked(options: Json) -> list[str]:
    """The picks as words before the question, as they are typed everywhere else."""
    chosen = {name: str(options.get(name) or "").replace('"', "").strip() for name in PICKED}
    return [
        f"{name}: {value} " if name in ("mode", "tools") else f'{name}: "{value}" '
        for name, value in chosen.items()
        if value
    ]


def _label_of(shown: Json, pressed: str) -> str:
    for row in _maps(shown.get("components")):
        for button in _maps(row.get("components")):
            if button.get("custom_id") == pressed:
                return str(button.get("label") or "")
    return ""


def _map(value: object) -> Json:
    return cast(Json, value) if isinstance(value, Mapping) else {}


def _maps(value: object) -> list[Json]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(Json, item) for item in items if isinstance(item, Mapping)]
