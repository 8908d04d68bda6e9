"""One ranking out of words and vectors: score = v * bm25 / ceiling + w * cosine.

v and w depend on one thing: whether the question and the passage are in the same script. Measured
on five sets (Chinese, traditional Chinese, English twice, Chinese on English).
Raw sums, no ranks: rank fusion loses to words alone in every same-language set that was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    def share(self, bm25: NDArray[np.float64], cjk: bool) -> NDArray[np.float64]:
        top = self.all if cjk else self.plain
        return np.minimum(1.0, bm25 / top) if top > 0 else np.zeros_like(bm25)


def ceilings(rarity: Rarity, tokens: Sequence[str], question: Script) -> Ceilings:
    """Ceilings of a question. In its own script, every token could stand in a passage."""
    whole = PEAK * sum(map(rarity.idf, tokens))
    if question != "cjk":
        return Ceilings(whole, whole)
    plain = [token for token in tokens if not RUN_CHARACTER.match(token)]
    return Ceilings(whole, PEAK * sum(map(rarity.idf, plain)))


def fuse(
    lexical: Mapping[int, float],
    ceilings: Ceilings,
    near: Near,
    question: Script,
    limit: int | None = None,
) -> list[Ranked]:
    """The passages found by either way, best first; all of them without a `limit`.

    `lexical` holds bm25 by passage. A passage that words did not find has a lexical score of zero.
    """
    mine = dict(lexical)
    words = np.array([mine.pop(one, 0.0) for one in near.passages.tolist()])
    same = near.cjk == (question == "cjk") if question else np.ones(len(near.cjk), np.bool_)
    shares = np.where(near.cjk, ceilings.share(words, cjk=True), ceilings.share(words, cjk=False))
    scores = np.where(same, SAME_SCRIPT.words, OTHER_SCRIPT.words) * shares
    scores += np.where(same, SAME_SCRIPT.vector, OTHER_SCRIPT.vector) * near.cosines
    # What has no vector yet ranks by its words alone.
    alone = ceilings.share(np.fromiter(mine.values(), np.float64, len(mine)), cjk=True)
    passages = np.concatenate([near.passages, np.fromiter(mine, np.int64, len(mine))])
    scores = np.concatenate([scores, alone])
    shares = np.concatenate([shares, alone])
    cosines = np.concatenate([near.cosines, np.zeros(len(mine))])
    best = np.lexsort((passages, -scores))[:limit]
    columns = (passages[best], scores[best], shares[best], cosines[best])
    return list(map(Ranked, *(column.tolist() for column in columns)))
