"""Uploaded bytes on disk: once by content, under random names, none without a row."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.store import Transaction
from core.store.disk import disk_errors

log = logging.getLogger(__name__)

PART = ".part"

FIND = "SELECT file FROM blob WHERE sha256 = :sha256"
ADD = """
INSERT INTO blob (sha256, file, size, refs, scope, owner, added_at)
VALUES (:sha256, :file, :size, 1, :scope, :owner, :now)
"""
TAKE = "UPDATE blob SET refs = refs + 1 WHERE sha256 = :sha256"
LET_GO = "UPDATE blob SET refs = refs - 1 WHERE sha256 = :sha256"
UNUSED = "SELECT file FROM blob WHERE sha256 = :sha256 AND refs <= 0"
DROP = "DELETE FROM blob WHERE sha256 = :sha256 AND refs <= 0"
FILES = "SELECT file FROM blob"


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes. Blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(slots=True)
class Staged:
    """A copy that waits for its row; locked while its process lives."""

    path: Path
    size: int
    _file: IO[bytes]

    def close(self) -> None:
        """Let go; the copy goes too, unless it was placed."""
        if self.path.suffix == PART:
            self.path.unlink(missing_ok=True)
        self._file.close()


class BlobFolder:
    """The folder of all blobs. Rows change in the caller's transaction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def stage(self, source: Path) -> Staged:
        """Copy a file in, under a name that the sweep leaves alone while we live. Blocks.

        Raises StoreFull or StoreError, and leaves nothing behind.
        """
        with disk_errors(self.folder):
            return self._stage(source)

    def _stage(self, source: Path) -> Staged:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{secrets.token_hex(16)}{PART}"
        file = path.open("xb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            with source.open("rb") as original:
                shutil.copyfileobj(original, file, 2**20)
            file.flush()
            os.fsync(file.fileno())
            return Staged(path, file.tell(), file)
        except BaseException:
            path.unlink(missing_ok=True)
            file.close()
            raise

    def keep(
        self, tx: Transaction, sha256: str, staged: Staged, scope: str, owner: str, now: float
    ) -> None:
        """Count one more user of these bytes; the first one's copy becomes the blob.

        The rename happens inside the write transaction: the sweep runs in one too, so it never
        sees a file whose row is still to come.
        """
        if tx.one(FIND, {"sha256": sha256}):
            tx.run(TAKE, {"sha256": sha256})
            return
        name = staged.path.name.removesuffix(PART)
        values = {"sha256": sha256, "file": name, "size": staged.size}
        tx.run(ADD, {**values, "scope": scope, "owner": owner, "now": now})
        # A rollback after this leaves a file without a row, which the next sweep removes.
        staged.path = staged.path.rename(self.folder / name)

    def let_go(self, tx: Transaction, sha256: str) -> str | None:
        """Count one user less; the file to `erase` after the commit if that was the last."""
        tx.run(LET_GO, {"sha256": sha256})
        row = tx.one(UNUSED, {"sha256": sha256})
        tx.run(DROP, {"sha256": sha256})
        return str(row[0]) if row else None

    def erase(self, file: str) -> None:
        """Remove a blob's file; one that is gone already is no error."""
        try:
            (self.folder / file).unlink(missing_ok=True)
        except OSError as error:
            # The row is gone, so the next start sweeps the file.
            log.warning("blob %s could not be removed: %s", file, error)

    def sweep(self, tx: Transaction) -> int:
        """Remove what a killed process left behind; how many files. Needs a write transaction."""
        if not self.folder.is_dir():
            return 0
        known = {str(row[0]) for row in tx.all(FILES)}
        gone = 0
        for path in self.folder.iterdir():
            if path.name not in known and (path.suffix != PART or _abandoned(path)):
                path.unlink(missing_ok=True)
                gone += 1
        return gone

    def check(self) -> None:
        """Raises StoreError if the folder cannot be written to."""
        with disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)


def _abandoned(path: Path) -> bool:
    """True if no living process holds the lock of a staged copy."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return False
    return True
