"""Where the kill bench plays: a practice Slack or a practice Discord, with hooks that can kill."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.scenario import Scenario
from bench.scenario_discord import DiscordScenario
from bot.playground.discord import PracticeDiscord
from bot.playground.rows import Json
from bot.playground.server import PracticeServer

Hit = Callable[[str, str], None]
"""Told of every moment: `before`, `after` or `delivery`, and of what."""

PLATFORMS = ("slack", "discord")


class SlackStage:
    """A practice Slack that tries again quickly: its own patience would make a seed minutes."""

    calls = ("chat.postMessage", "chat.update", "reactions.add", "files.info")

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.server = PracticeServer(0, folder / "slack")
        self.server.hub.ack_s, self.server.hub.retry_pauses = 1.0, (0.2,) * 100
        self.scenario = Scenario(self.server, chance)

    @property
    def on_their_way(self) -> bool:
        """Events that the bot has not acknowledged."""
        return bool(self.server.hub.envelopes)

    def watch(self, hit: Hit) -> None:
        async def before(call: Any) -> None:
            hit("before", call.method)

        async def after(call: Any, answer: Json) -> None:
            hit("after", call.method)

        async def delivery(envelope: Any) -> int:
            hit("delivery", envelope.kind)
            return 1

        self.server.before_request, self.server.after_request = before, after
        self.server.hub.before_delivery = delivery

    def unwatch(self) -> None:
        self.server.before_request = self.server.after_request = None
        self.server.hub.before_delivery = None


class DiscordStage:
    """A practice Discord that forgets nonces at once: a post that is sent twice stands twice, as
    it would when the bot was away for longer than Discord remembers.
    """

    calls = ("message.create", "message.edit", "thread.create", "reaction.add")

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.server = PracticeDiscord(0, folder / "discord", rates=0.1)
        self.server.guild.nonce_s = -1.0
        self.scenario = DiscordScenario(self.server, chance)

    @property
    def on_their_way(self) -> bool:
        """Discord waits for nothing: what the bot missed it must read itself."""
        return False

    def watch(self, hit: Hit) -> None:
        async def before(call: Any) -> None:
            hit("before", call.route)

        async def after(call: Any, answer: Any) -> None:
            hit("after", call.route)

        def delivery(event: str, data: Json) -> int:
            if event == "MESSAGE_CREATE" and not data["author"].get("bot"):
                # Sent in a moment; the kill comes while it is being kept.
                asyncio.get_running_loop().call_soon(hit, "delivery", event)
            return 1

        self.server.rest.before_request, self.server.rest.after_request = before, after
        self.server.gateway.before_delivery = delivery

    def unwatch(self) -> None:
        self.server.rest.before_request = self.server.rest.after_request = None
        self.server.gateway.before_delivery = None


Stage = SlackStage | DiscordStage


def stage(platform: str, folder: Path, chance: random.Random) -> Stage:
    return DiscordStage(folder, chance) if platform == "discord" else SlackStage(folder, chance)
