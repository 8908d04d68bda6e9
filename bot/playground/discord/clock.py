"""Time that a test can let pass, and the ids that Discord makes of time."""

from __future__ import annotations

import time
from datetime import UTC, datetime

EPOCH_MS = 1_420_070_400_000
"""Discord's epoch: the first second of 2015."""


class Clock:
    """Wall time plus what `skip` has added: tokens and links grow old without waiting."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._last = 0

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time() + self._ahead

    def skip(self, seconds: float) -> None:
        self._ahead += seconds

    def snowflake(self) -> str:
        """A new id: milliseconds above 22 bits; never the same twice, never backwards."""
        made = (int(self.now() * 1000) - EPOCH_MS) << 22
        self._last = max(self._last + 1, made)
        return str(self._last)

    def seen(self, snowflake: str) -> None:
        """Ids that come after are larger than this one."""
        self._last = max(self._last, int(snowflake))


def seconds_of(snowflake: str) -> float:
    return ((int(snowflake) >> 22) + EPOCH_MS) / 1000


def iso(seconds: float) -> str:
    """As Discord writes times: `2026-01-31T12:00:00.000000+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


_BITS = 22


def ts_of(snowflake: str) -> str:
    """An id as seconds that sort as text: three digits of milliseconds, seven of what is left."""
    number = int(snowflake)
    ms = (number >> _BITS) + EPOCH_MS
    return f"{ms // 1000}.{ms % 1000:03d}{number & (1 << _BITS) - 1:07d}"


def id_of(ts: str) -> str:
    """The id that `ts_of` made a time stamp of."""
    seconds, _, digits = ts.partition(".")
    ms = int(seconds) * 1000 + int(digits[:3])
    return str((ms - EPOCH_MS << _BITS) + int(digits[3:]))
