"""Servers and their channels as the gateway tells them: kept, greeted, caught up with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.discord import ids
from bot.discord.channels import Channel, channel_from
from bot.discord.events import Us
from bot.platform import Draft
from core.errors import PlatformError
from core.messages import Place
from core.texts import both

if TYPE_CHECKING:
    from bot.discord.adapter import DiscordAdapter

log = logging.getLogger(__name__)

TEXT = 0
"""Discord: the kind of a usual channel."""


@dataclass
class Guilds:
    """What is known of servers. `heard` never waits."""

    adapter: DiscordAdapter
    known: set[str] = field(default_factory=set[str])
    """Servers that we were in when the session began."""
    present: set[str] = field(default_factory=set[str])

    def heard(self, name: str, data: Any, us: Us) -> Us:
        """Note an event; who we are, with the role that a server made for us."""
        channels = self.adapter.channels
        match name:
            case "READY":
                self.known |= {str(one["id"]) for one in data.get("guilds") or []}
                self.adapter.later(self.adapter.catch_up.direct())
            case "GUILD_CREATE" if not data.get("unavailable"):
                return self._guild(data, us)
            case "GUILD_DELETE" if not data.get("unavailable"):
                self.known.discard(str(data["id"]))
            case "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE":
                channels.learn(channel_from(data))
            case "CHANNEL_DELETE" | "THREAD_DELETE":
                channels.forget(str(data["id"]))
            case "THREAD_LIST_SYNC":
                for thread in data.get("threads") or []:
                    channels.learn(channel_from(thread, str(data.get("guild_id") or "")))
            case _:
                pass
        return us

    def _guild(self, data: Mapping[str, Any], us: Us) -> Us:
        guild = str(data["id"])
        listed = self.adapter.channels.learn_guild(data)
        self.adapter.later(self.adapter.catch_up.guild(listed))
        if guild not in self.known:
            self.known.add(guild)
            self.adapter.later(self.greet(data, listed))
        ours = {
            str(role["id"])
            for role in data.get("roles") or []
            if str((role.get("tags") or {}).get("bot_id") or "") == us.user
        }
        return replace(us, roles=us.roles | ours)

    async def greet(self, data: Mapping[str, Any], channels: list[Channel]) -> None:
        """Once an invitation: a second delivery finds the greeting there."""
        usual = str(data.get("system_channel_id") or "")
        texts = [one.id for one in channels if one.kind == TEXT]
        guild = str(data["id"])
        mark = f"joined:{guild}:{data.get('joined_at') or ''}"
        draft = Draft(text="\n\n".join(both("discord.greeting")))
        for channel in list(dict.fromkeys([usual, *texts]))[: 1 + bool(usual)]:
            if not channel:
                continue
            place = Place(
                platform=ids.NAME,
                workspace=ids.workspace_id(guild),
                channel=ids.channel_id(guild, channel),
                thread=ids.thread_id(guild, channel, channel),
            )
            try:
                if await self.adapter.find(place, mark) is None:
                    await self.adapter.post(place, draft, mark)
                return
            except PlatformError as error:
                log.warning("no greeting in %s: %s", place.channel, error)
