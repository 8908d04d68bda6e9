"""Whether the product refuses when the answer is gone: its signs with and without gold passages.

Passages are really removed from the store, so that words which stood only in them are unknown then.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bench.retrieval import arrival
from core.knowledge.blobs import BlobFolder
from core.knowledge.library import Library
from core.knowledge.refusal import Judge, Signs, signs
from core.knowledge.versions import put_in_place
from core.store.sqlite import SqliteStore

Numbers = NDArray[np.float64]

HITS = 8
FALSE_REFUSAL = 0.05

What = Literal["passage", "article"]


@dataclass(frozen=True)
class Asked:
    """A question of a set and what search showed for it."""

    number: int
    signs: Signs
    right: bool
    """The first hit is a gold passage."""


@dataclass
class Bench:
    """A library that holds a corpus."""

    library: Library
    store: SqliteStore
    kb: int
    corpus: dict[str, dict[str, Any]]

    async def ask(self, number: int, query: str, gold: set[str]) -> Asked:
        hits = await self.library.search([self.kb], query, HITS)
        evidence = await self.library.evidence([self.kb], query, hits)
        seen = signs(query, hits, evidence)
        return Asked(number, seen, hits[0].name in gold)

    async def remove(self, names: Iterable[str]) -> None:
        for name in names:
            for found in await self.library.find_by_name([self.kb], name):
                await self.library.delete([self.kb], found.id, "bench")

    async def put_back(self, names: Iterable[str]) -> None:
        rows = [arrival(self.kb, self.corpus[name]) for name in names]
        nowhere, now = BlobFolder(Path("unused")), time.time()
        await self.store.write(
            lambda tx: [put_in_place(tx, row, nowhere, None, now) for row in rows]
        )
        await self.library.embedded()


@dataclass(frozen=True)
class Lesson:
    """One half of a set to learn from."""

    answered: Sequence[Asked]
    gone: Sequence[tuple[float, Sequence[Asked]]]
    """Kinds of removal, each with its share of the weight."""


def fit(lessons: Sequence[Lesson], used: Sequence[str], l2: float = 1e-2) -> tuple[Signs, float]:
    """Weights of the used signs and the bias: logistic regression, each set of equal weight.

    Only where search put a gold passage first is the answer taken to be there: else the signs of
    the first hit would be learned from the wrong passage.
    """
    rows: list[list[float]] = []
    labels: list[float] = []
    weights: list[float] = []
    for lesson in lessons:
        right = [one for one in lesson.answered if one.right]
        for label, share, group in [(1.0, 1.0, right), *((0.0, *one) for one in lesson.gone)]:
            rows += [[getattr(one.signs, name) for name in used] for one in group]
            labels += [label] * len(group)
            weights += [share / len(group)] * len(group)
    made, bias = logistic(np.array(rows), np.array(labels), np.array(weights), l2)
    named = dict(zip(used, made.tolist(), strict=True))
    return Signs(*(named.get(name, 0.0) for name in Signs._fields)), bias


def logistic(
    rows: Numbers, labels: Numbers, weights: Numbers, l2: float, rounds: int = 30
) -> tuple[Numbers, float]:
    """Newton's method on standardised columns; weights for the columns as they were given."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    weights = weights / weights.sum()
    pull = l2 * np.diag([*np.ones(rows.shape[1]), 0.0])
    found = np.zeros(scaled.shape[1])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (chance - labels)) + pull @ found
        curve = (scaled.T * (weights * chance * (1 - chance))) @ scaled + pull
        found -= np.linalg.solve(curve + 1e-9 * np.eye(len(found)), slope)
    made = found[:-1] / spread
    return made, float(found[-1] - made @ mean)


def scores(judge: Judge, asked: Sequence[Asked]) -> Numbers:
    return np.array([judge.score(one.signs) for one in asked])


def halves(asked: Sequence[Asked]) -> tuple[list[Asked], list[Asked]]:
    """Even numbers, which the weights were fitted on, and odd ones."""
    return [one for one in asked if one.number % 2 == 0], [one for one in asked if one.number % 2]


def figures(judge: Judge, there: Sequence[Asked], gone: Sequence[Asked]) -> dict[str, Any]:
    """How often quotes are shown although the answer is gone.

    With the floor that refuses 5 % of the even lines of this set, with the one that refuses 5 % of
    the very lines reported on, and with the one that ships.
    """
    even, odd = (scores(judge, half) for half in halves(there))
    left = scores(judge, halves(gone)[1])

    def told(floor: float) -> dict[str, float]:
        return {"shown": share(left >= floor), "false_refusal": share(odd < floor)}

    return {
        **told(float(np.quantile(even, FALSE_REFUSAL))),
        "n": len(left),
        "at_5_percent_of_these": told(float(np.quantile(odd, FALSE_REFUSAL))),
        "as_shipped": told(judge.floor),
        "fitted_on": "even lines of each set",
        "reported_on": "odd lines",
    }


def share(found: NDArray[np.bool_]) -> float:
    return round(float(found.mean()), 3)


def gold_of(query: dict[str, Any], field: str) -> list[str]:
    return query[field] if isinstance(query[field], list) else [query[field]]


def article_of(name: str) -> str:
    """Passages `a-b-c` with one `a` are of one article; any other name stands alone."""
    parts = name.split("-")
    return parts[0] if len(parts) == 3 else name


def gone(bench: Bench, gold: Sequence[str], what: What) -> tuple[str, ...]:
    """Names of all passages to take out."""
    if what == "passage":
        return tuple(sorted(set(gold) & bench.corpus.keys()))
    articles = {article_of(name) for name in gold}
    return tuple(sorted(name for name in bench.corpus if article_of(name) in articles))


async def with_answer(
    bench: Bench, queries: Sequence[dict[str, Any]], asked: str, gold: str
) -> list[Asked]:
    return [
        await bench.ask(number, query[asked], set(gold_of(query, gold)))
        for number, query in enumerate(queries)
    ]


async def without_answer(
    bench: Bench, queries: Sequence[dict[str, Any]], asked: str, gold: str, what: What
) -> list[Asked]:
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, query in enumerate(queries):
        groups[gone(bench, gold_of(query, gold), what)].append(number)
    found: list[Asked] = []
    for names, numbers in groups.items():
        await bench.remove(names)
        found += [await bench.ask(number, queries[number][asked], set()) for number in numbers]
        await bench.put_back(names)
    return sorted(found, key=lambda one: one.number)
