"""Refusal: whether what was found answers the question, or only looks a little like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.index.tokens import query_tokens, tokens
from core.messages import Frozen

COVERAGE_FLOOR = 0.34
"""Share of the question's tokens that the best passages must hold."""

VECTOR_FLOOR = 0.55
"""Cosine over which a passage counts although it shares no word with the question."""

BEST = 3


class Found(Protocol):
    """What is read of a hit."""

    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def vector(self) -> float: ...


class Verdict(Frozen):
    answered: bool
    score: float
    """Higher is surer; only to be compared with itself."""


def verdict(query: str, hits: Sequence[Found]) -> Verdict:
    """Whether the hits answer the query."""
    asked = set(query_tokens(query))
    if not hits or not asked:
        return Verdict(answered=False, score=0.0)
    coverage = max(len(asked.intersection(tokens(hit.text))) / len(asked) for hit in hits[:BEST])
    vector = max(hit.vector for hit in hits[:BEST])
    answered = coverage >= COVERAGE_FLOOR or vector >= VECTOR_FLOOR
    return Verdict(answered=answered, score=coverage + vector)
