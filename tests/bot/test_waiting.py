"""Runs that wait for people: allowed, refused, answered, stopped, too late; killed meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.sqlite import SqliteStore
from tests.rigs.bank import Bank, open_bank, open_library


@pytest.fixture
async def bank(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Bank]:
    library = await open_library(store, tmp_path)
    bank = open_bank(store, library, tmp_path)
    yield bank
    await bank.close()
    await library.close()


async def test_a_call_that_needs_approval_waits_and_shows_its_exact_arguments(bank: Bank) -> None:
    message = await bank.say("recharge 50")
    assert await bank.state() == "suspended"
    assert bank.purse.paid == []
    plan, asked = bank.texts()
    assert "waiting for you" in plan
    assert "<@U1>" in asked and "amount: 50" in asked
    assert [label for label in ("Approve", "Reject") if bank.buttons(label)] == [
        "Approve",
        "Reject",
    ]
    assert (message.id, "working", True) in bank.platform.signs


async def test_the_askers_click_goes_on_and_nothing_is_asked_or_done_twice(bank: Bank) -> None:
    message = await bank.say("recharge 50")
    await bank.press("Approve")
    assert bank.purse.paid == [50]
    assert bank.answers() == ["All done: 1 results, topped up 50."]
    assert len(bank.model.calls) == 2, "the round before the wait is not asked again"
    assert await bank.state() == "done"
    asked = next(
        post for post in bank.platform.posts if "recharge" in post.text and post.drafts[0].buttons
    )
    assert asked.drafts[-1].buttons == ()
    assert "<@U1> approved" in asked.text
    assert bank.platform.signs[-3:] == [
        (message.id, "working", False),
        ("memory:T1/C1/c:1", "done", True),
        ("memory:T1/C1/c:1", "seen", False),
    ]
