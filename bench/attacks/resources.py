"""Exhaustion: a burst of messages, a model that never stops, a result that never ends."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from bench.attacks.posted import message_of
from bench.attacks.row import Row, Unknown
from bench.attacks.shop import Shop
from core.context import Limits, RunContext, StopSignal
from core.events import Body
from core.journal import MemoryJournal
from core.messages import Person
from core.model.scripted import ScriptedModel, calling
from core.modes import loop
from core.prompt import system_prompt, thread_messages
from core.request import Request
from core.runs import Runs
from core.runs.queue import CONCURRENCY
from core.tools.execute import run_tool
from core.tools.hand import FixedHand
from core.tools.tool import Arguments, Tool, ToolResult

MOST_ACK_S = 3.0
"""Slack: an event that is not acknowledged in three seconds comes again."""
MOST_KEPT = 512 * 1024
"""Bytes that one result may take in the step table."""
BURST_S = 60.0


class NotYet(Exception):
    """The surface is no part of the product yet."""


class Query(Arguments):
    query: str = ""


def context(journal: MemoryJournal, row: Row) -> RunContext:
    message = message_of(row)
    request = Request(
        run=message.key, place=message.place, asker=Person(id="slack:T1/U1"), question="q",
        language="en", time_zone="UTC", now=1_800_000_000.0, audience=("channel:slack:T1/C1",),
    )  # fmt: skip

    async def emit(path: str, body: Body) -> None:
        await asyncio.sleep(0)

    return RunContext(
        request=request, journal=journal, emit=emit, stop=StopSignal(), limits=Limits()
    )


def tool(text: str, details: dict[str, Any] | None = None) -> Tool:
    async def run(arguments: Any) -> ToolResult:
        return ToolResult(text=text, summary=text[:1000], details=details or {})

    return Tool(
        name="search", description="Looks things up.", arguments=Query, run=run,
        title=lambda arguments: "search",
    )  # fmt: skip


async def check_endless(row: Row) -> str:
    """A model that calls the same or ever another tool for ever gets its limits, and an answer."""
    for varied in (False, True):
        journal = MemoryJournal()
        ctx = context(journal, row)
        count = 0

        def again(_: object, varied: bool = varied) -> Any:
            nonlocal count
            count += 1
            return calling(("search", {"query": f"q{count if varied else 0}"}))

        model = ScriptedModel([again] * (ctx.limits.rounds + 50))
        box = {"search": tool("found")}
        system = system_prompt(ctx.request, list(box.values()))
        async with asyncio.timeout(60):
            answer = await loop.run(
                ctx, model, FixedHand(system, box), thread_messages(ctx.request)
            )
        if len(model.calls) > ctx.limits.rounds or not answer.text:
            return f"{len(model.calls)} rounds, answer {answer.text[:40]!r}"
    return ""


async def check_result(row: Row) -> str:
    """A huge result is cut before it meets the prompt or the step table."""
    size = int(row.input["tool_result_bytes"])
    journal = MemoryJournal()
    ctx = context(journal, row)
    result = await run_tool(ctx, tool("x" * size, {"raw": "y" * size}), {}, "call:1")
    kept = sum(len(text.encode()) for text in journal.rows.values())
    if kept > MOST_KEPT or len(result.text) > MOST_KEPT:
        return f"{kept} bytes in the step table, {len(result.text)} characters in the prompt"
    return ""


@dataclass
class Busy:
    """A handler that knows how many of it run at once."""

    now: int = 0
    most: int = 0
    done: int = 0

    async def __call__(self, key: str, payload: str) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.05)
        self.now -= 1
        self.done += 1


async def check_burst(row: Row, shop: Shop) -> str:
    """Many messages at once: each is on disk in time, no more run at once than configured."""
    busy = Busy()
    runs = Runs(shop.queue(row.id), shop.store, busy)
    await runs.start()
    count = int(row.input["n"])
    late = 0.0

    async def arrive(number: int) -> bool:
        nonlocal late
        started = time.perf_counter()
        thread = f"slack:T1/C1/{row.id}.{number % 50}"
        new = await runs.enqueue(f"slack:T1:C1:{row.id}.{number}", thread, "{}")
        late = max(late, time.perf_counter() - started)
        return new

    try:
        pace = float(row.input.get("window_s", 1)) / count
        tasks: list[asyncio.Task[bool]] = []
        for number in range(count):
            tasks.append(asyncio.create_task(arrive(number)))
            await asyncio.sleep(pace)
        taken = sum(await asyncio.gather(*tasks))
        ends = time.perf_counter() + BURST_S
        while busy.done < count and time.perf_counter() < ends:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    finally:
        await runs.drain(5)
    if taken != count or busy.done != count:
        return f"{taken} taken and {busy.done} worked of {count}"
    if late > MOST_ACK_S or busy.most > CONCURRENCY:
        return f"slowest acceptance {late:.2f} s, {busy.most} at once"
    return ""


async def check_resource(row: Row, shop: Shop) -> str:
    """ "" if the limit holds; NotYet for plans, which do not exist."""
    made = row.input if isinstance(row.input, dict) else {}
    if row.surface == "inbound_burst":
        return await check_burst(row, shop)
    if "tool_result_bytes" in made:
        return await check_result(row)
    if row.surface == "model_output" and ({"react", "loop"} & set(made)):
        return await check_endless(row)
    if row.surface == "llm_args" and any("plan" in key for key in made):
        raise NotYet("there are no plans yet")
    raise Unknown(f"{row.surface}: {str(row.input)[:60]}")
