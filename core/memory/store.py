"""The table of memories. Owner and audience stand in the statement that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.index.bm25 import numbers
from core.index.tokens import tokens
from core.memory.record import Memory, Seat
from core.store import Transaction

Vector = NDArray[np.float32]

MOST_SEEN = 2_000
"""Memories that one question looks at, newest first; nobody has as many."""

_COLUMNS = (
    "id, owner, scope, layer, subject, attribute, value, text, language, form, status,"
    " state, origin, channel, direct, message, link, run, observed_at, expires_at, ended_at,"
    " replaced_by, uses, used_at"
)
_FIELDS = tuple(_COLUMNS.replace(" ", "").split(","))
_ADD = (
    "INSERT INTO memory (id, owner, scope, layer, subject, attribute, value, text, language, form,"
    " status, state, origin, channel, direct, message, link, run, observed_at, expires_at,"
    " ended_at, replaced_by, uses, used_at, tokens, vector) VALUES (:id, :owner, :scope,"
    " :layer, :subject, :attribute, :value, :text, :language, :form, :status, :state, :origin,"
    " :channel, :direct, :message, :link, :run, :observed_at, :expires_at, :ended_at, :replaced_by,"
    " :uses, :used_at, :tokens, :vector) ON CONFLICT (id) DO NOTHING"
)
# What was said with us alone stays there; what was said in a channel is seen there and, by its
# owner, alone with us. Only the form of answers goes everywhere with its owner.
_SEEN = (
    "SELECT id, owner, scope, layer, subject, attribute, value, text, language, form, status,"
    " state, origin, channel, direct, message, link, run, observed_at, expires_at, ended_at,"
    " replaced_by, uses, used_at, tokens, vector FROM memory WHERE status = 'active'"
    " AND (expires_at IS NULL OR expires_at > :now)"
    " AND (scope = :here OR scope = :workspace OR (owner = :person AND scope = :mine"
    " AND (channel = :channel OR :direct = 1 OR form = 1)))"
    " ORDER BY observed_at DESC, id LIMIT :most"
)
_OWN = (
    "SELECT id, owner, scope, layer, subject, attribute, value, text, language, form, status,"
    " state, origin, channel, direct, message, link, run, observed_at, expires_at, ended_at,"
    " replaced_by, uses, used_at FROM memory WHERE owner = :person AND status <> 'forgotten'"
    " ORDER BY observed_at DESC, id LIMIT :most"
)
_SUPERSEDE = (
    "UPDATE memory SET status = 'superseded', ended_at = :now, replaced_by = :by"
    " WHERE id = :id AND owner = :owner AND status = 'active'"
)
_USED = "UPDATE memory SET uses = uses + 1, used_at = :now WHERE id = :id AND status = 'active'"
_DELETE = "DELETE FROM memory WHERE id = :id AND owner = :owner"


def add(tx: Transaction, memory: Memory, vector: Vector) -> None:
    """Keep a memory with its words and its vector; the same id again changes nothing."""
    row: dict[str, Any] = memory.model_dump()
    row |= {"form": int(memory.form), "direct": int(memory.direct)}
    row["tokens"] = numbers(tokens(memory.text)).tobytes()
    row["vector"] = vector.astype("<f2").tobytes()
    tx.run(_ADD, row)


def supersede(tx: Transaction, old: str, owner: str, by: str, now: float) -> bool:
    """End an active memory of `owner` in favour of another one."""
    values = {"id": old, "owner": owner, "by": by, "now": now}
    return tx.run(_SUPERSEDE, values) > 0


def delete(tx: Transaction, memory: str, owner: str) -> bool:
    """Remove a memory of its owner, bytes and all (`secure_delete` overwrites them)."""
    return tx.run(_DELETE, {"id": memory, "owner": owner}) > 0


def used(tx: Transaction, memories: Sequence[str], now: float) -> None:
    """Count a recall."""
    tx.many(_USED, [{"id": one, "now": now} for one in memories])


def own(tx: Transaction, person: str, most: int = MOST_SEEN) -> list[Memory]:
    """All that is kept of what a person said, superseded ones too, newest first."""
    return [_memory(row) for row in tx.all(_OWN, {"person": person, "most": most})]


def active(tx: Transaction, person: str, now: float) -> list[Memory]:
    """What holds now of what a person said, newest first."""
    return [
        memory
        for memory in own(tx, person)
        if memory.status == "active" and (memory.expires_at is None or memory.expires_at > now)
    ]


def seen(tx: Transaction, seat: Seat, now: float) -> list[tuple[Memory, bytes, bytes]]:
    """The memories that may be seen from a seat, with the bytes of their words and vectors."""
    values = seat.scopes | {
        "person": seat.person,
        "channel": seat.channel,
        "direct": int(seat.direct),
        "now": now,
        "most": MOST_SEEN,
    }
    return [(_memory(row), bytes(row[-2]), bytes(row[-1])) for row in tx.all(_SEEN, values)]


def _memory(row: Sequence[Any]) -> Memory:
    return Memory.model_validate(dict(zip(_FIELDS, row, strict=False)))
