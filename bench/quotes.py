"""How often quotes hold the answer, and how often they are shown although the answer is gone.

    python -m bench.quotes --corpus C.jsonl --queries Q.jsonl [--query-field q --gold-field pos]
                           [--answer-field answer]

prints {"q1", "q2", "q3", "n"}: the share of questions whose answer stands in the best quote, the
best two, the best three. With `--remove passage` (or `article`: all passages whose name begins
alike) it prints {"shown", "false_refusal", "n"}: how often something is quoted although the gold
passage was removed from the store.

    python -m bench.quotes --fit FOLDER

prints the weights of core/knowledge/refusal.py, learned on the even lines of the sets in FOLDER.
Everything runs through the product's chunker, store, search and quotes.
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

from bench import removal
from bench.removal import Bench, Lesson, What, fit, halves, with_answer, without_answer
from bench.retrieval import load, rows
from core.index.embed import SentenceEncoder
from core.knowledge.library import Library
from core.knowledge.parse.parser import Parser
from core.knowledge.refusal import FITTED, Signs
from core.knowledge.units import limit_of
from core.store.sqlite import SqliteStore

SHOWN = 3
HITS = 8


@dataclass(frozen=True)
class Fields:
    """Names of a query's fields."""

    query: str = "q"
    gold: str = "pos"
    answer: str = "answer"


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
        queries = rows(given.queries)
        if not given.remove:
            return figures(await held(bench, queries, fields))
        there = await with_answer(bench, queries, fields.query, fields.gold)
        gone = await without_answer(bench, queries, fields.query, fields.gold, given.remove)
        return removal.figures(FITTED["usem3"], there, gone)


SETS = {
    "cmrc2018-zh": ("cmrc2018-zh", Fields(), "passage"),
    "drcd-zhtw": ("drcd-zhtw", Fields(), "passage"),
    "pubmedqa-en": ("pubmedqa-en", Fields(), "passage"),
    "xquad-en": ("xquad-enzh", Fields("q_en", "pos_en", "answer_en"), "article"),
    "xquad-zh": ("xquad-enzh", Fields("q_zh", "pos_zh", "answer_zh"), "article"),
}
"""What the weights are learned on: name of the corpus, of its queries, their fields, and what is
taken out. The last two are paragraphs cut to pieces: without one, its neighbours half answer."""

PIECES = 0.15
"""Weight of a single removed piece in those sets, beside half for the whole article."""


async def learned(folder: Path, cache: Path) -> dict[str, Any]:
    """The weights of each judge: with cosines, and by words alone."""
    lessons = [await lesson(folder, cache, name) for name in SETS]
    with_vectors = fit(lessons, Signs._fields)
    by_words = fit(lessons, Signs._fields[1:])
    return {"usem3": rounded(*with_vectors), "by_words": rounded(*by_words)}


async def lesson(folder: Path, cache: Path, name: str) -> Lesson:
    queries, fields, what = SETS[name]
    kinds: list[tuple[float, What]] = [(1.0, "passage")]
    if what == "article":
        kinds = [(PIECES, "passage"), (0.5, "article")]
    async with opened(folder / f"{name}.corpus.jsonl", cache) as bench:
        # Both halves are asked, so that line numbers mean the same as in `--remove`.
        read = rows(folder / f"{queries}.queries.jsonl")
        there = await with_answer(bench, read, fields.query, fields.gold)
        gone = [
            (weight, await without_answer(bench, read, fields.query, fields.gold, kind))
            for weight, kind in kinds
        ]
    return Lesson(halves(there)[0], [(weight, halves(group)[0]) for weight, group in gone])


def rounded(weights: Signs, bias: float) -> dict[str, float]:
    return {name: round(value, 2) for name, value in [*weights._asdict().items(), ("bias", bias)]}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quotes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--query-field", default="q")
    parser.add_argument("--gold-field", default="pos")
    parser.add_argument("--answer-field", default="answer")
    parser.add_argument("--remove", choices=["passage", "article"])
    parser.add_argument("--fit", type=Path, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, default=Path("data/cache"))
    given = parser.parse_args()
    if given.fit:
        print(json.dumps(asyncio.run(learned(given.fit, given.cache)), indent=1))
        return 0
    if not given.corpus or not given.queries:
        parser.error("--corpus and --queries are needed, or --fit")
    print(json.dumps(asyncio.run(measure(given))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
