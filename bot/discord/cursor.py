"""How far each channel was read, so that nothing said during a stop is missed.

Discord brings no event twice: after an invalid session, or while we were down, what was said is
only in the history. A cursor moves past a message when that is on disk, or was nothing for us.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.store.port import Store, Transaction

_ALL = "SELECT channel, guild, message FROM discord_cursor"
_KEEP = (
    "INSERT INTO discord_cursor (channel, guild, message, written_at)"
    " VALUES (:channel, :guild, :message, :now) ON CONFLICT (channel)"
    " DO UPDATE SET message = excluded.message, written_at = excluded.written_at"
)


@dataclass
class Mark:
    """A channel's reading, by Discord's ids as numbers."""

    guild: str
    done: int = 0
    at_work: set[int] = field(default_factory=set[int])
    kept: int = -1
    """What is written; nothing yet. A channel without a word is kept too, as read up to 0."""

    @property
    def safe(self) -> int:
        """Everything up to it was dealt with."""
        return min(self.at_work) - 1 if self.at_work else self.done


@dataclass
class Cursor:
    """The readings of all channels: in memory, and written every few seconds."""

    store: Store
    clock: Callable[[], float] = time.time
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])

    async def load(self) -> None:
        def work(tx: Transaction) -> list[tuple[Any, ...]]:
            return tx.all(_ALL)

        for channel, guild, message in await self.store.read(work):
            self.marks[channel] = Mark(guild, int(message), kept=int(message))

    def begin(self, channel: str, guild: str, message: str) -> None:
        """A message is being dealt with: the cursor waits before it."""
        self.marks.setdefault(channel, Mark(guild)).at_work.add(int(message))

    def end(self, channel: str, message: str) -> None:
        """It was dealt with."""
        mark = self.marks[channel]
        mark.at_work.discard(int(message))
        mark.done = max(mark.done, int(message))

    def knows(self, guild: str) -> bool:
        """True if we were in a server before."""
        return any(mark.guild == guild for mark in self.marks.values())

    def first(self, channel: str, guild: str, newest: str, *, is_new: bool) -> int | None:
        """How far a channel was read. One that is seen for the first time is read from its
        beginning if `is_new`, made while we could not hear; else from now on (None).
        """
        known = self.marks.get(channel)
        if known is not None:
            return known.safe
        self.marks[channel] = Mark(guild, 0 if is_new else int(newest or 0))
        return 0 if is_new else None

    def direct(self) -> list[str]:
        """Direct conversations: no event tells them at a start."""
        return [channel for channel, mark in self.marks.items() if not mark.guild]

    async def keep(self) -> None:
        """Write what moved."""
        now = self.clock()
        moved = {name: mark.safe for name, mark in self.marks.items() if mark.safe > mark.kept}
        if not moved:
            return
        rows = [
            {"channel": name, "guild": self.marks[name].guild, "message": str(safe), "now": now}
            for name, safe in moved.items()
        ]
        await self.store.write(lambda tx: tx.many(_KEEP, rows))
        for name, safe in moved.items():
            self.marks[name].kept = max(self.marks[name].kept, safe)
