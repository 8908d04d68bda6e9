"""Files of a message: fetched, taken into the channel's knowledge, and told in one receipt."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.platform import Platform
from core.errors import KnowledgeError, PlatformError, TryLater, UnknownOutcome
from core.journal import StoredJournal
from core.knowledge.library import Library, Receipt
from core.messages import Attachment, Message
from core.scope import channel_scope

log = logging.getLogger(__name__)

MOST_FILES = 200
"""Files taken from one message; the rest is named in the receipt."""

AT_ONCE = 3
"""Files fetched and read side by side: more only fills the disk, one process reads them."""

TRIES = 4
PAUSE_S = 1.0


@dataclass(frozen=True)
class Intake:
    """Takes files for one run. A finished file is a step, so a restart does not fetch it again."""

    library: Library
    platform: Platform
    journal: StoredJournal
    scratch: Path
    limit: int
    """Largest file taken, in bytes."""

    async def take(self, message: Message, files: Sequence[Attachment]) -> list[Receipt]:
        """A receipt for each file, in the order of the message."""
        place = message.place
        kb = await self.library.kb_for(channel_scope(place.channel))
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(number: int, file: Attachment) -> Receipt:
            async with gate:
                return await self.journal.step(
                    f"ingest:{number}", Receipt, lambda: self._ingest(kb, message, number, file)
                )

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(one(number, file))
                    for number, file in enumerate(files[:MOST_FILES], 1)
                ]
        except ExceptionGroup as errors:
            # One full disk stops every file; the run waits for it as it does with one file.
            raise errors.exceptions[0] from errors
        return [task.result() for task in tasks]

    async def _ingest(self, kb: int, message: Message, number: int, file: Attachment) -> Receipt:
        place = message.place
        with scratch_folder(self.scratch) as folder:
            try:
                download = await self._download(file, folder)
                return await self.library.ingest(
                    kb,
                    scope=channel_scope(place.channel),
                    owner=message.author.id,
                    name=file.name,
                    path=download,
                    link=self.platform.link(place, message.id) if message.id else "",
                    key=f"{message.key}:{number}",
                )
            except (KnowledgeError, PlatformError) as error:
                log.info("run %s: file %d was not taken: %s", message.key, number, error)
                return refused(file, error)

    async def _download(self, file: Attachment, folder: Path) -> Path:
        for number in range(1, TRIES + 1):
            try:
                return (await self.platform.download(file, folder, self.limit)).path
            except (TryLater, UnknownOutcome) as error:
                if number == TRIES:
                    raise
                wait = error.seconds if isinstance(error, TryLater) else PAUSE_S
                await asyncio.sleep(min(wait, 30.0) * number)
        raise AssertionError("the last try returns or raises")


def refused(file: Attachment, error: KnowledgeError | PlatformError) -> Receipt:
    """The receipt of a file that never reached the library."""
    return Receipt(
        document="",
        name=file.name,
        status="failed",
        reason=error.key,
        values={name: str(value) for name, value in error.values.items()},
    )


@contextlib.contextmanager
def scratch_folder(below: Path) -> Generator[Path]:
    """A folder of one's own, removed with all that is in it."""
    with tempfile.TemporaryDirectory(dir=below, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
