"""The table of the router's rules; the first that fits decides."""

from __future__ import annotations

from core.router.orders import COMPOUND, CREATE, REPORT, RESEARCH
from core.router.rule import Rule
from core.router.talk import CONDITION, SMALL_TALK
from core.router.tools import TOOL_RULES
from core.router.web import WEATHER, WEATHER_SOMEWHERE, WEB

SINGLE: tuple[Rule, ...] = (*TOOL_RULES, WEATHER, WEB)
"""One tool's words."""

RULES: tuple[Rule, ...] = (
    SMALL_TALK,
    CONDITION,
    REPORT,
    RESEARCH,
    COMPOUND,
    *SINGLE,
    WEATHER_SOMEWHERE,
    CREATE,
)
"""Conditions come before all work: a plan without a branch cannot hold them."""
