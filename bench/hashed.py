"""Vectors of hashed words: for benches where meaning is not what is measured. Nothing is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from core.index.embed import Vectors


class Hashed:
    """Two texts are near if they share words."""

    model = "hashed/1"

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        made = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            made[row, 0] = 0.01
            for word in text.split():
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                made[row, int.from_bytes(digest) % self.dimension] += 1
        return made / np.linalg.norm(made, axis=1, keepdims=True)
