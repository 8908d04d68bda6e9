"""The practice workspace's folder: one server at a time, for each rewrites its file at a start."""

from __future__ import annotations

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from core.errors import WrongUse
from core.store.disk import disk_errors


@contextmanager
def alone_in(folder: Path) -> Generator[None]:
    """Hold the folder while this process lives; WrongUse if another one does, StoreError if the
    disk refuses."""
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("ab")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WrongUse(key="playground.folder_taken", folder=folder) from error
        yield
