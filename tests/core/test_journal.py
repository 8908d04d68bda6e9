from pathlib import Path

import pytest

from core.errors import LostRun
from core.journal import Claim, Journal, MemoryJournal, StoredJournal, claim_run, end_run
from core.store.sqlite import SqliteStore


async def claimed(store: SqliteStore, owner: str) -> Claim:
    return await store.write(
        lambda tx: claim_run(tx, "run1", owner, thread="t", scope="channel:c", person="p")
    )


@pytest.fixture(params=["memory", "stored"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path):
    if request.param == "memory":
        yield MemoryJournal()
        return
    store = await SqliteStore.open(tmp_path / "t.db")
    yield StoredJournal(store, await claimed(store, "one"))
    await store.close()


async def test_a_finished_step_is_not_done_again(journal: Journal) -> None:
    done: list[str] = []

    async def work() -> list[str]:
        done.append("x")
        return ["结果", "result"]

    assert await journal.step("search", list[str], work) == ["结果", "result"]
    assert await journal.step("search", list[str], work) == ["结果", "result"]
    assert done == ["x"]
    assert await journal.kept("search", list[str]) == ["结果", "result"]
    assert await journal.kept("other", list[str]) is None


async def test_a_step_that_raises_keeps_nothing(journal: Journal) -> None:
    async def breaks() -> str:
        raise RuntimeError("no")

    async def works() -> str:
        return "yes"

    with pytest.raises(RuntimeError):
        await journal.step("s", str, breaks)
    assert await journal.step("s", str, works) == "yes"


async def test_an_older_owner_can_write_no_more(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "t.db")
    old = await claimed(store, "one")
    new = await claimed(store, "two")
    assert new.epoch == old.epoch + 1

    async def work() -> str:
        return "late"

    with pytest.raises(LostRun):
        await StoredJournal(store, old).step("s", str, work)
    with pytest.raises(LostRun):
        await store.write(lambda tx: end_run(tx, old, "done"))
    assert await StoredJournal(store, new).step("s", str, work) == "late"
    await store.write(lambda tx: end_run(tx, new, "done"))
    await store.close()
