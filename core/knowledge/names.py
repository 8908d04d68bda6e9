"""File names as people gave them: for showing and finding, never for a path."""

from __future__ import annotations

import re
import unicodedata

from core.index.tokens import normal

MAX_NAME = 200
"""Characters shown; a longer name keeps its beginning and its extension."""

NAMELESS = "file"

_EXTENSION = re.compile(r"\.[\w-]{1,15}$")


def shown_name(name: str) -> str:
    """`name` without path parts, control, bidi and invisible characters; never empty."""
    plain = "".join(_plain(character) for character in name)
    # After the signs that look like a slash became one.
    last = re.split(r"[/\\]", plain.rstrip("/\\ "))[-1]
    kept = " ".join("".join(c for c in last if c.isspace() or _visible(c)).split())
    if not kept.strip(". "):
        return NAMELESS
    if len(kept) <= MAX_NAME:
        return kept
    found = _EXTENSION.search(kept)
    extension = found.group() if found else ""
    return kept[: MAX_NAME - len(extension) - 1] + "…" + extension


def name_key(name: str) -> str:
    """What decides whether two names are the same: case and width do not count."""
    return normal(shown_name(name))


def _plain(character: str) -> str:
    """Look-alikes of `/`, `\\` and `.` as such: they must not hide a path."""
    folded = unicodedata.normalize("NFKC", character)
    return folded if folded != character and set(folded) & set("/\\") else character


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
