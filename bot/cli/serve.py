"""run, playground, worker: the commands that stay."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from bot.cli import shell
from bot.config import Config, data_folder, load

PORT = 8321


def register(app: typer.Typer) -> None:
    app.command("run")(run)
    app.command("playground")(playground)
    app.command("worker")(worker)


def run() -> int:
    """Start Slack and Discord, whichever has tokens; without any, the practice workspace.

    What is accepted is on disk: SIGTERM drains, and the next start goes on.
    """
    from bot.serve import work

    config = load()
    if config.has_slack or config.has_discord:
        return work(config, adapters=True)
    practise(config, PORT, "--free")


def playground(
    port: int = typer.Option(PORT, min=0, max=65535, help="Port of the page; 0 takes a free one."),
    discord: bool = typer.Option(False, help="With Discord's look and its real adapter."),
) -> int:
    """Start the practice workspace, a page on this machine.

    It needs no account and no key; the real Slack adapter runs behind it, or Discord's.
    """
    practise(load(), port, *(["--discord"] if discord else []))


def worker() -> int:
    """Work the queue beside `threadmate run`.

    Both share one data folder; each takes over what the other leaves when it dies.
    """
    from bot.serve import work

    return work(load(), adapters=False)


def practise(config: Config, port: int, *options: str) -> NoReturn:
    """Become the practice workspace's process (`bot.playground`)."""
    look = "practice-discord" if "--discord" in options else "practice"
    data = data_folder(config.data) / look
    command = [sys.executable, "-m", "bot.playground", "--data", str(data), "--port", str(port)]
    command += ["--language", shell.language(), "--log", config.log_level, *options]
    sys.stdout.flush()
    os.execv(sys.executable, command)
