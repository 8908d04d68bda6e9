"""Whether the product refuses when the answer is gone: signs with and without the gold passages.

Passages are really removed from the store, so that words which stood only in them are unknown then.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.retrieval import arrival
from core.knowledge.blobs import BlobFolder
from core.knowledge.library import Library
from core.knowledge.refusal import Signs, signs
from core.knowledge.versions import put_in_place
from core.store.sqlite import SqliteStore

HITS = 8

What = Literal["passage", "article"]


@dataclass(frozen=True)
class Asked:
    """A question of a set and what search showed for it."""

    number: int
    signs: Signs
    right: bool
    """The first hit is a gold passage."""
    foreign: bool = False


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
