"""What the doctor asks Discord: the token, the intent, the commands, permissions by channel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from bot.discord import commands, permissions
from bot.discord.account import TIMEOUT, Account, DiscordConfig, asked, who_are_we
from bot.discord.channels import FORUM, MEDIA
from core.messages import Language
from core.texts import say

SHOWN = 10
"""Channels that are named; of more, the count."""
LOOKED_AT = frozenset({0, 5, FORUM, MEDIA})


@dataclass(frozen=True)
class Lacking:
    """A channel where something cannot be done."""

    guild: str
    channel: str
    permissions: tuple[str, ...]


@dataclass(frozen=True)
class Health:
    account: Account
    guilds: int
    channels: int
    lacking: tuple[Lacking, ...]
    registered: bool
    """Discord has the very commands of this release."""


async def examined(config: DiscordConfig) -> Health:
    """WrongConfig names the token; TryLater: Discord is not there."""
    account = await who_are_we(config)
    async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
        guilds: Any = await asked(session, config, "/users/@me/guilds")
        path = f"/applications/{account.application}/commands"
        there: Any = await asked(session, config, path)
        lacking: list[Lacking] = []
        channels = 0
        for guild in guilds:
            looked = await _guild(session, config, account, guild)
            channels += len(looked)
            lacking += [one for one in looked if one.permissions]
    registered = commands.names(there) == commands.names(commands.tree())
    return Health(account, len(guilds), channels, tuple(lacking), registered)


async def _guild(
    session: aiohttp.ClientSession, config: DiscordConfig, us: Account, guild: Mapping[str, Any]
) -> list[Lacking]:
    number = str(guild["id"])
    listed: Any = await asked(session, config, f"/guilds/{number}/channels")
    roles: Any = await asked(session, config, f"/guilds/{number}/roles")
    member: Any = await asked(session, config, f"/guilds/{number}/members/{us.user}")
    bits = {str(role["id"]): int(role["permissions"]) for role in roles}
    found: list[Lacking] = []
    for channel in listed:
        if channel.get("type") not in LOOKED_AT:
            continue
        held = permissions.in_channel(
            channel,
            number,
            # Whether we own the server does not matter: bots do not.
            "",
            bits,
            us.user,
            [str(role) for role in member.get("roles") or []],
        )
        lacks = tuple(permissions.missing(held))
        found.append(Lacking(str(guild.get("name") or number), str(channel.get("name")), lacks))
    return found


def report(health: Health, language: Language) -> str:
    """What the doctor says: one line, and one for each channel where something is missing."""
    intent = "on" if health.account.sees_content else "off"
    state = "registered" if health.registered else "unregistered"
    lines = [
        say(
            "discord.doctor",
            language,
            name=health.account.name,
            intent=say(f"discord.doctor.{intent}", language),
            servers=health.guilds,
            digest=commands.digest(commands.tree()),
            state=say(f"discord.doctor.{state}", language),
        )
    ]
    comma = "、" if language == "zh" else ", "
    for one in health.lacking[:SHOWN]:
        names = comma.join(one.permissions)
        lines.append(
            say(
                "discord.doctor.channels",
                language,
                channel=one.channel,
                guild=one.guild,
                permissions=names,
            )
        )
    if len(health.lacking) > SHOWN:
        count = len(health.lacking) - SHOWN
        lines.append(say("discord.doctor.more", language, count=count))
    if not health.lacking:
        lines.append(say("discord.doctor.all_channels", language, count=health.channels))
    return "\n  ".join(lines)
