import asyncio
import errno
import shutil
from pathlib import Path

import apsw
import pytest

from core.errors import SchemaTooNew, StoreBusy, StoreError, StoreFull
from core.store import Transaction
from core.store.disk import disk_errors
from core.store.migrate import scripts
from core.store.sqlite import SqliteStore, connect, store_errors


def put(tx: Transaction, run: str) -> None:
    tx.run(
        "INSERT INTO stop_request (run, person, scope, asked_at) VALUES (:run, 'p', 's', 0)",
        {"run": run},
    )


def count(tx: Transaction) -> int:
    row = tx.one("SELECT count(*) FROM stop_request")
    assert row is not None
    return int(row[0])


async def test_a_write_that_raises_leaves_nothing_behind(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "t.db")

    def half(tx: Transaction) -> None:
        put(tx, "a")
        raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        await store.write(half)
    assert await store.read(count) == 0
    await store.write(lambda tx: put(tx, "a"))
    assert await store.read(count) == 1
    await store.close()


async def test_writes_side_by_side_are_all_kept(tmp_path: Path) -> None:
    one = await SqliteStore.open(tmp_path / "t.db")
    two = await SqliteStore.open(tmp_path / "t.db")
    writes = [
        store.write(lambda tx, run=f"{n}-{i}": put(tx, run))
        for n, store in enumerate((one, two))
        for i in range(50)
    ]
    await asyncio.gather(*writes)
    assert await one.read(count) == await two.read(count) == 100
    await one.close()
    await two.close()


async def test_a_reader_beside_a_writer_sees_one_state(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "t.db")

    def twice(tx: Transaction) -> tuple[int, int]:
        first = count(tx)
        outside = connect(tmp_path / "t.db")
        outside.execute(
            "INSERT INTO stop_request (run, person, scope, asked_at) VALUES ('x', 'p', 's', 0)"
        )
        outside.close()
        return first, count(tx)

    assert await store.read(twice) == (0, 0)
    assert await store.read(count) == 1
    await store.close()


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    await (await SqliteStore.open(path)).close()
    newer = scripts()[-1][0] + 1
    raw = connect(path)
    raw.execute("INSERT INTO schema_version VALUES (:n)", {"n": newer})
    raw.close()
    with pytest.raises(SchemaTooNew) as caught:
        await SqliteStore.open(path)
    assert caught.value.values["found"] == newer


async def test_migrations_are_applied_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    for _ in range(2):
        await (await SqliteStore.open(path)).close()
    raw = connect(path)
    applied = [row[0] for row in raw.execute("SELECT number FROM schema_version ORDER BY number")]
    raw.close()
    assert applied == [number for number, _ in scripts()]


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.write_bytes(b"not a database, " * 100)
    with pytest.raises(StoreError, match=r"t\.db"):
        await SqliteStore.open(path)


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        await SqliteStore.open(tmp_path / "nowhere" / "t.db")


def test_a_held_lock_becomes_our_own_error(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    holder, other = connect(path), connect(path)
    holder.execute("CREATE TABLE a (b bigint)")
    holder.execute("BEGIN IMMEDIATE")
    other.set_busy_timeout(1)
    with pytest.raises(StoreBusy), store_errors(path):
        other.execute("BEGIN IMMEDIATE")
    holder.close()
    other.close()


async def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    from core.errors import StoreFull

    path = tmp_path / "t.db"
    store = await SqliteStore.open(path)
    await store.write(lambda tx: put(tx, "kept"))
    pages = await store.read(lambda tx: tx.connection.pragma("page_count"))

    def fill(tx: Transaction) -> None:
        assert isinstance(raw := getattr(tx, "connection", None), apsw.Connection)
        raw.pragma("max_page_count", int(str(pages)) + 1)
        for n in range(20_000):
            put(tx, f"filler {n} " + "x" * 200)

    with pytest.raises(StoreFull):
        await store.write(fill)
    assert await store.read(count) == 1
    await store.close()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/blobs/a"), StoreFull),
        (OSError(errno.EDQUOT, "Disk quota exceeded", "/data/blobs/a"), StoreFull),
        (OSError(errno.EROFS, "Read-only file system", "/data/blobs/a"), StoreError),
        (OSError("Not enough free space"), StoreError),
    ],
)
def test_what_the_disk_refuses_is_an_error_of_the_store(
    error: OSError, told: type[StoreError], tmp_path: Path
) -> None:
    with pytest.raises(StoreError) as found, disk_errors(tmp_path), store_errors(tmp_path):
        raise error
    assert type(found.value) is told
    assert "/data/blobs/a" in str(found.value) or str(tmp_path) in str(found.value)


def test_an_io_error_on_a_full_disk_says_that_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free, told in ((0, StoreFull), (2**30, StoreError)):
        usage = shutil.disk_usage(tmp_path)._replace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        with pytest.raises(StoreError) as found, store_errors(tmp_path / "t.db"):
            raise apsw.IOError("disk I/O error")
        assert type(found.value) is told
