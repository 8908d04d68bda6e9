"""Recall of what people said: `python -m bench.memory_recall --cases F.jsonl`.

Rows are as in the corpus: `turn` (of a scenario or user), `memory` (of a user and language) and
`query` with the ids it should bring back. Everything goes through the product's own store and
recall, each owner in a conversation with us; `leak` is the share of returned rows that belong to
somebody else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.index.embed import Embedder, SentenceEncoder
from core.memory.memories import Memories
from core.memory.record import Memory, Seat
from core.scope import person_scope
from core.store.sqlite import SqliteStore

NOW = 1_790_000_000.0
LAST_LINES = 3
"""Lines of a dialogue that a question is made of."""


def owner(row: Mapping[str, Any]) -> str:
    """The person whose row it is, as one id."""
    name = row.get("scenario") or row.get("user") or row.get("user_id")
    return f"local:W/{row.get('lang', '')}{name}"


def text(row: Mapping[str, Any]) -> str:
    """What was said; the bot's words stay with the question that they answered."""
    said = row.get("text") or row.get("query") or ""
    return f"{said}\n{row['response']}" if row.get("response") else str(said)


def question(row: Mapping[str, Any]) -> str:
    """A question, or the last lines of a dialogue."""
    if "query" in row:
        return str(row["query"])
    context = row["context"]
    return context if isinstance(context, str) else "\n".join(map(str, context[-LAST_LINES:]))


def memory(row: Mapping[str, Any]) -> Memory:
    person = owner(row)
    return Memory(
        id=f"{person}#{row['id']}",
        owner=person,
        scope=person_scope(person),
        layer="context",
        text=text(row),
        language="zh",
        channel=f"{person}/D",
        direct=True,
        message=str(row["id"]),
        observed_at=NOW,
    )


async def measure(
    rows: Sequence[Mapping[str, Any]], folder: Path, encoder: Embedder | None = None
) -> dict[str, Any]:
    """Recall at 1, 5 and 10, the mean reciprocal rank, and leaks."""
    store = await SqliteStore.open(folder / "memory.db")
    try:
        memories = Memories(store, encoder or SentenceEncoder(folder / "cache"))
        kept = [memory(row) for row in rows if row["type"] in ("turn", "memory")]
        await memories.keep(kept)
        asked = [row for row in rows if row["type"] == "query"]
        sums = {"r1": 0.0, "r5": 0.0, "r10": 0.0, "mrr": 0.0}
        returned = leaked = 0
        for row in asked:
            person = owner(row)
            seat = Seat(person=person, channel=f"{person}/D", workspace="local:W", direct=True)
            found = (await memories.search(seat, question(row), NOW))[:10]
            returned += len(found)
            leaked += sum(one.memory.owner != person for one in found)
            gold = {str(one) for one in row.get("evidence") or row["relevant"]}
            ids = [one.memory.message for one in found]
            for k in (1, 5, 10):
                sums[f"r{k}"] += len(gold.intersection(ids[:k])) / len(gold)
            ranks = [place for place, one in enumerate(ids, 1) if one in gold]
            sums["mrr"] += 1 / ranks[0] if ranks else 0.0
        count = max(1, len(asked))
        return {
            **{name: round(value / count, 4) for name, value in sums.items()},
            "leak": leaked / max(1, returned),
            "n": len(asked),
        }
    finally:
        await store.close()


def main() -> None:
    """Print the figures, for each language of the file where there are two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True)
    lines = parser.parse_args().cases.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    languages = sorted({row["lang"] for row in rows if "lang" in row})
    report: dict[str, Any] = {}
    for language in languages or [""]:
        mine = [row for row in rows if row.get("lang", "") == language]
        with tempfile.TemporaryDirectory() as folder:
            figures = asyncio.run(measure(mine, Path(folder)))
        report = report | {language: figures} if language else figures
    print(json.dumps(report, ensure_ascii=False))


if __name__ == "__main__":
    main()
