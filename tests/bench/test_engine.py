"""The engine's bench: it runs real runs, and its figures mean what they say."""

from bench import engine
from core.journal import MemoryJournal


async def test_its_runs_come_to_their_end_with_the_work_that_it_says() -> None:
    for mode, calls, models in (("react", 6, 2), ("loop", 4, 3)):
        journal = MemoryJournal()
        agent = engine.Agent(engine.NoLibrary(), engine.AtOnce(), engine._toolbox())  # type: ignore[arg-type]
        assert await engine.one_run(agent, "r", mode, journal) > 10
        assert sum(":call" in key for key in journal.rows) == calls
        assert sum("model" in key for key in journal.rows) == models


async def test_memory_is_that_of_runs_which_are_all_at_work() -> None:
    assert 0 < await engine.memory(5) < 10


def test_working_what_is_ready_is_never_slower_on_the_whole_than_working_levels() -> None:
    mean, worst = engine.makespans(plans=20)
    assert 0.3 < mean <= engine.RATIO
    assert mean <= worst <= 1.1
