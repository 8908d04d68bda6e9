"""The app's commands: registering them, and finding what a person typed or chose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.playground.discord import permissions
from bot.playground.discord.errors import DiscordError, unknown
from bot.playground.discord.guild import APP, GUILD, Guild
from bot.playground.discord.limits import CREATES_A_DAY, NESTING, SLASH
from bot.playground.rows import Json

STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, FILE = range(3, 12)
STRING_CHARS = 6_000
"""Longest text of a string option."""
IN_GUILD, IN_DIRECT = 0, 1
DAY_S = 86_400

Value = str | int | float | bool | Path | tuple[str, bytes]
"""An option's value; a file is a path, (name, bytes), or the id of a file that is there."""


class NoCommand(Exception):
    """What a person asked for is not among the commands, or cannot be sent like this."""


@dataclass
class Filled:
    """A command with the values that a person gave."""

    command: Json
    options: list[Json]
    resolved: Json = field(default_factory=dict[str, Any])


class Commands:
    """Kept on disk, as registered; `registered` counts how often they were."""

    def __init__(self, guild: Guild) -> None:
        self._guild = guild
        self.registered = 0
        self._created: list[float] = []

    @property
    def all(self) -> list[Json]:
        return list(self._guild.rows.all("command").values())

    def of(self, guild_id: str | None) -> list[Json]:
        return [c for c in self.all if c.get("guild_id") == guild_id]

    def overwrite(self, guild_id: str | None, bodies: Sequence[Json]) -> list[Json]:
        """Replace all commands of one scope; those of the same name keep their id."""
        self.registered += 1
        held = {(c["type"], c["name"]): c for c in self.of(guild_id)}
        made = [self._made(body, held, guild_id) for body in bodies]
        kept = {c["id"] for c in made}
        for old in held.values():
            if old["id"] not in kept:
                self._guild.rows.drop("command", old["id"])
        for command in made:
            self._guild.rows.put("command", command["id"], command)
        self._guild.tell("COMMANDS", {})
        return made

    def upsert(self, guild_id: str | None, body: Json) -> Json:
        held = {(c["type"], c["name"]): c for c in self.of(guild_id)}
        made = self._made(body, held, guild_id)
        self._guild.rows.put("command", made["id"], made)
        self._guild.tell("COMMANDS", {})
        return made

    def drop(self, command: str) -> None:
        if command not in self._guild.rows.all("command"):
            raise unknown("Application Command")
        self._guild.rows.drop("command", command)
        self._guild.tell("COMMANDS", {})

    def _made(self, body: Json, held: Mapping[tuple[int, str], Json], guild_id: str | None) -> Json:
        kind = int(body.get("type") or SLASH)
        before = held.get((kind, body["name"]))
        if before is None:
            self._count()
        command: Json = {
            "default_member_permissions": None,
            "contexts": None,
            "integration_types": [0],
            "nsfw": False,
            "options": [],
            **body,
            "id": before["id"] if before else self._guild.clock.snowflake(),
            "type": kind,
            "application_id": APP,
            "version": self._guild.clock.snowflake(),
            "description": body.get("description", "") if kind == SLASH else "",
        }
        return command if guild_id is None else {**command, "guild_id": guild_id}

    def _count(self) -> None:
        """200 new commands a day and guild."""
        now = self._guild.clock.now()
        self._created = [at for at in self._created if at > now - DAY_S]
        if len(self._created) >= CREATES_A_DAY:
            raise DiscordError(
                400, 30034, "Max number of daily application command creates reached"
            )
        self._created.append(now)

    # What people see and send

    def usable(self, person: str, channel: str) -> list[Json]:
        """The commands that a person is offered in a channel."""
        direct = self._guild.place(channel)["type"] == 1
        if not self._guild.allowed(person, channel, "USE_APPLICATION_COMMANDS"):
            return []
        context = IN_DIRECT if direct else IN_GUILD
        may = permissions.ALL if direct else self._guild.may(person, channel)
        return [
            c
            for c in self.all
            if (c["contexts"] is None or context in c["contexts"])
            and c.get("guild_id") in (None, *(() if direct else (GUILD,)))
            and (direct and c.get("dm_permission") is not False or not direct)
            and _may_use(may, c["default_member_permissions"])
        ]

    def find(self, person: str, channel: str, kind: int, name: str) -> Json:
        """By its name or a localised one; NoCommand if the person is not offered it."""
        for command in self.usable(person, channel):
            if command["type"] == kind and name in _names(command):
                return command
        offered = ", ".join(sorted(c["name"] for c in self.usable(person, channel)))
        raise NoCommand(f"no command {name!r} here; there are: {offered or 'none'}")

    def fill(self, person: str, channel: str, typed: str, values: Mapping[str, Value]) -> Filled:
        """A slash command such as `kb add`; NoCommand if Discord would not send it."""
        first, *path = typed.removeprefix("/").split()
        command = self.find(person, channel, SLASH, first)
        filled = Filled(command, [])
        at, options = command, filled.options
        for name in path:
            inner = next(
                (o for o in at["options"] if o["type"] in NESTING and name in _names(o)), None
            )
            if inner is None:
                raise NoCommand(f"/{typed}: {name!r} is not a part of the command")
            nested: list[Json] = []
            options.append({"name": inner["name"], "type": inner["type"], "options": nested})
            at, options = inner, nested
        self._fill(filled, channel, at, options, values)
        return filled

    def _fill(
        self,
        filled: Filled,
        channel: str,
        at: Json,
        options: list[Json],
        values: Mapping[str, Value],
    ) -> None:
        known = [o for o in at.get("options") or []]
        if any(o["type"] in NESTING for o in known):
            raise NoCommand(f"{at['name']}: one of its parts must be chosen")
        left = dict(values)
        for option in known:
            given = next((n for n in _names(option) if n in left), None)
            if given is None:
                if option.get("required"):
                    raise NoCommand(f"{at['name']}: {option['name']} is required")
                continue
            value = self._value(filled, channel, option, left.pop(given))
            options.append({"name": option["name"], "type": option["type"], "value": value})
        if left:
            raise NoCommand(f"{at['name']}: no such options: {', '.join(left)}")

    def _value(self, filled: Filled, channel: str, option: Json, value: Value) -> Any:
        kind = option["type"]
        if kind == FILE:
            return self._resolve_file(filled, channel, value)
        if kind in (USER, CHANNEL, ROLE):
            self._resolve(filled, kind, str(value))
            return str(value)
        if kind == STRING and len(str(value)) > int(option.get("max_length") or STRING_CHARS):
            raise NoCommand(f"{option['name']}: too long")
        choices = [c["value"] for c in option.get("choices") or []]
        if choices and value not in choices:
            raise NoCommand(f"{option['name']}: must be one of {choices}")
        return value

    def _resolve_file(self, filled: Filled, channel: str, value: Value) -> str:
        from bot.playground.discord.views import attachment

        file = keep_file(self._guild, channel, value)
        filled.resolved.setdefault("attachments", {})[file] = attachment(self._guild, file)
        return file

    def _resolve(self, filled: Filled, kind: int, value: str) -> None:
        from bot.playground.discord import views

        if kind == USER:
            filled.resolved.setdefault("users", {})[value] = views.user(self._guild, value)
            held = views.member(self._guild, value, with_user=False)
            filled.resolved.setdefault("members", {})[value] = held
        elif kind == ROLE:
            filled.resolved.setdefault("roles", {})[value] = views.role(self._guild, value)
        else:
            shown = views.channel(self._guild, self._guild.channel(value))
            shown["permissions"] = views.app_permissions(self._guild, value)
            filled.resolved.setdefault("channels", {})[value] = shown


def keep_file(guild: Guild, channel: str, value: Value) -> str:
    """The id of a file that a person gives."""
    import mimetypes

    if isinstance(value, str):
        if value not in guild.files:
            raise NoCommand(f"no file {value}")
        return value
    if isinstance(value, Path):
        value = (value.name, value.read_bytes())
    if not isinstance(value, tuple):
        raise NoCommand("a file is a path, or its name and bytes")
    return guild.add_file(channel, value[0], value[1], mimetypes.guess_type(value[0])[0])


def _names(thing: Json) -> Iterator[str]:
    yield thing["name"]
    yield from (thing.get("name_localizations") or {}).values()


def _may_use(may: int, wanted: str | None) -> bool:
    if wanted is None or may & permissions.mask("ADMINISTRATOR"):
        return True
    return int(wanted) != 0 and may & int(wanted) == int(wanted)
