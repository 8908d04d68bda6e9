"""Teammates: personas in Markdown files, read again when they change, and named by @name."""

from core.teammates.card import AUTO, CARD_MODES, READ
from core.teammates.casting import Cast, cast_of
from core.teammates.front_matter import FileError
from core.teammates.names import DEFAULT_NAMES, NAME, addressed, mentioned
from core.teammates.narrow import as_teammate, kbs_for, reach_of, role_in, style_of, within
from core.teammates.present import MemoryPresence, Presence, Speaking
from core.teammates.roster import DEFAULT, SHIPPED, Roster, Team
from core.teammates.texts import Texts, layer_of, wishes_of

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
    "Texts",
    "addressed",
    "as_teammate",
    "cast_of",
    "kbs_for",
    "layer_of",
    "mentioned",
    "reach_of",
    "role_in",
    "style_of",
    "wishes_of",
    "within",
]
