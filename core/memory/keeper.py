"""The keeper: all of memory that a bot works with, built together and closed together."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from core.index.embed import Embedder
from core.memory.attention import Attention, LinkTo
from core.memory.channel import ChannelLog
from core.memory.forget import Forgetting, Forgotten, Scrubbed
from core.memory.gate import Op, Spoken
from core.memory.gate.dates import day_of, resolve
from core.memory.gate.private import is_private
from core.memory.gate.words import tongue
from core.memory.memories import Memories
from core.memory.off import Off
from core.memory.record import Memory
from core.messages import Message, Place
from core.model.protocol import Model


@dataclass(frozen=True)
class Keeper:
    """What people may do with what is remembered of them."""

    memories: Memories
    forgetting: Forgetting
    off: Off
    attention: Attention
    log: ChannelLog
    links: Mapping[str, LinkTo]
    clock: Callable[[], float] = time.time

    async def listing(self, person: str) -> list[Memory]:
        """What holds now of a person, oldest first: numbers stay when something is added."""
        known = await self.memories.known([person], self.clock())
        return sorted(known, key=lambda memory: (memory.observed_at, memory.id))

    async def look_now(self, message: Message, zone: tzinfo) -> list[Op]:
        """Look at one message at once, by rules."""
        said = Spoken(
            person=message.author.id,
            name=message.author.name,
            text=message.text,
            message=message.id,
            at=message.sent_at or self.clock(),
        )
        return await self.memories.look([said], message.place, zone, self._link(message.place))

    async def correct(self, old: Memory, text: str, message: Message, zone: tzinfo) -> bool:
        """Put a memory right in its owner's words; False if these hold a secret."""
        if is_private(text) or old.owner != message.author.id:
            return False
        now = message.sent_at or self.clock()
        op = Op(
            op="update",
            owner=old.owner,
            target=old.id,
            layer=old.layer,
            text=resolve(text, day_of(now, zone)).text,
            language=tongue(text),
            attribute=old.attribute,
            form=old.form,
            state=old.state,
            channel=not old.scope.startswith("person:"),
            expires_at=old.expires_at,
            message=message.id,
            at=now,
        )
        await self.memories.apply([op], message.place.model_copy(update=_seat(old)))
        return True

    async def forget(self, person: str, memories: Sequence[Memory], by: str = "") -> Forgotten:
        """Forget memories of a person to the bytes; `by` is the run that asked for it."""
        return await self.forgetting.forget(person, memories, by)

    def _link(self, place: Place) -> Callable[[str], str]:
        link = self.links.get(place.platform)
        return lambda message: link(place, message) if link is not None and message else ""


def _seat(old: Memory) -> dict[str, object]:
    """What was said alone with us stays there when it is put right elsewhere."""
    return {"channel": old.channel, "direct": old.direct}


def keeper_of(
    store: Scrubbed,
    encoder: Embedder,
    model: Model | None,
    links: Mapping[str, LinkTo],
    time_zone: str,
) -> Keeper:
    """All of memory on a store."""
    memories, forgetting = Memories(store, encoder), Forgetting(store)
    attention = Attention(store, memories, forgetting, model, links=links, time_zone=time_zone)
    return Keeper(memories, forgetting, Off(store), attention, ChannelLog(store), links)
