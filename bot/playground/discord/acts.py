"""What people do in the practice guild, and what can be seen there; `PracticeDiscord` is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.playground.discord import permissions, views
from bot.playground.discord.commands import Commands, NoCommand, Value, keep_file
from bot.playground.discord.errors import missing_permissions, unknown
from bot.playground.discord.guild import BOT, BOT_NAME, DM, FORUM, REPLY, THREAD, Guild
from bot.playground.discord.interactions import COMMAND, COMPONENT, MODAL, Interaction, Interactions
from bot.playground.discord.limits import MESSAGE_MENU, SLASH, USER_MENU
from bot.playground.discord.mentions import mentioned
from bot.playground.discord.routes_channels import hang_thread
from bot.playground.discord.routes_interactions import button
from bot.playground.rows import Json

SelfFile = str | Path | tuple[str, bytes]
"""A file: a path, (name, bytes), or the id of one that is there."""

MENTION = f"<@{BOT}>"


class Acts:
    """Channels are given by id, name or `#name`; people and messages by id."""

    guild: Guild
    commands: Commands
    interactions: Interactions

    # Writing

    def say(
        self,
        channel: str,
        person: str,
        text: str = "",
        files: Sequence[SelfFile] = (),
        reply_to: str | None = None,
        *,
        ping: bool = True,
    ) -> str:
        """Post as a person; the message's id. `@Threadmate` in the text mentions the bot.

        `ping`: whether a reply mentions whom it answers, as is Discord's default.
        """
        place = self.place(channel)
        self._may_say(person, place)
        fields: Json = {"files": [keep_file(self.guild, place, file) for file in files]}
        text = text.replace(f"@{BOT_NAME}", MENTION)
        fields |= self._mentions(person, place, text)
        if reply_to is not None:
            answered = self.guild.find(place, reply_to)
            reference = {"channel_id": place, "message_id": reply_to}
            fields |= {"type": REPLY, "reference": reference}
            known = answered["author"] in self.guild.people
            if ping and known and answered["author"] not in fields["mentions"]:
                fields["mentions"] = [*fields["mentions"], answered["author"]]
        return str(self.guild.post(place, person, text, **fields)["id"])

    def forward(self, channel: str, person: str, message: str) -> str:
        """Forward a message: its content comes as a snapshot, the new message has none."""
        place = self.place(channel)
        self._may_say(person, place)
        held = self.message(message)
        shown = views.message(self.guild, held)
        kept = ("type", "content", "embeds", "attachments", "timestamp", "edited_timestamp")
        also = ("flags", "mentions", "mention_roles", "components")
        snapshot = {"message": {name: shown[name] for name in (*kept, *also)}}
        reference = {"channel_id": held["channel"], "message_id": message}
        made = self.guild.post(place, person, "", snapshots=[snapshot], reference=reference)
        return str(made["id"])

    def edit(self, message: str, text: str) -> None:
        held = self.message(message)
        text = text.replace(f"@{BOT_NAME}", MENTION)
        fields = {"content": text, "edited": self.guild.clock.now()}
        fields |= self._mentions(held["author"], held["channel"], text)
        self.guild.change(held["channel"], message, fields)

    def delete(self, message: str) -> None:
        self.guild.remove(self.message(message)["channel"], message)

    def react(self, person: str, message: str, emoji: str, on: bool = True) -> None:
        self.guild.react(self.message(message)["channel"], message, emoji, person, on)

    def type(self, person: str, channel: str) -> None:
        self.guild.type(self.place(channel), person)

    def dm(self, person: str, text: str = "", files: Sequence[SelfFile] = ()) -> str:
        """Write to the bot in private; the message's id."""
        return self.say(self.direct(person), person, text, files)

    def direct(self, person: str) -> str:
        """The channel id of a person's direct conversation with the bot."""
        return self.guild.direct(person)

    def open_thread(self, person: str, message: str, name: str) -> str:
        """Open a thread on a message; its id is the message's."""
        channel = self.message(message)["channel"]
        return str(hang_thread(self.guild, channel, message, person, {"name": name})["id"])

    def forum_post(
        self,
        channel: str,
        person: str,
        title: str,
        text: str = "",
        files: Sequence[SelfFile] = (),
        tags: Sequence[str] = (),
    ) -> str:
        """A post in a forum; the id of its thread, which is its first message's id as well."""
        place = self.place(channel)
        if self.guild.channel(place)["type"] != FORUM:
            raise unknown("Channel")
        known = {tag["name"]: tag["id"] for tag in self.guild.channel(place)["tags"]}
        ids = [known.get(tag, tag) for tag in tags]
        thread = self.guild.open_thread(place, person, title, tags=ids)["id"]
        kept = [keep_file(self.guild, thread, file) for file in files]
        text = text.replace(f"@{BOT_NAME}", MENTION)
        fields = self._mentions(person, thread, text)
        self.guild.post(thread, person, text, id=thread, files=kept, **fields)
        return str(thread)

    # Commands, buttons, forms

    def slash(
        self,
        person: str,
        channel: str,
        command: str,
        options: Mapping[str, Value] | None = None,
    ) -> Interaction:
        """`slash(NORA, "handbook", "kb add", {"file": path})`; NoCommand if it is not offered."""
        place = self.place(channel)
        filled = self.commands.fill(person, place, command, options or {})
        data = self._command(filled.command, filled.options, filled.resolved)
        return self.interactions.start(COMMAND, person, place, data)

    def context_menu(self, person: str, target: str, name: str) -> Interaction:
        """Choose an entry of the menu of a message, or of a person with `target` a person's id."""
        if target in self.guild.people:
            raise NoCommand("a menu of a person needs a channel: use person_menu")
        held = self.message(target)
        place = held["channel"]
        command = self.commands.find(person, place, MESSAGE_MENU, name)
        resolved = {"messages": {target: views.message(self.guild, held)}}
        data = self._command(command, [], resolved) | {"target_id": target}
        return self.interactions.start(COMMAND, person, place, data)

    def person_menu(self, person: str, channel: str, target: str, name: str) -> Interaction:
        """Choose an entry of a person's menu."""
        place = self.place(channel)
        command = self.commands.find(person, place, USER_MENU, name)
        resolved = {
            "users": {target: views.user(self.guild, target)},
            "members": {target: views.member(self.guild, target, with_user=False)},
        }
        data = self._command(command, [], resolved) | {"target_id": target}
        return self.interactions.start(COMMAND, person, place, data)

    def click(self, person: str, message: str, custom_id: str) -> Interaction:
        """Press a button, also of an ephemeral message."""
        return self._press(person, message, custom_id, {"component_type": 2})

    def choose(
        self, person: str, message: str, custom_id: str, values: Sequence[str]
    ) -> Interaction:
        """Choose from a select menu."""
        held = {"component_type": 3, "values": list(values)}
        return self._press(person, message, custom_id, held)

    def submit(self, form: Interaction, values: Mapping[str, str]) -> Interaction:
        """Fill in and send the form that an interaction was answered with; by `custom_id`."""
        if form.modal is None:
            raise NoCommand("this interaction was not answered with a form")
        rows = [_filled(row, values) for row in form.modal["components"]]
        data = {"custom_id": form.modal["custom_id"], "components": rows}
        return self.interactions.start(MODAL, form.person, form.channel, data, form.message)

    # What an administrator does

    def deny(self, channel: str, *names: str) -> None:
        """Take permissions from the bot in a channel: `deny("random", "SEND_MESSAGES")`."""
        place = self.place(channel)
        self.guild.overwrite(place, BOT, 0, permissions.mask(*names))

    def permit(self, channel: str) -> None:
        """Take back every `deny` of a channel."""
        self.guild.overwrite(self.place(channel), BOT, 0, 0)

    def remove(self, channel: str) -> None:
        """Delete a channel or thread."""
        self.guild.remove_channel(self.place(channel))

    def archive(self, thread: str, locked: bool = False) -> None:
        self.guild.change_channel(thread, {"archived": True, "locked": locked})

    # What can be seen

    def messages(self, channel: str) -> list[Json]:
        """Of a channel or thread, oldest first, as Discord shows them to one who reads all."""
        rows = self.guild.timeline(self.place(channel))
        return [self._seen(row) for row in sorted(rows, key=lambda m: int(m["id"]))]

    def from_bot(self, channel: str) -> list[Json]:
        """What the bot posted there, under its own name or by a webhook."""
        hooks = self.guild.webhooks
        held = self.guild.timeline(self.place(channel))
        by_bot = [m["id"] for m in held if m["author"] == BOT or m.get("webhook_id") in hooks]
        return [m for m in self.messages(channel) if m["id"] in by_bot and m["type"] != 21]

    def threads(self, channel: str) -> list[Json]:
        """The threads of a channel, oldest first; `id`, `name`, `thread_metadata`."""
        return [views.thread(self.guild, row) for row in self.guild.threads(self.place(channel))]

    def reactions(self, message: str) -> dict[str, list[str]]:
        """Who reacted with what."""
        return dict(self.message(message)["reactions"])

    def whispers(self, person: str) -> list[Json]:
        """The ephemeral messages that a person sees."""
        return [self._seen(row) for row in self.guild.whispers.values() if row["to"] == person]

    @property
    def typing(self) -> list[tuple[str, str, float]]:
        """(channel, who, when) of every typing sign."""
        return self.guild.typing

    def message(self, message: str) -> Json:
        """A message as kept, wherever it is; also an ephemeral one."""
        if message in self.guild.whispers:
            return self.guild.whispers[message]
        for channel in self.guild.channels:
            for held in self.guild.timeline(channel):
                if held["id"] == message:
                    return held
        raise unknown("Message")

    def place(self, channel: str) -> str:
        """The id of a channel or thread that is given by id, `name` or `#name`."""
        if channel in self.guild.channels:
            return channel
        plain = channel.removeprefix("#")
        for held, row in self.guild.channels.items():
            if row["name"] == plain and plain and row["type"] not in (THREAD, DM):
                return held
        raise unknown("Channel")

    # Within

    def _seen(self, row: Json) -> Json:
        shown = views.message(self.guild, row)
        return {**shown, "avatar_url": row.get("avatar_url")} if "webhook_id" in row else shown

    def _may_say(self, person: str, place: str) -> None:
        self.guild.person(person)
        inside = self.guild.channel(place)["type"] == THREAD
        name = "SEND_MESSAGES_IN_THREADS" if inside else "SEND_MESSAGES"
        if not self.guild.allowed(person, place, name):
            raise missing_permissions()

    def _mentions(self, person: str, place: str, text: str) -> Json:
        crowd = self.guild.allowed(person, place, "MENTION_EVERYONE")
        return mentioned(self.guild, text, None, crowd)

    def _command(self, command: Json, options: list[Json], resolved: Json) -> Json:
        data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
        if command["type"] == SLASH:
            data["options"] = options
        if resolved:
            data["resolved"] = resolved
        return data | ({"guild_id": command["guild_id"]} if "guild_id" in command else {})

    def _press(self, person: str, message: str, custom_id: str, data: Json) -> Interaction:
        held = self.message(message)
        pressed = button(held, custom_id)
        if pressed is None or pressed.get("disabled") or held.get("to", person) != person:
            raise NoCommand(f"no button {custom_id!r} to press on message {message}")
        given: dict[str, Any] = {"custom_id": custom_id, "id": pressed.get("id", 1), **data}
        return self.interactions.start(COMPONENT, person, held["channel"], given, message)


def _filled(component: Json, values: Mapping[str, str]) -> Json:
    shown = {key: component[key] for key in ("type", "custom_id", "id") if key in component}
    if "custom_id" in component:
        shown["value"] = values.get(component["custom_id"], component.get("value", ""))
    if "components" in component:
        shown["components"] = [_filled(c, values) for c in component["components"]]
    if isinstance(component.get("component"), dict):
        shown["component"] = _filled(component["component"], values)
    return shown
