"""The writing side: a version is put in place, or a document removed, each in one transaction."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import KnowledgeError
from core.index import fulltext, vectors
from core.index.tokens import TOKENS_VERSION
from core.knowledge.blobs import BlobFolder, Staged
from core.knowledge.chunk import Piece
from core.knowledge.documents import READABLE, Receipt, Removed
from core.knowledge.names import name_key
from core.knowledge.parse.model import Parsed
from core.store import Transaction

KB = "SELECT scope, next_passage FROM kb WHERE id = :kb"
KEPT = "SELECT receipt FROM receipt WHERE kb = :kb AND key = :key"
KEEP = """
INSERT INTO receipt (kb, key, scope, owner, document, receipt, written_at)
VALUES (:kb, :key, :scope, :owner, :document, :receipt, :now)
ON CONFLICT (kb, key) DO NOTHING
"""
MINE = """
SELECT d.id, v.number, v.sha256, v.status, v.pages, v.passages, v.reason, v.reason_values, v.skipped
FROM document d JOIN version v ON v.document = d.id AND v.number = d.version
WHERE d.kb = :kb AND d.owner = :owner AND d.name_key = :name_key
"""
OTHERS = """
SELECT 1 FROM document WHERE kb = :kb AND name_key = :name_key AND owner <> :owner LIMIT 1
"""
NEWEST = "SELECT max(number) FROM version WHERE document = :document"
ADD_DOCUMENT = """
INSERT INTO document (id, kb, scope, owner, name, name_key, version, added_at)
VALUES (:document, :kb, :scope, :owner, :name, :name_key, :number, :now)
"""
SWAP = """
UPDATE document SET version = :number, name = :name, added_at = :now WHERE id = :document
"""
ADD_VERSION = """
INSERT INTO version (document, number, kb, scope, owner, name, sha256, held, size, status, reason,
    reason_values, title, pages, passages, characters, opening, skipped, parser, tokens_version,
    link, asked_by, added_at)
VALUES (:document, :number, :kb, :scope, :owner, :name, :sha256, :held, :size, :status, :reason,
    :reason_values, :title, :pages, :passages, :characters, :opening, :skipped, :parser,
    :tokens_version, :link, :asked_by, :now)
"""
ADD_PASSAGE = """
INSERT INTO passage (id, kb, document, version, place, page, heading, kind, text, scope, owner)
VALUES (:id, :kb, :document, :number, :place, :page, :heading, :kind, :text, :scope, :owner)
"""
WANT_VECTOR = "INSERT INTO unembedded (passage, scope, owner) VALUES (:id, :scope, :owner)"
GROW = "UPDATE kb SET next_passage = :next WHERE id = :kb"
CHANGE = "UPDATE kb SET revision = revision + 1 WHERE id = :kb"
SPAN = "SELECT min(id), max(id), count(*) FROM passage WHERE document = :document"
DROP_WANTED = "DELETE FROM unembedded WHERE passage BETWEEN :first AND :last"
DROP_PASSAGES = "DELETE FROM passage WHERE document = :document"
HELD = "SELECT sha256 FROM version WHERE document = :document AND held = 1"
RELEASE = "UPDATE version SET held = 0 WHERE document = :document"
THIS = "SELECT name FROM document WHERE id = :document AND kb = :kb"
VERSIONS = "SELECT count(*) FROM version WHERE document = :document"
DROP_RECEIPTS = "DELETE FROM receipt WHERE document = :document"
DROP_VERSIONS = "DELETE FROM version WHERE document = :document"
DROP_DOCUMENT = "DELETE FROM document WHERE id = :document"


class Whose(Protocol):
    """Where something belongs and who brought it."""

    @property
    def kb(self) -> int: ...
    @property
    def scope(self) -> str: ...
    @property
    def owner(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that came in, read and cut, ready to be put in place."""

    kb: int
    scope: str
    owner: str
    name: str
    """As it is shown; see `names.shown_name`."""
    link: str
    key: str
    sha256: str
    size: int
    parsed: Parsed
    pieces: Sequence[Piece] = ()
    words: Sequence[Sequence[str]] = ()
    """Tokens of each piece, made before the transaction: they are the slow part."""
    opening: str = ""
    """The first sentences."""
    asked_by: str = ""

    @property
    def readable(self) -> bool:
        return self.parsed.status in READABLE

    @property
    def who(self) -> dict[str, object]:
        return {"kb": self.kb, "scope": self.scope, "owner": self.owner}


