"""The channel between a run and whoever watches it: bounded, numbered, ended exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from core.events import Body, Event, TextDelta, TextTakenBack, event

CHANNEL_SIZE = 64
"""Events that wait for a slow watcher before the run waits too: enough for a chat platform's
edit budget, little enough that a stop never waits behind a long backlog."""


class Channel:
    """Events of one run, in order. Numbers have no gaps, also when a sender is cancelled."""

    def __init__(self, run: str, size: int = CHANNEL_SIZE) -> None:
        self.run = run
        self.teammate = ""
        self.number = 0
        self.text_open = False
        """True while text was shown that nothing took back."""
        self._speakers: dict[str, str] = {}
        self._queue: asyncio.Queue[Event | BaseException | None] = asyncio.Queue(size)
        self._order = asyncio.Lock()

    async def emit(self, path: str, body: Body) -> None:
        """Send one event; waits while the channel is full."""
        # One at a time: with a full queue, later senders could overtake earlier numbers.
        async with self._order:
            made = event(self.run, self.number + 1, self._speaker(path), path, body)
            await self._queue.put(made)
            # Counted after it is in: a sender cancelled while it waits uses no number.
            self.number += 1
            if isinstance(body, TextDelta):
                self.text_open = True
            elif isinstance(body, TextTakenBack):
                self.text_open = False

    def speaks(self, path: str, teammate: str) -> None:
        """Events of `path` and of what is below it are this teammate's from here on."""
        self._speakers[path] = teammate

    def _speaker(self, path: str) -> str:
        """Who works at a path: `loop:2:call:1/loop:1` is below `loop:2:call:1`."""
        while path:
            if path in self._speakers:
                return self._speakers[path]
            path = path.rpartition("/")[0]
        return self.teammate

    async def take_back(self, reason: str) -> None:
        """Void the text that was shown, if there is any."""
        if self.text_open:
            await self.emit("", TextTakenBack(reason=reason))

    async def close(self, error: BaseException | None = None) -> None:
        """End the stream; with `error`, the watcher's next read raises it."""
        async with self._order:
            await self._queue.put(error)

    async def next(self) -> Event | BaseException | None:
        """The next event, or how the stream ended."""
        return await self._queue.get()


class Events(AsyncIterator[Event]):
    """What a watcher iterates over.

    A class, not an async generator: one that is left half-read would be closed by a task that the
    garbage collector starts.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._ended: BaseException | None = None

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        if self._ended is not None:
            raise self._ended
        found = await self._channel.next()
        if isinstance(found, Event):
            return found
        self._ended = StopAsyncIteration() if found is None else found
        raise self._ended
