"""The channel of a run: numbers without gaps, whoever gives up while it is full."""

from __future__ import annotations

import asyncio

from core.agent.channel import Channel, Events
from core.events import Event, TextDelta


async def test_a_sender_that_is_cancelled_while_it_waits_uses_no_number() -> None:
    channel = Channel("run", size=1)
    await channel.emit("", TextDelta(text="first"))
    waiting = asyncio.create_task(channel.emit("", TextDelta(text="given up")))
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait({waiting})
    after = asyncio.create_task(channel.emit("", TextDelta(text="second")))
    closing = asyncio.create_task(channel.close())
    seen: list[Event] = [event async for event in Events(channel)]
    await asyncio.gather(after, closing)
    assert [(event.number, event.body.text) for event in seen] == [(1, "first"), (2, "second")]  # type: ignore[union-attr]
