"""Kill the bot at random moments until its work is done, and count what went wrong.

`python -m bench.kill --seeds N [--seed S] [--platform discord]` prints `{platform, seeds, lost,
doubled, repeated_steps, order_breaks, killed_at{key: n}}`: messages without their answer, posts
that stand twice, finished steps that were done again, runs that overtook another of their thread,
and the steps under way at each SIGKILL. The bot is the real command line in a child process; it
lives on a practice Slack or Discord in this process and on a scripted model.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fnmatch
import json
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bot import LOOK_S, Bot, warm
from bench.scenario import SCRIPT
from bench.stages import PLATFORMS, DiscordStage, Stage, stage

AT_ONCE = 3
"""Seeds side by side: a start is CPU, the rest is waiting."""

DONE_S = 60.0
QUIET_S = 10.0
"""So long after the last run, what is not there will not come: it is lost."""
KILL_WAIT_S = 8.0
"""How long an armed kill may wait for its step; then the child is killed where it is."""

STEPS = (
    "request",
    "route",
    "loop:1:model",
    "loop:1:call:1",
    "loop:1:call:2",
    "loop:2:model",
    "rag:search",
    "rag:model",
    "tool:call:*",
    "tool:model",
    "chat:model",
    "sources:*",
    "ingest:1",
    "post:plan",
    "post:answer:1",
    "post:receipt",
    "accept",
)
KINDS = ("step", "step", "step", "before", "after", "delivery", "time", "starting")
TIMED = ("time", "starting")
PHASES = ("begin", "work", "kept")


@dataclass
class Tally:
    lost: int = 0
    doubled: int = 0
    repeated_steps: int = 0
    order_breaks: int = 0
    killed_at: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])

    def add(self, other: Tally) -> None:
        self.lost += other.lost
        self.doubled += other.doubled
        self.repeated_steps += other.repeated_steps
        self.order_breaks += other.order_breaks
        self.killed_at.update(other.killed_at)
        self.notes += other.notes


@dataclass(frozen=True)
class Kill:
    """Where a child dies: at a step of its own, at a moment that the server sees, or at a time
    after it connected (`time`) or was started (`starting`)."""

    kind: str
    what: str = ""
    seconds: float = 0.0


async def seed(number: int, cache: Path, platform: str = "slack") -> Tally:
    """One seed: play a scenario, kill the bot one to three times, then let it finish."""
    chance = random.Random(number)
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="kill-") as name:
        folder = Path(name)
        on = stage(platform, folder, chance)
        await on.server.start()
        bot = Bot(folder, on.server, cache, SCRIPT, hurry=True)
        playing: asyncio.Task[None] | None = None
        try:
            if isinstance(on, DiscordStage):
                # Discord keeps nothing for a bot that was never here: it comes once before.
                await bot.start()
                await on.scenario.greet()
                await bot.end()
            playing = asyncio.create_task(on.scenario.play())
            # Each kind of step has its turn, so that twenty seeds hit them all.
            kill = Kill("step", f"{chance.choice(PHASES)} {STEPS[number % len(STEPS)]}")
            await die_once(bot, kill, on, tally)
            for _ in range(chance.randint(0, 2)):
                await die_once(bot, next_kill(chance, bot.log(), on.calls), on, tally)
            await bot.start()
            await finish(bot, on, playing)
            judge(number, bot, on, tally)
        finally:
            if playing is not None:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)
            bot.kill()
            if bot.process is not None:
                await bot.process.wait()
            await on.server.stop()
    return tally


def next_kill(chance: random.Random, log: list[dict[str, Any]], calls: tuple[str, ...]) -> Kill:
    """The next kill; a step is chosen among those that have not come yet."""
    kind = chance.choice(KINDS)
    if kind in ("before", "after"):
        return Kill(kind, chance.choice(calls))
    seen = {(line["phase"], line["key"]) for line in log}
    fresh = [
        f"{phase} {step}"
        for phase in PHASES
        for step in STEPS
        if not any(phase == p and fnmatch.fnmatchcase(key, step) for p, key in seen)
    ]
    if kind == "step" and fresh:
        return Kill("step", chance.choice(fresh))
    return Kill("time" if kind == "step" else kind, seconds=0.1 + chance.random() * 2.5)


async def die_once(bot: Bot, kill: Kill, on: Stage, tally: Tally) -> None:
    """Start the bot and let it die of `kill`, or of nothing but the time if that never comes."""
    lines = len(bot.log())
    with armed(bot, on, kill) as hits:
        await bot.start(kill.what if kill.kind == "step" else "")
        if kill.kind != "starting":
            await bot.connected()
        await until_over(bot, on, kill.seconds if kill.kind in TIMED else KILL_WAIT_S)
        bot.kill()
        await bot.wait(10)
    tally.killed_at.update(hits[:1] or under_way(bot.log()[lines:]))


@contextlib.contextmanager
def armed(bot: Bot, on: Stage, kill: Kill) -> Generator[list[str]]:
    """The server's hooks kill the bot at the call or delivery that `kill` names; what they hit."""
    hits: list[str] = []

    def die(what: str) -> None:
        hits.append(what)
        bot.kill()

    def hit(kind: str, what: str) -> None:
        if kind != kill.kind:
            return
        if kind == "delivery":
            # Sent, and killed while it is being kept and acknowledged.
            asyncio.get_running_loop().call_later(kill.seconds / 200, die, "delivery")
        elif what == kill.what:
            die(f"{what} {kind}")

    on.watch(hit)
    try:
        yield hits
    finally:
        on.unwatch()


