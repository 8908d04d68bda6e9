"""Quotas: what a person, a channel and a workspace used of a day, reserved before it is spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from core.events import Usage
from core.messages import Frozen
from core.quota.ladder import KINDS, LEVELS, Amount, Kind, Level, day_of, level_of, renewed_at
from core.scope import channel_scope
from core.store import Store, Transaction

RESERVED_TOKENS = 4_000
"""Taken for a run before its first call, about one question with its passages; two runs side by
side must not both find room for one. What it really was comes in its place at the end."""
RESERVED_USD = 0.002
MOST_LISTED = 20


class Share(Frozen):
    """One of those whose day a run is counted on."""

    kind: Kind
    target: str
    day: str
    zone: str


class Used(Frozen):
    """What somebody used of a day, and may."""

    share: Share
    used: Amount
    most: Amount

    @property
    def level(self) -> Level:
        return level_of(self.used, self.most)


class Grant(Frozen):
    """What a run may have."""

    level: Level = "normal"
    used: Used | None = None
    """Whose quota says so; None where nothing is scarce."""
    renewed_at: float = 0.0
    tell: bool = False
    """True the first time that this step of the ladder is taken in the thread that day."""


class Asker(Frozen):
    """Whose quotas a run is counted on, and their time zones."""

    run: str
    thread: str
    person: str
    channel: str
    workspace: str
    zone: str
    """Of the person."""
    place_zone: str
    """Of channel and workspace."""

    def shares(self, now: float) -> list[Share]:
        targets = {"person": self.person, "channel": self.channel, "workspace": self.workspace}
        zones = {"person": self.zone}
        return [
            Share(kind=kind, target=targets[kind], day=day_of(now, zone), zone=zone)
            for kind in KINDS
            for zone in [zones.get(kind, self.place_zone)]
        ]


_SHARES = TypeAdapter(list[Share])
_USE = (
    "SELECT requests, tokens, usd FROM quota_use"
    " WHERE kind = :kind AND target = :target AND day = :day"
)
_ADD = (
    "INSERT INTO quota_use (kind, target, day, requests, tokens, usd)"
    " VALUES (:kind, :target, :day, :requests, :tokens, :usd)"
    " ON CONFLICT (kind, target, day) DO UPDATE SET"
    " requests = quota_use.requests + excluded.requests,"
    " tokens = quota_use.tokens + excluded.tokens, usd = quota_use.usd + excluded.usd"
)
_LIMIT = "SELECT requests FROM quota_limit WHERE kind = :kind AND target = :target"
_SET_LIMIT = (
    "INSERT INTO quota_limit (kind, target, requests, person, written_at)"
    " VALUES (:kind, :target, :requests, :person, :now) ON CONFLICT (kind, target) DO UPDATE SET"
    " requests = excluded.requests, person = excluded.person, written_at = excluded.written_at"
)
_NO_LIMIT = "DELETE FROM quota_limit WHERE kind = :kind AND target = :target"
_GRANT = "SELECT level, body, tokens, usd FROM quota_grant WHERE run = :run"
_KEEP_GRANT = (
    "INSERT INTO quota_grant (run, level, body, tokens, usd, person, scope, written_at)"
    " VALUES (:run, :level, :body, :tokens, :usd, :person, :scope, :now)"
)
_SETTLE = "UPDATE quota_grant SET tokens = :tokens, usd = :usd WHERE run = :run"
_TELL = (
    "INSERT INTO quota_told (thread, kind, target, day, level, scope)"
    " VALUES (:thread, :kind, :target, :day, :level, :scope)"
    " ON CONFLICT (thread, kind, target, day, level) DO NOTHING"
)
_BUSIEST = (
    "SELECT target, requests, tokens, usd FROM quota_use WHERE kind = :kind AND day = :day"
    " AND target LIKE :start ORDER BY requests DESC, target LIMIT :count"
)


@dataclass(frozen=True)
class Quota:
    """Reserves and settles. Times are Unix seconds."""

    store: Store
    most: Mapping[Kind, Amount] = field(default_factory=dict[Kind, Amount])
    """Of the configuration; an admin's numbers in the chat go before it."""
    clock: Callable[[], float] = time.time

    async def reserve(self, asker: Asker) -> Grant:
        """Count a run on its quotas, once however often it is resumed, and say what it may have.

        One transaction: of two runs that want the last place, one gets it. A run that is refused
        is not counted.
        """
        now = self.clock()
        return await self.store.write(lambda tx: self._reserve(tx, asker, now))

    async def settle(self, run: str, usage: Usage) -> None:
        """Put what a run really used, all in all, in the place of what was reserved for it."""
        await self.store.write(lambda tx: _settle(tx, run, usage))

    async def of(self, asker: Asker) -> list[Used]:
        """What the person, the channel and the workspace used today."""
        shares = asker.shares(self.clock())
        return await self.store.read(lambda tx: [self._used(tx, share) for share in shares])

    async def busiest(self, start: str, zone: str) -> list[Used]:
        """The people whose ids begin with `start` and who used most today."""
        day = day_of(self.clock(), zone)
        values = {"kind": "person", "day": day, "start": f"{start}%", "count": MOST_LISTED}

        def read(tx: Transaction) -> list[Used]:
            people = [str(row[0]) for row in tx.all(_BUSIEST, values)]
            shares = [Share(kind="person", target=one, day=day, zone=zone) for one in people]
            return [self._used(tx, share) for share in shares]

        return await self.store.read(read)

    async def limit(self, kind: Kind, target: str, requests: int | None, by: str) -> None:
        """Let somebody have `requests` questions a day; None: what the configuration gives."""
        values = {"kind": kind, "target": target}
        row = values | {"requests": requests, "person": by, "now": self.clock()}
        if requests is None:
            await self.store.write(lambda tx: tx.run(_NO_LIMIT, values))
        else:
            await self.store.write(lambda tx: tx.run(_SET_LIMIT, row))

    def _reserve(self, tx: Transaction, asker: Asker, now: float) -> Grant:
        kept = tx.one(_GRANT, {"run": asker.run})
        if kept is not None:
            return Grant(level=kept[0])
        shares = asker.shares(now)
        worst = max((self._used(tx, share) for share in shares), key=_height)
        level = worst.level
        if level != "refused":
            _count(tx, asker, shares, level, now)
        if level == "normal":
            return Grant()
        told = _share_of(worst.share) | {
            "thread": asker.thread,
            "level": level,
            "scope": channel_scope(asker.channel),
        }
        renewed = renewed_at(now, worst.share.zone)
        tell = tx.run(_TELL, told) == 1
        return Grant(level=level, used=worst, renewed_at=renewed, tell=tell)

    def _used(self, tx: Transaction, share: Share) -> Used:
        values = _share_of(share)
        row = tx.one(_USE, values)
        limit = tx.one(_LIMIT, {"kind": share.kind, "target": share.target})
        most = self.most.get(share.kind, Amount())
        if limit is not None:
            most = most.model_copy(update={"requests": int(limit[0])})
        used = Amount(requests=row[0], tokens=row[1], usd=row[2]) if row else Amount()
        return Used(share=share, used=used, most=most)


