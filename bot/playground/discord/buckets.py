"""Rate limits as Discord's headers show them: one window per route and place, one for everything.

The figures are not in Discord's documents; they are what its headers have shown. A client must
read the headers and never rely on the figures.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

GLOBAL_PER_S = 50
"""Discord: topics/rate-limits, requests of one bot in a second."""

WINDOWS: Mapping[str, tuple[int, float]] = {
    "message.create": (5, 5.0),
    "message.edit": (5, 5.0),
    "message.delete": (5, 1.0),
    "message.list": (5, 1.0),
    "message.get": (5, 1.0),
    "reaction": (1, 0.25),
    "typing": (5, 5.0),
    "thread.create": (10, 10.0),
    "webhook.execute": (5, 2.0),
    "webhook.edit": (5, 5.0),
    "interaction.followup": (5, 2.0),
    "interaction.edit": (5, 5.0),
    "channel.get": (5, 1.0),
    "channel.edit": (5, 5.0),
    "webhook.list": (5, 1.0),
}
"""Requests and seconds by bucket; routes without one have no limit of their own."""


@dataclass
class _Window:
    opened: float
    used: int = 0


@dataclass(frozen=True)
class Verdict:
    """What the limits say to one request."""

    headers: dict[str, str]
    retry_after: float | None = None
    """None: go on."""
    scope: str = "user"


class Buckets:
    """`scale` stretches or shrinks every window, so that tests need not wait five seconds."""

    def __init__(self, scale: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.scale = scale
        self._clock = clock
        self._windows: dict[tuple[str, str], _Window] = {}
        self._all: deque[float] = deque()

    def take(self, bucket: str, major: str, exempt: bool = False) -> Verdict:
        """One request in `bucket` (a key of `WINDOWS`) of the place `major`.

        `exempt` from the global limit are the addresses of interactions.
        """
        now = self._clock()
        while self._all and self._all[0] <= now - 1:
            self._all.popleft()
        if not exempt:
            if len(self._all) >= GLOBAL_PER_S:
                wait = self._all[0] + 1 - now
                return Verdict({"X-RateLimit-Global": "true"}, max(wait, 0.001), "global")
            self._all.append(now)
        if bucket not in WINDOWS:
            return Verdict({})
        return self._within(bucket, major, now)

    def _within(self, bucket: str, major: str, now: float) -> Verdict:
        limit, seconds = WINDOWS[bucket]
        seconds *= self.scale
        window = self._windows.get((bucket, major))
        if window is None or now >= window.opened + seconds:
            window = self._windows[bucket, major] = _Window(now)
        over = window.used >= limit
        window.used += not over
        left = window.opened + seconds - now
        headers = {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(limit - window.used),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": hashlib.md5(bucket.encode(), usedforsecurity=False).hexdigest(),
        }
        return Verdict(headers, max(left, 0.001) if over else None)
