"""Words: which passages hold which tokens, and how telling each token is (SQLite FTS5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.index.common import PRIOR, SHARES
from core.store import Transaction

MAX_MATCH = 96
"""Tokens of one query; a longer question is looked up by its most telling ones."""

MAX_PHRASES = 32

ADD = "INSERT INTO passage_words (rowid, words) VALUES (:passage, :words)"
REMOVE = "DELETE FROM passage_words WHERE rowid BETWEEN :first AND :last"
# A range of row ids and not a join on the KB: 1 ms instead of 14 at 100,000 passages.
# `rank` and not `bm25()`: twice as fast.
MATCH = """
SELECT rowid, rank FROM passage_words
WHERE passage_words MATCH :match AND rowid BETWEEN :first AND :last
ORDER BY rank LIMIT :limit
"""
HOLDING = "SELECT doc FROM passage_vocabulary WHERE term = :token"
TOTALS = "SELECT block FROM passage_words_data WHERE id = 1"


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many passages there are, and in how many of them each token stands."""

    passages: int
    holding: Mapping[str, int]

    def idf(self, token: str) -> float:
        """The weight that FTS5's bm25 gives a token: near zero if half of the passages hold it."""
        return _idf(self.passages, self.holding.get(token, 0))

    def weight(self, token: str) -> float:
        """How telling a token is, with common language counted in: sound for three passages too."""
        held = self.holding.get(token, 0) + PRIOR * SHARES.get(token, 0.0)
        return _idf(self.passages + PRIOR, held)


def _idf(passages: int, held: float) -> float:
    return max(1e-6, math.log((passages - held + 0.5) / (held + 0.5)))


def add(tx: Transaction, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Enter passages with their tokens in the order of the text."""
    tx.many(ADD, ({"passage": passage, "words": " ".join(words)} for passage, words in rows))


def remove(tx: Transaction, first: int, last: int) -> None:
    """Take out every passage of an id range, ends included."""
    tx.run(REMOVE, {"first": first, "last": last})


def rarity(tx: Transaction, tokens: Iterable[str]) -> Rarity:
    """Counts over all passages of the store: a small KB alone says little of what is common."""
    holding: dict[str, int] = {}
    for token in tokens:
        row = tx.one(HOLDING, {"token": token})
        holding[token] = int(row[0]) if row else 0
    return Rarity(_passages(tx), holding)


def telling(rarity: Rarity, tokens: Iterable[str]) -> list[str]:
    """The tokens worth looking up, most telling first, at most MAX_MATCH.

    Left out is what no passage or more than half of them hold: it costs time and ranks nothing.
    """
    held = [token for token in tokens if rarity.holding.get(token)]
    found = [token for token in held if rarity.idf(token) > 1e-6] or held
    return sorted(found, key=rarity.idf, reverse=True)[:MAX_MATCH]


def match_any(
    tx: Transaction, tokens: Sequence[str], first: int, last: int, limit: int
) -> list[tuple[int, float]]:
    """(passage, bm25) of the best passages of an id range that hold any of the tokens."""
    return _match(tx, " OR ".join(map(_quoted, tokens)), first, last, limit)


def match_all(
    tx: Transaction, phrases: Sequence[Sequence[str]], first: int, last: int, limit: int
) -> list[tuple[int, float]]:
    """(passage, bm25) of the best passages of an id range that hold every phrase.

    A phrase is a row of tokens that must stand side by side.
    """
    parts = [_quoted(" ".join(phrase)) for phrase in phrases[:MAX_PHRASES] if phrase]
    return _match(tx, " AND ".join(parts), first, last, limit)


def _match(
    tx: Transaction, match: str, first: int, last: int, limit: int
) -> list[tuple[int, float]]:
    if not match:
        return []
    values = {"match": match, "first": first, "last": last, "limit": limit}
    return [(int(row[0]), -float(row[1])) for row in tx.all(MATCH, values)]


def _quoted(tokens: str) -> str:
    # Tokens hold no quote; doubled all the same, since a query must never become syntax.
    return '"' + tokens.replace('"', '""') + '"'


def _passages(tx: Transaction) -> int:
    """Rows of the index, from FTS5's totals record (a varint first); counting would read all."""
    row = tx.one(TOTALS)
    total = 0
    for byte in bytes(row[0]) if row else b"":
        total = total << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return total
