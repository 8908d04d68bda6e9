"""The practice workspace on disk: one file of JSON lines, each line one row as it now is.

An append costs microseconds and survives a kill of the process; a line that a crash cut short is
the last one, and its change was never answered for. The file is rewritten, one line a row, at
every start.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO

from core.store.disk import disk_errors

Json = dict[str, Any]


class Rows:
    """Rows of small JSON objects by kind and id, in the order of their first writing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kinds: dict[str, dict[str, Json]] = {}
        self._file: TextIO | None = None

    def open(self) -> None:
        """Read what is there, rewrite it without its history, and append from now on.

        Raises StoreFull or StoreError if the disk refuses.
        """
        with disk_errors(self._path):
            self._open()

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            # By bytes: one line that is no text must not hide the others.
            for line in self._path.read_bytes().splitlines():
                self._replay(line)
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            for kind, rows in self._kinds.items():
                for row, value in rows.items():
                    file.write(_line(kind, row, value))
        os.replace(fresh, self._path)
        self._file = self._path.open("a", encoding="utf-8")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def put(self, kind: str, row: str, value: Json) -> None:
        self._kinds.setdefault(kind, {})[row] = value
        self._append(_line(kind, row, value))

    def drop(self, kind: str, row: str) -> None:
        if self._kinds.get(kind, {}).pop(row, None) is not None:
            self._append(_line(kind, row, None))

    def all(self, kind: str) -> dict[str, Json]:
        """The rows of a kind, live: change them through `put` only."""
        return self._kinds.setdefault(kind, {})

    def _append(self, line: str) -> None:
        if self._file is None:
            raise RuntimeError("the workspace file is not open")
        self._file.write(line)
        self._file.flush()

    def _replay(self, line: bytes) -> None:
        try:
            kind, row, value = json.loads(line)
        except (ValueError, TypeError):
            return  # cut short by a crash; see the module's docstring
        if value is None:
            self._kinds.get(kind, {}).pop(row, None)
        else:
            self._kinds.setdefault(kind, {})[row] = value


def _line(kind: str, row: str, value: Json | None) -> str:
    # ensure_ascii keeps U+2028 and lone surrogates out of a file that is read line by line.
    return json.dumps([kind, row, value], ensure_ascii=True, separators=(",", ":")) + "\n"
