"""What people do on Discord in one seed of the kill bench, and what they must see in the end."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from bench.scenario import QUESTIONS, Said, document
from bot.discord.posted import nonce
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import HANDBOOK, NORA

MESSAGE_KEY = "discord:{message}"
GREETED_S = 60.0
POSTS = ("post:plan", "post:answer:1", "post:receipt")


@dataclass
class DiscordScenario:
    """A few threads with a few messages each, in an order that the seed gives."""

    server: PracticeDiscord
    chance: random.Random
    said: list[Said] = field(default_factory=list[Said])
    over: bool = False
    """Everything was said."""

    async def greet(self) -> None:
        """Say hello when the bot has come for the first time, and wait for its answer."""
        await self.server.wait_connected(GREETED_S)
        message = self.server.say(HANDBOOK, NORA, "@Threadmate Hello!")
        answer = nonce(f"{MESSAGE_KEY.format(message=message)}#{POSTS[1]}")
        timeline = self.server.guild.timeline
        await self.server.wait_for(
            lambda: any(m.get("nonce") == answer for m in timeline(message)), GREETED_S
        )

    async def play(self) -> None:
        """Say everything, with pauses; the bot may be dead meanwhile."""
        threads = [""] * 3
        turns = [0, 1, 2, *(self.chance.randrange(3) for _ in range(4))]
        kinds = [*QUESTIONS]
        self.chance.shuffle(kinds)
        # Something to ask about comes first.
        kinds.sort(key=lambda one: one[0] not in ("file", "both"))
        for number, (turn, (kind, text)) in enumerate(zip(turns, kinds, strict=True)):
            message = self._say(number, kind, text, threads[turn])
            threads[turn] = threads[turn] or message
            await asyncio.sleep(0.12 + self.chance.random() * 0.4)
        self.over = True

    def missing(self) -> list[str]:
        """Marks of posts that are not there."""
        seen = set(self.marks())
        return [mark for said in self.said for mark in said.wanted if mark not in seen]

    def marks(self) -> list[str]:
        """The mark of every post of the bot, in order; a post carries its mark as a nonce."""
        known = {nonce(f"{s.key}#{post}"): f"{s.key}#{post}" for s in self.said for post in POSTS}
        found: list[str] = []
        for channel in list(self.server.guild.channels):
            for message in self.server.guild.timeline(channel):
                if "nonce" in message:
                    found.append(known.get(str(message["nonce"]), str(message["nonce"])))
        return found

    def _say(self, number: int, kind: str, text: str, thread: str) -> str:
        files = [(f"leave-{number}.md", document(number))] if kind in ("file", "both") else []
        # There is no command by words on Discord: its place is small talk's.
        words = "Hello there!" if kind == "command" else text
        words = "" if kind == "file" else f"@Threadmate {words}"
        place = self._thread(thread) if thread else HANDBOOK
        message = self.server.say(place, NORA, words, files)
        key = MESSAGE_KEY.format(message=message) + (":file" if kind == "file" else "")
        wanted = (["post:receipt"] if files else []) + (["post:answer:1"] if text else [])
        marks = tuple(f"{key}#{post}" for post in wanted)
        self.said.append(Said(key, thread or message, self.server.clock.now(), marks))
        return message

    def _thread(self, message: str) -> str:
        """The thread of a message; a person opens it where the bot has not."""
        if message in self.server.guild.channels:
            return message
        return self.server.open_thread(NORA, message, "about it")
