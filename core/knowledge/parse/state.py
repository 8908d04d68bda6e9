"""Honest endings: how a file that gives no text, or not all of it, is told."""

from __future__ import annotations

from core.knowledge.parse.model import Parsed, Status


class Refused(Exception):
    """The file cannot be read; carries what people are told."""

    def __init__(self, status: Status, reason: str, **values: object) -> None:
        super().__init__(reason)
        self.status: Status = status
        self.reason = reason
        self.values = {key: str(value) for key, value in values.items()}

    def parsed(self, name: str) -> Parsed:
        return Parsed(status=self.status, reason=self.reason, values={"name": name, **self.values})
