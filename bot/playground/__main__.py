"""The practice workspace's own process: the server here, the bot in a child.

`threadmate playground` becomes this process after it has read the configuration, so that the
libraries of the command line do not stay in memory beside the bot's.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Protocol

from bot.ending import FAILED, PARENT, WRONG_CONFIG, WRONG_USE, Ending, ending_by_signals
from bot.logs import log_to_stderr
from bot.playground.folder import alone_in
from core.errors import StoreError, WrongUse
from core.messages import Language
from core.texts import say

log = logging.getLogger(__name__)

RESTARTS = 5
"""A bot that dies more often than this within a minute is not started again."""
CLOSE_S = 30.0


class Practice(Protocol):
    """A practice server of either look."""

    @property
    def url(self) -> str: ...

    @property
    def environment(self) -> dict[str, str]: ...

    async def stop(self) -> None: ...


Start = Callable[[Path, int], Awaitable[Practice]]


async def slack(data: Path, port: int) -> Practice:
    from bot.playground.server import practice

    return await practice(data, port)


async def discord(data: Path, port: int) -> Practice:
    from bot.playground.discord import practice_discord

    return await practice_discord(data, port)


async def practise(
    data: Path, port: int, *, free: bool, language: str, start: Start = slack
) -> int:
    """Serve until a signal. With `free`, a port that is taken is replaced by a free one."""
    tongue = "zh" if language == "zh" else "en"
    try:
        with alone_in(data):
            return await _serve(data, port, free, tongue, start)
    except (WrongUse, StoreError) as error:
        sys.stderr.write(f"threadmate: {say(error.key, tongue, **error.values)}\n")
        return WRONG_USE if isinstance(error, WrongUse) else FAILED


async def _serve(data: Path, port: int, free: bool, tongue: Language, start: Start) -> int:
    ending = ending_by_signals()
    try:
        server = await start(data, port)
    except WrongUse:
        if not free:
            raise
        server = await start(data, 0)
    try:
        sys.stdout.write(say("cli.practice", tongue, url=server.url) + "\n")
        sys.stdout.flush()
        return await keep_running(server.environment, ending)
    finally:
        await server.stop()


async def keep_running(environment: Mapping[str, str], ending: Ending) -> int:
    """Run the bot in a child until `ending`; start it again if it dies. The exit code.

    A bot that has told why it cannot work is not started again.
    """
    deaths: list[float] = []
    while True:
        child = await _start(environment)
        over = asyncio.create_task(child.wait(), name="bot")
        wanted = asyncio.create_task(ending.wanted.wait(), name="ending")
        await asyncio.wait({over, wanted}, return_when=asyncio.FIRST_COMPLETED)
        wanted.cancel()
        if ending.wanted.is_set():
            await _stop(child, over)
            return ending.code
        code = over.result()
        now = time.monotonic()
        deaths = [at for at in deaths if now - at < 60] + [now]
        if code in (FAILED, WRONG_CONFIG) or len(deaths) > RESTARTS:
            return code or FAILED
        log.warning("the bot's process ended with %d and is started again", code)


async def _start(environment: Mapping[str, str]) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot.serve"),
        env={**os.environ, **environment, PARENT: "1"},
        stdin=PIPE,
        # Ctrl+C reaches the parent alone, which then drains the child.
        start_new_session=True,
    )


async def _stop(child: Process, over: asyncio.Task[int]) -> None:
    if child.returncode is None:
        child.terminate()
    _, late = await asyncio.wait({over}, timeout=CLOSE_S)
    if late:
        child.kill()
        await over


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the workspace")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--discord", action="store_true", help="a server with Discord's look")
    parser.add_argument("--free", action="store_true", help="take a free port if it is taken")
    parser.add_argument("--language", default="en")
    parser.add_argument("--log", default="INFO")
    args = parser.parse_args()
    log_to_stderr(args.log, ())
    start = discord if args.discord else slack
    work = practise(args.data, args.port, free=args.free, language=args.language, start=start)
    return asyncio.run(work)


if __name__ == "__main__":
    sys.exit(main())
