"""One ranking out of words and vectors: score = bm25 / ceiling + w * cosine.

Raw sums, no ranks: rank fusion loses to words alone in every same-language set that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.index.tokens import Script
from core.index.vectors import Near

BM25_PEAK = 2.2
"""The most that a token adds to bm25 is its idf times k1 + 1; k1 is 1.2 in FTS5."""

SAME_SCRIPT = 0.35
OTHER_SCRIPT = 0.6
"""Words of a Chinese question cannot stand in an English passage: the vector has to carry it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    passage: int
    score: float
    lexical: float
    """bm25 / ceiling, 0 to 1."""
    vector: float
    """Cosine, -1 to 1; 0 where there is no vector yet."""


def fuse(
    lexical: Mapping[int, float], ceiling: float, near: Near, question: Script
) -> list[Ranked]:
    """All passages found by either way, best first.

    `lexical` holds bm25 by passage. A passage that words did not find has a lexical score of zero.
    """
    ranked: dict[int, Ranked] = {}
    for passage, cosine, cjk in zip(
        near.passages.tolist(), near.cosines.tolist(), near.cjk.tolist(), strict=True
    ):
        share = lexical.get(passage, 0.0) / ceiling if ceiling > 0 else 0.0
        score = share + weight(question, cjk) * cosine
        ranked[passage] = Ranked(passage, score, share, cosine)
    for passage, bm25 in lexical.items():
        if passage not in ranked and ceiling > 0:
            share = bm25 / ceiling
            ranked[passage] = Ranked(passage, share, share, 0.0)
    return sorted(ranked.values(), key=lambda one: (-one.score, one.passage))


def weight(question: Script, passage_is_cjk: bool) -> float:
    """How much the cosine counts, by whether question and passage share their script."""
    same = question == "" or (question == "cjk") == passage_is_cjk
    return SAME_SCRIPT if same else OTHER_SCRIPT
