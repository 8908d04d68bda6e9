"""Vectors in the background: whatever passage has none gets one, by one process at a time."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from core.errors import StoreError
from core.index import vectors
from core.index.embed import Embedder
from core.index.tokens import script
from core.store import Store, Transaction

log = logging.getLogger(__name__)

BATCH = 32
"""Passages per transaction: about a quarter of a second of work that a kill can cost."""

LOOK_S = 2.0
"""How often we look for passages that another process brought, or for its lock to come free."""

NEXT = """
SELECT p.id, p.heading, p.text, p.scope, p.owner
FROM unembedded u JOIN passage p ON p.id = u.passage ORDER BY u.passage LIMIT :limit
"""
DONE = "DELETE FROM unembedded WHERE passage = :passage"
ANY = "SELECT 1 FROM unembedded LIMIT 1"
CHANGE = "UPDATE kb SET revision = revision + 1"


class Background:
    """Embeds what waits, until `close`. Holds a file lock while it works: one process embeds."""

    def __init__(self, store: Store, embedder: Embedder, lock: Path) -> None:
        self._store = store
        self._embedder = embedder
        self._lock_path = lock
        self._lock: IO[bytes] | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="embed-passages")
        self._more = asyncio.Event()
        self._idle = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._trouble: StoreError | None = None

    async def start(self) -> None:
        """Mark passages of another model, then begin to work."""
        await self._store.write(self._check_model)
        self._task = asyncio.create_task(self._work(), name="embed-passages")

    def wake(self) -> None:
        """There are new passages."""
        self._idle.clear()
        self._more.set()

    async def finished(self) -> None:
        """Wait until no passage is without a vector, whichever process made them.

        Raises StoreError if they cannot be made now: they are tried again at the next start.
        """
        self._trouble = None
        while await self._store.read(lambda tx: tx.one(ANY)):
            if self._trouble is not None:
                raise self._trouble
            if self._task is None or self._task.done():
                raise RuntimeError("the background embedder is not running")
            self.wake()
            await asyncio.wait({self._task, waiting := asyncio.ensure_future(self._idle.wait())},
                               timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
            waiting.cancel()

    async def close(self) -> None:
        """Stop after the batch under way; what is left is done after the next start."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._pool.shutdown, wait=True)
        self._unlock()

    def _check_model(self, tx: Transaction) -> None:
        model, dimension = self._embedder.model, self._embedder.dimension
        wanted = vectors.want_again(tx, model, dimension)
        if wanted:
            log.info("%d passages get new vectors: the embedder is now %s", wanted, model)
            tx.run(CHANGE)

    async def _work(self) -> None:
        while True:
            try:
                # In our own pool, whose end `close` waits for: a lock taken later would stay.
                owner = await asyncio.get_running_loop().run_in_executor(self._pool, self._locked)
                if owner and await self._batch():
                    continue
            except StoreError as error:
                # Busy or full: passages stay in the list and are tried again.
                self._trouble = error
                log.warning("vectors wait: %s", error)
            self._idle.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._more.wait()
            self._more.clear()

    async def _batch(self) -> bool:
        """Embed the next passages; False if there were none."""
        rows = await self._store.read(lambda tx: tx.all(NEXT, {"limit": BATCH}))
        if not rows:
            return False
        began = time.monotonic()
        texts = [passage_text(row[1], row[2]) for row in rows]
        loop = asyncio.get_running_loop()
        made = await loop.run_in_executor(self._pool, self._embedder.embed, texts)
        kept = [
            vectors.Row(row[0], script(row[2]) == "cjk", row[3], row[4], vector)
            for row, vector in zip(rows, made, strict=True)
        ]
        await self._store.write(lambda tx: self._keep(tx, kept))
        log.debug("%d vectors in %.2f s", len(kept), time.monotonic() - began)
        return True

    def _keep(self, tx: Transaction, rows: Sequence[vectors.Row]) -> None:
        vectors.put(tx, self._embedder.model, rows)
        tx.many(DONE, ({"passage": row.passage} for row in rows))

    def _locked(self) -> bool:
        """True if this process is the one that embeds."""
        if self._lock is None:
            self._lock_path.parent.mkdir(parents=True, exist_ok=True)
            file = self._lock_path.open("ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return False
            self._lock = file
        return True

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def passage_text(heading: str, text: str) -> str:
    """What a passage is embedded and looked up by: its text under its heading path."""
    return f"{heading}\n{text}" if heading else text
