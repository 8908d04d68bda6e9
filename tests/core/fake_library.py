"""A library in memory with the reading side of the real one, and requests to go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import KnowledgeError
from core.index.tokens import query_tokens, tokens
from core.knowledge.documents import DocumentInfo, Evidence, Hit, Kb, PageText, Stats
from core.knowledge.sentences import Quote, quotes
from core.messages import Person, Place
from core.request import Request
from core.tools.builtin import BUILTIN

NOON = 1_795_953_600.0
"""2026-11-29 12:00 UTC."""

PLACE = Place(
    platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1.0"
)
OWN = 1

LEAVE = "年假每年 15 天，需提前三天申请。病假需要医院证明。"
VPN = "Install the VPN client first. The VPN gateway is vpn-7. Error ECONNREFUSED means no route."


@dataclass
class Doc:
    id: str
    name: str
    pages: list[str]
    kb: int = OWN
    version: int = 1
    added_at: float = NOON - 86_400 * 3
    status: str = "ready"


@dataclass
class FakeLibrary:
    """Scores by shared tokens. Ids of KBs are the only way in, as in the real one."""

    documents: list[Doc] = field(default_factory=list[Doc])
    seen: list[Kb] = field(
        default_factory=lambda: [Kb(id=OWN, scope="channel:slack:T1/C1", name="", documents=1)]
    )
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    broken: Exception | None = None

    async def kbs(self, audience: Sequence[str]) -> list[Kb]:
        return [kb for kb in self.seen if kb.scope in audience]

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]:
        self.asked.append(("search", query))
        if self.broken:
            raise self.broken
        wanted = set(query_tokens(query))
        found: list[Hit] = []
        for number, (doc, page, text) in enumerate(self._passages(kbs)):
            lexical = len(wanted.intersection(tokens(text))) / max(1, len(wanted))
            if lexical:
                found.append(hit(doc, page, text, number, lexical))
        return sorted(found, key=lambda h: -h.score)[:limit]

    async def words(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]:
        self.asked.append(("words", query))
        return [
            hit(doc, page, text, number, 1.0)
            for number, (doc, page, text) in enumerate(self._passages(kbs))
            if query.casefold() in text.casefold()
        ][:limit]

    async def probe(self, kbs: Sequence[int], query: str) -> float:
        wanted = set(query_tokens(query))
        held = {token for _, _, text in self._passages(kbs) for token in tokens(text)}
        return len(wanted & held) / max(1, len(wanted))

    async def evidence(self, kbs: Sequence[int], query: str, hits: Sequence[Hit]) -> Evidence:
        asked = query_tokens(query)
        held = [set(tokens(hit.text)) for hit in hits]
        covered = tuple(tuple(token for token in asked if token in words) for words in held)
        return Evidence(idf=dict.fromkeys(asked, 1.0), covered=covered)

    async def quotes(
        self, kbs: Sequence[int], query: str, hits: Sequence[Hit], limit: int = 3
    ) -> list[Quote]:
        return quotes(query, hits, limit)

    async def listing(self, kbs: Sequence[int], limit: int = 50) -> list[DocumentInfo]:
        newest = sorted(self._documents(kbs), key=lambda doc: -doc.added_at)
        return [info(doc) for doc in newest[:limit]]

    async def page(self, kbs: Sequence[int], document: str, page: int, budget: int) -> PageText:
        doc = next((doc for doc in self._documents(kbs) if doc.id == document), None)
        if doc is None or page > len(doc.pages):
            raise KnowledgeError(document)
        text = doc.pages[page - 1]
        return PageText(
            document=doc.id,
            name=doc.name,
            version=doc.version,
            page=page,
            pages=len(doc.pages),
            text=text[:budget],
            cut=max(0, len(text) - budget),
            next=page + 1 if page < len(doc.pages) else None,
        )

    async def stats(self, kbs: Sequence[int]) -> Stats:
        found = self._documents(kbs)
        return Stats(
            documents=len(found),
            characters=sum(len(page) for doc in found for page in doc.pages),
            passages=sum(len(doc.pages) for doc in found),
            first_at=min((doc.added_at for doc in found), default=None),
            latest_at=max((doc.added_at for doc in found), default=None),
        )

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]:
        return [info(doc) for doc in self._documents(kbs) if doc.name == name]

    def _documents(self, kbs: Sequence[int]) -> list[Doc]:
        return [doc for doc in self.documents if doc.kb in kbs]

    def _passages(self, kbs: Sequence[int]) -> list[tuple[Doc, int, str]]:
        return [
            (doc, number, text)
            for doc in self._documents(kbs)
            for number, text in enumerate(doc.pages, 1)
        ]


def hit(doc: Doc, page: int, text: str, number: int = 0, lexical: float = 1.0) -> Hit:
    return Hit(
        passage=(doc.kb << 32) | number,
        document=doc.id,
        name=doc.name,
        version=doc.version,
        page=page,
        heading="",
        text=text,
        score=lexical,
        lexical=lexical,
        vector=0.0,
        link="",
        added_at=doc.added_at,
    )


def info(doc: Doc) -> DocumentInfo:
    return DocumentInfo.model_validate(
        {
            "id": doc.id,
            "kb": doc.kb,
            "name": doc.name,
            "status": doc.status,
            "reason": "",
            "values": {},
            "pages": len(doc.pages),
            "passages": len(doc.pages),
            "characters": sum(map(len, doc.pages)),
            "version": doc.version,
            "added_at": doc.added_at,
            "owner": "slack:T1/U1",
            "link": "",
            "first_sentences": doc.pages[0][:60] if doc.pages else "",
        }
    )


def handbook() -> FakeLibrary:
    """A Chinese and an English document in the channel's KB, and one in a KB of another channel."""
    return FakeLibrary(
        [
            Doc("d1", "请假制度.pdf", [LEAVE, "加班可以调休。"]),
            Doc("d2", "vpn.md", [VPN], added_at=NOON - 3_600),
            Doc("d9", "secret.md", ["The secret launch code is 4711."], kb=9),
        ]
    )


def request(question: str, **fields: Any) -> Request:
    """A request in the channel, over its own KB, with every tool."""
    values: dict[str, Any] = {
        "run": "run-1",
        "place": PLACE,
        "asker": Person(id="slack:T1/U1", name="小明"),
        "question": question,
        "language": "zh" if any("\u4e00" <= c <= "\u9fff" for c in question) else "en",
        "time_zone": "Asia/Shanghai",
        "now": NOON,
        "audience": ("channel:slack:T1/C1", "workspace:slack:T1"),
        "kbs": (OWN,),
        "tools": BUILTIN.names,
    }
    return Request.model_validate(values | fields)
