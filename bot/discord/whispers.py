"""Fresh interactions: through them a word can be said that only one person sees."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.discord.origins import TOKEN_S

KEPT = 2_000


@dataclass
class Whispers:
    """The newest token by person and thread. Not written down: an older word is not worth it."""

    clock: Callable[[], float] = time.monotonic
    _tokens: OrderedDict[tuple[str, str], tuple[str, float]] = field(
        default_factory=OrderedDict[tuple[str, str], tuple[str, float]]
    )

    def note(self, person: str, thread: str, token: str) -> None:
        self._tokens[person, thread] = (token, self.clock() + TOKEN_S)
        self._tokens.move_to_end((person, thread))
        if len(self._tokens) > KEPT:
            self._tokens.popitem(last=False)

    def token(self, person: str, thread: str) -> str:
        token, until = self._tokens.get((person, thread), ("", 0.0))
        return token if until > self.clock() else ""
