"""How well search finds the passage that answers: R@1, R@5, MRR@10.

    python -m bench.retrieval --corpus C.jsonl --queries Q.jsonl [--query-field q --gold-field pos]

Rows go through the product's own chunker, store and search; a row counts by its best passage.
Prints one JSON object: {"r1", "r5", "mrr10", "n"}.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.index.embed import SentenceEncoder
from core.knowledge.blobs import BlobFolder
from core.knowledge.ingest import Upload, cut
from core.knowledge.library import Library
from core.knowledge.parse.model import Block, Parsed
from core.knowledge.parse.parser import Parser
from core.knowledge.versions import Arrival, put_in_place
from core.store.sqlite import SqliteStore

SCOPE = "workspace:bench"
DEPTH = 40
"""Passages asked for, so that ten different rows are among them."""


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def arrival(kb: int, row: dict[str, Any]) -> Arrival:
    """A row as an upload that was read already."""
    parsed = Parsed(status="ready", blocks=(Block(text=row["text"]),), parser="bench")
    upload = Upload(kb, SCOPE, "bench", row["id"], Path(row["id"]))
    return cut(upload, row["id"], row["id"], len(row["text"]), parsed)


async def load(library: Library, store: SqliteStore, corpus: Sequence[dict[str, Any]]) -> int:
    """Put every row into a KB as a document and wait for its vectors; the KB's id."""
    kb = await library.kb_for(SCOPE)
    arrivals = [arrival(kb, row) for row in corpus]
    nowhere = BlobFolder(Path("unused"))
    now = time.time()
    await store.write(lambda tx: [put_in_place(tx, one, nowhere, None, now) for one in arrivals])
    await library.embedded()
    return kb


async def ranks(
    library: Library, kb: int, queries: Sequence[dict[str, Any]], asked: str, gold: str
) -> list[int]:
    """For each query the place of its first right row, from 1; 0 if it is not among ten."""
    found: list[int] = []
    for query in queries:
        hits = await library.search([kb], query[asked], DEPTH)
        names = list(dict.fromkeys(hit.name for hit in hits))[:10]
        right = set(query[gold] if isinstance(query[gold], list) else [query[gold]])
        found.append(next((at for at, name in enumerate(names, 1) if name in right), 0))
    return found


def figures(found: Sequence[int]) -> dict[str, float]:
    count = len(found)
    return {
        "r1": round(sum(at == 1 for at in found) / count, 3),
        "r5": round(sum(1 <= at <= 5 for at in found) / count, 3),
        "mrr10": round(sum(1 / at for at in found if at) / count, 3),
        "n": count,
    }


async def measure(corpus: Path, queries: Path, asked: str, gold: str, cache: Path) -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "bench.db")
        library = Library(store, Parser(), SentenceEncoder(cache), Path(folder) / "blobs")
        await library.start()
        try:
            kb = await load(library, store, rows(corpus))
            return await ranks(library, kb, rows(queries), asked, gold)
        finally:
            await library.close()
            await store.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--query-field", default="q")
    parser.add_argument("--gold-field", default="pos")
    parser.add_argument("--cache", type=Path, default=Path("data/cache"))
    given = parser.parse_args()
    found = asyncio.run(
        measure(given.corpus, given.queries, given.query_field, given.gold_field, given.cache)
    )
    print(json.dumps(figures(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