@dataclass(slots=True)
class Outcome:
    receipt: Receipt
    erase: list[str] = field(default_factory=list[str])
    """Blob files that nothing needs any more; to be removed after the commit."""


def kept_receipt(tx: Transaction, kb: int, key: str) -> Receipt | None:
    """What this key was told before."""
    row = tx.one(KEPT, {"kb": kb, "key": key}) if key else None
    return Receipt.model_validate_json(row[0]) if row else None


def unchanged(tx: Transaction, kb: int, owner: str, name: str, sha256: str) -> Receipt | None:
    """A receipt if these very bytes are this person's present version under this name."""
    row = tx.one(MINE, {"kb": kb, "owner": owner, "name_key": name_key(name)})
    if row is None or row[2] != sha256 or row[3] not in READABLE:
        return None
    return Receipt.model_validate(
        {
            "document": row[0],
            "name": name,
            "version": row[1],
            "status": row[3],
            "pages": row[4],
            "passages": row[5],
            "reason": row[6],
            "values": json.loads(row[7]),
            "skipped": json.loads(row[8]),
            "duplicate": True,
        }
    )


def check_kb(tx: Transaction, kb: int, scope: str) -> int:
    """The KB's next passage number. Raises KnowledgeError if it is not a KB of this scope."""
    row = tx.one(KB, {"kb": kb})
    if row is None or row[0] != scope:
        raise KnowledgeError(f"kb {kb} of {scope}", key="knowledge.no_kb")
    return int(row[1])


def put_in_place(
    tx: Transaction, arrival: Arrival, blobs: BlobFolder, staged: Staged | None, now: float
) -> Outcome:
    """Make the arrival its document's present version; the old one is not found afterwards.

    `staged` are the bytes to keep, if any. A version that cannot be read never replaces one
    that can.
    """
    before = check_kb(tx, arrival.kb, arrival.scope)
    if kept := kept_receipt(tx, arrival.kb, arrival.key):
        return Outcome(kept)
    # Asked again inside the transaction: two equal uploads may have been read side by side.
    same = unchanged(tx, arrival.kb, arrival.owner, arrival.name, arrival.sha256)
    if same is not None:
        return Outcome(sign(tx, arrival, arrival.key, same, now))
    named = {**arrival.who, "name": arrival.name, "name_key": name_key(arrival.name), "now": now}
    mine = tx.one(MINE, named)
    others = tx.one(OTHERS, named) is not None
    document = str(mine[0]) if mine else secrets.token_hex(8)
    newest = tx.one(NEWEST, {"document": document})
    number = int(newest[0] or 0) + 1 if newest else 1
    erase: list[str] = []
    place = {**named, "document": document, "number": number}
    if mine is None:
        tx.run(ADD_DOCUMENT, place)
    elif arrival.readable or mine[3] not in READABLE:
        erase = _empty(tx, arrival.kb, document, blobs)[1]
        tx.run(SWAP, place)
    _add_version(tx, arrival, {**place, "held": int(staged is not None)})
    if staged is not None:
        blobs.keep(tx, arrival.sha256, staged, arrival.scope, arrival.owner, now)
    if arrival.readable:
        _add_passages(tx, arrival, place, before)
    receipt = _receipt(arrival, document, number, others)
    return Outcome(sign(tx, arrival, arrival.key, receipt, now), erase)


