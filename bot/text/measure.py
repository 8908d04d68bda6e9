"""How long a text is for a platform, and where it may be cut without breaking a sign."""

from __future__ import annotations

from dataclasses import dataclass

from core.language.signs import is_between_signs

LONGEST_SIGN = 64
"""Characters of one visible sign that are kept together; beyond that it is a pile, and is cut."""


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
    while place > 0 and at - place < LONGEST_SIGN and not is_between_signs(text, place):
        place -= 1
    return place if place > 0 and is_between_signs(text, place) else at


def clipped(text: str, most: int) -> str:
    """`text` in at most `most` characters, with an ellipsis where it was cut."""
    return text if len(text) <= most else text[: whole(text, most - 1)] + "…"
