"""How well passages fit a question by their words: Okapi bm25, k1 = 1.2 and b = 0.75 as in FTS5.

Counted here and not by FTS5, whose own bm25 walks every passage of the store for each token.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
PEAK = K1 + 1
"""A token adds less than its weight times this, however often it stands in a passage."""

_LOW = 1 << 16


def numbers(tokens: Sequence[str]) -> NDArray[np.uint32]:
    """A number of 32 bits for each token, the same in every process and release."""
    made = (zlib.crc32(token.encode()) for token in tokens)
    return np.fromiter(made, "<u4", len(tokens))


def scores(
    passages: Sequence[bytes], weights: Mapping[str, float], average: float
) -> NDArray[np.float64]:
    """bm25 of each passage, given as the bytes of its tokens' numbers.

    `weights` holds the idf of each different token that is asked for, `average` is the mean number
    of tokens of a passage.
    """
    wanted = numbers(list(weights))
    order = np.argsort(wanted)
    sizes = np.fromiter((len(one) // 4 for one in passages), np.int64, len(passages))
    counts = _counts(b"".join(passages), sizes, wanted[order])
    length = K1 * (1 - B + B * sizes / max(average, 1.0))
    worth = np.fromiter(weights.values(), np.float64, len(weights))[order]
    return (counts * PEAK / (counts + length[:, None])) @ worth


def _counts(
    joined: bytes, sizes: NDArray[np.int64], wanted: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """How often each wanted number, sorted, stands in each passage: a row for each passage."""
    width = len(wanted)
    flat = np.frombuffer(joined, "<u4")
    # Most tokens are not asked for; the lower half of their number says so for nearly all.
    asked = np.zeros(_LOW, np.bool_)
    asked[wanted % _LOW] = True
    places = np.flatnonzero(asked[flat.view("<u2")[::2]])
    found = flat[places]
    column = np.minimum(np.searchsorted(wanted, found), width - 1)
    same = wanted[column] == found
    row = np.searchsorted(np.cumsum(sizes), places[same], side="right")
    cells = np.bincount(row * width + column[same], minlength=len(sizes) * width)
    return cells.reshape(len(sizes), width)
