"""Variables in texts of teammates and channels: `{{nickname}}`, `{{time}}`, …

Values are data: they are put in once, and what looks like a variable in them stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

VARIABLES = ("nickname", "time", "timezone", "channel", "workspace", "teammate", "language")

LONGEST_VALUE = 80
"""Display names are free text of strangers; a longer one would be an instruction of its own."""

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def unknown_variable(text: str) -> tuple[str, int] | None:
    """The first variable of `text` that there is not, and its line from 1; None: there is none."""
    for found in _VARIABLE.finditer(text):
        if found[1].casefold() not in VARIABLES:
            return found[1], text.count("\n", 0, found.start()) + 1
    return None


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with its variables filled, in one pass; one without a value stays as it is."""

    def value(found: re.Match[str]) -> str:
        held = values.get(found[1].casefold())
        return found[0] if held is None else _plain(held)

    return _VARIABLE.sub(value, text)


def _plain(value: str) -> str:
    """One short line without control characters."""
    shown = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in value)
    return " ".join(shown.split())[:LONGEST_VALUE]
