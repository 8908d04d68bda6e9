"""The tables of both languages behind one door, and what a text says for or against. Pure."""

from __future__ import annotations

import re
from functools import cache
from types import ModuleType

from core.index.common import SHARES
from core.index.tokens import tokens
from core.memory.gate import signs_en, signs_zh
from core.memory.gate.op import Sign
from core.messages import Language

_TABLES: dict[Language, ModuleType] = {"en": signs_en, "zh": signs_zh}
_HAN = re.compile(r"[一-鿿]")
_FUNCTION = frozenset(
    [
        "i",
        "me",
        "my",
        "we",
        "our",
        "you",
        "your",
        "it",
        "is",
        "am",
        "are",
        "be",
        "do",
        "not",
        "no",
        "and",
        "or",
        "but",
        "so",
        "to",
        "in",
        "on",
        "at",
        "for",
        "of",
        "with",
        "the",
        "a",
        "an",
        "that",
        "thi",
        "there",
        "just",
        "also",
        "now",
        "please",
        "want",
        "like",
        "prefer",
        "love",
        "hate",
        "realli",
        "alwai",
        "never",
        "ani",
        "all",
        "more",
        "ha",
        "have",
        "wa",
        "were",
        "will",
        "would",
        "can",
        "could",
        "should",
        "from",
        "by",
        "as",
        "if",
        "when",
        "use",
        "than",
        "then",
        "too",
        "very",
        "get",
        "got",
        "ve",
        "ll",
        "re",
        "don",
        "doesn",
        "t",
        "s",
    ]
)
_EMPTY_ZH = frozenset("的了是我你在不就也都要用吧啊呢吗把被给和与及或这那个很还有别请以后回答们会")
COMMON = 0.2
"""Words that a fifth of all texts hold part nothing."""


def tongue(text: str) -> Language:
    """Whose table a clause is read with."""
    return "zh" if _HAN.search(text) else "en"


def signs(language: Language) -> tuple[Sign, ...]:
    return _TABLES[language].SIGNS


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


def says(name: str, text: str, language: Language | None = None) -> re.Match[str] | None:
    """The match of a named pattern of the text's own language (`ALSO`, `DONE`, ...)."""
    pattern: str = getattr(_TABLES[language or tongue(text)], name, "")
    return compiled(pattern).search(text) if pattern else None


def content(text: str) -> frozenset[str]:
    """The tokens of a text that tell it from others: no function words, no dates' numbers."""
    kept: set[str] = set()
    for token in tokens(text):
        if _HAN.match(token):
            if len(token) > 1 and not _EMPTY_ZH.intersection(token):
                kept.add(token)
        elif token not in _FUNCTION and SHARES.get(token, 0.0) < COMMON:
            kept.add(token)
    return frozenset(kept)


def numbers(text: str) -> frozenset[str]:
    """Numbers of a text, dates among them, and the words for small ones."""
    found = re.findall(r"\d+(?:[.:]\d+)*", text)
    found += re.findall(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b", text.lower()
    )
    return frozenset(found)


def denies(text: str) -> bool:
    """True if a text speaks against its thing (`don't`, 不喜欢)."""
    if re.search(
        r"没有?[^，。]{1,8}(?:活不|不行|不能|没法)|离不开|can'?t (?:live|function|survive|work) without",
        text,
        re.I,
    ):
        return False
    return says("NEGATIVE", text) is not None


def overlap(new: frozenset[str], old: frozenset[str]) -> float:
    """The share of the old text's content that the new one holds."""
    return len(new & old) / len(old) if old else 0.0
