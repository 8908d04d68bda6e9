"""What tools and modes need of the library: its reading side.

Every method takes the ids of the KBs that the run may read; they are the only way in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.knowledge.documents import DocumentInfo, Evidence, Hit, Kb, PageText, Stats
from core.knowledge.sentences import Quote


class Knowledge(Protocol):
    """The reading side of `core.knowledge.library.Library`."""

    async def kbs(self, audience: Sequence[str]) -> list[Kb]: ...

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]: ...

    async def words(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]: ...

    async def probe(self, kbs: Sequence[int], query: str) -> float: ...

    async def evidence(self, kbs: Sequence[int], query: str, hits: Sequence[Hit]) -> Evidence: ...

    async def quotes(
        self, kbs: Sequence[int], query: str, hits: Sequence[Hit], limit: int = 3
    ) -> list[Quote]: ...

    async def listing(self, kbs: Sequence[int], limit: int = 50) -> list[DocumentInfo]: ...

    async def page(self, kbs: Sequence[int], document: str, page: int, budget: int) -> PageText: ...

    async def stats(self, kbs: Sequence[int]) -> Stats: ...

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]: ...
