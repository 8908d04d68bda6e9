"""Documents and hits as people read them: an aligned table, short quotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.text.markdown import escaped
from bot.text.receipts import counts, shortened
from core.knowledge.documents import DocumentInfo, Hit, Removed
from core.messages import Language
from core.texts import say
from core.texts.counts import counted

MOST_ROWS = 30
LONGEST_NAME = 60
SNIPPET = 160
"""Characters of a passage that are shown of a hit."""

LEAD = 40
"""Of these, how many stand before the word that was found."""

_WORDS = re.compile(r"[A-Za-z0-9_]{2,}|[\u3400-\u9fff]{2}")


def document_table(
    documents: Sequence[DocumentInfo], zone: str, language: Language, now: float
) -> str:
    """One row a document, at most `MOST_ROWS`, latest first as given.

    Few and narrow columns: a thread's pane is a third of a screen.
    """
    columns = say("command.list_columns", language).split("|")
    rows = [_row(document, zone, language, now) for document in documents[:MOST_ROWS]]
    rule = ["---", "--:", "--:", "---"]
    return "\n".join(f"| {' | '.join(row)} |" for row in [columns, rule, *rows])


def document_lines(
    documents: Sequence[DocumentInfo], zone: str, language: Language, now: float
) -> str:
    """Numbered lines, to tell documents of one name apart."""
    found: list[str] = []
    for number, document in enumerate(documents, 1):
        parts = [f"**{escaped(document.name)}**"]
        parts += counts(document.pages, document.passages, language)
        parts.append(local_time(document.added_at, zone, now))
        found.append(f"{number}. {' · '.join(parts)}")
    return "\n".join(found)


def removed_counts(removed: Removed, language: Language) -> str:
    """`34 passages · 2 versions`: what went with a document."""
    found = [counted("passages", removed.passages, language)]
    if removed.versions > 1:
        found.append(counted("versions", removed.versions, language))
    return " · ".join(found)


def hit_lines(hits: Sequence[Hit], query: str, language: Language) -> str:
    """`1. **policy.pdf** · p. 3 · Leave > Annual leave` and the words around what was found."""
    found: list[str] = []
    for number, hit in enumerate(hits, 1):
        parts = [f"**{escaped(shortened(hit.name, LONGEST_NAME))}**"]
        if hit.page is not None:
            parts.append(say("sources.page", language, page=hit.page))
        if hit.heading:
            parts.append(escaped(shortened(hit.heading, LONGEST_NAME)))
        found.append(f"{number}. {' · '.join(parts)}\n   > {snippet(_without_heading(hit), query)}")
    return "\n".join(found)


def snippet(text: str, query: str) -> str:
    """About `SNIPPET` characters of `text` around the first word of `query` in it, on one line."""
    line = " ".join(text.split())
    folded = line.casefold()
    places = [folded.find(word) for word in _WORDS.findall(query.casefold())]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - LEAD, len(line) - SNIPPET))
    cut = line[start : start + SNIPPET]
    shown = escaped(cut)
    return f"{'…' if start else ''}{shown}{'…' if start + SNIPPET < len(line) else ''}"


def local_time(seconds: float, zone: str, now: float) -> str:
    """`11-29 20:49` in a time zone, `2025-11-29` for other years; it is not broken over lines."""
    there = ZoneInfo(zone)
    then = datetime.fromtimestamp(seconds, UTC).astimezone(there)
    same_year = then.year == datetime.fromtimestamp(now, UTC).astimezone(there).year
    shown = then.strftime("%m-%d %H:%M" if same_year else "%Y-%m-%d")
    return shown.replace("-", "\u2011").replace(" ", "\u00a0")


def _without_heading(hit: Hit) -> str:
    """A passage begins with its heading, which stands above the snippet already."""
    heading = hit.heading.rsplit(" > ", 1)[-1]
    rest = hit.text.strip().removeprefix(heading) if heading else hit.text
    return rest if rest.strip() else hit.text


def _row(document: DocumentInfo, zone: str, language: Language, now: float) -> list[str]:
    parts = [shortened(document.name, LONGEST_NAME)]
    if document.version > 1:
        parts.append(say("sources.version", language, version=document.version))
    if document.status != "ready":
        parts.append(say(f"command.state.{document.status}", language))
    return [
        escaped(" · ".join(parts)),
        f"{document.pages:,}" if document.pages else "–",
        f"{document.passages:,}" if document.passages else "–",
        local_time(document.added_at, zone, now),
    ]
