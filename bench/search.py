"""How fast search is, beside numpy brute force over all vectors in the same run.

    python -m bench.search [--passages 100000] [--small 2000] [--queries 40]

(a) one KB of 2,000 passages among 100,000; (b) one KB of 100,000; (c) CPU seconds until 1 MB of
Chinese is found by words and has its vectors. Texts and vectors are made up here. The whole call
is timed: tokenise, embed, words, vectors, one ranking, fetch. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from core.index import vectors
from core.index.embed import SentenceEncoder, Vectors
from core.index.tokens import tokens
from core.knowledge.blobs import BlobFolder
from core.knowledge.chunk import Piece
from core.knowledge.library import Library
from core.knowledge.parse.model import Block, Parsed
from core.knowledge.versions import Arrival, put_in_place
from core.store import Transaction
from core.store.sqlite import SqliteStore

SCOPE = "channel:bench"
WORDS = 30_000
PER_DOCUMENT = 500
DIFFERENT = 4_000
"""Different passages among all; vectors are all different."""


class OneText:
    """Stands for the parser, whose time is not what is measured here."""

    async def parse(self, path: Path, name: str) -> Parsed:
        text = await asyncio.to_thread(path.read_text, encoding="utf-8")
        return Parsed(status="ready", blocks=(Block(text=text),))


class Texts:
    """Made-up texts whose words are as unevenly common as in a language, half in Chinese."""

    def __init__(self, seed: int = 7) -> None:
        random = np.random.default_rng(seed)
        weights = 1 / np.arange(1, WORDS + 1)
        self._chosen = iter(random.choice(WORDS, 2_000_000, p=weights / weights.sum()).tolist())
        letters = np.array(list("abcdefghijklmnoprstuvwy"))
        self._english = ["".join(random.choice(letters, n)) for n in random.integers(3, 10, WORDS)]
        signs = random.integers(0x4E00, 0x4E00 + 3500, (WORDS, 2)).tolist()
        self._chinese = ["".join(map(chr, pair)) for pair in signs]

    def english(self, words: int) -> str:
        return " ".join(self._english[at] for at in islice(self._chosen, words)) + "."

    def chinese(self, words: int) -> str:
        return "".join(self._chinese[at] for at in islice(self._chosen, words)) + "。"

    def passages(self) -> list[str]:
        """Passages to fill KBs with, again and again: made and tokenised once."""
        return [self.chinese(150) if n % 2 else self.english(70) for n in range(DIFFERENT)]


def clustered(count: int, dimension: int, seed: int = 7) -> Vectors:
    """Unit vectors round 200 centres, as texts on topics have."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((200, dimension)).astype(np.float32)
    made = centres[random.integers(0, 200, count)]
    made += 0.9 * random.standard_normal((count, dimension), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


async def fill(
    library: Library, store: SqliteStore, texts: Texts, spread: Sequence[int], made: Vectors
) -> list[int]:
    """One KB for each number of `spread`, with that many passages and vectors; their ids."""
    kbs: list[int] = []
    at = 0
    pool = texts.passages()
    words = [tokens(text) for text in pool]
    for number, count in enumerate(spread):
        kb = await library.kb_for(SCOPE, f"kb{number}")
        kbs.append(kb)
        for first in range(0, count, PER_DOCUMENT):
            size = min(PER_DOCUMENT, count - first)
            places = [(at + n) % DIFFERENT for n in range(size)]
            arrival = document(
                kb, f"{first}.txt", [pool[n] for n in places], [words[n] for n in places]
            )
            some = made[at : at + size]
            await store.write(lambda tx, a=arrival, s=some, f=first: enter(tx, a, s, f))
            at += size
    return kbs


def document(
    kb: int, name: str, passages: Sequence[str], words: Sequence[Sequence[str]]
) -> Arrival:
    return Arrival(
        kb=kb, scope=SCOPE, owner="bench", name=name, link="", key="", sha256=f"{kb}/{name}",
        size=0, parsed=Parsed(status="ready"),
        pieces=[Piece(None, (), "text", text) for text in passages], words=words,
    )  # fmt: skip


def enter(tx: Transaction, arrival: Arrival, made: Vectors, first: int) -> None:
    put_in_place(tx, arrival, BlobFolder(Path("unused")), None, time.time())
    tx.run("DELETE FROM unembedded")
    start = (arrival.kb << 32) + 1 + first
    rows = [
        vectors.Row(start + at, at % 2 == 1, SCOPE, "bench", vector)
        for at, vector in enumerate(made)
    ]
    vectors.put(tx, SentenceEncoder(Path("unused")).model, rows)


async def compare(
    cache: Path, spread: Sequence[int], asked: int, made: Vectors, queries: int
) -> dict[str, float]:
    """Median milliseconds of a whole search in KB number `asked`, beside brute force over all."""
    texts = Texts()
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "bench.db")
        encoder = SentenceEncoder(cache)
        library = Library(store, OneText(), encoder, Path(folder) / "blobs")
        kbs = await fill(library, store, texts, spread, made)
        asking = [texts.chinese(8) if n % 2 else texts.english(8) for n in range(queries)]
        calls, brute, embed = Spent(), Spent(), Spent()
        # In turns, so that a noisy machine is noisy for all; the first round warms up.
        for number, query in enumerate([asking[0], *asking]):
            kept = number > 0
            with calls.one(kept):
                await library.search([kbs[asked]], query, 8)
            with brute.one(kept):
                np.argpartition(made @ made[number], -10)[-10:]
            with embed.one(kept):
                encoder.embed([query])
        await library.close()
        await store.close()
    return {
        "ms": calls.wall(),
        "brute_ms": brute.wall(),
        "embed_ms": embed.wall(),
        "ratio": round(calls.wall() / brute.wall(), 2),
        "cpu_ratio": round(calls.cpu() / brute.cpu(), 2),
    }


