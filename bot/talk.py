"""Who speaks with whom: talk between people is left alone, and so are two bots in a loop.

Ids only, bounded, never written down. Shared by every adapter.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

THREADS = 2_000
"""Threads remembered; the one longest without a word is forgotten first."""

ROUNDS, WINDOW_S, REST_S = 20, 60.0, 60.0
"""A bot that asks so often within a window answers our answers; it is left alone for a while."""
PAIRS = 1_000


@dataclass(frozen=True)
class Spoken:
    """Somebody spoke in a thread."""

    thread: str
    author: str
    tagged: bool
    """We were mentioned."""


@dataclass
class Talk:
    """The last speaker of each thread."""

    us: str
    _last: OrderedDict[str, Spoken] = field(default_factory=OrderedDict[str, Spoken])

    def hear(self, spoken: Spoken) -> bool:
        """Note who spoke; True if this and the message before are two people talking.

        A message that mentioned us was not meant for the next speaker, so it starts no such talk.
        """
        before = self._last.get(spoken.thread)
        self._last[spoken.thread] = spoken
        self._last.move_to_end(spoken.thread)
        if len(self._last) > THREADS:
            self._last.popitem(last=False)
        if before is None or before.tagged or self.us in (before.author, spoken.author):
            return False
        return before.author != spoken.author


@dataclass
class BotPairs:
    """How often each bot that may ask has asked in a channel."""

    clock: Callable[[], float] = monotonic
    _asked: OrderedDict[tuple[str, str], deque[float]] = field(
        default_factory=OrderedDict[tuple[str, str], "deque[float]"]
    )
    _resting: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    def admit(self, bot: str, channel: str) -> bool:
        """True, and counted, if a bot may ask in a channel now."""
        pair, now = (bot, channel), self.clock()
        if self._resting.get(pair, 0.0) > now:
            return False
        asked = self._asked.setdefault(pair, deque())
        self._asked.move_to_end(pair)
        if len(self._asked) > PAIRS:
            forgotten, _ = self._asked.popitem(last=False)
            self._resting.pop(forgotten, None)
        while asked and asked[0] <= now - WINDOW_S:
            asked.popleft()
        if len(asked) >= ROUNDS:
            self._resting[pair] = now + REST_S
            asked.clear()
            return False
        asked.append(now)
        return True
