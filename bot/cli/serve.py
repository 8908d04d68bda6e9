"""run, playground, worker: the commands that stay."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping

import typer

from bot.cli import shell
from bot.config import Config, load
from bot.ending import Ending, ending_by_signals
from bot.logs import log_to_stderr
from core.errors import WrongUse
from core.texts import say

log = logging.getLogger(__name__)

PORT = 8321
FAILED, WRONG_CONFIG = 1, 78

PRACTICE = "THREADMATE_PRACTICE"
"""Set for the bot's process of a practice workspace: it ends when its parent does."""

RESTARTS = 5
"""A bot that dies more often than this within a minute is not started again."""
CLOSE_S = 30.0


def register(app: typer.Typer) -> None:
    app.command("run")(run)
    app.command("playground")(playground)
    app.command("worker")(worker)


def run() -> int:
    """Start the adapters that have tokens; with none, the practice workspace."""
    config = _configured()
    if config.has_slack:
        return asyncio.run(_serve(config, adapters=True))
    return asyncio.run(practise(config, None))


def playground(
    port: int = typer.Option(PORT, min=0, max=65535, help="Port of the page; 0 takes a free one."),
) -> int:
    """Start the practice workspace: a page on this machine, no account and no key needed."""
    return asyncio.run(practise(_configured(), port))


def worker() -> int:
    """Work the queue beside `threadmate run`, on the same data folder."""
    return asyncio.run(_serve(_configured(), adapters=False))


def _configured() -> Config:
    config = load()
    log_to_stderr(config.log_level, config.secrets)
    return config


async def _serve(config: Config, *, adapters: bool) -> int:
    from bot.app import serve

    ending = ending_by_signals()
    if PRACTICE in os.environ:
        ending.with_parent(sys.stdin.fileno())
    return await serve(config, ending, adapters=adapters)


async def practise(config: Config, port: int | None) -> int:
    """Practice server here, the bot with its real Slack adapter in a process of its own.

    `port` None takes the usual one, or a free one if that is taken.
    """
    # The server alone: the bot's rooms are loaded in the bot's process only.
    from bot.playground.server import practice

    ending = ending_by_signals()
    folder = config.data / "practice"
    try:
        server = await practice(folder, PORT if port is None else port)
    except WrongUse:
        if port is not None:
            raise
        server = await practice(folder, 0)
    try:
        shell.print_text(say("cli.practice", shell.language(), url=server.url))
        sys.stdout.flush()
        return await keep_running(server.environment, ending)
    finally:
        await server.stop()


async def keep_running(environment: Mapping[str, str], ending: Ending) -> int:
    """Run the bot in a child until `ending`; start it again if it dies. The exit code."""
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
        if code == WRONG_CONFIG or len(deaths) > RESTARTS:
            return code or FAILED
        log.warning("the bot's process ended with %d and is started again", code)


async def _start(environment: Mapping[str, str]) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"),
        env={**os.environ, **environment, PRACTICE: "1"},
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
