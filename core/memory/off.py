"""Who wants nothing remembered: a person everywhere, a channel for all in it, or one thread."""

from __future__ import annotations

from core.store import Store, Transaction

_SET = (
    "INSERT INTO memory_off (target, person, since) VALUES (:target, :person, :since)"
    " ON CONFLICT (target) DO NOTHING"
)
_UNSET = "DELETE FROM memory_off WHERE target = :target"
_READ = (
    "SELECT target FROM memory_off WHERE target = :person OR target = :channel OR target = :thread"
)


def thread_of(person: str, thread: str) -> str:
    """The target for what one person says in one thread (`don't remember this conversation`)."""
    return f"{thread} {person}"


class Off:
    """The switch that keeps the gate from looking."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def switch(self, target: str, person: str, now: float, *, on: bool) -> None:
        """Remember what `target` says from now on, or nothing of it."""
        if on:
            await self._store.write(lambda tx: tx.run(_UNSET, {"target": target}))
            return
        row = {"target": target, "person": person, "since": now}
        await self._store.write(lambda tx: tx.run(_SET, row))

    async def which(self, person: str, channel: str, thread: str = "") -> set[str]:
        """Of the three targets, those that are switched off."""
        values = {"person": person, "channel": channel, "thread": thread_of(person, thread)}

        def read(tx: Transaction) -> set[str]:
            return {str(row[0]) for row in tx.all(_READ, values)}

        return await self._store.read(read)
