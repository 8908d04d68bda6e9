"""One row of an attack file, and how a text is read before an oracle looks at it."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

INVISIBLE = re.compile(
    "[\u00ad\u034f\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)


class Unknown(Exception):
    """The row asks for something that this runner does not know: a failure, never a pass."""


@dataclass(frozen=True)
class Row:
    id: str
    kind: str
    surface: str
    lang: str
    input: Any
    context: dict[str, Any]
    oracle: dict[str, Any]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Row:
        return cls(
            id=str(data.get("id", "?")),
            kind=str(data["kind"]),
            surface=str(data.get("surface", "")),
            lang=str(data.get("lang", "en")),
            input=data["input"],
            context=data.get("context") or {},
            oracle=data.get("oracle") or {},
        )

    @property
    def text(self) -> str:
        """The input as one text: a text, streamed pieces, or a repeated one."""
        if isinstance(self.input, str):
            return self.input
        return "".join(self.pieces)

    @property
    def pieces(self) -> list[str]:
        """The input as it is streamed."""
        if isinstance(self.input, str):
            return [self.input]
        if isinstance(self.input, list):
            return [str(piece) for piece in self.input]
        if isinstance(self.input, dict) and "repeat" in self.input:
            return [str(self.input["repeat"]) * int(self.input["n"])]
        raise Unknown(f"input {str(self.input)[:60]}")


def plain(text: str) -> str:
    """Text as people and platforms read it: folded, without what cannot be seen."""
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text))


def readings(text: str) -> set[str]:
    """Every way in which a platform may read a text."""
    base = plain(text)
    return {base, plain(html.unescape(base)), plain(unquote(base)), base.replace("\\", "")}
