"""Find our own post again, before it is posted a second time.

Discord keeps no mark of ours on a message. A post carries a nonce, by which Discord itself refuses
a second copy for a few minutes; a webhook's post carries none. So the words of a post are noted
(as a digest) before it is sent, and later looked for among the newest messages of its place.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.discord import ids
from core.scope import channel_scope
from core.store.port import Store, Transaction

log = logging.getLogger(__name__)

EARLIER_S = 30.0
"""Discord's clock and ours may differ by so much."""
PAGE, PAGES = 100, 10
KEEP_S = 3 * 86_400.0

_NOTE = (
    "INSERT INTO discord_post (mark, place, digest, message, written_at, scope)"
    " VALUES (:mark, :place, :digest, '', :now, :scope)"
    " ON CONFLICT (mark) DO UPDATE SET place = excluded.place, digest = excluded.digest,"
    " written_at = excluded.written_at"
)
_DONE = "UPDATE discord_post SET message = :message WHERE mark = :mark"
_GET = "SELECT place, digest, message, written_at FROM discord_post WHERE mark = :mark"
_OTHERS = "SELECT message FROM discord_post WHERE place = :place AND message <> ''"
_FORGET = "DELETE FROM discord_post WHERE written_at < :before"

Page = Callable[[str, Mapping[str, Any]], Awaitable[list[Any]]]
"""Messages of a channel, newest first, by Discord's parameters."""


def nonce(mark: str) -> str:
    """Discord: at most 25 characters."""
    return hashlib.blake2b(mark.encode(), digest_size=12).hexdigest()[:25]


def digest(content: str) -> str:
    """Of the words, without the white space that Discord trims."""
    return hashlib.blake2b(" ".join(content.split()).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Posted:
    """The posts that were begun."""

    store: Store
    page: Page
    is_ours: Callable[[Mapping[str, Any]], bool]
    clock: Callable[[], float] = time.time

    async def begin(self, mark: str, where: str, content: str, channel: str) -> None:
        """Note a post just before it is sent."""
        values = {
            "mark": mark,
            "place": where,
            "digest": digest(content),
            "now": self.clock(),
            "scope": channel_scope(channel),
        }
        await self.store.write(lambda tx: tx.run(_NOTE, values))

    async def done(self, mark: str, message: str) -> None:
        await self.store.write(lambda tx: tx.run(_DONE, {"mark": mark, "message": message}))

    async def find(self, mark: str) -> tuple[str, str] | None:
        """Where a begun post stands and Discord's id of it; None if it was not taken."""
        held = await self._read(_GET, {"mark": mark})
        if not held:
            return None
        where, words, message, at = held[0]
        if message:
            return str(where), str(message)
        others = {str(row[0]) for row in await self._read(_OTHERS, {"place": where})}
        found = await self._look(str(where), str(words), nonce(mark), float(at), others)
        return (str(where), found) if found else None

    async def _look(
        self, where: str, words: str, number: str, at: float, others: set[str]
    ) -> str | None:
        oldest = int(ids.snowflake_at(at - EARLIER_S))
        before = ""
        for _ in range(PAGES):
            asked = {"limit": PAGE} | ({"before": before} if before else {})
            messages = await self.page(where, asked)
            for message in messages:
                found = str(message["id"])
                if int(found) < oldest:
                    return None
                if found in others or not self.is_ours(message):
                    continue
                same = digest(str(message.get("content") or "")) == words
                if same or str(message.get("nonce") or "") == number:
                    return found
            if len(messages) < PAGE:
                return None
            before = str(messages[-1]["id"])
        log.warning("gave up looking for a post of ours after %s pages", PAGES)
        return None

    async def sweep(self) -> None:
        before = self.clock() - KEEP_S
        await self.store.write(lambda tx: tx.run(_FORGET, {"before": before}))

    async def _read(self, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        def work(tx: Transaction) -> list[tuple[Any, ...]]:
            return tx.all(sql, values)

        return await self.store.read(work)
