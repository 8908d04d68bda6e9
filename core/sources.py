"""Sources: the document places that an answer rests on, made by code from what tools touched."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.messages import Frozen


class Source(Frozen):
    """A place in a document that an answer rests on."""

    mark: int
    """The run-local mark `[n]`, in order of first touch, from 1."""
    document: str
    """Name as the uploader gave it."""
    document_id: str
    version: int
    page: int | None = None
    heading: str = ""
    """Heading path, parts joined by ` > `."""
    quote: str = ""
    """The sentence or passage start that was used, at most a few hundred characters."""
    link: str = ""
    """Link to the message that brought the document, if the platform has one."""


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_MARKS = re.compile(r"(?:\s*\[\d{1,4}(?:\s*[,，、]\s*\d{1,4})*\])+")
"""One mark or several in a row, with the space before them: `[1]`, ` [1][2]`, `[1, 2]`."""

_OWN_MARK = re.compile(r"\[(\d{1,4}(?:\s*[,，、]\s*\d{1,4})*)\]")
_OWN_MARK_BUT_INDEX = re.compile(r"(?<![A-Za-z0-9_)\]])" + _OWN_MARK.pattern)


def marks_of(text: str) -> list[int]:
    """The marks in `text` outside code, in order, each once."""
    found: dict[int, None] = {}

    def note(numbers: list[int]) -> list[int]:
        found.update(dict.fromkeys(numbers))
        return numbers

    rewrite_marks(text, note)
    return list(found)


def shielded(text: str, *, code: bool = False) -> str:
    """A document's text with its own `[12]` written as `［12］`, so that it passes for no mark.

    With `code`, what may be an index (`row[0]`) is left as it is.
    """
    pattern = _OWN_MARK_BUT_INDEX if code else _OWN_MARK
    return pattern.sub(r"［\1］", text)


def rewrite_marks(text: str, choose: Callable[[list[int]], list[int]]) -> str:
    """`text` with each group of marks replaced by the ones that `choose` gives; code is left alone.

    A group that loses all its marks goes with the space before it; `[1, 2]` becomes `[1][2]`.
    """

    def group(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match.group())]
        chosen = choose(numbers)
        if chosen == numbers and not re.search("[,，、]", match.group()):
            return match.group()
        if not chosen:
            return ""
        space = match.group()[: len(match.group()) - len(match.group().lstrip())]
        return space + "".join(f"[{number}]" for number in chosen)

    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        parts += [_MARKS.sub(group, text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, _MARKS.sub(group, text[end:])])
