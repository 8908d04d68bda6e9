"""A process that works runs, for tests that kill it.

`python -m tests.rigs.runs_child FOLDER`: each run appends `start KEY` and `end KEY` to FOLDER/log;
a payload is the seconds that it takes. Prints `ready`, ends on SIGTERM.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from core.runs import Runs
from core.store.sqlite import SqliteStore


async def main(folder: Path) -> None:
    store = await SqliteStore.open(folder / "threadmate.db")
    log = (folder / "log").open("a", buffering=1)

    async def work(key: str, payload: str) -> None:
        log.write(f"start {key}\n")
        await asyncio.sleep(float(payload))
        log.write(f"end {key}\n")

    runs = Runs(folder, store, work)
    await runs.start()
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    print("ready", flush=True)  # noqa: T201
    await over.wait()
    await runs.drain(5)
    await store.close()
    log.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
