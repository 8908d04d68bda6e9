"""The bot on a Discord that breaks all the time: is every addressed message answered, once?

    python -m bench.discord_torture [--rounds 200] [--kills 0] [--seed 1]

The real command in its own process, without a model, on the practice Discord. While people ask by
mention, in threads, in private and by command, faults come at random: connections break, sessions
are lost (op 9), events come twice, calls answer 5xx, 429 or nothing, before or after their work.
With `--kills` the bot's process is killed so often among them and started again.
Prints one JSON object: messages asked, those without an answer, those with more than one, faults by
kind, and what was sent beyond Discord's limits. Exit code 1 if anything is lost or doubled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bot import ROOT
from bot.discord.posted import nonce
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.interactions import FIRST_S, Interaction
from bot.playground.discord.seed import LIN, NORA, OMAR
from tests.rigs.discord_faults import DiscordFaults

PAUSE_S = 0.15
"""Between two faults, and two messages."""
DONE_S = 240.0
ROUTES = (
    "message.create",
    "message.edit",
    "thread.create",
    "reaction.add",
    "interaction.callback",
    "message.list",
    "*",
)
PEOPLE = (LIN, NORA, OMAR)
QUESTIONS = ("年假有几天？", "how many days of leave?", "报销要几天？", "who is on call?")


@dataclass
class Torture:
    practice: PracticeDiscord
    chance: random.Random
    faults: DiscordFaults = field(init=False)
    asked: dict[str, str] = field(default_factory=dict[str, str])
    """Runs that must be answered, and how they were asked."""
    commands: list[Interaction] = field(default_factory=list[Interaction])
    hit: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        self.faults = DiscordFaults(self.practice)

    @property
    def kinds(self) -> dict[str, Callable[[], None]]:
        faults, route = self.faults, self.chance.choice(ROUTES)
        return {
            "drop": faults.drop,
            "op 7": faults.reconnect,
            "op 9 resumable": lambda: faults.invalidate(True),
            "op 9": lambda: faults.invalidate(False),
            "sessions lost": faults.lose_sessions,
            "close": lambda: faults.close(self.chance.choice((1000, 4000, 4007, 4009))),
            "twice": lambda: faults.duplicate(self.chance.randint(1, 3)),
            "5xx": lambda: faults.server_error(route, self.chance.choice((500, 502, 503, 504))),
            "5xx after the work": lambda: faults.lose_answer(route),
            "429": lambda: faults.rate_limit(route, 0.1),
            "cut before": lambda: faults.cut_before(route),
            "cut after": lambda: faults.cut_after(route),
            "slow": lambda: faults.slow(route, 0.5),
        }

    def break_something(self) -> None:
        name = self.chance.choice(sorted(self.kinds))
        self.hit[name] += 1
        self.kinds[name]()

    def ask(self) -> None:
        """A message that must be answered, or one that must not."""
        practice, person = self.practice, self.chance.choice(PEOPLE)
        question = self.chance.choice(QUESTIONS)
        match self.chance.randint(0, 9):
            case 0:
                practice.say("random", person, question)
            case 1 | 2:
                self._note(practice.dm(person, question), "private")
            case 3:
                try:
                    made = practice.slash(person, "handbook", "ask", {"question": question})
                except Exception as error:  # noqa: BLE001 - no bot is connected to offer it
                    self.hit[f"no command: {type(error).__name__}"] += 1
                    return
                self._note(made.id, "command")
                self.commands.append(made)
            case 4 | 5 if threads := practice.threads("handbook"):
                place = str(self.chance.choice(threads)["id"])
                self._note(practice.say(place, person, f"@Threadmate {question}"), "thread")
            case _:
                channel = self.chance.choice(("handbook", "random"))
                self._note(practice.say(channel, person, f"@Threadmate {question}"), "mention")

    def _note(self, number: str, how: str) -> None:
        self.asked[number] = how

    def drop_unheard(self) -> None:
        """Commands that Discord itself told their person about: nobody answered in time."""
        for made in self.commands:
            if made.state != "answered" and self.asked.pop(made.id, None):
                self.hit["commands that were not heard"] += 1

    def greet(self) -> None:
        """Discord tells nobody which private conversations there are: each is begun in quiet."""
        for person in PEOPLE:
            self._note(self.practice.dm(person, QUESTIONS[0]), "private")

    def answers(self) -> Counter[str]:
        """How often each run's answer stands there, by the nonce that its post carries."""
        wanted = {nonce(f"discord:{one}#post:answer:1"): one for one in self.asked}
        found: Counter[str] = Counter()
        for channel in list(self.practice.guild.channels):
            for message in self.practice.guild.timeline(channel):
                if (run := wanted.get(str(message.get("nonce") or ""))) is not None:
                    found[run] += 1
        return found


async def run(faults: int, kills: int, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        practice = PracticeDiscord(rates=0.2)
        await practice.start()
        torture = Torture(practice, random.Random(seed))
        child = await started(practice, folder)
        try:
            await practice.wait_connected(90)
            torture.greet()
            await answered(torture)
            for number in range(faults):
                torture.ask()
                torture.break_something()
                if kills and number % (faults // kills) == faults // kills - 1:
                    torture.hit["kill"] += 1
                    child.kill()
                    await child.wait()
                    child = await started(practice, folder)
                await asyncio.sleep(PAUSE_S * 2 * torture.chance.random())
            torture.faults.clear()
            await asyncio.sleep(FIRST_S)
            torture.drop_unheard()
            await answered(torture)
            # A second answer would come late.
            await asyncio.sleep(3)
        finally:
            if child.returncode is None:
                child.terminate()
            else:
                torture.hit[f"ended by itself with {child.returncode}"] += 1
            await child.wait()
            await practice.stop()
        found = torture.answers()
        lost = [one for one in torture.asked if not found[one]]
        if lost:
            sys.stderr.write((folder / "stderr").read_text("utf-8")[-20_000:])
        return {
            "asked": len(torture.asked),
            "by": dict(Counter(torture.asked.values())),
            "lost": [f"{torture.asked[one]} {one}" for one in lost],
            "doubled": [f"{torture.asked[one]} {one}" for one in found if found[one] > 1],
            "faults": dict(torture.hit),
            "beyond_limits": practice.faults,
        }


async def started(practice: PracticeDiscord, folder: Path) -> asyncio.subprocess.Process:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("THREADMATE_", "SLACK_"))}
    env |= practice.environment
    env |= {"PYTHONPATH": str(ROOT), "THREADMATE_DATA": str(folder / "data")}
    with (folder / "stderr").open("ab") as errors:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"),
            cwd=folder,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stderr=errors,
        )


async def answered(torture: Torture) -> None:
    deadline = time.monotonic() + DONE_S
    while time.monotonic() < deadline:
        found = torture.answers()
        if all(found[one] for one in torture.asked):
            return
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.discord_torture")
    parser.add_argument("--rounds", "--faults", dest="faults", type=int, default=200)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = asyncio.run(run(given.faults, given.kills, given.seed))
    print(json.dumps(result, ensure_ascii=False))
    sys.exit(1 if result["lost"] or result["doubled"] else 0)
