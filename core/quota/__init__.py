"""Quotas and budgets: of a person, a channel, a workspace, a day; reserved first, then settled."""

from core.quota.ladder import KINDS, LEVELS, Amount, Kind, Level, level_of
from core.quota.quota import Asker, Grant, Quota, Share, Used

__all__ = [
    "KINDS",
    "LEVELS",
    "Amount",
    "Asker",
    "Grant",
    "Kind",
    "Level",
    "Quota",
    "Share",
    "Used",
    "level_of",
]
