"""How many sentences go the right way: `python -m bench.routes --cases F.jsonl`.

Rows are `{text, mode}`, and where it matters `tool`, `language`, `documents`, `coverage` and
`has_model`. Without these a model, documents that hold the words, and every tool are taken to be
there. Printed is the accuracy per mode and per language, and each miss.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.language import language_of
from core.messages import Person, Place
from core.request import Request
from core.router import Facts, route
from core.tools.builtin import BUILTIN

OWN = Path(__file__).with_suffix(".jsonl")
"""Our own sentences; a reviewer adds a line."""

OUTSIDE = ("get_weather", "search_web")
"""Tools that an installation may lack."""

PLACE = Place(platform="local", workspace="local:W", channel="local:W/C", thread="local:W/C/1")


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def request_of(row: Mapping[str, Any]) -> Request:
    """The request that a row stands for."""
    text = str(row["text"])
    return Request(
        run="bench",
        place=PLACE,
        asker=Person(id="local:W/P"),
        question=text,
        language=language_of(text) or "en",
        time_zone="UTC",
        now=0.0,
        audience=(),
        tools=(*BUILTIN.names, *OUTSIDE),
    )


def facts_of(row: Mapping[str, Any]) -> Facts:
    """What the rules are told beside the text."""
    return Facts(
        has_model=bool(row.get("has_model", True)),
        documents=int(row.get("documents", 9)),
        coverage=float(row.get("coverage", 1.0)),
    )


def missed(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What went another way than the row says; None if nothing did."""
    chosen = route(request_of(row), facts_of(row))
    right = chosen.mode == row["mode"] and row.get("tool", chosen.tool) == chosen.tool
    if right:
        return None
    return {"text": row["text"], "mode": row["mode"], "got": chosen.mode, "rule": chosen.reason}


def language(row: Mapping[str, Any]) -> str:
    """`zh`, `en` or `mixed`."""
    text = str(row["text"])
    han = any("\u4e00" <= character <= "\u9fff" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    if han and latin >= 3:
        return "mixed"
    return "zh" if han else "en"


def report(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Accuracy per mode and language, and the misses."""
    by_mode: dict[str, list[bool]] = defaultdict(list)
    by_language: dict[str, list[bool]] = defaultdict(list)
    misses: list[dict[str, Any]] = []
    for row in rows:
        miss = missed(row)
        by_mode[str(row["mode"])].append(miss is None)
        by_language[str(row.get("language") or language(row))].append(miss is None)
        if miss is not None:
            misses.append(miss)
    count = sum(map(len, by_mode.values()))
    return {
        "n": count,
        "accuracy": _share([hit for hits in by_mode.values() for hit in hits]),
        "by_mode": {mode: [_share(hits), len(hits)] for mode, hits in sorted(by_mode.items())},
        "by_language": {name: [_share(hits), len(hits)] for name, hits in by_language.items()},
        "missed": misses,
    }


def _share(hits: list[bool]) -> float:
    return round(sum(hits) / len(hits), 4) if hits else 0.0


def main() -> None:
    """Print the report as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=OWN, help="JSON lines {text, mode}")
    rows = read(parser.parse_args().cases)
    print(json.dumps(report(rows), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
