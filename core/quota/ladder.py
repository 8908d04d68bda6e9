"""The ladder: what a share of a quota that is used up still allows. Pure."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from core.messages import Frozen

Kind = Literal["person", "channel", "workspace"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Level = Literal["normal", "cheap", "cache_only", "refused"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""In the order of the ladder."""

CHEAP_FROM = 0.80
CACHE_ONLY_FROM = 0.95


class Amount(Frozen):
    """Questions, tokens and money: of what was used, or of what may be."""

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0


def level_of(used: Amount, most: Amount) -> Level:
    """What may be had when this much is used; 0 in `most` is no limit.

    Of a small limit each step has at least one question: of 10 the 9th is answered by the cheaper
    model, the 10th from cache and documents.
    """
    steps = (
        _step(used.requests, most.requests),
        _step(used.tokens, most.tokens),
        # In millionths, so that one rule holds for all.
        _step(round(used.usd * 1e6), round(most.usd * 1e6)),
    )
    return max(steps, key=LEVELS.index)


def _step(used: int, most: int) -> Level:
    if most <= 0:
        return "normal"
    if used >= most:
        return "refused"
    if used >= max(1, math.floor(most * CACHE_ONLY_FROM)):
        return "cache_only"
    return "cheap" if used >= max(1, math.floor(most * CHEAP_FROM)) else "normal"


def day_of(now: float, zone: str) -> str:
    """The date there at `now` (Unix seconds): `2026-11-30`."""
    return datetime.fromtimestamp(now, ZoneInfo(zone)).date().isoformat()


def renewed_at(now: float, zone: str) -> float:
    """The next midnight there, in Unix seconds."""
    local = datetime.fromtimestamp(now, ZoneInfo(zone))
    tomorrow = (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return tomorrow.timestamp()