def remove(
    tx: Transaction, kb: int, document: str, blobs: BlobFolder
) -> tuple[Removed, list[str]] | None:
    """Take out all of a document: rows, words, vectors, bytes, receipts. None if it is not there.

    Also gives the blob files to erase after the commit.
    """
    row = tx.one(THIS, {"document": document, "kb": kb})
    if row is None:
        return None
    passages, erase = _empty(tx, kb, document, blobs)
    values = {"document": document}
    counted = tx.one(VERSIONS, values)
    tx.run(DROP_RECEIPTS, values)
    tx.run(DROP_VERSIONS, values)
    tx.run(DROP_DOCUMENT, values)
    versions = int(counted[0]) if counted else 0
    return Removed(name=str(row[0]), passages=passages, versions=versions), erase


def _empty(tx: Transaction, kb: int, document: str, blobs: BlobFolder) -> tuple[int, list[str]]:
    """Take out the passages of a document and let its bytes go; (passages, files to erase)."""
    values = {"document": document}
    held = [str(row[0]) for row in tx.all(HELD, values)]
    files = [file for sha256 in held if (file := blobs.let_go(tx, sha256))]
    tx.run(RELEASE, values)
    span = tx.one(SPAN, values)
    if span is None or not span[2]:
        return 0, files
    # Passages of a document are those of its present version, entered in one go: one id range.
    first, last = int(span[0]), int(span[1])
    fulltext.remove(tx, first, last)
    vectors.remove(tx, first, last)
    tx.run(DROP_WANTED, {"first": first, "last": last})
    tx.run(DROP_PASSAGES, values)
    tx.run(CHANGE, {"kb": kb})
    return int(span[2]), files


def _add_version(tx: Transaction, arrival: Arrival, place: dict[str, object]) -> None:
    parsed = arrival.parsed
    tx.run(
        ADD_VERSION,
        {
            **place,
            "sha256": arrival.sha256,
            "size": arrival.size,
            "status": parsed.status,
            "reason": parsed.reason,
            "reason_values": json.dumps(parsed.values, ensure_ascii=False),
            "title": parsed.title,
            "pages": parsed.pages,
            "passages": len(arrival.pieces),
            "characters": sum(len(piece.text) for piece in arrival.pieces),
            "opening": arrival.opening,
            "skipped": json.dumps([part.model_dump() for part in parsed.skipped]),
            "parser": parsed.parser,
            "tokens_version": TOKENS_VERSION,
            "link": arrival.link,
            "asked_by": arrival.asked_by,
        },
    )


def _add_passages(tx: Transaction, arrival: Arrival, place: dict[str, object], before: int) -> None:
    first = (arrival.kb << 32) + before
    rows = [
        {
            **place,
            "id": first + at,
            "place": at,
            "page": piece.page,
            "heading": " > ".join(piece.heading),
            "kind": piece.kind,
            "text": piece.text,
        }
        for at, piece in enumerate(arrival.pieces)
    ]
    tx.many(ADD_PASSAGE, rows)
    tx.many(WANT_VECTOR, rows)
    fulltext.add(tx, ((first + at, words) for at, words in enumerate(arrival.words)))
    tx.run(GROW, {"kb": arrival.kb, "next": before + len(rows)})


def _receipt(arrival: Arrival, document: str, number: int, others: bool) -> Receipt:
    parsed = arrival.parsed
    return Receipt(
        document=document,
        name=arrival.name,
        status=parsed.status,
        reason=parsed.reason,
        values=parsed.values,
        pages=parsed.pages,
        passages=len(arrival.pieces),
        version=number,
        skipped=parsed.skipped,
        needs_click=others,
    )


def sign(tx: Transaction, whose: Whose, key: str, receipt: Receipt, now: float) -> Receipt:
    """Keep the receipt under its key, so that a rerun is told the same."""
    if key:
        tx.run(
            KEEP,
            {
                "kb": whose.kb,
                "scope": whose.scope,
                "owner": whose.owner,
                "key": key,
                "document": receipt.document,
                "receipt": receipt.model_dump_json(),
                "now": now,
            },
        )
    return receipt
