"""The disk's own errors, told as ours."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Generator
from pathlib import Path

from core.errors import StoreError, StoreFull

FULL = (errno.ENOSPC, errno.EDQUOT)

LEAST_FREE = 64 * 2**10
"""Bytes. SQLite needs 32 KiB for the index of its log, and calls a lack of them an I/O error."""


@contextlib.contextmanager
def disk_errors(path: Path) -> Generator[None]:
    """Turn what the disk refuses at `path` into StoreFull or StoreError."""
    try:
        yield
    except OSError as error:
        raise refused(error, path) from error


def refused(error: OSError, path: Path | None = None) -> StoreError:
    """Our error for one of the disk; `path` where it does not name a file itself."""
    if error.errno in FULL:
        return StoreFull(str(error))
    place = error.filename or path
    reason = error.strerror or str(error)
    return StoreError(f"{place}: {reason}" if place else reason)


def is_full(path: Path) -> bool:
    """True if the disk that holds the file at `path` has no room left."""
    try:
        return shutil.disk_usage(path.parent).free < LEAST_FREE
    except OSError:
        return False
