"""Who spoke last in which thread, so that talk between people is left alone. Ids only, bounded."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from bot.slack.events import Spoken

THREADS = 2_000
"""Threads remembered; the one longest without a word is forgotten first."""


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
