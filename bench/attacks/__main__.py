"""`python -m bench.attacks --cases F.jsonl`: every row against the guard that it is about.

Prints a line for each failure and for each kind that was left out, then one JSON object
`{held, total, benign_passed, benign_total, failed[], left_out{}}`. A row that cannot be understood
is a failure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.attacks.files import check_document_kept, check_file, check_name, check_name_kept
from bench.attacks.posted import check_posted, check_unchanged
from bench.attacks.resources import NotYet, check_resource
from bench.attacks.row import Row, Unknown
from bench.attacks.secrets import check_log, check_plain_kept, check_secret
from bench.attacks.shop import Shop, open_shop
from bench.attacks.urls import check_open, check_url

LEFT_OUT = {
    "indirect_injection": "no tool with effects, memory, plan or teammate exists yet",
    "scope_leak": "tested by the library, the inbox and the adapter; needs a run from end to end",
}


@dataclass
class Score:
    held: int = 0
    total: int = 0
    benign_passed: int = 0
    benign_total: int = 0
    failed: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    left_out: Counter[str] = field(default_factory=Counter[str])

    def count(self, row: Row, wrong: str) -> None:
        if row.kind == "benign_control":
            self.benign_total += 1
            self.benign_passed += not wrong
        else:
            self.total += 1
            self.held += not wrong
        if wrong:
            self.failed.append({"id": row.id, "kind": row.kind, "why": wrong})
            print(f"FAILED {row.id} {row.kind}/{row.surface}: {wrong}", flush=True)

    def as_json(self) -> dict[str, Any]:
        left = {key: count for key, count in sorted(self.left_out.items())}
        return {**vars(self), "left_out": left}


async def check(row: Row, shop: Shop) -> str:
    match row.kind:
        case "exfil_output" | "mention_bomb":
            return await check_posted(row)
        case "output_abuse":
            log = "log" in str(row.oracle.get("type"))
            return await (check_log(row) if log else check_posted(row))
        case "ssrf":
            return await check_url(row)
        case "path_traversal":
            return await check_name(row, shop)
        case "hostile_file":
            return await check_file(row, shop)
        case "secrets_logs":
            return await check_secret(row, shop)
        case "resource":
            return await check_resource(row, shop)
        case "benign_control":
            return await check_benign(row, shop)
        case _:
            raise Unknown(f"kind {row.kind}")


async def check_benign(row: Row, shop: Shop) -> str:
    match row.surface:
        case "model_output" | "model_output_stream":
            return await check_unchanged(row)
        case "url":
            return await check_open(row)
        case "file_name":
            return await check_name_kept(row, shop)
        case "kb_document" | "file_text" | "tool_result":
            return await check_document_kept(row, shop)
        case "inbound_message" | "exception_text" | "slash_command":
            return await check_plain_kept(row)
        case _:
            raise Unknown(f"surface {row.surface}")


async def run(rows: list[Row], only: str) -> Score:
    score = Score()
    async with open_shop() as shop:
        for row in rows:
            if only and only not in (row.kind, row.id):
                continue
            if row.kind in LEFT_OUT:
                score.left_out[f"{row.kind}: {LEFT_OUT[row.kind]}"] += 1
                continue
            try:
                score.count(row, await check(row, shop))
            except NotYet as reason:
                score.left_out[f"{row.kind}: {reason}"] += 1
            except Unknown as reason:
                score.count(row, f"not understood: {reason}")
            except Exception as error:  # noqa: BLE001  # the border: a guard that breaks did not hold
                score.count(row, f"broke: {type(error).__name__}: {error}"[:300])
    for what, count in sorted(score.left_out.items()):
        print(f"left out {count} of {what}")
    return score


def read_rows(cases: Path) -> list[Row]:
    lines = cases.read_text(encoding="utf-8").splitlines()
    return [Row.of(json.loads(line)) for line in lines if line.strip()]


def main() -> None:
    options = argparse.ArgumentParser(description="Attack the product's own guards.")
    options.add_argument("--cases", type=Path, required=True)
    options.add_argument("--only", default="", help="one kind or one id")
    chosen = options.parse_args()
    logging.getLogger().setLevel(logging.CRITICAL)
    score = asyncio.run(run(read_rows(chosen.cases), chosen.only))
    print(json.dumps(score.as_json(), ensure_ascii=False))


if __name__ == "__main__":
    main()
