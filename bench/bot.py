"""The bot's process for benches: the real command line on a practice server and a script."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.playground.discord import PracticeDiscord
from bot.playground.server import PracticeServer

ROOT = Path(__file__).resolve().parent.parent
START_S = 30.0
LOOK_S = 0.1


class Bot:
    """The bot's process, started and killed again and again on one data folder."""

    def __init__(
        self,
        folder: Path,
        server: PracticeServer | PracticeDiscord,
        cache: Path,
        script: Mapping[str, Any],
        *,
        hurry: bool = False,
    ) -> None:
        self.folder = folder
        self.server = server
        self.steps = folder / "steps.jsonl"
        self.process: asyncio.subprocess.Process | None = None
        (folder / "data").mkdir()
        (folder / "data" / "cache").symlink_to(cache, target_is_directory=True)
        self._hurry = {"BENCH_HURRY": "1"} if hurry else {}
        self._script = folder / "script.json"
        self._script.write_text(json.dumps(script, ensure_ascii=False), encoding="utf-8")

    async def start(self, die: str = "") -> None:
        environment = (
            os.environ
            | self.server.environment
            | {
                "PYTHONPATH": str(ROOT),
                "THREADMATE_DATA": str(self.folder / "data"),
                "THREADMATE_MODEL": f"scripted:{self._script}",
                "BENCH_STEPS": str(self.steps),
                "BENCH_DIE": die,
            }
            | self._hurry
        )
        with (self.folder / "stderr").open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bench.watched",
                "run",
                cwd=self.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=errors,
            )

    async def connected(self) -> None:
        """Wait until it takes events, or is dead."""
        deadline = time.monotonic() + START_S
        while not (self.ended or self.server.connected):
            if time.monotonic() > deadline:
                return
            await asyncio.sleep(LOOK_S)

    @property
    def ended(self) -> bool:
        return self.process is not None and self.process.returncode is not None

    def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            os.kill(self.process.pid, signal.SIGKILL)

    async def wait(self, seconds: float) -> int | None:
        """The exit code, or None if it lives on."""
        assert self.process is not None
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self.process.wait(), seconds)
        return None

    async def end(self) -> int | None:
        """SIGTERM, and the exit code."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.terminate()
        code = await self.wait(30)
        self.kill()
        return code

    def log(self) -> list[dict[str, Any]]:
        if not self.steps.exists():
            return []
        return [json.loads(line) for line in self.steps.read_text().splitlines()]


def warm(cache: Path) -> None:
    """Unpack the embedder once for all seeds."""
    from core.index.embed import SentenceEncoder

    SentenceEncoder(cache).load()
