"""What people do with commands, buttons and menus, and the tokens that answer them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bot.playground.discord import views
from bot.playground.discord.errors import DiscordError, unknown
from bot.playground.discord.guild import APP, DM, GUILD, Guild
from bot.playground.discord.limits import FILE_BYTES, NESTING, SLASH
from bot.playground.rows import Json

FIRST_S = 3.0
"""Discord: the first answer comes within three seconds, or never."""
TOKEN_S = 15 * 60
"""Discord: a token lives for fifteen minutes."""
COMMAND, COMPONENT, MODAL = 2, 3, 5

State = Literal["waiting", "answered", "failed"]


@dataclass(eq=False)
class Interaction:
    """One act of a person that waits for the app's answer."""

    id: str
    token: str
    kind: int
    person: str
    channel: str
    data: Json
    made: float
    message: str | None = None
    """The message of a component."""
    original: str | None = None
    """The message that `@original` means."""
    original_channel: str = ""
    loading: bool = False
    """Deferred, and nothing said yet."""
    ephemeral: bool = False
    modal: Json | None = None
    """The form that the app answered with."""
    state: State = "waiting"
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def answered(self) -> bool:
        """Wait for the first answer (True) or for Discord to give up (False)."""
        await self.settled.wait()
        return self.state == "answered"


Emit = Callable[[str, "str | None", Json], None]


class Interactions:
    """Makes the payloads and remembers what was handed out with them."""

    def __init__(self, guild: Guild, emit: Emit) -> None:
        self._guild = guild
        self._emit = emit
        self.first_s = FIRST_S
        self.all: dict[str, Interaction] = {}
        """By token."""
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def start(
        self, kind: int, person: str, channel: str, data: Json, message: str | None = None
    ) -> Interaction:
        """Send an INTERACTION_CREATE; the returned one says what became of it."""
        guild = self._guild
        made = Interaction(
            id=guild.clock.snowflake(),
            token=secrets.token_urlsafe(48),
            kind=kind,
            person=person,
            channel=channel,
            data=data,
            made=guild.clock.now(),
            message=message,
        )
        self.all[made.token] = made
        loop = asyncio.get_running_loop()
        self._timers[made.token] = loop.call_later(self.first_s, self._give_up, made)
        direct = guild.channel(channel)["type"] == DM
        self._emit("INTERACTION_CREATE", None if direct else GUILD, self.payload(made))
        return made

    def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def payload(self, made: Interaction) -> Json:
        guild = self._guild
        row = guild.channel(made.channel)
        channel = views.channel(guild, row)
        channel["permissions"] = views.app_permissions(guild, made.channel, made.person)
        shown: Json = {
            "id": made.id,
            "application_id": APP,
            "type": made.kind,
            "data": made.data,
            "token": made.token,
            "version": 1,
            "channel_id": made.channel,
            "channel": channel,
            "locale": guild.person(made.person)["locale"],
            "app_permissions": views.app_permissions(guild, made.channel),
            "entitlements": [],
            "authorizing_integration_owners": {"0": GUILD},
            "attachment_size_limit": FILE_BYTES,
            "context": 1 if row["type"] == DM else 0,
        }
        if row["type"] == DM:
            shown["user"] = views.user(guild, made.person)
        else:
            held = views.member(guild, made.person)
            held["permissions"] = views.app_permissions(guild, made.channel, made.person)
            shown |= {"guild_id": GUILD, "guild_locale": "en-US", "member": held}
            shown["guild"] = {"id": GUILD, "locale": "en-US", "features": []}
        if made.message is not None:
            shown["message"] = views.message(guild, guild.find(made.channel, made.message))
        return shown

    def metadata(self, made: Interaction) -> Json:
        """What a message says about the interaction that it answers."""
        return {
            "id": made.id,
            "type": made.kind,
            "user": views.user(self._guild, made.person),
            "authorizing_integration_owners": {"0": GUILD},
        }

    def first(self, interaction: str, token: str) -> Interaction:
        """For the first answer: 10062 when it is late or unknown, 40060 when there is one."""
        made = self.all.get(token)
        if made is None or made.id != interaction:
            raise unknown("Interaction")
        if made.state == "answered":
            raise DiscordError(400, 40060, "Interaction has already been acknowledged.")
        if made.state == "failed" or self._guild.clock.now() - made.made > self.first_s:
            self._give_up(made)
            raise unknown("Interaction")
        return made

    def later(self, token: str) -> Interaction:
        """For everything after the first answer: 50027 when the token has expired."""
        made = self.all.get(token)
        if made is None or self._guild.clock.now() - made.made > TOKEN_S:
            raise DiscordError(401, 50027, "Invalid Webhook Token")
        if made.state != "answered":
            raise unknown("Webhook")
        return made

    def expire(self) -> None:
        """Every token that is out is dead from now on."""
        for made in self.all.values():
            made.made -= TOKEN_S + 1

    def settle(self, made: Interaction, state: State) -> None:
        if made.state == "waiting":
            made.state = state
            made.settled.set()
            timer = self._timers.pop(made.token, None)
            if timer is not None:
                timer.cancel()
            told: Json = {"interaction": made.id, "person": made.person, "channel": made.channel}
            self._guild.tell("INTERACTION", {**told, "state": state, "command": called(made)})

    def _give_up(self, made: Interaction) -> None:
        self.settle(made, "failed")


def called(made: Interaction) -> str:
    """What a person chose: `/kb add`, or the name of a menu's entry; empty for a button."""
    if made.data.get("type") != SLASH:
        return str(made.data.get("name", ""))
    words, options = [str(made.data["name"])], made.data.get("options") or []
    while options and options[0]["type"] in NESTING:
        words.append(str(options[0]["name"]))
        options = options[0].get("options") or []
    return "/" + " ".join(words)
