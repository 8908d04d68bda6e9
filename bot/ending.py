"""How a process ends: by a signal, or with the process that started it."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass, field

DONE, FAILED, WRONG_USE, WRONG_CONFIG, INTERRUPTED = 0, 1, 2, 78, 130
"""Exit codes of every command."""

BROKEN = 70
"""The bot's process broke for a reason of ours: another start may help, unlike with `FAILED`."""

PARENT = "THREADMATE_PARENT"
"""Set for the bot's process of a practice workspace: standard input is a pipe of its parent."""


@dataclass
class Ending:
    """`wanted` is set when the process shall end; `code` is its exit code."""

    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    code: int = 0

    def end(self, code: int) -> None:
        if not self.wanted.is_set():
            self.code = code
            self.wanted.set()
        elif code == INTERRUPTED:
            # A second Ctrl+C: what was accepted is on disk, and goes on at the next start.
            os._exit(INTERRUPTED)

    def with_parent(self, pipe: int) -> None:
        """End too when the other end of `pipe` closes, however the parent died."""
        loop = asyncio.get_running_loop()

        def readable() -> None:
            if not os.read(pipe, 1024):
                loop.remove_reader(pipe)
                self.end(0)

        loop.add_reader(pipe, readable)


def ending_by_signals() -> Ending:
    """SIGTERM ends with 0, Ctrl+C with 130; a second Ctrl+C leaves at once."""
    ending = Ending()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ending.end, 0)
    loop.add_signal_handler(signal.SIGINT, ending.end, INTERRUPTED)
    return ending
