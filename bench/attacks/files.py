"""Names and bytes of hostile files, through the library's storing and the real parser."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import psutil

from bench.attacks.making import PAYLOAD, make
from bench.attacks.posted import FORMULA, LIVE
from bench.attacks.row import Row, Unknown, plain, readings
from bench.attacks.shop import OWNER, SCOPE, Shop
from bot.platform import Draft
from bot.text.outbound import clean
from core.knowledge.documents import Receipt
from core.knowledge.parse import Parsed, Status

MOST_RSS = 700 * 2**20
"""Resident memory of the child: its limit of address space is 1 GiB."""
MOST_SECONDS = 60.0
MOST_LAG = 0.5
"""Seconds that the event loop may be late while a file is read, on a busy machine."""
STORED = re.compile(r"[0-9a-f]{16,64}(?:\.part)?$")
UNSAFE_SHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069/\\\\]")
EXPANDED = re.compile(r"(?:ha){4,}|(?:lol){4,}|root:.*:0:0:|/bin/(?:ba)?sh", re.S)


@dataclass
class Watch:
    """What reading a file cost."""

    seconds: float = 0.0
    rss: int = 0
    lag: float = 0.0


@asynccontextmanager
async def watched() -> AsyncGenerator[Watch]:
    """Time, the children's memory and the loop's lateness meanwhile."""
    seen = Watch()
    started = time.perf_counter()
    task = asyncio.create_task(look(seen))
    try:
        yield seen
    finally:
        seen.seconds = time.perf_counter() - started
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def look(seen: Watch) -> None:
    pause = 0.02
    while True:
        before = time.perf_counter()
        await asyncio.sleep(pause)
        seen.lag = max(seen.lag, time.perf_counter() - before - pause)
        for child in psutil.Process().children():
            try:
                seen.rss = max(seen.rss, child.memory_info().rss)
            except psutil.NoSuchProcess:
                continue


async def store_named(shop: Shop, name: str, data: bytes) -> Receipt:
    kb = await shop.library.kb_for(SCOPE, "", OWNER)
    path = shop.upload(data)
    return await shop.library.ingest(kb, scope=SCOPE, owner=OWNER, name=name, path=path)


def system_file() -> tuple[int, int]:
    """What would change if somebody wrote to a file of the system."""
    found = Path("/etc/passwd").stat()
    return found.st_mtime_ns, found.st_size


async def check_name(row: Row, shop: Shop) -> str:
    """ "" if a file of that name is stored inside, under a name of ours, and is shown safely."""
    outside = system_file()
    receipt = await store_named(shop, row.text, f"text of {row.id}".encode())
    if wrong := shop.strangers():
        return f"written outside: {wrong[:3]}"
    if system_file() != outside:
        return "a file of the system changed"
    stored = [path.name for path in (shop.data / "blobs").rglob("*") if path.is_file()]
    if odd := [name for name in stored if not STORED.match(name)]:
        return f"stored as {odd[:3]}"
    if receipt.status != "ready":
        return f"refused: {receipt.status} {receipt.reason}"
    return name_is_safe(receipt.name)


def name_is_safe(name: str) -> str:
    if not name.strip(". ") or UNSAFE_SHOWN.search(name) or len(name.encode()) > 1000:
        return f"shown as {name[:80]!r}"
    return ""


async def check_name_kept(row: Row, shop: Shop) -> str:
    receipt = await store_named(shop, row.text, f"text of {row.id}".encode())
    kbs = await shop.library.kbs([SCOPE])
    found = await shop.library.find_by_name([kb.id for kb in kbs], row.text)
    if receipt.name != row.text or not found:
        return f"became {receipt.name!r}"
    return ""


async def check_document_kept(row: Row, shop: Shop) -> str:
    """ "" if an ordinary text in a document is kept and found as it is."""
    await store_named(shop, f"{row.id}.txt", row.text.encode())
    kbs = [kb.id for kb in await shop.library.kbs([SCOPE])]
    hits = await shop.library.search(kbs, row.text)
    return "" if any(row.text in hit.text for hit in hits) else "not found as it was written"


async def check_file(row: Row, shop: Shop) -> str:
    """ "" if the file made from the row does no harm and ends in an honest status."""
    if not isinstance(row.input, dict):
        raise Unknown("a file that is not described")
    name, data = await asyncio.to_thread(make, row.input)
    path = shop.upload(data)
    async with watched() as seen:
        parsed = await shop.parser.parse(path, name)
    most = float(row.oracle.get("max_seconds", MOST_SECONDS))
    if parsed.status not in get_args(Status) or (parsed.status != "ready" and not parsed.reason):
        return f"no honest status: {parsed.status}"
    if seen.seconds > most or seen.rss > MOST_RSS or seen.lag > MOST_LAG:
        return f"{seen.seconds:.1f} s, {seen.rss // 2**20} MiB, loop late by {seen.lag:.2f} s"
    if wrong := shop.strangers():
        return f"written outside: {wrong[:3]}"
    judge = ORACLES.get(str(row.oracle.get("type")))
    if judge is None:
        raise Unknown(f"oracle {row.oracle.get('type')}")
    return judge(row, parsed)


def within_limits(row: Row, parsed: Parsed) -> str:
    limits = {key: float(v) for key, v in row.oracle.items() if key.startswith("max_")}
    if strange := set(limits) - LIMITS:
        raise Unknown(f"limits {sorted(strange)}")
    text = text_of(parsed)
    pages = {block.page for block in parsed.blocks if block.page}
    measured = {
        "max_bytes": len(text.encode("utf-8", "replace")),
        "max_pages": len(pages),
        "max_entries": text.count("\n") if parsed.blocks else 0,
        # The payload lies at the bottom: who shows it went all the way down.
        "max_depth": int(row.input.get("depth", 0)) if PAYLOAD in text else 1,
        "max_pixels": 1 if text else 0,
    }
    over = [key for key, most in limits.items() if measured.get(key, 0) > most]
    return f"over {over}: {[measured[key] for key in over]}" if over else ""


LIMITS = {
    "max_ratio", "max_bytes", "max_depth", "max_entries", "max_pixels", "max_pages", "max_seconds",
}  # fmt: skip
"""Ratio and seconds are held by the time and memory that the reading took."""


def text_of(parsed: Parsed) -> str:
    return "\n".join("\n".join((*b.heading, b.text)) for b in parsed.blocks)


def names_inside(row: Row, parsed: Parsed) -> str:
    text = text_of(parsed)
    return "a climbing path is shown" if re.search(r"(?:^|\s)(?:\.\.[/\\]|[/\\])", text) else ""


def literal_or_refused(row: Row, parsed: Parsed) -> str:
    found = EXPANDED.search(plain(text_of(parsed)))
    return f"expanded: {found.group()[:40]!r}" if found else ""


def index_not_contains(row: Row, parsed: Parsed) -> str:
    values = row.oracle.get("values", ())
    found = [v for v in values for reading in readings(text_of(parsed)) if v in reading]
    return f"indexed {found[0]!r}" if found else ""


def nothing_live(row: Row, parsed: Parsed) -> str:
    """A quote of the file, as it would be posted."""
    starts = tuple(row.oracle.get("values", FORMULA))
    for block in parsed.blocks:
        quoted = clean(Draft(text=block.text), "slack").text
        if any(line.startswith(starts) for line in quoted.split("\n")) or LIVE.search(quoted):
            return f"posted {quoted[:80]!r}"
    return ""


ORACLES = {
    "limit": within_limits,
    "path_inside_root_or_reject": names_inside,
    "reject_or_literal": literal_or_refused,
    "index_not_contains": index_not_contains,
    "posted_not_startswith": nothing_live,
}
