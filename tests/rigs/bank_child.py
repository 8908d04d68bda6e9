"""The bot with a purse as a process of its own, for tests that kill it.

`python -m tests.rigs.bank_child FOLDER`: tokens and address come from the environment. Each payment
is a line `begin N` and, done, a line `paid N` in FOLDER/ledger; while FOLDER/hang exists, a payment
that has begun never ends.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.app import bot, rooms
from bot.config import Config
from bot.ending import ending_by_signals
from core.agent import Agent
from core.model.scripted import ScriptedModel
from core.tools.tool import ToolResult
from tests.rigs.bank import Plainly, Purse, tells, toolbox


@dataclass
class Ledger(Purse):
    """A purse whose payments outlive the process."""

    folder: Path = Path()

    async def recharge(self, arguments: Any) -> ToolResult:
        self._note(f"begin {arguments.amount}")
        if (self.folder / "hang").exists():
            await asyncio.Event().wait()
        self._note(f"paid {arguments.amount}")
        return ToolResult(text=f"topped up {arguments.amount}", summary="paid")

    def _note(self, line: str) -> None:
        with (self.folder / "ledger").open("a") as file:
            file.write(line + "\n")


async def main(folder: Path) -> None:
    box, ending = toolbox(Ledger(folder=folder)), ending_by_signals()
    async with rooms(Config(data=folder / "data")) as core:
        agent = Agent(core.library, ScriptedModel([tells] * 20), box)
        core = replace(core, agent=agent, assembler=Plainly(core.assembler, box))  # pyright: ignore
        async with bot(core, ending, adapters=True):
            await ending.wanted.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
