"""Races: the first success wins, what is not from the web is preferred, nobody runs on."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.virtual_time import in_virtual_time
from core.plan.race import first

GRACE = 0.3


class Runners:
    """Works that end after so many seconds, well or not."""

    def __init__(self, ends: Mapping[str, tuple[float, bool]]) -> None:
        self.ends = ends
        self.cancelled: set[str] = set()

    async def run(self, name: str) -> bool:
        after, well = self.ends[name]
        try:
            await asyncio.sleep(after)
        except asyncio.CancelledError:
            # It takes a while to be over: whoever does not wait for it has left it running.
            await asyncio.sleep(0)
            self.cancelled.add(name)
            raise
        return well

    async def race(self) -> tuple[str | None, dict[str, bool]]:
        return await first(
            {name: self.run(name) for name in self.ends},
            wins=lambda well: well,
            gives_way=lambda name: name.startswith("web"),
            grace_s=GRACE,
        )


def raced(**ends: tuple[float, bool]) -> tuple[str | None, float, set[str]]:
    runners = Runners(ends)
    (winner, _), seconds = in_virtual_time(runners.race())
    return winner, seconds, runners.cancelled


def test_the_first_that_succeeds_wins_and_the_rest_is_over() -> None:
    assert raced(slow=(9.0, True), quick=(1.0, True)) == ("quick", 1.0, {"slow"})


def test_a_failure_wins_nothing() -> None:
    assert raced(slow=(9.0, True), quick=(1.0, False)) == ("slow", 9.0, set())


def test_when_all_lost_nobody_won() -> None:
    assert raced(one=(1.0, False), web=(2.0, False)) == (None, 2.0, set())


def test_a_local_hit_soon_after_one_of_the_web_is_preferred() -> None:
    assert raced(web=(1.0, True), local=(1.2, True)) == ("local", 1.2, set())


def test_a_hit_of_the_web_waits_no_longer_than_the_grace() -> None:
    assert raced(web=(1.0, True), local=(5.0, True)) == ("web", 1.0 + GRACE, {"local"})


def test_a_hit_of_the_web_waits_for_nobody_when_only_the_web_still_runs() -> None:
    assert raced(web=(1.0, True), local=(0.5, False), web2=(9.0, True)) == ("web", 1.0, {"web2"})


def test_a_local_failure_inside_the_grace_ends_the_waiting() -> None:
    assert raced(web=(1.0, True), local=(1.1, False)) == ("web", 1.1, set())


def test_an_error_ends_the_race_and_everyone_in_it() -> None:
    runners = Runners({"one": (1.0, True), "two": (9.0, True)})

    async def race() -> None:
        async def bad() -> bool:
            raise LookupError("a bug")

        works = {"bad": bad(), "two": runners.run("two")}
        await first(works, wins=bool, gives_way=lambda _: False, grace_s=GRACE)

    with pytest.raises(LookupError):
        in_virtual_time(race())
    assert runners.cancelled == {"two"}


TIMES = st.sampled_from([0.0, 0.1, 0.2, 0.35, 0.6, 1.0])


@settings(max_examples=150)
@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "web1", "web2"]), st.tuples(TIMES, st.booleans()), min_size=1
    )
)
def test_any_race_gives_the_right_winner_in_the_least_time(
    ends: dict[str, tuple[float, bool]],
) -> None:
    winner, seconds, _ = raced(**ends)
    well = {name: after for name, (after, good) in ends.items() if good}
    local = {name: after for name, after in well.items() if not name.startswith("web")}
    if not well:
        assert winner is None
        return
    assert winner in well
    earliest = min(well.values())
    if local and min(local.values()) < earliest + GRACE:
        assert winner in local and well[winner] == min(local.values())
        assert seconds == min(local.values())
    else:
        assert seconds <= earliest + GRACE + 1e-9
