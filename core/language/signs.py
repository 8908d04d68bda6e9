"""Visible signs: where a text may be cut without parting what a reader takes for one character."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_ZWJ = "\u200d"


def graphemes(text: str) -> Iterator[str]:
    """What a reader takes for one character: a letter with its marks, an emoji with its joiners."""
    start = 0
    for at in range(1, len(text) + 1):
        if is_between_signs(text, at):
            yield text[start:at]
            start = at


def is_between_signs(text: str, at: int) -> bool:
    """True if a cut before character `at` leaves the signs on both sides whole."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if before in "\r\n":
        # A sign that extends others extends no line end.
        return True
    if before == _ZWJ or after == _ZWJ or _extends(after):
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not (_is_jamo(before) and _is_late_jamo(after))


def _extends(sign: str) -> bool:
    """Marks, skin tones, tags, and the half-width sound marks of kana."""
    return (
        unicodedata.category(sign) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= sign <= "\U0001f3ff"
        or "\U000e0020" <= sign <= "\U000e007f"
        or sign in "\u200c\uff9e\uff9f"
    )


def _is_flag(sign: str) -> bool:
    """Two regional letters are one flag; a third begins the next."""
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _is_jamo(sign: str) -> bool:
    return "\u1100" <= sign <= "\u11ff" or "\uac00" <= sign <= "\ud7ff"


def _is_late_jamo(sign: str) -> bool:
    """The later letters of a Hangul syllable."""
    return "\u1160" <= sign <= "\u11ff" or "\ud7b0" <= sign <= "\ud7ff"
