"""One ranking out of words and vectors: score = v * bm25 / ceiling + w * cosine.

v and w depend on one thing: whether the question and the passage are in the same script. Measured
on five sets (Chinese, traditional Chinese, English twice, Chinese on English).
Raw sums, no ranks: rank fusion loses to words alone in every same-language set that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.index.bm25 import PEAK
from core.index.fulltext import Rarity
from core.index.tokens import RUN_CHARACTER, Script
from core.index.vectors import Near


@dataclass(frozen=True, slots=True)
class Weights:
    words: float
    vector: float


SAME_SCRIPT = Weights(1.0, 0.4)
OTHER_SCRIPT = Weights(0.24, 0.6)
"""Words of a Chinese question cannot stand in an English passage, but names and numbers can."""


@dataclass(frozen=True, slots=True)
class Ranked:
    passage: int
    score: float
    lexical: float
    """bm25 / ceiling, 0 to 1."""
    vector: float
    """Cosine, -1 to 1; 0 where there is no vector yet."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The bm25 of a passage that could not fit better, by what its script can hold."""

    all: float
    plain: float
    """Of the question's tokens without a CJK sign: all that a Latin passage can hold."""

    def share(self, bm25: float, cjk: bool) -> float:
        top = self.all if cjk else self.plain
        return min(1.0, bm25 / top) if top > 0 else 0.0


def ceilings(rarity: Rarity, tokens: Sequence[str], question: Script) -> Ceilings:
    """Ceilings of a question. In its own script, every token could stand in a passage."""
    whole = PEAK * sum(map(rarity.idf, tokens))
    if question != "cjk":
        return Ceilings(whole, whole)
    plain = [token for token in tokens if not RUN_CHARACTER.match(token)]
    return Ceilings(whole, PEAK * sum(map(rarity.idf, plain)))


def fuse(
    lexical: Mapping[int, float], ceilings: Ceilings, near: Near, question: Script
) -> list[Ranked]:
    """All passages found by either way, best first.

    `lexical` holds bm25 by passage. A passage that words did not find has a lexical score of zero.
    """
    ranked: dict[int, Ranked] = {}
    for passage, cosine, cjk in zip(
        near.passages.tolist(), near.cosines.tolist(), near.cjk.tolist(), strict=True
    ):
        share = ceilings.share(lexical.get(passage, 0.0), cjk)
        weights = SAME_SCRIPT if _same(question, cjk) else OTHER_SCRIPT
        score = weights.words * share + weights.vector * cosine
        ranked[passage] = Ranked(passage, score, share, cosine)
    for passage, bm25 in lexical.items():
        if passage not in ranked:
            share = ceilings.share(bm25, cjk=True)
            ranked[passage] = Ranked(passage, share, share, 0.0)
    return sorted(ranked.values(), key=lambda one: (-one.score, one.passage))


def _same(question: Script, passage_is_cjk: bool) -> bool:
    return question == "" or (question == "cjk") == passage_is_cjk
