"""Quotas: a ladder, reserved before it is spent, settled with what it really was."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.events import Usage
from core.quota import LEVELS, Amount, Asker, Kind, Level, Quota, level_of
from core.quota.quota import RESERVED_TOKENS
from core.store.sqlite import SqliteStore

NOON = 1_780_000_000.0 - 1_780_000_000.0 % 86_400 + 43_200.0
DAY_S = 86_400.0


def asker(run: str, **changes: str) -> Asker:
    fields = {
        "run": run,
        "thread": "slack:T1/C1/1",
        "person": "slack:T1/U1",
        "channel": "slack:T1/C1",
        "workspace": "slack:T1",
        "zone": "UTC",
        "place_zone": "UTC",
    }
    return Asker(**(fields | changes))


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


def quota(store: SqliteStore, clock: Clock | None = None, **most: Amount) -> Quota:
    limits: Mapping[Kind, Amount] = {kind: most[kind] for kind in most}  # pyright: ignore
    return Quota(store, limits, clock or Clock())


async def levels(quota: Quota, count: int, **changes: str) -> list[Level]:
    return [(await quota.reserve(asker(f"r{n}", **changes))).level for n in range(count)]


async def test_of_ten_questions_the_ninth_is_cheap_the_tenth_from_documents_then_none(
    store: SqliteStore,
) -> None:
    got = await levels(quota(store, person=Amount(requests=10)), 12)
    assert got == [*["normal"] * 8, "cheap", "cache_only", "refused", "refused"]


@given(st.integers(1, 500), st.integers(0, 600))
def test_the_ladder_only_goes_up_and_ends_where_the_quota_does(most: int, used: int) -> None:
    def level(used: int) -> Level:
        return level_of(Amount(requests=used), Amount(requests=most))

    assert LEVELS.index(level(used)) <= LEVELS.index(level(used + 1))
    assert (level(used) == "refused") is (used >= most)
    assert level(0) == "normal"
    assert used >= int(most * 0.8) or level(used) == "normal"


@given(st.integers(0, 10**9), st.floats(0, 10**6))
def test_without_a_limit_nothing_is_scarce(used: int, usd: float) -> None:
    assert level_of(Amount(requests=used, tokens=used, usd=usd), Amount()) == "normal"


async def test_a_run_counts_once_however_often_it_is_resumed(store: SqliteStore) -> None:
    kept = quota(store, person=Amount(requests=100))
    for _ in range(3):
        await kept.reserve(asker("r1"))
    assert [used.used.requests for used in await kept.of(asker("r2"))] == [1, 1, 1]


async def test_of_two_runs_at_once_one_gets_the_last_place(store: SqliteStore) -> None:
    kept = quota(store, person=Amount(requests=1))
    grants = await asyncio.gather(*(kept.reserve(asker(f"r{n}")) for n in range(2)))
    assert sorted(grant.level for grant in grants) == ["normal", "refused"]


async def test_tokens_of_a_run_at_work_are_taken_before_it_has_spent_them(
    store: SqliteStore,
) -> None:
    kept = quota(store, person=Amount(tokens=RESERVED_TOKENS))
    assert await levels(kept, 2) == ["normal", "refused"]
    await kept.settle("r0", Usage(input_tokens=100, output_tokens=20, usd=0.01))
    await kept.settle("r0", Usage(input_tokens=100, output_tokens=20, usd=0.01))
    (mine, *_) = await kept.of(asker("r1"))
    assert (mine.used.tokens, mine.used.requests) == (120, 1)
    assert mine.used.usd == pytest.approx(0.01)
    assert (await kept.reserve(asker("r2"))).level == "normal"


async def test_a_step_is_told_once_in_a_thread_and_names_whose_quota_it_is(
    store: SqliteStore,
) -> None:
    kept = quota(store, channel=Amount(requests=10))
    grants = [await kept.reserve(asker(f"r{n}")) for n in range(12)]
    assert [grant.tell for grant in grants[8:]] == [True, True, True, False]
    elsewhere = await kept.reserve(asker("r99", thread="slack:T1/C1/2"))
    assert elsewhere.tell and elsewhere.used is not None
    assert elsewhere.used.share.kind == "channel"


async def test_a_day_begins_at_midnight_of_the_person(store: SqliteStore) -> None:
    clock = Clock()
    kept = quota(store, clock, person=Amount(requests=1))
    assert await levels(kept, 2, zone="Asia/Shanghai") == ["normal", "refused"]
    refused = await kept.reserve(asker("r2", zone="Asia/Shanghai"))
    # Noon in UTC is 20:00 in Shanghai.
    assert refused.renewed_at == NOON + 4 * 3600
    clock.now = refused.renewed_at
    assert (await kept.reserve(asker("r3", zone="Asia/Shanghai"))).level == "normal"


async def test_an_admin_gives_more_and_takes_it_back(store: SqliteStore) -> None:
    kept = quota(store, person=Amount(requests=1))
    await kept.limit("person", "slack:T1/U1", 3, "slack:T1/U9")
    assert await levels(kept, 4) == ["normal", "normal", "cache_only", "refused"]
    await kept.limit("person", "slack:T1/U1", None, "slack:T1/U9")
    (mine, *_) = await kept.of(asker("r9"))
    assert mine.most.requests == 1
    busy = await kept.busiest("slack:T1/", "UTC")
    assert [(one.share.target, one.used.requests) for one in busy] == [("slack:T1/U1", 3)]
