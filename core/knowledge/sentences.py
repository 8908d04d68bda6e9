"""Sentences: the few that answer a question best, quoted word for word from the passages found.

A quote is a window: neighbouring whole sentences, as many as fit. A sentence that is too long alone
is cut at its clauses, which `…` shows; a table's row is told with the names of its columns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.index.tokens import query_tokens, tokens
from core.knowledge.units import HAN_LIMIT, Unit, limit_of, units_of
from core.messages import Frozen

PASSAGES = 5
"""Best hits that are quoted from."""

NEAR = 16
"""Windows whose meaning is compared, the best by words first: each costs an embedding, 4 ms."""

UNITS = 100
"""Units of one passage that are looked at: a passage of prose has some twenty, lines of two letters
are no sentences, and the work grows with the square."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What makes a window a good quote, of a similar size each: 0 to 1."""

    passage: float = 1.5
    """The fused score of its passage."""
    words: float = 1.0
    """Share of the question's weight that it holds."""
    around: float = 0.6
    """The same with its heading and neighbours: `it takes 15 days` says nothing of what."""
    meaning: float = 0.5
    """Its cosine to the question."""
    length: float = 0.2
    """Of two, the longer one says more."""


WEIGHTS = Weights()
"""Chosen on Chinese, traditional Chinese and English questions: see `bench.quotes`."""


class Found(Protocol):
    """What is read of a hit."""

    @property
    def text(self) -> str: ...
    @property
    def heading(self) -> str: ...
    @property
    def score(self) -> float: ...


class Quote(Frozen):
    hit_index: int
    """Which of the hits holds it."""
    text: str
    """Whole sentences, word for word."""
    score: float
    """From 0 up; a quote with half of the best one's score is worth about half of it."""


@dataclass(frozen=True, slots=True)
class Window:
    """A quote to be: the units `first` to `last` of a hit's text."""

    hit: int
    first: int
    last: int
    text: str
    bare: bool
    """It is a heading and no more."""
    score: float
    """Without its meaning."""


def quotes(
    query: str, hits: Sequence[Found], limit: int = 3, idf: Mapping[str, float] | None = None
) -> list[Quote]:
    """The best quotes over all hits by words alone, best first, none twice."""
    return best(windows(query, hits, idf or {}), {}, limit)


def windows(query: str, hits: Sequence[Found], idf: Mapping[str, float]) -> list[Window]:
    """What could be quoted, best first by words; `idf` weighs the question's tokens, 1 without."""
    weights = {token: idf.get(token, 1.0) for token in query_tokens(query)}
    found = [
        window for at, hit in enumerate(hits[:PASSAGES]) for window in _windows(at, hit, weights)
    ]
    # A heading alone says nothing; it is shown where there is nothing else.
    found = [window for window in found if not window.bare] or found
    return sorted(found, key=lambda window: -window.score)


def best(ranked: Sequence[Window], cosines: Mapping[str, float], limit: int = 3) -> list[Quote]:
    """The best windows, none over another; `cosines` are those of texts to the question."""
    scored = sorted(
        ((one.score + WEIGHTS.meaning * cosines.get(one.text, 0.0), one) for one in ranked),
        key=lambda pair: -pair[0],
    )
    kept: list[Window] = []
    made: list[Quote] = []
    for score, one in scored:
        if len(made) == limit:
            break
        if not any(_overlap(one, other) for other in kept):
            kept.append(one)
            made.append(Quote(hit_index=one.hit, text=one.text, score=max(0.0, score)))
    return made


def _overlap(one: Window, other: Window) -> bool:
    same = one.hit == other.hit and one.first <= other.last and other.first <= one.last
    return same or one.text in other.text or other.text in one.text


def _windows(at: int, hit: Found, weights: Mapping[str, float]) -> list[Window]:
    units = units_of(hit.text, hit.heading)[:UNITS]
    held = [_held(unit.text, weights) for unit in units]
    heading = _held(hit.heading, weights)
    total = math.fsum(weights.values()) or 1.0
    made: list[Window] = []
    for first, unit in enumerate(units):
        text, last = _grown(units, first)
        bare = unit.kind in ("heading", "path") and last == first
        within = frozenset[str]().union(*held[first : last + 1])
        # A row stands for itself: what the row above says is not said of this one.
        beside = [] if unit.kind == "row" else held[max(0, first - 1) : last + 2]
        around = within.union(heading, *beside)
        score = (
            WEIGHTS.passage * hit.score
            + WEIGHTS.words * math.fsum(weights[token] for token in within) / total
            + WEIGHTS.around * math.fsum(weights[token] for token in around) / total
            + WEIGHTS.length * len(text) / limit_of(text)
        )
        made.append(Window(at, first, last, text, bare, score))
    return made


def _grown(units: Sequence[Unit], first: int) -> tuple[str, int]:
    """The longest window from unit `first` on: its text and its last unit."""
    text, last = units[first].shown(), first
    joined = units[first].text
    for at in range(first + 1, len(units)):
        here = units[at]
        if not units[first].joins(here):
            break
        joined += here.gap + here.text
        shown = units[first].shown(joined, here)
        if len(shown) > HAN_LIMIT and len(shown) > limit_of(shown):
            break
        # A heading at the end belongs to what comes after it.
        if here.kind not in ("heading", "path"):
            text, last = shown, at
    return text, last


def _held(text: str, weights: Mapping[str, float]) -> frozenset[str]:
    return frozenset(weights.keys() & set(tokens(text)))
