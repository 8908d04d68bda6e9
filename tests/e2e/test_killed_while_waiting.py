"""A real process dies between a question to a person and the end of the run, and comes back."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.playground.call import Call
from bot.playground.seed import HANDBOOK, NORA
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER

pytestmark = pytest.mark.timeout(240)

PATIENCE_S = 90.0
"""A start of the process on a busy machine."""
PRIVATE = ("THREADMATE_", "SLACK_", "DISCORD_")


@dataclass
class Mortal:
    """The bot's process and the workspace that outlives it."""

    server: PracticeServer
    folder: Path
    process: Process | None = None

    async def start(self) -> None:
        env = {k: v for k, v in os.environ.items() if not k.startswith(PRIVATE)}
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.rigs.bank_child", str(self.folder)),
            env={**env, **self.server.environment},
            cwd=Path(__file__).parents[2],
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        await self.server.wait_connected(PATIENCE_S)

    async def killed(self) -> None:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    def shown(self, root: str) -> list[dict[str, Any]]:
        return [m for m in self.server.messages(HANDBOOK, root) if m["user"] == BOT_USER]

    def answers(self, root: str) -> list[str]:
        texts = [str(message["text"]) for message in self.shown(root)]
        return [text for text in texts if text.startswith("All done")]

    def ledger(self) -> list[str]:
        path = self.folder / "ledger"
        return path.read_text().splitlines() if path.exists() else []

    async def asked(self) -> tuple[str, str, str]:
        """Ask for a payment; the thread, and the post and button that allow it."""
        root = self.server.say(HANDBOOK, NORA, f"<@{BOT_USER}> please recharge 50")
        post, action = await self.server.wait_for(lambda: self._button(root), PATIENCE_S)
        return root, post, action

    def _button(self, root: str) -> tuple[str, str] | None:
        for message in self.shown(root):
            for block in message.get("blocks", ()):
                for element in block.get("elements", ()):
                    if str(element.get("action_id", "")).startswith("approve"):
                        return message["ts"], element["action_id"]
        return None


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[Mortal]:
    server = PracticeServer()
    server.hub.ack_s, server.hub.retry_pauses = 1.0, (0.2,) * 100
    await server.start()
    mortal = Mortal(server, tmp_path)
    await mortal.start()
    yield mortal
    await mortal.killed()
    await server.stop()


async def test_killed_right_after_the_click_the_payment_is_made_once(mortal: Mortal) -> None:
    root, post, action = await mortal.asked()
    died = asyncio.Event()

    async def die(call: Call) -> None:
        # The first thing that it says after the click was kept: the post of the button is edited.
        if call.method == "chat.update" and not died.is_set():
            died.set()
            await mortal.killed()

    mortal.server.before_request = die
    mortal.server.click(HANDBOOK, post, action, NORA)
    await died.wait()
    mortal.server.before_request = None
    assert mortal.answers(root) == []
    await mortal.start()
    await mortal.server.wait_for(lambda: mortal.answers(root), PATIENCE_S)
    assert mortal.ledger() == ["begin 50", "paid 50"]
    assert mortal.answers(root) == ["All done: 1 results, topped up 50."]
    assert len(mortal.shown(root)) == 3, "plan, question and answer, each once"


async def test_killed_while_it_pays_it_does_not_pay_again_and_says_so(mortal: Mortal) -> None:
    (mortal.folder / "hang").touch()
    root, post, action = await mortal.asked()
    mortal.server.click(HANDBOOK, post, action, NORA)
    async with asyncio.timeout(PATIENCE_S):
        while not mortal.ledger():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
    await mortal.killed()
    (mortal.folder / "hang").unlink()
    await mortal.start()
    await mortal.server.wait_for(lambda: mortal.answers(root), PATIENCE_S)
    assert mortal.ledger() == ["begin 50"]
    assert "unknown_outcome" in mortal.answers(root)[0]
    assert len(mortal.shown(root)) == 3
