"""Words: which passages hold which tokens, and how telling each token is.

FTS5 says which passages hold a token; they are ranked by `core.index.bm25` from their tokens,
which are kept beside it. Rarity is that of the whole store, for search and phrases alike.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.index import bm25
from core.index.common import PRIOR, SHARES
from core.store import Transaction

MAX_MATCH = 96
"""Tokens of one query; a longer question is ranked by its most telling ones."""

MAX_PHRASES = 32

COMMON = 0.05
"""Share of all passages from which on a token counts as common."""

FEWEST = 4
"""Tokens that are looked up however common they are."""

RANKED = 256
"""Passages that are ranked by all tokens: those that hold most of what was looked up."""

MAX_RANKED = 1_024
"""The same with all that are equal to the last of them, as in a question of one word."""

MAX_REMEMBERED = 50_000

ADD = "INSERT INTO passage_words (rowid, words) VALUES (:passage, :words)"
ADD_TOKENS = "INSERT INTO passage_tokens (passage, tokens) VALUES (:passage, :tokens)"
REMOVE = "DELETE FROM passage_words WHERE rowid BETWEEN :first AND :last"
REMOVE_TOKENS = "DELETE FROM passage_tokens WHERE passage BETWEEN :first AND :last"
# A range of row ids and not a join on the KB: 1 ms instead of 14 at 100,000 passages. One string
# and not a row for each: a third of the time.
HOLDERS = """
SELECT group_concat(rowid - :first) FROM passage_words
WHERE passage_words MATCH :match AND rowid BETWEEN :first AND :last
"""
THESE = """
SELECT passage, tokens FROM passage_tokens
WHERE passage IN (SELECT value FROM json_each(:passages))
"""
# `rank` and not `bm25()`: twice as fast.
MATCH = """
SELECT rowid, rank FROM passage_words
WHERE passage_words MATCH :match AND rowid BETWEEN :first AND :last
ORDER BY rank LIMIT :limit
"""
HOLDING = "SELECT doc FROM passage_vocabulary WHERE term = :token"
TOTALS = "SELECT block FROM passage_words_data WHERE id = 1"

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many passages there are, and in how many of them each token stands."""

    passages: int
    holding: Mapping[str, int]
    length: float = 1.0
    """Tokens of a passage, on average."""

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
    held = list(rows)
    tx.many(ADD, ({"passage": passage, "words": " ".join(words)} for passage, words in held))
    tx.many(
        ADD_TOKENS,
        ({"passage": passage, "tokens": bm25.numbers(words).tobytes()} for passage, words in held),
    )


def remove(tx: Transaction, first: int, last: int) -> None:
    """Take out every passage of an id range, ends included."""
    tx.run(REMOVE, {"first": first, "last": last})
    tx.run(REMOVE_TOKENS, {"first": first, "last": last})


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
        passages, words = _totals(totals)
        return Rarity(passages, {token: held[token] for token in tokens}, words / max(passages, 1))


def telling(rarity: Rarity, tokens: Iterable[str]) -> list[str]:
    """The tokens that any passage holds, most telling first, at most MAX_MATCH."""
    held = [token for token in tokens if rarity.holding.get(token)]
    held.sort(key=rarity.idf, reverse=True)
    return held[:MAX_MATCH]


def uncommon(rarity: Rarity, held: Sequence[str]) -> Sequence[str]:
    """Of tokens, most telling first, those that are not common, and FEWEST at least.

    The cost of a search is in its common words. They are not looked up, but they rank what the
    others found: on five sets it moved no figure by more than .002.
    """
    rare = sum(rarity.holding[token] <= COMMON * rarity.passages for token in held)
    return held[: max(rare, FEWEST)]


def match_any(
    tx: Transaction, rarity: Rarity, tokens: Sequence[str], first: int, last: int, limit: int
) -> list[tuple[int, float]]:
    """(passage, bm25) of the best passages of an id range that hold any of the tokens."""
    held = telling(rarity, tokens)
    candidates = _candidates(tx, rarity, uncommon(rarity, held), first, last)
    rows = tx.all(THESE, {"passages": json.dumps(candidates.tolist())})
    if not rows:
        return []
    weights = {token: rarity.idf(token) for token in held}
    passages = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    scores = bm25.scores([row[1] for row in rows], weights, rarity.length)
    best = np.lexsort((passages, -scores))[:limit]
    return list(zip(passages[best].tolist(), scores[best].tolist(), strict=True))


def _candidates(
    tx: Transaction, rarity: Rarity, tokens: Sequence[str], first: int, last: int
) -> Ids:
    """The passages that hold most of the tokens by weight; of too many equal ones the newest."""
    holders = [_holders(tx, token, first, last) for token in tokens]
    sizes = [len(some) for some in holders]
    if not sum(sizes):
        return np.zeros(0, np.int64)
    weights = np.repeat([rarity.idf(token) for token in tokens], sizes)
    passages, at = np.unique(np.concatenate(holders), return_inverse=True)
    if len(passages) > RANKED:
        held = np.bincount(at, weights)
        least = np.partition(held, -RANKED)[-RANKED]
        most = min(np.count_nonzero(held >= least), MAX_RANKED)
        held += np.linspace(0, 1e-9, len(passages))
        passages = np.sort(passages[np.argpartition(held, -most)[-most:]])
    return passages + first


def _holders(tx: Transaction, token: str, first: int, last: int) -> Ids:
    """The passages of an id range that hold a token, counted from its first id."""
    row = tx.one(HOLDERS, {"match": _quoted(token), "first": first, "last": last})
    return np.fromstring(row[0] if row and row[0] else "", np.int64, sep=",")


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


def _totals(record: bytes) -> tuple[int, int]:
    """FTS5's totals record: its rows and their tokens. Counting them would read all."""
    numbers, number = [0, 0], 0
    at = 0
    for byte in record:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers[at], number, at = number, 0, at + 1
            if at == len(numbers):
                break
    return numbers[0], numbers[1]
