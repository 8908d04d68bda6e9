"""How many tokens a text is, near enough to stay inside a budget. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from core.model.protocol import ModelMessage

_NARROW = re.compile(r"[\x00-\u2E7F]+")
"""CJK begins behind it; common tokenizers spend about one token on each such character."""
_NARROW_PER_TOKEN = 4
"""Latin letters per token, as the providers' own rule of thumb has it."""
_PER_MESSAGE = 4
"""Role and separators."""


def tokens_of(text: str) -> int:
    """Estimate for one text, rounded up."""
    return math.ceil(weight(text))


def weight(text: str) -> float:
    """The same, not rounded: that of a text is the sum of those of its parts."""
    # Not letter by letter: prompts are counted before every model call.
    wide = 0 if text.isascii() else len(_NARROW.sub("", text))
    return wide + (len(text) - wide) / _NARROW_PER_TOKEN


def tokens_of_messages(messages: Iterable[ModelMessage]) -> int:
    """Estimate for a conversation, calls included."""
    return sum(
        _PER_MESSAGE
        + tokens_of(message.text)
        + sum(tokens_of(call.name) + tokens_of(call.arguments) for call in message.calls)
        for message in messages
    )
