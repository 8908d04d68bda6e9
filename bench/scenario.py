"""What people do in one seed of the kill bench, and what they must see in the end."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER, TEAM

CHANNEL = "C0HANDBOOK"
MESSAGE_KEY = "slack:{team}:{channel}:{ts}"

SCRIPT = {
    "rules": [
        {
            "user": "status check",
            "calls": [
                {"name": "knowledge_stats", "arguments": {}},
                {"name": "get_time", "arguments": {"zone": "Asia/Shanghai"}},
            ],
            "delay_ms": 20,
        },
        {"user": "status check", "tool": "", "text": "All is well here. {results}", "delay_ms": 5},
        {"user": "annual leave", "text": "Twelve days of annual leave [1].", "delay_ms": 20},
        {"user": "几点", "text": "现在的时间在上面。", "delay_ms": 20},
    ],
    "otherwise": "Noted. Anything else?",
}

QUESTIONS = (
    ("loop", "If there is more than one document, do a status check, otherwise do a status check."),
    ("rag", "How many days of annual leave do new people have?"),
    ("tool", "现在几点了？"),
    ("chat", "Thank you!"),
    ("file", ""),
    ("both", "How many days of annual leave does this say?"),
    ("command", "!kb list"),
)
"""Kinds of messages: `file` is only a file, `both` a file with a question."""


@dataclass
class Said:
    """A message of a person: when it was said, and the marks of the posts that answer it."""

    key: str
    thread: str
    at: float
    wanted: tuple[str, ...]


@dataclass
class Scenario:
    """A few threads with a few messages each, in an order that the seed gives."""

    server: PracticeServer
    chance: random.Random
    said: list[Said] = field(default_factory=list[Said])
    over: bool = False
    """Everything was said."""

    async def play(self) -> None:
        """Say everything, with pauses; the bot may be dead meanwhile."""
        threads: list[str | None] = [None] * 3
        turns = [0, 1, 2, *(self.chance.randrange(3) for _ in range(4))]
        kinds = [*QUESTIONS]
        self.chance.shuffle(kinds)
        # Something to ask about comes first.
        kinds.sort(key=lambda one: one[0] not in ("file", "both"))
        for number, (turn, (kind, text)) in enumerate(zip(turns, kinds, strict=True)):
            ts = self._say(number, kind, text, threads[turn])
            threads[turn] = threads[turn] or ts
            # Slack's own clock orders messages by it; two in one tenth of a second have no order.
            await asyncio.sleep(0.12 + self.chance.random() * 0.4)
        self.over = True

    def missing(self) -> list[str]:
        """Marks of posts that are not there."""
        seen = set(self.marks())
        return [mark for said in self.said for mark in said.wanted if mark not in seen]

    def marks(self) -> list[str]:
        """The mark of every post of the bot, in order."""
        found: list[str] = []
        for thread in {said.thread for said in self.said}:
            for message in self.server.messages(CHANNEL, thread):
                if message["user"] == BOT_USER:
                    payload = (message.get("metadata") or {}).get("event_payload") or {}
                    found.append(str(payload.get("mark")))
        return found

    def _say(self, number: int, kind: str, text: str, thread: str | None) -> str:
        files = [(f"leave-{number}.md", document(number))] if kind in ("file", "both") else []
        words = text if kind in ("command", "file") else f"<@{BOT_USER}> {text}"
        if kind == "command" and thread is None:
            words = f"<@{BOT_USER}> Hello there!"
        ts = self.server.say(CHANNEL, "U0NORA", words, thread, files)
        key = MESSAGE_KEY.format(team=TEAM, channel=CHANNEL, ts=ts)
        wanted = (["post:receipt"] if files else []) + (["post:answer:1"] if text else [])
        self.said.append(
            Said(key, thread or ts, float(ts), tuple(f"{key}#{post}" for post in wanted))
        )
        return ts


def document(number: int) -> bytes:
    """A short handbook page; no two are alike."""
    return (
        f"# Leave, edition {number}\n\n## Annual leave\n\nNew people have {10 + number} days of"
        " annual leave a year.\n\n## Sick leave\n\nTell your lead before ten in the morning.\n"
    ).encode()
