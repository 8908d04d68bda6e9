"""A plan that changes sixty times in six seconds, on a Discord that enforces its limits.

    python -m bench.discord_stream [--edits 60] [--seconds 6]

Through the real outbox and the real port, over sockets, to the practice Discord with Discord's own
rate limits (five edits in five seconds). Prints one JSON object: how long it took from the first
change to the last text being there, in seconds and as a multiple of the time the changes took; the
edits sent; the most of them in any five seconds; calls that were refused for a limit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.discord.account import DiscordConfig
from bot.discord.port import DiscordPort
from bot.outbox import Outbox
from bot.platform import Draft
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.call import Call
from bot.playground.discord.guild import GUILD
from bot.playground.discord.seed import HANDBOOK, NORA
from bot.text.outbound import clean
from core.journal import Claim, claim_run
from core.messages import Place
from core.store.sqlite import SqliteStore

WINDOW_S = 5.0
"""Discord: five edits in it, in practice."""


async def measure(edits: int, seconds: float) -> dict[str, Any]:
    practice = PracticeDiscord()
    await practice.start()
    sent: list[float] = []

    async def note(call: Call) -> None:
        if call.route == "message.edit":
            sent.append(time.monotonic())

    practice.rest.before_request = note  # pyright: ignore[reportAttributeAccessIssue]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        store = await SqliteStore.open(Path(folder) / "threadmate.db")
        config = DiscordConfig(SecretStr(practice.token), practice.api_url, practice.gateway_url)
        port = DiscordPort(config, store)
        await port.open()
        outbox = Outbox(store, {port.name: port}, clean)
        try:
            return await stream(practice, port, outbox, store, edits, seconds, sent)
        finally:
            await outbox.close()
            await port.close()
            await store.close()
            await practice.stop()


async def stream(
    practice: PracticeDiscord,
    port: DiscordPort,
    outbox: Outbox,
    store: SqliteStore,
    edits: int,
    seconds: float,
    sent: list[float],
) -> dict[str, Any]:
    number = practice.say("handbook", NORA, "@Threadmate write a plan")
    place = Place(
        platform=port.name,
        workspace=f"discord:{GUILD}",
        channel=f"discord:{GUILD}/{HANDBOOK}",
        thread=f"discord:{GUILD}/{HANDBOOK}/{number}",
    )
    claim = await claimed(store, number, place)
    began = time.monotonic()
    for step in range(edits):
        await outbox.show(claim, "post:plan", place, Draft(text=plan(step)))
        await asyncio.sleep(began + (step + 1) * seconds / edits - time.monotonic())
    deltas = time.monotonic() - began
    await outbox.settle(claim, "post:plan")
    took = time.monotonic() - began
    (shown,) = practice.from_bot(number)
    return {
        "deltas_s": round(deltas, 2),
        "took_s": round(took, 2),
        "times": round(took / deltas, 3),
        "edits": len(sent),
        "most_in_5_s": most_within(sent, WINDOW_S),
        "refused": len(practice.rest.limited),
        "last_text_intact": shown["content"] == plan(edits - 1),
        "faults": practice.faults,
    }


async def claimed(store: SqliteStore, number: str, place: Place) -> Claim:
    return await store.write(
        lambda tx: claim_run(
            tx,
            f"discord:{number}",
            "bench",
            thread=place.thread,
            scope=f"channel:{place.channel}",
            person=f"discord:user/{NORA}",
        )
    )


def plan(step: int) -> str:
    lines = [f"✓ 第 {n} 步 · done" for n in range(max(0, step - 6), step)]
    return "\n".join([*lines, f"▸ step {step} 正在进行"])


def most_within(times: list[float], window: float) -> int:
    return max((sum(1 for other in times if 0 <= other - one < window) for one in times), default=0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.discord_stream")
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=6.0)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.edits, given.seconds)), ensure_ascii=False))
