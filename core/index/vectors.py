"""Vectors: kept as half floats in the store, searched in memory.

A KB of up to SMALL passages is compared vector by vector. A bigger one is first sifted by the signs
of its vectors (64 bytes each) and the best are compared by their stored vectors: at 100,000
passages a fifth of the time of an index inside SQLite, recall at 10 of .98.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.index.embed import Vectors
from core.store import Transaction

SMALL = 4_096
SIFTED = 400
"""How many of a big KB are compared by their stored vectors."""

CACHE_BYTES = 48 * 2**20
"""Memory for vectors of the KBs asked last."""

SLICE = 4_096
"""Vectors read at a time, so that a big KB is never in memory as a whole."""

Ids = NDArray[np.int64]

PUT = """
INSERT INTO vector (passage, model, dimension, cjk, scope, owner, data)
SELECT :passage, :model, :dimension, :cjk, :scope, :owner, :data
WHERE EXISTS (SELECT 1 FROM passage WHERE id = :passage)
ON CONFLICT (passage) DO UPDATE
SET model = excluded.model, dimension = excluded.dimension, cjk = excluded.cjk, data = excluded.data
"""
REMOVE = "DELETE FROM vector WHERE passage BETWEEN :first AND :last"
AFTER = """
SELECT passage, cjk, data FROM vector
WHERE passage > :after AND passage <= :last AND model = :model ORDER BY passage LIMIT :slice
"""
THESE = """
SELECT passage, cjk, data FROM vector
WHERE passage IN (SELECT value FROM json_each(:passages)) AND model = :model
"""
OTHER_MODELS = """
INSERT INTO unembedded (passage, scope, owner)
SELECT passage, scope, owner FROM vector WHERE model <> :model OR dimension <> :dimension
ON CONFLICT (passage) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One vector to keep."""

    passage: int
    cjk: bool
    scope: str
    owner: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Near:
    """Passages with their cosine to a question, and whether most of each is in a CJK script."""

    passages: Ids
    cosines: NDArray[np.float32]
    cjk: NDArray[np.bool_]


@dataclass(slots=True)
class _Shelf:
    """The vectors of one KB in memory: whole up to SMALL, signs only above."""

    revision: int
    last: int
    passages: Ids
    cjk: NDArray[np.bool_]
    whole: Vectors | None
    signs: NDArray[np.uint64]

    def bytes(self) -> int:
        whole = 0 if self.whole is None else self.whole.nbytes
        return whole + self.signs.nbytes + self.passages.nbytes + self.cjk.nbytes


def put(tx: Transaction, model: str, rows: Iterable[Row]) -> None:
    """Keep vectors of passages that still exist; a passage has one vector, of one model."""
    tx.many(
        PUT,
        (
            {
                "passage": row.passage,
                "model": model,
                "dimension": len(row.vector),
                "cjk": int(row.cjk),
                "scope": row.scope,
                "owner": row.owner,
                "data": row.vector.astype("<f2").tobytes(),
            }
            for row in rows
        ),
    )


def remove(tx: Transaction, first: int, last: int) -> None:
    """Take out the vectors of an id range, ends included."""
    tx.run(REMOVE, {"first": first, "last": last})


def want_again(tx: Transaction, model: str, dimension: int) -> int:
    """Mark every passage whose vector is of another model; how many were marked anew."""
    return tx.run(OTHER_MODELS, {"model": model, "dimension": dimension})


class VectorSearch:
    """Nearest passages of a KB by cosine, with a cache that other processes' changes reach.

    A KB's `revision` (raised when passages go away) drops what is cached; what was added since is
    read by id, because vectors of a KB are made in the order of its passage ids.
    """

    def __init__(self, model: str, dimension: int, cache_bytes: int = CACHE_BYTES) -> None:
        self._model = model
        self._dimension = dimension
        self._limit = cache_bytes
        self._lock = threading.Lock()
        self._shelves: OrderedDict[int, _Shelf] = OrderedDict()

    def near(
        self,
        tx: Transaction,
        question: Vectors,
        span: tuple[int, int],
        revision: int,
        limit: int,
        beside: Sequence[int] = (),
    ) -> Near:
        """The `limit` nearest passages of the id range, and those `beside` that have a vector."""
        shelf = self._shelf(tx, span, revision)
        if shelf.whole is not None:
            cosines = shelf.whole @ question
            chosen = np.union1d(_best(cosines, limit), _places(shelf.passages, beside))
            return Near(shelf.passages[chosen], cosines[chosen], shelf.cjk[chosen])
        far = np.bitwise_count(shelf.signs ^ _signs(question[None, :])).sum(1, dtype=np.int16)
        sifted = shelf.passages[_best(-far, max(limit, SIFTED))]
        wanted = np.union1d(sifted, np.asarray(beside, dtype=np.int64))
        return self._compared(tx, question, wanted)

    def _compared(self, tx: Transaction, question: Vectors, wanted: Ids) -> Near:
        values = {"passages": json.dumps(wanted.tolist()), "model": self._model}
        passages, cjk, whole = self._unpacked(tx.all(THESE, values))
        return Near(passages, whole @ question, cjk)

    def _shelf(self, tx: Transaction, span: tuple[int, int], revision: int) -> _Shelf:
        first, last = span
        with self._lock:
            shelf = self._shelves.get(first)
        if shelf is None or shelf.revision != revision:
            shelf = _empty(self._dimension, revision, first - 1)
        values = {"last": last, "model": self._model, "slice": SLICE}
        while rows := tx.all(AFTER, {**values, "after": shelf.last}):
            shelf = self._grown(shelf, rows)
            if len(rows) < SLICE:
                break
        return self._kept(first, shelf)

    def _kept(self, key: int, shelf: _Shelf) -> _Shelf:
        with self._lock:
            self._shelves[key] = shelf
            self._shelves.move_to_end(key)
            total = sum(held.bytes() for held in self._shelves.values())
            while total > self._limit and len(self._shelves) > 1:
                total -= self._shelves.popitem(last=False)[1].bytes()
        return shelf

    def _grown(self, held: _Shelf, rows: list[tuple[int, int, bytes]]) -> _Shelf:
        passages, cjk, whole = self._unpacked(rows)
        signs = np.concatenate([held.signs, _signs(whole)])
        small = held.whole is not None and len(signs) <= SMALL
        return _Shelf(
            revision=held.revision,
            last=int(passages[-1]) if len(passages) else held.last,
            passages=np.concatenate([held.passages, passages]),
            cjk=np.concatenate([held.cjk, cjk]),
            whole=np.concatenate([held.whole, whole]) if small and held.whole is not None else None,
            signs=signs,
        )

    def _unpacked(
        self, rows: list[tuple[int, int, bytes]]
    ) -> tuple[Ids, NDArray[np.bool_], Vectors]:
        passages = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        cjk = np.fromiter((row[1] for row in rows), np.bool_, len(rows))
        halves = np.frombuffer(b"".join(row[2] for row in rows), "<f2")
        return passages, cjk, halves.reshape(len(rows), self._dimension).astype(np.float32)


def _empty(dimension: int, revision: int, last: int) -> _Shelf:
    return _Shelf(
        revision=revision,
        last=last,
        passages=np.zeros(0, np.int64),
        cjk=np.zeros(0, np.bool_),
        whole=np.zeros((0, dimension), np.float32),
        signs=np.zeros((0, -(-dimension // 64)), np.uint64),
    )


def _signs(vectors: Vectors) -> NDArray[np.uint64]:
    """One bit a dimension, packed into 64-bit words."""
    packed = np.packbits(vectors > 0, axis=1)
    spare = -packed.shape[1] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, spare)))).view(np.uint64)


def _best(scores: NDArray[np.generic], limit: int) -> NDArray[np.intp]:
    """Places of the `limit` highest scores, in any order."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    return np.argpartition(scores, -limit)[-limit:]


def _places(passages: Ids, wanted: Sequence[int]) -> NDArray[np.intp]:
    """Where the wanted ids stand in the sorted `passages`; those that do not are left out."""
    if not len(passages) or not wanted:
        return np.zeros(0, np.intp)
    ids = np.asarray(wanted, dtype=np.int64)
    places = np.minimum(np.searchsorted(passages, ids), len(passages) - 1)
    return places[passages[places] == ids]
