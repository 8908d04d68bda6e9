"""Mentions: nobody is called but the people a draft names; crowds never are.

What would have called somebody is shown with a space after the `@`, which no platform reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.text.regions import CodeMap
from bot.text.shadow import Edit, Shadow

_SPECIAL = re.compile(r"<+!(?P<kind>[^<>|\n]{0,400})(?:\|(?P<label>[^<>\n]{0,400}))?>?")
_PERSON = re.compile(
    r"<+@(?P<sign>[!&]?)(?P<id>[A-Za-z0-9_:-]{1,64})(?:\|(?P<label>[^<>\n]{0,200}))?>?"
)
_CROWD = re.compile(r"(?<![A-Za-z0-9_])@(?P<crowd>everyone|here|channel)(?![A-Za-z0-9_])", re.I)
_CROWD_WORDS = ("everyone", "here", "channel")


class Mentions:
    """Finds the edits that call nobody but `people`."""

    def __init__(self, read: Shadow, code: CodeMap, people: Sequence[str]) -> None:
        self._read, self._code = read, code
        self._people = frozenset(person.rsplit("/", 1)[-1] for person in people)

    def edits(self) -> Iterator[Edit]:
        text = self._read.text
        for found in _SPECIAL.finditer(text):
            if found.group().startswith(("<!--", "<!DOCTYPE", "<!doctype")):
                continue
            yield self._edit(found, _special(found["kind"], found["label"] or ""))
        for found in _PERSON.finditer(text):
            if found["sign"] != "&" and found["id"] in self._people and found.group()[-1] == ">":
                continue
            yield self._edit(found, f"@ {_name(found['label'] or '') or found['id']}")
        for found in _CROWD.finditer(text):
            in_code = self._code.at(self._read.original(found.start())) is not None
            # A decorator `@Channel(...)` in a program calls nobody; platforms want lower case.
            if in_code and not found["crowd"].islower():
                continue
            yield self._edit(found, f"@ {found['crowd']}")

    def _edit(self, found: re.Match[str], text: str) -> Edit:
        return Edit(self._read.original(found.start()), self._read.original(found.end()), text)


def _special(kind: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@eng>`, `<!date^1^{date}^https://x|soon>` as plain words."""
    word = kind.partition("^")[0].strip()
    if word.casefold() in _CROWD_WORDS:
        return f"@ {word}"
    if word.casefold() == "date":
        return label
    return f"@ {_name(label) or word}".strip()


def _name(label: str) -> str:
    return label.strip().lstrip("@<!").strip()
