"""A text that fits its share of the prompt."""

from __future__ import annotations

from functools import lru_cache

from core.model.tokens import tokens_of

CUT = "[…]"


@lru_cache(maxsize=256)
def fitted(text: str, budget: int) -> str:
    """`text` within `budget` tokens: whole lines first, then as much of the next as fits.

    Wide characters count as the tokenizers count them, so a Chinese text is cut where it is full
    and not at a quarter of it. What was cut is marked with `[…]`. Kept for the next call: roles
    and catalogs come again with every model call.
    """
    if tokens_of(text) <= budget:
        return text
    left = budget - tokens_of(CUT) - 1
    kept: list[str] = []
    for line in text.splitlines():
        cost = tokens_of(line) + 1
        if cost > left:
            if not kept:
                kept.append(_head(line, left))
            break
        kept.append(line)
        left -= cost
    return "\n".join([*kept, CUT])


def _head(line: str, budget: int) -> str:
    """The longest beginning of a line within `budget` tokens."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_of(line[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return line[:low]
