"""A command's place: who asks, in which language, and what is read there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.platform import Draft
from core.knowledge.documents import DocumentInfo, Hit, Kb, Removed
from core.messages import Language, Message
from core.settings import Settings
from core.texts import say

LONGEST_ECHO = 80
"""Characters of what was typed that an answer repeats."""


class Documents(Protocol):
    """What the commands need of the library."""

    async def kbs(self, audience: Sequence[str]) -> list[Kb]: ...

    async def listing(self, kbs: Sequence[int], limit: int = 20) -> list[DocumentInfo]: ...

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]: ...

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]: ...

    async def delete(self, kbs: Sequence[int], document: str, by: str) -> Removed: ...


@dataclass(frozen=True)
class Desk:
    """A command's place: who asks, in which language, and which KBs are read there."""

    message: Message
    settings: Settings
    language: Language
    kbs: tuple[int, ...]
    time_zone: str = "UTC"
    """Of whoever asks: their own, else the channel's, else the installation's."""

    usual_zone: str = "UTC"
    """Of the installation."""

    def draft(self, key: str, **values: object) -> Draft:
        return Draft(text=say(key, self.language, **values))

    def may_remove(self, document: DocumentInfo) -> bool:
        return self.is_theirs(document) or self.settings.may(self.message.author.id, "admin")

    def is_theirs(self, document: DocumentInfo) -> bool:
        """True if whoever asks brought a document, or a teammate wrote it for them."""
        person = self.message.author.id
        return document.owner == person or bool(person) and document.asked_by == person


def first_word(rest: str) -> tuple[str, str]:
    """What is to be done, and with what: `search 年假`, `搜索：年假`."""
    found = re.match(r"([^\s:：]*)[\s:：]*(.*)", rest, re.S)
    return (found[1], found[2].strip()) if found else ("", "")
