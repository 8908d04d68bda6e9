"""Settings that people changed in the chat, kept in the store and over the file.

Every process reads what others wrote: each change takes the next revision, and `refresh` reads the
rows beyond the last one it knows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from core.scope import channel_scope, person_scope
from core.settings.book import CHANNEL, PERSON, Kept, SettingsBook
from core.settings.merge import merge
from core.store import Store, Transaction

_READ = (
    "SELECT kind, target, name, value, revision FROM setting WHERE revision > :revision"
    " ORDER BY revision"
)
_LATEST = "SELECT coalesce(max(revision), 0) FROM setting"
_WRITE = (
    "INSERT INTO setting (kind, target, name, value, person, scope, revision, written_at) VALUES"
    " (:kind, :target, :name, :value, :person, :scope, :revision, :now)"
    " ON CONFLICT (kind, target, name) DO UPDATE SET value = excluded.value,"
    " person = excluded.person, revision = excluded.revision, written_at = excluded.written_at"
)


class SettingsStore:
    """Reads and writes the kept layers of a book."""

    def __init__(
        self, store: Store, book: SettingsBook, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self.book = book
        self._clock = clock

    async def refresh(self) -> None:
        """Bring the book up to date."""
        values = {"revision": self.book.kept.revision}
        for kind, target, name, value, revision in await self._store.read(
            lambda tx: tx.all(_READ, values)
        ):
            _put(self.book.kept, kind, target, name, None if value == "" else json.loads(value))
            self.book.kept.revision = int(revision)

    async def for_channel(self, channel: str, name: str, value: Any, by: str) -> None:
        """Keep a value of a channel; None takes it back. Raises WrongConfig if it cannot be."""
        await self._write(CHANNEL, channel, name, value, by, channel_scope(channel))

    async def for_person(self, person: str, name: str, value: Any) -> None:
        """Keep a value of a person; None takes it back. Raises WrongConfig if it cannot be."""
        await self._write(PERSON, person, name, value, person, person_scope(person))

    async def _write(
        self, kind: str, target: str, name: str, value: Any, by: str, scope: str
    ) -> None:
        merge((kind, {name: value}))
        row = {
            "kind": kind,
            "target": target,
            "name": name,
            # Taken back, the row stays with nothing in it, so that other processes see it go.
            "value": "" if value is None else json.dumps(value, ensure_ascii=False),
            "person": by,
            "scope": scope,
            "now": self._clock(),
        }

        def write(tx: Transaction) -> None:
            latest = tx.one(_LATEST)
            tx.run(_WRITE, row | {"revision": int(latest[0]) + 1 if latest else 1})

        await self._store.write(write)
        await self.refresh()


def _put(kept: Kept, kind: str, target: str, name: str, value: Any) -> None:
    layer = (kept.channels if kind == CHANNEL else kept.people).setdefault(target, {})
    if value is None:
        layer.pop(name, None)
    else:
        layer[name] = value
