"""The reading side: which KBs an audience has, what they hold, and a document page by page."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.errors import KnowledgeError
from core.knowledge.documents import DocumentInfo, Kb, PageText, Stats
from core.knowledge.names import name_key
from core.store import Row, Transaction

FIND_KB = "SELECT id FROM kb WHERE scope = :scope AND name = :name"
ADD_KB = """
INSERT INTO kb (id, scope, owner, name, next_passage, revision, created_at)
SELECT COALESCE(max(id), 0) + 1, :scope, :owner, :name, 1, 1, :now FROM kb
"""
KBS = """
SELECT k.id, k.scope, k.name, (
    SELECT count(*) FROM document d
    JOIN version v ON v.document = d.id AND v.number = d.version
    WHERE d.kb = k.id AND v.status IN ('ready', 'partial')
)
FROM kb k WHERE k.scope = :scope ORDER BY k.id
"""
LISTING = """
SELECT d.id, d.kb, d.name, v.status, v.reason, v.reason_values, v.pages, v.passages, v.characters,
    d.version, d.added_at, d.owner, v.link, v.opening, v.asked_by
FROM document d JOIN version v ON v.document = d.id AND v.number = d.version
WHERE d.kb = :kb ORDER BY d.added_at DESC, d.id LIMIT :limit
"""
NAMED = """
SELECT d.id, d.kb, d.name, v.status, v.reason, v.reason_values, v.pages, v.passages, v.characters,
    d.version, d.added_at, d.owner, v.link, v.opening, v.asked_by
FROM document d JOIN version v ON v.document = d.id AND v.number = d.version
WHERE d.kb = :kb AND d.name_key = :name_key ORDER BY d.added_at DESC
"""
STATS = """
SELECT count(*), COALESCE(sum(v.characters), 0), COALESCE(sum(v.passages), 0), min(d.added_at),
    max(d.added_at)
FROM document d JOIN version v ON v.document = d.id AND v.number = d.version
WHERE d.kb = :kb AND v.status IN ('ready', 'partial')
"""
HEAD = """
SELECT d.name, d.version, v.pages FROM document d
JOIN version v ON v.document = d.id AND v.number = d.version
WHERE d.id = :document AND d.kb = :kb
"""
TEXTS = """
SELECT page, heading, text FROM passage WHERE document = :document AND kb = :kb ORDER BY place
"""
# Both only grow: what is removed or swapped raises the one, what is added the other.
REVISION = "SELECT revision + next_passage FROM kb WHERE id = :kb"


def kb_for(tx: Transaction, scope: str, name: str, owner: str, now: float) -> int:
    """The id of the scope's KB of this name, made if it is not there. Needs a write transaction."""
    values = {"scope": scope, "name": name, "owner": owner, "now": now}
    if row := tx.one(FIND_KB, values):
        return int(row[0])
    tx.run(ADD_KB, values)
    made = tx.one(FIND_KB, values)
    assert made is not None
    return int(made[0])


def kbs(tx: Transaction, audience: Sequence[str]) -> list[Kb]:
    """The KBs of the given scopes, in their order."""
    rows = [row for scope in audience for row in tx.all(KBS, {"scope": scope})]
    return [Kb(id=row[0], scope=row[1], name=row[2], documents=row[3]) for row in rows]


def listing(tx: Transaction, kbs: Sequence[int], limit: int) -> list[DocumentInfo]:
    """Documents of any state, latest first."""
    rows = [row for kb in kbs for row in tx.all(LISTING, {"kb": kb, "limit": limit})]
    return sorted(map(_info, rows), key=lambda one: -one.added_at)[:limit]


def find_by_name(tx: Transaction, kbs: Sequence[int], name: str) -> list[DocumentInfo]:
    """Documents of that name (case and width do not count), latest first."""
    values = {"name_key": name_key(name)}
    rows = [row for kb in kbs for row in tx.all(NAMED, {**values, "kb": kb})]
    return sorted(map(_info, rows), key=lambda one: -one.added_at)


def revisions(tx: Transaction, kbs: Sequence[int]) -> dict[int, int]:
    """A number for each KB that every change of its documents raises."""
    rows = {kb: tx.one(REVISION, {"kb": kb}) for kb in kbs}
    return {kb: int(row[0]) for kb, row in rows.items() if row is not None}


def stats(tx: Transaction, kbs: Sequence[int]) -> Stats:
    """Sums over the documents that can be read."""
    rows = [row for kb in kbs if (row := tx.one(STATS, {"kb": kb})) and row[0]]
    if not rows:
        return Stats()
    return Stats(
        documents=sum(row[0] for row in rows),
        characters=sum(row[1] for row in rows),
        passages=sum(row[2] for row in rows),
        first_at=min(row[3] for row in rows),
        latest_at=max(row[4] for row in rows),
    )


def page(tx: Transaction, kbs: Sequence[int], document: str, number: int, budget: int) -> PageText:
    """Page `number` of a document, at most `budget` characters of it.

    Raises KnowledgeError if no KB of the list has the document.
    """
    for kb in kbs:
        values = {"document": document, "kb": kb}
        if head := tx.one(HEAD, values):
            paged, texts = _pages(tx.all(TEXTS, values), budget)
            return _page(document, head, texts, number, budget, paged)
    raise KnowledgeError(document, key="knowledge.no_document")


def _page(
    document: str, head: Row, texts: dict[int, str], number: int, budget: int, paged: bool
) -> PageText:
    text = texts.get(number, "")
    return PageText(
        document=document,
        name=head[0],
        version=head[1],
        page=number,
        pages=max(int(head[2]), *texts) if texts else int(head[2]),
        text=text[:budget],
        cut=max(0, len(text) - budget),
        next=min((other for other in texts if other > number), default=None),
        paged=paged,
    )


def _pages(rows: Sequence[Row], budget: int) -> tuple[bool, dict[int, str]]:
    """Text by page; a format without pages is laid out in pages that fit the budget."""
    paged = any(row[0] is not None for row in rows)
    pages: dict[int, str] = {}
    heading, current = "", 1
    for physical, path, text in rows:
        shown = f"## {path}\n{text}" if path and path != heading else text
        heading = path
        if paged:
            current = physical or current
            pages[current] = f"{pages[current]}\n\n{shown}" if current in pages else shown
        else:
            _lay_out(pages, shown, max(1, budget))
    return paged, pages


def _lay_out(pages: dict[int, str], text: str, budget: int) -> None:
    """Add to the last page what fits, begin new ones for the rest: all of it can be read."""
    last = len(pages)
    if last and len(pages[last]) + len(text) + 2 <= budget:
        pages[last] = f"{pages[last]}\n\n{text}"
        return
    for start in range(0, len(text), budget):
        pages[len(pages) + 1] = text[start : start + budget]


def _info(row: Row) -> DocumentInfo:
    return DocumentInfo(
        id=row[0],
        kb=row[1],
        name=row[2],
        status=row[3],
        reason=row[4],
        values=json.loads(row[5]),
        pages=row[6],
        passages=row[7],
        characters=row[8],
        version=row[9],
        added_at=row[10],
        owner=row[11],
        link=row[12],
        first_sentences=row[13],
        asked_by=row[14],
    )
