"""Settings: the merged values of one request, each traceable to the layer that set it."""

from core.settings.book import CHANNEL, OF_PERSON, PERSON, TEAMMATE, Kept, SettingsBook
from core.settings.kept import SettingsStore
from core.settings.merge import BUILT_IN, NARROWING, Merged, merge, met
from core.settings.values import Settings
from core.settings.variables import VARIABLES, filled, unknown_variable

__all__ = [
    "BUILT_IN",
    "CHANNEL",
    "NARROWING",
    "OF_PERSON",
    "PERSON",
    "TEAMMATE",
    "VARIABLES",
    "Kept",
    "Merged",
    "Settings",
    "SettingsBook",
    "SettingsStore",
    "filled",
    "merge",
    "met",
    "unknown_variable",
]
