"""Teammates: personas in Markdown files, read again when they change, and named by @name."""

from core.teammates.card import AUTO, CARD_MODES, READ
from core.teammates.casting import Cast, cast_of
from core.teammates.front_matter import FileError
from core.teammates.names import DEFAULT_NAMES, NAME, addressed, mentioned
from core.teammates.narrow import as_teammate, kbs_for, reach_of, role_in, style_of
from core.teammates.present import MemoryPresence, Presence, Speaking
from core.teammates.roster import DEFAULT, SHIPPED, Roster, Team

__all__ = [
    "AUTO",
    "CARD_MODES",
    "DEFAULT",
    "DEFAULT_NAMES",
    "NAME",
    "READ",
    "SHIPPED",
    "Cast",
    "FileError",
    "MemoryPresence",
    "Presence",
    "Roster",
    "Speaking",
    "Team",
    "addressed",
    "as_teammate",
    "cast_of",
    "kbs_for",
    "mentioned",
    "reach_of",
    "role_in",
    "style_of",
]
