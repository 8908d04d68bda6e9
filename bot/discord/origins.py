"""Where the runs of interactions come from, and how they may still be answered.

A slash command or a context menu brings a token that answers it for a quarter of an hour, and no
message. It is kept before it is acknowledged, so that whichever process works the run finds it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from core.redact import redact
from core.scope import channel_scope
from core.store.port import Store, Transaction

Kind = Literal["ask", "reply"]
"""`ask`: its first message is the root of a thread. `reply`: the answer itself is its response."""

TOKEN_S = 870.0
"""Discord: a token is good for 15 minutes; a little earlier it is not begun with any more."""
KEEP_S = 7 * 86_400.0

_INSERT = (
    "INSERT INTO discord_interaction"
    " (id, kind, thread, channel, line, token, message, mark, written_at, scope, person)"
    " VALUES (:id, :kind, :thread, :channel, :line, :token, '', '', :now, :scope, :person)"
    " ON CONFLICT (id) DO NOTHING"
)
_GET = (
    "SELECT id, kind, thread, channel, line, token, message, mark, written_at, person"
    " FROM discord_interaction WHERE id = :id"
)
_OPENED = (
    "UPDATE discord_interaction SET message = :message, mark = :mark"
    " WHERE id = :id AND message = ''"
)
_TAKING = "UPDATE discord_interaction SET mark = :mark WHERE id = :id AND mark = ''"
_ALIAS = (
    "INSERT INTO discord_alias (message, thread, written_at, scope)"
    " VALUES (:message, :thread, :now, :scope) ON CONFLICT (message) DO NOTHING"
)
_THREAD_OF = "SELECT thread FROM discord_alias WHERE message = :message"
_NO_TOKENS = "UPDATE discord_interaction SET token = '' WHERE token <> '' AND written_at < :before"
_FORGET = "DELETE FROM discord_interaction WHERE written_at < :before"


@dataclass(frozen=True)
class Origin:
    """An interaction that a run came from."""

    id: str
    kind: Kind
    thread: str
    channel: str
    line: str
    """As typed: `/ask how many …`."""
    token: str
    message: str
    """Our id of its response, once that is known."""
    mark: str
    """Which of the outbox's posts took the response, for `reply`."""
    written_at: float
    person: str

    def live_token(self, now: float) -> str:
        """The token, while it is good."""
        return self.token if now - self.written_at < TOKEN_S else ""


class Origins:
    """Kept in the store: the worker may be another process than the one with the gateway."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self.clock = clock

    async def note(self, origin: Origin) -> None:
        """Keep where a run comes from, without secrets in its line."""
        values = {
            "id": origin.id,
            "kind": origin.kind,
            "thread": origin.thread,
            "channel": origin.channel,
            "line": redact(origin.line),
            "token": origin.token,
            "now": origin.written_at,
            "scope": channel_scope(origin.channel),
            "person": origin.person,
        }
        await self._store.write(lambda tx: tx.run(_INSERT, values))

    async def get(self, interaction: str) -> Origin | None:
        if not interaction:
            return None
        row = await self._one(_GET, {"id": interaction})
        return Origin(*row) if row else None

    async def opened(self, origin: Origin, message: str, mark: str = "") -> None:
        """Its response is a message now; replies to it belong to the run's thread."""
        now = self.clock()

        def write(tx: Transaction) -> None:
            tx.run(_OPENED, {"id": origin.id, "message": message, "mark": mark or origin.mark})
            _alias(tx, message, origin.thread, origin.channel, now)

        await self._store.write(write)

    async def taking(self, origin: Origin, mark: str) -> None:
        """A post is about to become the response."""
        await self._store.write(lambda tx: tx.run(_TAKING, {"id": origin.id, "mark": mark}))

    async def alias(self, message: str, thread: str, channel: str) -> None:
        """A message in a channel that belongs to a thread of ours."""
        now = self.clock()
        await self._store.write(lambda tx: _alias(tx, message, thread, channel, now))

    async def thread_of(self, message: str) -> str:
        """The thread that a message of ours belongs to; an empty text if it is its own."""
        row = await self._one(_THREAD_OF, {"message": message})
        return str(row[0]) if row else ""

    async def sweep(self) -> None:
        """Drop tokens that are over, and what nobody will answer any more."""
        now = self.clock()

        def write(tx: Transaction) -> None:
            tx.run(_NO_TOKENS, {"before": now - 2 * TOKEN_S})
            tx.run(_FORGET, {"before": now - KEEP_S})

        await self._store.write(write)

    async def _one(self, sql: str, values: dict[str, str]) -> tuple[Any, ...] | None:
        def work(tx: Transaction) -> tuple[Any, ...] | None:
            return tx.one(sql, values)

        return await self._store.read(work)


def _alias(tx: Transaction, message: str, thread: str, channel: str, now: float) -> None:
    tx.run(
        _ALIAS,
        {"message": message, "thread": thread, "now": now, "scope": channel_scope(channel)},
    )