def _height(used: Used) -> int:
    return LEVELS.index(used.level)


def _count(
    tx: Transaction, asker: Asker, shares: Sequence[Share], level: Level, now: float
) -> None:
    spends = level in ("normal", "cheap")
    tokens, usd = (RESERVED_TOKENS, RESERVED_USD) if spends else (0, 0.0)
    for share in shares:
        tx.run(_ADD, _share_of(share) | {"requests": 1, "tokens": tokens, "usd": usd})
    grant = {
        "run": asker.run,
        "level": level,
        "body": _SHARES.dump_json(list(shares)).decode(),
        "tokens": tokens,
        "usd": usd,
        "person": asker.person,
        "scope": channel_scope(asker.channel),
        "now": now,
    }
    tx.run(_KEEP_GRANT, grant)


def _settle(tx: Transaction, run: str, usage: Usage) -> None:
    row = tx.one(_GRANT, {"run": run})
    if row is None:
        return
    tokens, usd = usage.input_tokens + usage.output_tokens, usage.usd
    more = {"requests": 0, "tokens": tokens - int(row[2]), "usd": usd - float(row[3])}
    for share in _SHARES.validate_json(row[1]):
        tx.run(_ADD, _share_of(share) | more)
    tx.run(_SETTLE, {"run": run, "tokens": tokens, "usd": usd})


def _share_of(share: Share) -> dict[str, str]:
    return {"kind": share.kind, "target": share.target, "day": share.day}
