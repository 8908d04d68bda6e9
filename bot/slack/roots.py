"""The threads of slash commands.

Slack sends a slash command without any message, so nothing is there to answer under. The command's
run knows its thread as `slack:T1/C2/cmd:TRIGGER`, kept here with the line that was typed before the
command is acknowledged. The first post into that thread posts the quoted line as the root message
and keeps its id; later replies to that root are translated back to the same thread, so that order,
stop words and the conversation hold for it as for any other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

from bot.slack.events import Command
from core.redact import redact
from core.scope import channel_scope
from core.store.port import Store, Transaction

State = Literal["new", "opening", "open"]

_INSERT = (
    "INSERT INTO slack_root"
    " (thread, channel, line, response_url, state, message, written_at, scope, person)"
    " VALUES (:thread, :channel, :line, :response_url, 'new', '', :now, :scope, :person)"
    " ON CONFLICT (thread) DO NOTHING"
)
_BY_THREAD = (
    "SELECT thread, line, response_url, state, message, person, written_at FROM slack_root"
    " WHERE thread = :thread"
)
_BY_MESSAGE = "SELECT thread FROM slack_root WHERE message = :message"
_OPENING = "UPDATE slack_root SET state = 'opening' WHERE thread = :thread"
_OPEN = (
    "UPDATE slack_root SET state = 'open', message = :message, response_url = ''"
    " WHERE thread = :thread"
)


@dataclass(frozen=True)
class Root:
    """A slash command's thread."""

    thread: str
    line: str
    """As typed: `/ask how many …`."""
    response_url: str
    """Where the person can still be told something if we may not post; empty once we may."""
    state: State
    """`opening`: posting has begun, and may have been done."""
    message: str
    """Id of the root message, once it is posted."""
    person: str
    written_at: float


class Roots:
    """Kept in the store: the worker may be another process than the one with the socket."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def note(self, command: Command) -> None:
        """Keep a command's line, without secrets, before the command is accepted."""
        message = command.message
        values = {
            "thread": message.place.thread,
            "channel": message.place.channel,
            "line": redact(command.line),
            "response_url": command.response_url,
            "now": time.time(),
            "scope": channel_scope(message.place.channel),
            "person": message.author.id,
        }
        await self._store.write(lambda tx: tx.run(_INSERT, values))

    async def get(self, thread: str) -> Root | None:
        row = await self._one(_BY_THREAD, {"thread": thread})
        return Root(*row) if row else None

    async def thread_of(self, root: str) -> str:
        """The thread that the message `root` is the root of: a command's, or itself."""
        row = await self._one(_BY_MESSAGE, {"message": root})
        return str(row[0]) if row else root

    async def opening(self, thread: str) -> None:
        await self._store.write(lambda tx: tx.run(_OPENING, {"thread": thread}))

    async def opened(self, thread: str, message: str) -> None:
        values = {"thread": thread, "message": message}
        await self._store.write(lambda tx: tx.run(_OPEN, values))

    async def _one(self, sql: str, values: dict[str, str]) -> tuple[Any, ...] | None:
        def work(tx: Transaction) -> tuple[Any, ...] | None:
            return tx.one(sql, values)

        return await self._store.read(work)
