"""The first state of a practice guild: people who write two languages, channels, a forum."""

from __future__ import annotations

import mimetypes

from bot.playground.discord import permissions
from bot.playground.discord.guild import (
    ADMIN_ROLE,
    BOT,
    BOT_NAME,
    BOT_ROLE,
    FORUM,
    GUILD,
    TEXT,
    Guild,
)
from bot.playground.seed import SAMPLES

LIN, NORA, OMAR = "1100000000000000011", "1100000000000000012", "1100000000000000013"
PEOPLE = (
    (LIN, "林悦", "zh-CN", "teal", ()),
    (NORA, "Nora Ellis", "en-GB", "plum", (ADMIN_ROLE,)),
    (OMAR, "Omar Reyes", "en-US", "amber", ()),
)
HANDBOOK, ENGINEERING = "1100000000000000021", "1100000000000000022"
RANDOM, QUESTIONS = "1100000000000000023", "1100000000000000024"
CHANNELS = (
    (HANDBOOK, "handbook", TEXT),
    (ENGINEERING, "engineering", TEXT),
    (RANDOM, "random", TEXT),
    (QUESTIONS, "questions", FORUM),
)
TAGS = (
    {"id": "1100000000000000041", "name": "how to", "moderated": False},
    {"id": "1100000000000000042", "name": "人事", "moderated": False},
)

POSTS = (
    (HANDBOOK, LIN, "新版请假制度，今年起执行，请大家看一下。", ("请假制度.pdf",)),
    (HANDBOOK, NORA, "Same in English, and the FAQ for newcomers.", ("leave-policy.md", "faq.md")),
    (ENGINEERING, OMAR, "Runbook for whoever is on call this week.", ("oncall-runbook.md",)),
    (ENGINEERING, LIN, "2.4 的发布说明 / notes of 2.4", ("release-notes-2.4.md",)),
)
"""Channel, person, text, files of `SAMPLES`; #random stays empty and says how to begin."""


def seed(guild: Guild) -> None:
    """Fill an empty guild; one that has people already is left as it is."""
    if guild.people:
        return
    guild.add_role(GUILD, "@everyone", permissions.PEOPLE)
    guild.add_role(BOT_ROLE, BOT_NAME, permissions.BOT)
    guild.add_role(ADMIN_ROLE, "admin", permissions.ALL)
    for person, name, locale, color, roles in PEOPLE:
        guild.add_person(person, name, locale, color=color, roles=roles)
    guild.add_person(BOT, BOT_NAME, "en-US", color="indigo", roles=(BOT_ROLE,))
    for place, (channel, name, kind) in enumerate(CHANNELS):
        extra = {"tags": [{**t, "emoji_id": None, "emoji_name": None} for t in TAGS]}
        guild.add_channel(
            channel, name, kind, position=place, topic=None, **(extra if kind == FORUM else {})
        )
    for person, *_ in PEOPLE:
        guild.direct(person)


def share_samples(guild: Guild) -> None:
    """Post the sample documents, once. Discord keeps nothing for a bot that was never here, so
    this is done when it has come.
    """
    if "samples" in guild.rows.all("meta"):
        return
    guild.rows.put("meta", "samples", {"at": guild.clock.now()})
    for channel, person, text, files in POSTS:
        ids = [_share(guild, channel, name) for name in files]
        guild.post(channel, person, text, files=ids)


def _share(guild: Guild, channel: str, name: str) -> str:
    return guild.add_file(
        channel, name, (SAMPLES / name).read_bytes(), mimetypes.guess_type(name)[0]
    )
