"""The bot under watch: the real command line, with a log of what it begins and keeps.

`python -m bench.watched run` is `threadmate run`, except that each step of a run is a line in the
file that BENCH_STEPS names, and that BENCH_DIE (`phase pattern`) makes it die of SIGKILL at the
first step that fits. Phases: `begin` a step, its `work` is over, its result is `kept`. With
BENCH_HURRY it does not keep Slack's pace, and its vectors are of hashed words.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench.hashed import Hashed
from bot.discord.port import DiscordPort
from bot.outbox import Delivery, Outbox
from bot.platform import Draft
from bot.slack.port import SlackPort
from bot.worker import Worker
from core.context import StopSignal
from core.index.embed import SentenceEncoder
from core.journal import Claim, StoredJournal
from core.messages import Message, Place
from core.runs import Runs


class Watch:
    """Notes steps, and dies where it is told to."""

    def __init__(self, path: str, die: str) -> None:
        # One write a line, appended: also whole when the process dies right after it.
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._phase, _, self._pattern = die.partition(" ")

    def note(self, phase: str, run: str, key: str) -> None:
        fits = phase == self._phase and fnmatch.fnmatchcase(key, self._pattern)
        line = {"at": time.time(), "phase": phase, "run": run, "key": key, "dies": fits}
        os.write(self._file, (json.dumps(line) + "\n").encode())
        if fits:
            os.kill(os.getpid(), signal.SIGKILL)


def watch(seen: Watch) -> None:
    """Put the watch around steps, posts, arrivals and runs."""
    watch_steps(seen)
    watch_posts(seen)
    watch_runs(seen)


def watch_steps(seen: Watch) -> None:
    original = StoredJournal.step

    async def step(
        self: StoredJournal, key: str, kind: Any, work: Callable[[], Awaitable[Any]]
    ) -> Any:
        begun = False

        async def watched() -> Any:
            nonlocal begun
            begun = True
            seen.note("begin", self.claim.run, key)
            result = await work()
            seen.note("work", self.claim.run, key)
            return result

        result = await original(self, key, kind, watched)
        if begun:
            seen.note("kept", self.claim.run, key)
        return result

    StoredJournal.step = step


def watch_posts(seen: Watch) -> None:
    deliver, say = Delivery.post, Outbox._post  # pyright: ignore[reportPrivateUsage]
    posted: set[str] = set()

    async def post(self: Delivery, draft: Draft) -> str:
        run, _, key = self.mark.partition("#")
        seen.note("begin", run, key)
        message = await deliver(self, draft)
        seen.note("work", run, key)
        posted.add(self.mark)
        return message

    async def told(self: Outbox, claim: Claim, key: str, place: Place, draft: Draft) -> Any:
        result = await say(self, claim, key, place, draft)
        if f"{claim.run}#{key}" in posted:
            posted.discard(f"{claim.run}#{key}")
            seen.note("kept", claim.run, key)
        return result

    Delivery.post = post
    Outbox._post = told  # pyright: ignore[reportPrivateUsage]


def watch_runs(seen: Watch) -> None:
    enqueue, work = Runs.enqueue, Worker.work

    async def accepted(self: Runs, key: str, *arguments: Any) -> bool:
        seen.note("begin", key, "accept")
        new = await enqueue(self, key, *arguments)
        if new:
            seen.note("kept", key, "accept")
        return new

    async def worked(self: Worker, message: Message, claim: Claim, stop: StopSignal) -> Any:
        seen.note("start", claim.run, message.place.thread)
        try:
            return await work(self, message, claim, stop)
        finally:
            seen.note("end", claim.run, message.place.thread)

    Runs.enqueue = accepted
    Worker.work = worked


def hurry() -> None:
    """Pauses for Slack's pace, and loading the model of meaning at each start, would make up most
    of a seed; this is about neither."""
    hashed = Hashed(SentenceEncoder.dimension)
    SentenceEncoder.embed = lambda self, texts: hashed.embed(texts)
    DiscordPort.limits = dataclasses.replace(DiscordPort.limits, post_gap_s=0.05, edit_gap_s=0.1)
    SlackPort.limits = dataclasses.replace(SlackPort.limits, post_gap_s=0.05, edit_gap_s=0.1)


def main() -> int:
    if "BENCH_HURRY" in os.environ:
        hurry()
    watch(Watch(os.environ["BENCH_STEPS"], os.environ.get("BENCH_DIE", "")))
    from bot.__main__ import main as threadmate

    return threadmate()


if __name__ == "__main__":
    sys.exit(main())
