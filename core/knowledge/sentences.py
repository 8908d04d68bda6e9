"""Sentences: the few that answer a question best, quoted word for word from the passages found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from core.index.tokens import query_tokens, tokens
from core.messages import Frozen

HAN_LIMIT = 90
LATIN_LIMIT = 216
"""Longest quote, in characters: measured to hold the answer most often for its length."""

_END = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[.])\s+|\n+")
_HAN = re.compile(r"[\u3400-\u9fff]")


class Found(Protocol):
    """What is read of a hit."""

    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...


class Quote(Frozen):
    hit_index: int
    """Which of the hits holds it."""
    text: str
    """Whole sentences, word for word."""
    score: float
    """From 0 up; a quote with half of the best one's score is worth about half of it."""


def quotes(query: str, hits: Sequence[Found], limit: int = 3) -> list[Quote]:
    """The best quotes over all hits, best first, none twice."""
    asked = set(query_tokens(query))
    ranked = sorted(
        (
            Quote(hit_index=index, text=text, score=_score(text, asked) + hit.score)
            for index, hit in enumerate(hits)
            for text in spans(hit.text)
        ),
        key=lambda quote: -quote.score,
    )
    kept: list[Quote] = []
    for quote in ranked:
        if len(kept) < limit and not any(quote.text in other.text for other in kept):
            kept.append(quote)
    return kept


def spans(text: str) -> list[str]:
    """`text` as runs of whole sentences, each run as long as a quote may be."""
    found: list[str] = []
    for sentence in (part.strip() for part in _END.split(text)):
        joined = f"{found[-1]}{_gap(sentence)}{sentence}" if found else sentence
        if found and sentence and len(joined) <= _limit(joined):
            found[-1] = joined
        elif sentence:
            found.append(sentence)
    return found


def _gap(sentence: str) -> str:
    return "" if _HAN.match(sentence) else " "


def _limit(text: str) -> int:
    return HAN_LIMIT if len(_HAN.findall(text)) * 3 > len(text) else LATIN_LIMIT


def _score(text: str, asked: set[str]) -> float:
    """Share of the question's tokens that stand in `text`; between equals the shorter wins."""
    held = asked.intersection(tokens(text))
    return len(held) / max(1, len(asked)) - len(text) / 10_000
