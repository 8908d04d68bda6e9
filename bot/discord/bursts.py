"""A long paste that comes as several messages is one question.

Only a message that is nearly as long as Discord allows may have been cut by it, and only such a
one waits for its next part; a short question is never held up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from core.messages import MAX_TEXT, Message

NEARLY_FULL = 1_900
"""Characters. Discord's limit is 2,000 for most people; a paste is cut at a line or word before."""
WAIT_S = 2.0
"""How long the next part may take."""
PARTS = 10

Key = tuple[str, str]
"""Channel and author."""


@dataclass
class Held:
    message: Message
    full: bool = True
    parts: int = 1
    came: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Bursts:
    """Messages that wait for their next part."""

    wait_s: float = WAIT_S
    _held: dict[Key, Held] = field(default_factory=dict[Key, Held])

    def waits(self, key: Key) -> bool:
        return key in self._held

    async def join(self, key: Key, part: Message, full: bool) -> None:
        """Put `part` behind what is held, and wait until that was taken together."""
        held = self._held[key]
        held.message = joined(held.message, part)
        held.full, held.parts = full, held.parts + 1
        held.came.set()
        await held.over.wait()

    @asynccontextmanager
    async def whole(self, key: Key, message: Message) -> AsyncGenerator[Message]:
        """The message with the parts that follow it in time; they are over with this block."""
        held = self._held[key] = Held(message)
        try:
            try:
                while held.full and held.parts < PARTS:
                    held.came.clear()
                    async with asyncio.timeout(self.wait_s):
                        await held.came.wait()
            except TimeoutError:
                pass
            finally:
                self._held.pop(key, None)
            yield held.message
        finally:
            held.over.set()


def joined(first: Message, part: Message) -> Message:
    text = f"{first.text}\n{part.text}" if part.text else first.text
    return first.model_copy(
        update={
            "text": text[:MAX_TEXT],
            "cut": first.cut + part.cut + max(0, len(text) - MAX_TEXT),
            "attachments": first.attachments + part.attachments,
            "mentions": tuple(dict.fromkeys((*first.mentions, *part.mentions))),
        }
    )
