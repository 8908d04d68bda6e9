"""Executors: which processes work on a data folder, and which of them are dead.

Each process start is one executor with a folder `executors/<id>` of its own: a lock file that it
holds while it lives, and a scratch folder. The kernel drops the lock at any kind of death, also
SIGKILL, so a dead executor is known at once and a slow one is never taken for dead.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import uuid
from collections.abc import Generator
from pathlib import Path

LOCK = "lock"
SCRATCH = "scratch"


class Executor:
    """This process start. Its id is never used again: with one id, two starts share their work."""

    def __init__(self, folder: Path) -> None:
        self.id = uuid.uuid4().hex
        self._home = folder / self.id
        self.scratch = self._home / SCRATCH
        # Locked before it gets its name: a folder without a lock would be taken for a dead one.
        unnamed = folder / f".{self.id}"
        (unnamed / SCRATCH).mkdir(parents=True, mode=0o700)
        # Not inherited by children: a parser that outlives us must not keep us alive.
        self._lock = os.open(unnamed / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(self._home)

    def end(self) -> None:
        """Give up the lock and remove the folder; others may take over what is left."""
        shutil.rmtree(self._home, ignore_errors=True)
        os.close(self._lock)


@contextlib.contextmanager
def dead(folder: Path, executor: str) -> Generator[bool]:
    """True while this process alone holds the lock of a dead executor; False if it lives.

    Its folder is removed at the end, scratch files included. If this process dies meanwhile, the
    kernel drops the lock and the next one starts over.
    """
    home = folder / executor
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        lock = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        # Another process finished the same takeover and removed the folder just now.
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
        shutil.rmtree(home, ignore_errors=True)
    finally:
        os.close(lock)


def known(folder: Path) -> list[str]:
    """Ids of all executors that have a folder, dead or alive."""
    if not folder.is_dir():
        return []
    return [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
