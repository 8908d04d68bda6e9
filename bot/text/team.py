"""Teammates as people read them: a line each, and one card."""

from __future__ import annotations

from collections.abc import Sequence

from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.messages import Language
from core.request import TeammateCard
from core.teammates import READ, role_in
from core.texts import say

ROLE = 600
"""Characters of a role that are shown."""


def team_lines(team: Sequence[TeammateCard], here: str, language: Language) -> str:
    """One line a teammate; the one that answers `here` is marked."""
    lines: list[str] = []
    for card in team:
        parts = [f"{face(card)}**{escaped(card.name)}**", escaped(card.description)]
        if card.name == here:
            parts.append(say("command.team_here", language))
        lines.append("- " + " · ".join(part for part in parts if part))
    return "\n".join(lines)


def card_text(card: TeammateCard, language: Language) -> str:
    """All that a person may want to know before they ask it."""
    names = say("tool.comma", language).join(escaped(name) for name in card.aliases)
    head = f"{face(card)}**{escaped(card.name)}**" + (f" ({names})" if names else "")
    facts = [
        ("tools", _tools(card, language)),
        ("knowledge", _knowledge(card, language)),
        ("model", escaped(card.model or "")),
        ("style", escaped(card.style)),
    ]
    lines = [say(f"command.team_{what}", language, value=value) for what, value in facts if value]
    role = clipped(" ".join(role_in(card.role, language).split()), ROLE)
    quoted = f"> {role}" if role else ""
    parts = [head, escaped(card.description), "\n".join(f"- {line}" for line in lines), quoted]
    return "\n\n".join(part for part in parts if part)


def face(card: TeammateCard) -> str:
    """Its emoji and a space; a picture's address is no face in a text."""
    return "" if not card.avatar or "://" in card.avatar else f"{card.avatar} "


def _tools(card: TeammateCard, language: Language) -> str:
    reading = say("command.team_reading", language)
    if card.tools is None:
        return reading
    named = [reading if name == READ else f"`{name}`" for name in card.tools]
    return say("tool.comma", language).join(named) or say("command.team_none", language)


def _knowledge(card: TeammateCard, language: Language) -> str:
    if card.knowledge is None:
        return say("command.team_all_knowledge", language)
    names = say("tool.comma", language).join(escaped(name) for name in card.knowledge)
    return names or say("command.team_none", language)
