"""The sources footer: `[1] policy.pdf · p. 3 · Leave > Annual leave`."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from bot.text.measure import clipped
from core.messages import Language
from core.sources import Source
from core.texts import say

MOST_SOURCES = 10
LONGEST_HEADING = 80


def sources_footer(sources: Sequence[Source], language: Language) -> str:
    """One line a source, in order of the marks; places that are the same share a line."""
    lines: dict[str, list[int]] = {}
    for source in sorted(sources, key=lambda source: source.mark):
        lines.setdefault(source_place(source, language), []).append(source.mark)
    shown = list(lines.items())[:MOST_SOURCES]
    return "\n".join(f"{''.join(f'[{m}]' for m in marks)} {place}" for place, marks in shown)


def source_place(source: Source, language: Language) -> str:
    """Document, page and heading; the name is a link to the message that brought it."""
    name = " ".join(source.document.split())
    if source.link and urlsplit(source.link).scheme in ("http", "https"):
        name = f"[{name.replace('[', '(').replace(']', ')')}]({source.link})"
    parts = [name]
    if source.version > 1:
        parts.append(say("sources.version", language, version=source.version))
    if source.page is not None:
        parts.append(say("sources.page", language, page=source.page))
    heading = " ".join(source.heading.split())
    if heading:
        parts.append(clipped(heading, LONGEST_HEADING))
    return " · ".join(parts)


def source_hosts(sources: Sequence[Source]) -> tuple[str, ...]:
    """Hosts of the sources' own links: an answer may link to what it cites."""
    hosts = (urlsplit(source.link).netloc for source in sources if source.link)
    return tuple(dict.fromkeys(host for host in hosts if host and "@" not in host))
