"""One mention comes as two events: `message` has everything, `app_mention` may lack files.

So an `app_mention` waits, unacknowledged, for its twin to be accepted. If the twin does not come
(the app is not subscribed to that kind of channel), the mention is taken as it is.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

TWIN_S = 1.0
"""How long a mention waits. Slack asks for an acknowledgement within three seconds."""
KEYS = 2_000
"""Keys remembered; a mention comes within seconds of its message."""


@dataclass
class Twins:
    """The keys that were accepted lately, and the mentions that wait for theirs."""

    wait_s: float = TWIN_S
    _accepted: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    _waiting: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    def accepted(self, key: str) -> None:
        """A message was accepted; its mention needs nothing any more."""
        self._accepted[key] = None
        if len(self._accepted) > KEYS:
            self._accepted.popitem(last=False)
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.set()

    async def came(self, key: str) -> bool:
        """True as soon as the message is accepted; False if it does not come in time."""
        if key in self._accepted:
            return True
        event = self._waiting.setdefault(key, asyncio.Event())
        try:
            async with asyncio.timeout(self.wait_s):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(key, None)
        return True
