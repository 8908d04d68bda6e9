"""The table of the router's rules; the first that fits decides."""

from __future__ import annotations

from core.router.rule import Rule
from core.router.talk import COMPOUND, CONDITION, CREATE, SMALL_TALK
from core.router.tools import TOOL_RULES

RULES: tuple[Rule, ...] = (SMALL_TALK, CONDITION, COMPOUND, *TOOL_RULES, CREATE)
"""Conditions come before tools: a plan without a branch cannot hold them."""
