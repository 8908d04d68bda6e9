"""How often quotes hold the answer, and how often they are shown although the answer is gone.

    python -m bench.quotes --corpus C.jsonl --queries Q.jsonl [--query-field q --gold-field pos]
                           [--answer-field answer]

prints {"q1", "q2", "q3", "n"}: the share of questions whose answer stands in the best quote, the
best two, the best three. Everything runs through the product's chunker, store, search and quotes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import sys
import tempfile
import unicodedata
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.retrieval import load, rows
from core.index.embed import SentenceEncoder
from core.knowledge.library import Library
from core.knowledge.parse.parser import Parser
from core.knowledge.units import limit_of
from core.store.sqlite import SqliteStore

SHOWN = 3
HITS = 8


@dataclass(frozen=True)
class Fields:
    """Names of a query's fields."""

    query: str
    gold: str
    answer: str


@dataclass
class Bench:
    """A library that holds a corpus."""

    library: Library
    store: SqliteStore
    kb: int
    corpus: dict[str, dict[str, Any]]


@contextlib.asynccontextmanager
async def opened(corpus: Path, cache: Path) -> AsyncGenerator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "bench.db")
        library = Library(store, Parser(), SentenceEncoder(cache), Path(folder) / "blobs")
        await library.start()
        try:
            read = rows(corpus)
            kb = await load(library, store, read)
            yield Bench(library, store, kb, {row["id"]: row for row in read})
        finally:
            await library.close()
            await store.close()


async def held(bench: Bench, queries: Sequence[dict[str, Any]], fields: Fields) -> list[int]:
    """For each query the place of the first quote that holds its answer, from 1; 0 for none."""
    found: list[int] = []
    for query in queries:
        asked, answer = query[fields.query], bare(query[fields.answer])
        hits = await bench.library.search([bench.kb], asked, HITS)
        quotes = await bench.library.quotes([bench.kb], asked, hits, SHOWN)
        texts = [quote.text for quote in quotes]
        if long := [text for text in texts if len(text) > limit_of(text)]:
            raise RuntimeError(f"a quote over its limit: {long[0]}")
        found.append(next((at for at, text in enumerate(texts, 1) if answer in bare(text)), 0))
    return found


def bare(text: str) -> str:
    """For comparing: compatibility forms folded, no case, no white space."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).lower())


def figures(found: Sequence[int]) -> dict[str, float]:
    shares = {
        f"q{most}": round(sum(1 <= at <= most for at in found) / len(found), 3)
        for most in range(1, SHOWN + 1)
    }
    return {**shares, "n": len(found)}


async def measure(given: argparse.Namespace) -> dict[str, Any]:
    fields = Fields(given.query_field, given.gold_field, given.answer_field)
    async with opened(given.corpus, given.cache) as bench:
        return figures(await held(bench, rows(given.queries), fields))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quotes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--query-field", default="q")
    parser.add_argument("--gold-field", default="pos")
    parser.add_argument("--answer-field", default="answer")
    parser.add_argument("--cache", type=Path, default=Path("data/cache"))
    print(json.dumps(asyncio.run(measure(parser.parse_args()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
