"""Recall: which memories belong to a question. Owner and audience first, then a ranking.

score = (bm25 / ceiling + 0.4 x cosine) x (1 +- 0.1 recency) x (1 +- 0.05 use). Measured on three
sets against bm25 alone (`bench.memory_recall`). Recency and use only part what is nearly equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.index import bm25
from core.index.common import SHARES
from core.index.embed import Vectors
from core.index.tokens import query_tokens
from core.memory.record import Memory

VECTOR = 0.4
RECENCY = 0.1
USE = 0.05
YEAR_S = 365 * 86_400.0
MANY_USES = 20
"""So many recalls count in full; more add nothing."""

FLOOR = 0.22
"""Below it a memory has nothing to do with the question (words of both, or a cosine of 0.55)."""

MOST_WORDS = 200
"""Different words of a question that are looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory and how well it fits."""

    memory: Memory
    score: float


def rank(
    question: str, meaning: Vectors, seen: Sequence[tuple[Memory, bytes, bytes]], now: float
) -> list[Found]:
    """All memories given, best first. `meaning` is the question's unit vector."""
    if not seen:
        return []
    words = query_tokens(question)[:MOST_WORDS]
    held = [tokens for _, tokens, _ in seen]
    lexical = _shares(words, held)
    vectors = np.stack([np.frombuffer(vector, "<f2") for _, _, vector in seen])
    scores = lexical + VECTOR * (vectors.astype(np.float32) @ meaning)
    found = [
        Found(memory, float(score) * _weight(memory, now))
        for (memory, _, _), score in zip(seen, scores, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.score, -one.memory.observed_at, one.memory.id))


def _shares(words: Sequence[str], held: Sequence[bytes]) -> np.ndarray:
    """bm25 over its ceiling, 0 to 1, with the rarity of each word among what may be seen."""
    if not words:
        return np.zeros(len(held))
    wanted = bm25.numbers(words)
    flat = [np.unique(np.frombuffer(one, "<u4")) for one in held]
    counts = np.zeros(len(words))
    for one in flat:
        counts += np.isin(wanted, one)
    size = len(held)
    weights = {
        word: max(math.log(1 + (size - count + 0.5) / (count + 0.5)), 1e-6)
        * (1 - SHARES.get(word, 0.0))
        for word, count in zip(words, counts, strict=True)
    }
    average = float(np.mean([len(one) // 4 for one in held]))
    return bm25.scores(held, weights, average) / (bm25.PEAK * sum(weights.values()))


def _weight(memory: Memory, now: float) -> float:
    age = min(max(now - memory.observed_at, 0.0) / YEAR_S, 1.0)
    use = min(math.log1p(memory.uses) / math.log1p(MANY_USES), 1.0)
    return (1 + RECENCY * (1 - 2 * age)) * (1 + USE * (2 * use - 1))
