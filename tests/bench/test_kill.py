"""Nothing is lost, doubled, repeated or overtaken, whenever the bot is killed."""

from __future__ import annotations

import pytest

from bench.kill import main, overtaken, repeated, said, under_way

SEEDS = 20
DISCORD_SEEDS = 3


@pytest.mark.timeout(900)
async def test_every_message_is_answered_once_and_in_order_over_kills_at_random_moments() -> None:
    tally = await main(SEEDS, first=1)
    found = (tally.lost, tally.doubled, tally.repeated_steps, tally.order_breaks)
    assert found == (0, 0, 0, 0), "\n".join(tally.notes)
    assert sum(tally.killed_at.values()) >= SEEDS, "each seed kills at least once"


@pytest.mark.timeout(600)
async def test_so_it_is_on_discord_although_no_nonce_helps() -> None:
    tally = await main(DISCORD_SEEDS, first=1, platform="discord")
    found = (tally.lost, tally.doubled, tally.repeated_steps, tally.order_breaks)
    assert found == (0, 0, 0, 0), "\n".join(tally.notes)
    assert sum(tally.killed_at.values()) >= DISCORD_SEEDS


def test_messages_are_ordered_by_the_stamps_in_their_runs() -> None:
    assert said("slack:T:C:1.5") == 1.5
    assert said("discord:1576757114611695616:file") == said("discord:1576757114611695616")


def line(phase: str, run: str, key: str, at: float = 0.0) -> dict[str, object]:
    return {"phase": phase, "run": f"slack:T:C:{run}", "key": key, "at": at, "dies": False}


def test_a_finished_step_that_is_begun_again_is_seen() -> None:
    log = [line("begin", "1.0", "request"), line("kept", "1.0", "request")]
    assert repeated(log) == []
    assert repeated([*log, line("begin", "1.0", "request")]) == ["slack:T:C:1.0#request"]


def test_a_step_that_was_in_flight_may_be_begun_again() -> None:
    assert repeated([line("begin", "1.0", "request"), line("begin", "1.0", "request")]) == []


def test_a_run_that_overtakes_another_of_its_thread_is_seen() -> None:
    log = [
        line("kept", "1.0", "accept", at=1.0),
        line("kept", "2.0", "accept", at=1.1),
        line("start", "2.0", "thread", at=3.0),
        line("end", "2.0", "thread", at=4.0),
        line("start", "1.0", "thread", at=5.0),
        line("end", "1.0", "thread", at=6.0),
    ]
    assert len(overtaken(log)) == 1
    straight = [*log[:2], *log[4:], line("start", "2.0", "thread", at=7.0)]
    assert overtaken(straight) == []


def test_two_runs_of_a_thread_at_work_together_are_seen() -> None:
    log = [
        line("start", "1.0", "thread", at=1.0),
        line("start", "2.0", "thread", at=1.5),
        line("end", "1.0", "thread", at=2.0),
    ]
    assert len(overtaken(log)) == 1


def test_a_kill_is_counted_by_the_step_that_was_under_way() -> None:
    assert under_way([line("begin", "1.0", "loop:1:model")]) == ["loop:#:model"]
    assert under_way([line("begin", "1.0", "x"), line("kept", "1.0", "x")]) == ["idle"]