@dataclass
class Spent:
    """Wall and processor milliseconds of equal pieces of work; medians."""

    walls: list[float] = field(default_factory=list[float])
    cpus: list[float] = field(default_factory=list[float])

    @contextlib.contextmanager
    def one(self, kept: bool) -> Generator[None]:
        wall, processor = time.perf_counter(), time.process_time()
        yield
        if kept:
            self.walls.append(1000 * (time.perf_counter() - wall))
            self.cpus.append(1000 * (time.process_time() - processor))

    def wall(self) -> float:
        return round(statistics.median(self.walls), 2)

    def cpu(self) -> float:
        return round(statistics.median(self.cpus), 2)


async def megabyte(cache: Path) -> dict[str, float]:
    """CPU seconds of this process until 1 MB of Chinese is searchable, and embedded."""
    texts = Texts()
    text = ""
    while len(text.encode()) < 2**20:
        text += "".join(texts.chinese(14) for _ in range(40)) + "\n\n"
    encoder = SentenceEncoder(cache)
    encoder.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.txt"
        path.write_text(text, encoding="utf-8")
        store = await SqliteStore.open(Path(folder) / "bench.db")
        library = Library(store, OneText(), encoder, Path(folder) / "blobs")
        kb = await library.kb_for(SCOPE)
        began = cpu()
        receipt = await library.ingest(kb, scope=SCOPE, owner="b", name="book.txt", path=path)
        searchable = cpu() - began
        await library.start()
        await library.embedded()
        embedded = cpu() - began
        await library.close()
        await store.close()
    return {
        "searchable_cpu_s": round(searchable, 2),
        "embedded_cpu_s": round(embedded, 2),
        "passages": receipt.passages,
        "characters": len(text),
    }


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def measure(cache: Path, passages: int, small: int, queries: int) -> dict[str, object]:
    made = clustered(passages, SentenceEncoder.dimension)
    spread = [small] * (passages // small)
    return {
        "one_of_many": await compare(cache, spread, len(spread) // 2, made, queries),
        "one_big": await compare(cache, [passages], 0, made, queries),
        "chinese_megabyte": await megabyte(cache),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--small", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--cache", type=Path, default=Path("data/cache"))
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.cache, given.passages, given.small, given.queries))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
