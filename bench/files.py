"""Files of every kind against what each must give: `python -m bench.files --manifest M [--json]`.

A manifest row is JSON: `{file, kind, expect: {...}}`, the file beside the manifest. One line per
file, then one JSON object `{ok, total, failed[]}`. A row whose expectation is unknown fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from core.knowledge.parse import Block, Parsed, Parser
from core.texts import say

BOUNDED_S = 2.0
BOUNDED_BLOCKS = 1000


def lines(block: Block) -> Iterator[str]:
    yield from block.heading
    yield from block.text.split("\n")


def text_of(parsed: Parsed, page: int | None = None) -> str:
    blocks = [block for block in parsed.blocks if page is None or block.page == page]
    return "\n".join(line for block in blocks for line in lines(block))


def squeeze(text: str) -> str:
    return "".join(text.split())


def holds(parsed: Parsed, wanted: str, page: int | None = None) -> bool:
    return " ".join(wanted.split()) in " ".join(text_of(parsed, page).split())


def same_row(parsed: Parsed, cells: list[str]) -> bool:
    return any(all(cell in line for cell in cells) for b in parsed.blocks for line in lines(b))


def on_page(parsed: Parsed, expect: dict[str, Any], page: int) -> bool:
    """The row's texts, or any text where it names none, stand on `page`."""
    whole = squeeze(text_of(parsed, page))
    wanted = [*expect.get("contains", []), *expect.get("contains_ignoring_spaces", [])]
    return bool(whole) and all(squeeze(text) in whole for text in wanted)


def status_is(parsed: Parsed, wanted: str, seconds: float) -> bool:
    if wanted == "ok_bounded":
        return seconds < BOUNDED_S and len(parsed.blocks) < BOUNDED_BLOCKS
    sentence = parsed.reason == "" or all(
        say(parsed.reason, language, **parsed.values) for language in ("zh", "en")
    )
    return parsed.status == wanted and sentence


def headings(parsed: Parsed) -> set[str]:
    return {heading for block in parsed.blocks for heading in block.heading}


Check = Callable[[Parsed, Any, dict[str, Any], float], bool]
CHECKS: dict[str, Check] = {
    "contains": lambda p, v, e, s: all(holds(p, text) for text in v),
    "contains_ignoring_spaces": lambda p, v, e, s: all(
        squeeze(text) in squeeze(text_of(p)) for text in v
    ),
    "must_not_contain": lambda p, v, e, s: not any(text in text_of(p) for text in v),
    "page": lambda p, v, e, s: on_page(p, e, v),
    "page_of": lambda p, v, e, s: all(holds(p, text, page) for text, page in v.items()),
    "pages": lambda p, v, e, s: p.pages == v,
    "heading": lambda p, v, e, s: v in headings(p),
    "headings": lambda p, v, e, s: set(v) <= headings(p),
    "same_row": lambda p, v, e, s: all(same_row(p, cells) for cells in v),
    "title": lambda p, v, e, s: p.title == v,
    "entry_names_contain": lambda p, v, e, s: all(text in text_of(p) for text in v),
    "status": lambda p, v, e, s: status_is(p, v, s),
    "reason": lambda p, v, e, s: p.reason.endswith(v),
}
NOTES = {"note", "password"}
"""For the reader of the manifest; nothing to check."""


def misses(parsed: Parsed, expect: dict[str, Any], seconds: float) -> list[str]:
    """The expectations that do not hold. Text is only expected of a document that was read."""
    wrong = [key for key in expect if key not in CHECKS and key not in NOTES]
    if "status" not in expect and parsed.status not in ("ready", "partial"):
        wrong.append(f"status {parsed.status}")
    for key, check in CHECKS.items():
        if key in expect and not check(parsed, expect[key], expect, seconds):
            wrong.append(key)
    return wrong


Row = dict[str, Any]


def read_rows(manifest: Path) -> list[Row]:
    return [json.loads(line) for line in manifest.read_text().splitlines() if line.strip()]


async def run(rows: list[Row], folder: Path, as_json: bool) -> dict[str, Any]:
    parser = Parser()
    failed: list[dict[str, Any]] = []
    try:
        for row in rows:
            started = time.perf_counter()
            parsed = await parser.parse(folder / row["file"], row["file"])
            seconds = time.perf_counter() - started
            wrong = misses(parsed, row["expect"], seconds)
            if wrong:
                failed.append({"file": row["file"], "missed": wrong, "status": parsed.status})
            if not as_json:
                print(report(row["file"], parsed, seconds, wrong))
    finally:
        await parser.close()
    return {"ok": len(rows) - len(failed), "total": len(rows), "failed": failed}


def report(file: str, parsed: Parsed, seconds: float, wrong: list[str]) -> str:
    sign = f"MISSED {', '.join(wrong)}" if wrong else "ok"
    size = f"{parsed.pages} pages, {len(parsed.blocks)} blocks, {seconds * 1000:.0f} ms"
    told = f" | {say(parsed.reason, 'en', **parsed.values)}" if parsed.reason else ""
    return f"{sign:8} {file} | {parsed.status} | {size}{told}"


def main() -> None:
    options = argparse.ArgumentParser(description="Read files and check what came out.")
    options.add_argument("--manifest", type=Path, required=True)
    options.add_argument("--json", action="store_true", help="only the last line")
    chosen = options.parse_args()
    result = asyncio.run(run(read_rows(chosen.manifest), chosen.manifest.parent, chosen.json))
    print(json.dumps(result, ensure_ascii=False))


if __name__ == "__main__":
    main()
