"""The journal: a run's finished steps by key, so that a restart does not do them again.

A row is written only by the run's present owner: every claim raises the run's epoch, and a
write under an older epoch raises LostRun. Keys carry the path (`request`, `loop:2:model`,
`post:answer:1`), because a plan that runs side by side has no fixed order to count by.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from core.errors import LostRun
from core.store import Store, Transaction

T = TypeVar("T")


class Journal(Protocol):
    """Steps of one run."""

    async def step(self, key: str, kind: Any, work: Callable[[], Awaitable[T]]) -> T:
        """The kept result under `key`, else the result of `work`, kept before it is returned.

        `kind` is the result's type as pydantic reads it (`str`, `list[Hit]`, a model). A kept
        result is never computed again; if `work` raises, nothing is kept.
        """
        ...

    async def kept(self, key: str, kind: type[T]) -> T | None:
        """The kept result under `key`, or None if that step has not finished."""
        ...


@dataclass
class MemoryJournal:
    """A journal that dies with the process: for the shell and for tests."""

    rows: dict[str, str] = field(default_factory=dict[str, str])

    async def step(self, key: str, kind: Any, work: Callable[[], Awaitable[T]]) -> T:
        adapter: TypeAdapter[T] = TypeAdapter(kind)
        if key in self.rows:
            return adapter.validate_json(self.rows[key])
        result = await work()
        self.rows[key] = adapter.dump_json(result).decode()
        return result

    async def kept(self, key: str, kind: type[T]) -> T | None:
        row = self.rows.get(key)
        return None if row is None else TypeAdapter(kind).validate_json(row)


@dataclass(frozen=True)
class Claim:
    """Proof of owning a run; fenced by its epoch."""

    run: str
    epoch: int
    scope: str
    person: str


class StoredJournal:
    """A journal in the store."""

    def __init__(self, store: Store, claim: Claim) -> None:
        self._store = store
        self.claim = claim

    async def step(self, key: str, kind: Any, work: Callable[[], Awaitable[T]]) -> T:
        adapter: TypeAdapter[T] = TypeAdapter(kind)
        row = await self._read(key)
        if row is not None:
            return adapter.validate_json(row)
        result = await work()
        text = adapter.dump_json(result).decode()
        await self._store.write(lambda tx: write_step(tx, self.claim, key, text))
        return result

    async def kept(self, key: str, kind: type[T]) -> T | None:
        row = await self._read(key)
        return None if row is None else TypeAdapter(kind).validate_json(row)

    async def _read(self, key: str) -> str | None:
        values = {"run": self.claim.run, "key": key}
        row = await self._store.read(
            lambda tx: tx.one("SELECT result FROM journal WHERE run = :run AND key = :key", values)
        )
        return None if row is None else str(row[0])


def write_step(tx: Transaction, claim: Claim, key: str, result: str) -> None:
    """Keep a step's result inside a transaction; LostRun if the run has a new owner."""
    assert_owner(tx, claim)
    tx.run(
        "INSERT INTO journal (run, key, epoch, state, result, written_at, scope, person)"
        " VALUES (:run, :key, :epoch, 'done', :result, :now, :scope, :person)",
        {
            "run": claim.run,
            "key": key,
            "epoch": claim.epoch,
            "result": result,
            "now": time.time(),
            "scope": claim.scope,
            "person": claim.person,
        },
    )


def assert_owner(tx: Transaction, claim: Claim) -> None:
    """Raise LostRun unless `claim` is the newest one of its run."""
    row = tx.one("SELECT epoch FROM run_claim WHERE run = :run", {"run": claim.run})
    if row is None or int(row[0]) != claim.epoch:
        raise LostRun(claim.run)


def claim_run(
    tx: Transaction, run: str, owner: str, *, thread: str, scope: str, person: str
) -> Claim:
    """Become the owner of a run: its epoch rises, older owners can write no more."""
    tx.run(
        "INSERT INTO run_claim (run, owner, epoch, thread, scope, person, state, claimed_at)"
        " VALUES (:run, :owner, 1, :thread, :scope, :person, 'running', :now)"
        " ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, state = 'running',"
        " epoch = run_claim.epoch + 1, claimed_at = excluded.claimed_at",
        {
            "run": run,
            "owner": owner,
            "thread": thread,
            "scope": scope,
            "person": person,
            "now": time.time(),
        },
    )
    row = tx.one("SELECT epoch FROM run_claim WHERE run = :run", {"run": run})
    assert row is not None
    return Claim(run, int(row[0]), scope, person)


def end_run(tx: Transaction, claim: Claim, state: str) -> None:
    """Mark a run as done, failed or stopped; LostRun if it has a new owner."""
    assert_owner(tx, claim)
    tx.run(
        "UPDATE run_claim SET state = :state WHERE run = :run", {"run": claim.run, "state": state}
    )
