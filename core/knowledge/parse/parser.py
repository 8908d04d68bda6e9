"""The parent's side: warm child processes that read one file at a time, under limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import core
from core.knowledge.parse.child import HEADER
from core.knowledge.parse.model import Parsed
from core.knowledge.parse.state import Refused
from core.texts.counts import megabytes

log = logging.getLogger(__name__)

MAX_FILE = 50 * 2**20
"""Bytes. Larger files are nearly always media or archives."""
RECYCLE_AFTER = 200
"""Files read by one child, so that what a reader leaks stays small."""
IDLE_S = 120
"""A child that was not needed for so long is ended: it holds some 80 MiB."""

TRIES = 2
"""Of a file whose child was killed from outside."""

THREADS = {"TOKIO_WORKER_THREADS": "2", "RAYON_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}
"""With a thread per core and their arenas xberg aborts under an address space limit."""


class ChildLost(Exception):
    """The child died while it worked; `code` is its exit code (negative: a signal)."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the parser's child ended with {code}")
        self.code = code


class ChildKilled(Exception):
    """Somebody killed the child: the system for want of memory, or a person. Not the file."""


def asked(path: Path, name: str, seconds: float) -> bytes:
    """What the child is asked, as JSON. It has a working folder of its own: paths are whole."""
    return json.dumps({"path": os.path.abspath(path), "name": name, "seconds": seconds}).encode()


@dataclass
class Child:
    """A running child process."""

    process: asyncio.subprocess.Process
    files: int = 0

    async def ask(self, path: Path, name: str, seconds: float) -> Parsed:
        data = asked(path, name, seconds)
        assert self.process.stdin and self.process.stdout
        self.files += 1
        try:
            self.process.stdin.write(HEADER.pack(len(data)) + data)
            await self.process.stdin.drain()
            (size,) = HEADER.unpack(await self.process.stdout.readexactly(HEADER.size))
            answer = await self.process.stdout.readexactly(size)
        except (ConnectionError, asyncio.IncompleteReadError):
            raise ChildLost(await self.process.wait()) from None
        return Parsed.model_validate_json(answer)

    async def end(self) -> None:
        """SIGKILL: a child holds nothing that needs a goodbye."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()


class Parser:
    """Reads files in child processes: one that hangs, dies or eats memory harms only itself.

    `parse` never raises for what a file holds; the result's status and reason say it.
    """

    def __init__(self, workers: int = 1, timeout_s: float = 60, memory_mb: int = 1024) -> None:
        self.timeout_s = timeout_s
        self.memory_mb = memory_mb
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[Child] = []
        self._reaper: asyncio.Task[None] | None = None
        self._closed = False

    async def parse(self, path: Path, name: str) -> Parsed:
        """Blocks of the file at `path`, uploaded as `name`, or why it cannot be read."""
        try:
            size = (await asyncio.to_thread(os.stat, path)).st_size
        except OSError:
            return Refused("failed", "parse.gone").parsed(name)
        if size > MAX_FILE:
            values = {"size": megabytes(size), "limit": megabytes(MAX_FILE)}
            return Refused("unsupported", "parse.too_large", **values).parsed(name)
        async with self._slots:
            for _ in range(TRIES - 1):
                with contextlib.suppress(ChildKilled):
                    return await self._work(await self._child(), path, name)
            try:
                return await self._work(await self._child(), path, name)
            except ChildKilled:
                return Refused("failed", "parse.memory").parsed(name)

    async def _child(self) -> Child:
        return self._idle.pop() if self._idle else await self._start()

    async def _work(self, child: Child, path: Path, name: str) -> Parsed:
        healthy = False
        try:
            async with asyncio.timeout(self.timeout_s):
                parsed = await child.ask(path, name, self.timeout_s)
            healthy = parsed.status != "failed" and child.files < RECYCLE_AFTER
            if parsed.reason == "parse.crashed":
                log.error("parser: a reader broke on a file\n%s", parsed.parser)
                parsed = parsed.model_copy(update={"parser": ""})
        except TimeoutError:
            log.warning("parser: a file took longer than %s s; its child is killed", self.timeout_s)
            parsed = Refused("failed", "parse.too_slow", seconds=f"{self.timeout_s:g}").parsed(name)
        except ChildLost as lost:
            log.warning("parser: %s", lost)
            if lost.code == -signal.SIGKILL:
                raise ChildKilled from lost
            parsed = Refused("failed", lost_reason(lost.code)).parsed(name)
        finally:
            # Also when this task is cancelled: the child is in the middle of a file.
            if healthy and not self._closed:
                self._keep(child)
            else:
                await asyncio.shield(child.end())
        return parsed

    async def _start(self) -> Child:
        """A new child, with nothing of our environment: no tokens near hostile bytes."""
        root = str(Path(core.__file__).parent.parent)
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-B", "-m", "core.knowledge.parse.child", str(self.memory_mb),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, cwd=root,
            env={**kept, **THREADS, "PYTHONPATH": root, "PYTHONUTF8": "1"},
            start_new_session=True,
        )  # fmt: skip
        return Child(process)

    def _keep(self, child: Child) -> None:
        self._idle.append(child)
        if self._reaper is not None:
            self._reaper.cancel()
        self._reaper = asyncio.create_task(self._end_idle())

    async def _end_idle(self) -> None:
        await asyncio.sleep(IDLE_S)
        while self._idle:
            await self._idle.pop().end()

    async def close(self) -> None:
        """End every child. Files being read are given up."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reaper
        while self._idle:
            await self._idle.pop().end()


def lost_reason(code: int) -> str:
    """Native readers answer a refused allocation with SIGABRT or SIGSEGV."""
    return "parse.memory" if code == -signal.SIGABRT else "parse.crashed"
