"""The answer that code writes when the model has no words: what was done, what is missing. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Language
from core.texts import say
from core.tools.execute import Outcome

LINES = 8
"""Most lines of each list; a person reads no more."""
LINE_CHARACTERS = 160
QUOTES = 3


def unfinished(language: Language, reason: str, count: int, deeds: Sequence[Outcome]) -> str:
    """Markdown that says why the run ends (`reason`: the end of a `loop.reason.*` key), what was
    done, what it found, what was not done, and what the person can give."""
    why = say(f"loop.reason.{reason}", language, count=count)
    parts = [say("loop.unfinished", language, reason=why)]
    done = [_line(deed.title, deed.result.summary) for deed in deeds if deed.result]
    missing = [_line(deed.title, deed.reason) for deed in deeds if not deed.result]
    if done:
        parts.append(_list(say("loop.done", language), done))
    if quotes := _quotes(deeds):
        parts.append(_list(say("loop.found", language), quotes))
    if missing:
        parts.append(_list(say("loop.missing", language), missing))
    if not done:
        parts.append(say("loop.nothing", language))
    parts.append(say("loop.give", language))
    return "\n\n".join(parts)


def _quotes(deeds: Sequence[Outcome]) -> list[str]:
    """Where the tools' sources begin, with their marks, in order of first touch."""
    sources = {
        source.mark: source for deed in deeds if deed.result for source in deed.result.sources
    }
    return [
        f"{_line(sources[mark].quote, '')} [{mark}]"
        for mark in sorted(sources)[:QUOTES]
        if sources[mark].quote
    ]


def _line(title: str, rest: str) -> str:
    line = " ".join((f"{title} · {rest}" if rest else title).split())
    return line if len(line) <= LINE_CHARACTERS else f"{line[:LINE_CHARACTERS]}…"


def _list(head: str, lines: Sequence[str]) -> str:
    different = list(dict.fromkeys(lines))
    more = [f"… +{len(different) - LINES}"] if len(different) > LINES else []
    return "\n".join([head, *(f"- {line}" for line in [*different[:LINES], *more])])
