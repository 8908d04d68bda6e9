"""How long a text is for a platform, and where it may be cut without breaking a sign."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LONGEST_SIGN = 64
"""Characters of one visible sign that are kept together; beyond that it is a pile, and is cut."""

_ZWJ = "\u200d"


@dataclass(frozen=True)
class Size:
    """A limit in characters (or UTF-16 units) and, if given, in bytes of UTF-8."""

    chars: int
    bytes: int | None = None
    utf16: bool = False

    def fits(self, text: str) -> bool:
        return self.head(text) == len(text)

    def head(self, text: str) -> int:
        """How many characters of `text` fit."""
        if self.chars <= 0:
            return 0
        head = text[: self.chars]
        if self.utf16:
            units = head.encode("utf-16-le", "surrogatepass")[: self.chars * 2]
            head = units.decode("utf-16-le", "ignore")
        if self.bytes is not None:
            data = head.encode("utf-8", "replace")
            if len(data) > self.bytes:
                head = data[: max(0, self.bytes)].decode("utf-8", "ignore")
        return len(head)

    def less(self, text: str) -> Size:
        """What is left of the limit beside `text`."""
        chars = len(text.encode("utf-16-le", "surrogatepass")) // 2 if self.utf16 else len(text)
        left = None if self.bytes is None else self.bytes - len(text.encode("utf-8", "replace"))
        return Size(self.chars - chars, left, self.utf16)


def whole(text: str, at: int) -> int:
    """The last place up to `at` where a cut leaves every visible sign whole."""
    place = at
    while place > 0 and at - place < LONGEST_SIGN and not _between_signs(text, place):
        place -= 1
    return place if place > 0 and _between_signs(text, place) else at


def _between_signs(text: str, at: int) -> bool:
    if at >= len(text):
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
        return len(re.findall("[\U0001f1e6-\U0001f1ff]*$", text[:at])[0]) % 2 == 0
    return not (_is_jamo(before) and "\u1160" <= after <= "\u11ff")


def _extends(sign: str) -> bool:
    return (
        unicodedata.category(sign) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= sign <= "\U0001f3ff"
        or "\U000e0020" <= sign <= "\U000e007f"
        or sign in "\u200c\uff9e\uff9f"
    )


def _is_flag(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _is_jamo(sign: str) -> bool:
    return "\u1100" <= sign <= "\u11ff" or "\uac00" <= sign <= "\ud7a3"
