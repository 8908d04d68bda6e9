"""How fast the bot takes a message, and starts on it.

`python -m bench.ack` prints `{ack_p50_ms, ack_p99_ms, ack_start_p99_ms, at_work, first_step_p50_ms,
first_step_p99_ms, journal_step_p50_ms}`: the acknowledgement of an event while 50 runs are each in
their model call, as the platform sees it over its socket (aim: p99 100 ms), and the same for the
50 messages that came at one moment and started them; from a message on disk to the first step of
its run, nothing else being at work (aim: p50 150 ms); one journal step (aim: 2 ms).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.bot import Bot, warm
from bench.scenario import CHANNEL
from bot.playground.server import PracticeServer
from bot.playground.sockets import Envelope
from bot.playground.workspace import BOT_USER
from core.journal import StoredJournal, claim_run
from core.store.sqlite import SqliteStore

BUSY = 50
EVENTS = 150
EVENT_GAP_S = 0.05
QUIET_MESSAGES = 30
STEPS = 500

SCRIPT = {
    "rules": [{"user": "take your time", "text": "Step by step. " * 400, "delay_ms": 250}],
    "otherwise": "Noted.",
}


class Acks:
    """Times from an envelope on the wire to its acknowledgement."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._waiting: set[asyncio.Task[None]] = set()

    async def sent(self, envelope: Envelope) -> int:
        task = asyncio.create_task(self._wait(envelope, time.perf_counter()))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        return 1

    async def all(self) -> None:
        await asyncio.gather(*self._waiting)

    async def _wait(self, envelope: Envelope, since: float) -> None:
        await envelope.heard.wait()
        self.seconds.append(time.perf_counter() - since)


async def measure(folder: Path) -> dict[str, float]:
    server = PracticeServer(0, folder / "slack")
    await server.start()
    await asyncio.to_thread(warm, folder / "cache")
    bot = Bot(folder, server, folder / "cache", SCRIPT)
    try:
        await bot.start()
        await server.wait_connected(60)
        # A new data folder's queue is looked at for the first time a second after it was made.
        server.say(CHANNEL, "U0NORA", f"<@{BOT_USER}> Hello!")
        await until(lambda: ended(bot) == 1)
        first = await first_steps(server, bot)
        starting, acks, worked = await busy(server, bot)
    finally:
        bot.kill()
        if bot.process is not None:
            await bot.process.wait()
        await server.stop()
    journal = await journal_steps(folder)
    return {
        "ack_p50_ms": ms(acks, 50),
        "ack_p99_ms": ms(acks, 99),
        "ack_start_p99_ms": ms(starting, 99),
        "at_work": worked,
        "first_step_p50_ms": ms(first, 50),
        "first_step_p99_ms": ms(first, 99),
        "journal_step_p50_ms": ms(journal, 50),
    }


async def first_steps(server: PracticeServer, bot: Bot) -> list[float]:
    """From the end of the durable write to the first step of the run, one message after another."""
    before = ended(bot)
    for number in range(QUIET_MESSAGES):
        server.say(CHANNEL, "U0NORA", f"<@{BOT_USER}> Hello there {number}!")
        await asyncio.sleep(0.3 + number % 7 / 50)
    await until(lambda: ended(bot) == before + QUIET_MESSAGES)
    kept, begun = times(bot, "kept", "accept"), times(bot, "begin", "request")
    return sorted(begun[run] - kept[run] for run in list(begun)[before:])


async def busy(server: PracticeServer, bot: Bot) -> tuple[list[float], list[float], int]:
    """Acknowledgements of the messages that start the runs, then of events in the threads of those
    runs; how many runs still were at work at the end."""
    calling = len(times(bot, "begin", "loop:1:model"))
    starting, acks = Acks(), Acks()
    server.hub.before_delivery = starting.sent
    threads = [
        server.say(CHANNEL, "U0LIN", f"<@{BOT_USER}> Hello, take your time!") for _ in range(BUSY)
    ]
    await until(lambda: len(times(bot, "begin", "loop:1:model")) >= calling + BUSY)
    await until(lambda: not server.hub.envelopes)
    server.hub.before_delivery = acks.sent
    for number in range(EVENTS):
        server.say(CHANNEL, "U0NORA", f"<@{BOT_USER}> And {number}?", threads[number % BUSY])
        await asyncio.sleep(EVENT_GAP_S)
    await acks.all()
    return starting.seconds, acks.seconds, at_work(bot)


def at_work(bot: Bot) -> int:
    """Runs that have started and not ended."""
    phases = Counter(line["phase"] for line in bot.log())
    return phases["start"] - phases["end"]


def ended(bot: Bot) -> int:
    """Runs that have ended."""
    return sum(line["phase"] == "end" for line in bot.log())


async def journal_steps(folder: Path) -> list[float]:
    """Steps whose work is nothing: reading, writing, committing."""
    store = await SqliteStore.open(folder / "steps.db")
    claim = await store.write(
        lambda tx: claim_run(tx, "run", "me", thread="t", scope="channel:c", person="p")
    )
    journal = StoredJournal(store, claim)

    async def nothing() -> str:
        return "a result of usual length " * 40

    found: list[float] = []
    for number in range(STEPS):
        since = time.perf_counter()
        await journal.step(f"loop:{number}:model", str, nothing)
        found.append(time.perf_counter() - since)
    await store.close()
    return found


def times(bot: Bot, phase: str, key: str) -> dict[str, float]:
    """When each run reached a phase of a step."""
    return {
        line["run"]: line["at"]
        for line in bot.log()
        if line["phase"] == phase and line["key"] == key
    }


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - another process's log
            await asyncio.sleep(0.1)


def ms(seconds: Sequence[float], percent: int) -> float:
    """A percentile in milliseconds."""
    return round(statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000, 2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="ack-") as name:
        print(json.dumps(asyncio.run(measure(Path(name)))))