async def finish(bot: Bot, on: Stage, playing: asyncio.Task[None]) -> None:
    """Wait until everything is said and every run has ended; then stop the bot in good order."""
    await playing
    await until_over(bot, on, DONE_S)
    await bot.end()


async def until_over(bot: Bot, on: Stage, seconds: float) -> None:
    """Wait until the bot is dead, or every answer is there and no run is open."""
    deadline = time.monotonic() + seconds
    quiet, scenario = 0.0, on.scenario
    while not bot.ended and quiet < QUIET_S and time.monotonic() < deadline:
        at_work = open_runs(bot.folder)
        if scenario.over and not at_work and not scenario.missing():
            return
        # A bot that still starts, and events that are on their way, are no quiet.
        waits = at_work or not scenario.over or on.on_their_way
        quiet = quiet + LOOK_S if on.server.connected and not waits else 0.0
        await asyncio.sleep(LOOK_S)


def open_runs(folder: Path) -> int:
    """Runs that are not over; a database that is not there yet has some."""
    try:
        with contextlib.closing(sqlite3.connect(folder / "data" / "runs.db")) as connection:
            return connection.execute(
                "SELECT count(*) FROM workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
            ).fetchone()[0]
    except sqlite3.OperationalError:
        return 1


def judge(number: int, bot: Bot, on: Stage, tally: Tally) -> None:
    log, scenario = bot.log(), on.scenario
    missing = scenario.missing()
    twice = [mark for mark, count in Counter(scenario.marks()).items() if count > 1]
    again = repeated(log)
    breaks = overtaken(log)
    documents = versions(bot.folder)
    tally.lost += len({mark.partition("#")[0] for mark in missing})
    tally.doubled += len(twice) + documents
    tally.repeated_steps += len(again)
    tally.order_breaks += len(breaks)
    if missing or twice or again or breaks or documents:
        tally.notes.append(
            f"seed {number}: missing {missing}, twice {twice}, again {again}, breaks {breaks},"
            f" doubled documents {documents}"
        )
        sys.stderr.write((bot.folder / "stderr").read_text()[-3000:])


def repeated(log: list[dict[str, Any]]) -> list[str]:
    """Steps that were begun again although their result was kept."""
    kept: set[tuple[str, str]] = set()
    found: list[str] = []
    for line in log:
        step = (line["run"], line["key"])
        if line["phase"] == "kept":
            kept.add(step)
        elif line["phase"] == "begin" and step in kept and line["key"] != "accept":
            found.append(f"{line['run']}#{line['key']}")
    return found


def overtaken(log: list[dict[str, Any]]) -> list[str]:
    """Runs that started while an earlier one of their thread was waiting or at work."""
    accepted = {
        line["run"]: line["at"]
        for line in log
        if line["phase"] == "kept" and line["key"] == "accept"
    }
    first: dict[str, dict[str, Any]] = {}
    ended: dict[str, float] = {}
    for line in log:
        if line["phase"] == "start":
            first.setdefault(line["run"], line)
        elif line["phase"] == "end":
            ended[line["run"]] = line["at"]
    found: list[str] = []
    for run, start in first.items():
        for other, began in first.items():
            if other == run or began["key"] != start["key"]:
                continue
            over = ended.get(other, float("inf"))
            waited = said(other) < said(run) and accepted.get(other, 0.0) < start["at"] - 0.5
            at_work = began["at"] < start["at"]
            if over > start["at"] and (waited or at_work):
                found.append(f"{run} before the end of {other}")
    return found


def said(run: str) -> float:
    """When the message of a run was said: its key holds Slack's time stamp or Discord's id."""
    return float(re.findall(r"[\d.]+", run)[-1])


def under_way(log: list[dict[str, Any]]) -> list[str]:
    """The kinds of steps that a killed process had begun and not kept; `idle` if none."""
    open_steps: dict[tuple[str, str], None] = {}
    dying = [line for line in log if line["dies"]]
    for line in log:
        step = (line["run"], line["key"])
        if line["phase"] == "begin":
            open_steps[step] = None
        elif line["phase"] == "kept":
            open_steps.pop(step, None)
    if dying:
        return [f"{kind_of(dying[-1]['key'])} {dying[-1]['phase']}"]
    return [kind_of(list(open_steps)[-1][1])] if open_steps else ["idle"]


def kind_of(key: str) -> str:
    return re.sub(r"\d+", "#", key)


def versions(folder: Path) -> int:
    """Documents that were taken in more than once."""
    try:
        with contextlib.closing(sqlite3.connect(folder / "data" / "threadmate.db")) as connection:
            rows = connection.execute("SELECT version FROM document").fetchall()
    except sqlite3.OperationalError:
        return 0
    return sum(int(row[0]) - 1 for row in rows)


async def main(seeds: int, first: int, platform: str = "slack") -> Tally:
    tally = Tally()
    gate = asyncio.Semaphore(AT_ONCE)
    with tempfile.TemporaryDirectory(prefix="kill-cache-") as name:
        cache = Path(name)
        await asyncio.to_thread(warm, cache)

        async def one(number: int) -> None:
            async with gate:
                tally.add(await seed(number, cache, platform))

        await asyncio.gather(*(one(first + number) for number in range(seeds)))
    return tally


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.kill")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--platform", choices=PLATFORMS, default="slack")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    found = asyncio.run(main(given.seeds, given.seed, given.platform))
    for note in found.notes:
        print(note, file=sys.stderr)
    print(
        json.dumps(
            {
                "platform": given.platform,
                "seeds": given.seeds,
                "lost": found.lost,
                "doubled": found.doubled,
                "repeated_steps": found.repeated_steps,
                "order_breaks": found.order_breaks,
                "killed_at": dict(sorted(found.killed_at.items())),
            }
        )
    )
