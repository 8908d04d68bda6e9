"""Words: which passages hold which tokens, and how telling each token is (SQLite FTS5)."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.index.common import PRIOR, SHARES
from core.store import Transaction

MAX_MATCH = 96
"""Tokens of one query; a longer question is looked up by its most telling ones."""

MAX_PHRASES = 32

COMMON = 0.05
"""Share of all passages from which on a token counts as common."""

FEWEST = 8
"""Tokens that are looked up however common they are."""

MAX_REMEMBERED = 50_000

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


class Counts:
    """How many passages hold a token, remembered until the index changes.

    Counts are over all passages of the store: a small KB alone says little of what is common.
    Common tokens are the slow ones to count, and come back in every question.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._totals = b""
        self._held: dict[str, int] = {}

    def of(self, tx: Transaction, tokens: Iterable[str]) -> Rarity:
        row = tx.one(TOTALS)
        totals = bytes(row[0]) if row else b""
        with self._lock:
            # Other processes write too: the totals of the index say whether it is the same.
            if totals != self._totals or len(self._held) > MAX_REMEMBERED:
                self._totals, self._held = totals, {}
            held = self._held
        for token in tokens:
            if token not in held:
                found = tx.one(HOLDING, {"token": token})
                held[token] = int(found[0]) if found else 0
        return Rarity(_varint(totals), {token: held[token] for token in tokens})


def telling(rarity: Rarity, tokens: Iterable[str]) -> list[str]:
    """The tokens worth looking up, most telling first, at most MAX_MATCH.

    Left out is what no passage holds, and what COMMON of them hold unless little else is left:
    the cost of a search is in its common words, and on the five sets they moved no figure by
    more than .005.
    """
    held = [token for token in tokens if rarity.holding.get(token)]
    held.sort(key=rarity.idf, reverse=True)
    rare = sum(rarity.holding[token] <= COMMON * rarity.passages for token in held)
    return held[: min(MAX_MATCH, max(rare, FEWEST))]


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


def _varint(record: bytes) -> int:
    """The first number of FTS5's totals record: its rows. Counting them would read all."""
    number = 0
    for byte in record:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number
