"""Finding passages: by meaning and words together, by exact words, and what words weigh.

Every statement is limited to the passage ids of the given KBs, before anything is ranked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.index import fulltext
from core.index.embed import Vectors
from core.index.fulltext import Counts
from core.index.fuse import Ranked, ceilings, fuse
from core.index.tokens import Script, normal, query_tokens, script, tokens
from core.index.vectors import VectorSearch
from core.knowledge.documents import Evidence, Hit
from core.store import Transaction

DEPTH = 200
"""Passages taken from words and from vectors before they are put in one ranking."""

MAX_QUESTION = 4_000
"""Characters of a question that are looked at: longer ones are pasted texts."""

PROBED = 3
"""Best passages whose words are compared with the question's by `probe`."""

REVISION = "SELECT revision FROM kb WHERE id = :kb"
# The version must be the document's present one: what was swapped out is never shown.
FETCH = """
SELECT p.document, d.name, p.version, p.page, p.heading, p.text, v.link, v.added_at
FROM passage p
JOIN document d ON d.id = p.document AND d.version = p.version
JOIN version v ON v.document = p.document AND v.number = p.version
WHERE p.id = :passage AND p.kb = :kb
"""

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」')


@dataclass(frozen=True, slots=True)
class Index:
    """What a process remembers of the indexes between questions."""

    vectors: VectorSearch
    counts: Counts


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, cut to pieces once."""

    text: str
    tokens: tuple[str, ...]
    script: Script

    @classmethod
    def of(cls, text: str) -> Question:
        short = text[:MAX_QUESTION]
        return cls(short, tuple(query_tokens(short)), script(short))


def span(kb: int) -> tuple[int, int]:
    """First and last passage id that a KB can have."""
    return kb << 32, (kb + 1 << 32) - 1


def search(
    tx: Transaction,
    index: Index,
    kbs: Sequence[int],
    question: Question,
    meaning: Vectors,
    limit: int,
) -> list[Hit]:
    """The best passages by words and meaning; `meaning` is the question's vector."""
    rarity = index.counts.of(tx, question.tokens)
    tops = ceilings(rarity, question.tokens, question.script)
    ranked: list[Ranked] = []
    for kb in kbs:
        row = tx.one(REVISION, {"kb": kb})
        if row is None:
            continue
        found = dict(fulltext.match_any(tx, rarity, question.tokens, *span(kb), DEPTH))
        near = index.vectors.near(tx, meaning, span(kb), int(row[0]), DEPTH, list(found))
        ranked += fuse(found, tops, near, question.script, 2 * limit)
    ranked.sort(key=lambda one: (-one.score, one.passage))
    return _fetched(tx, ranked, limit)


def words(tx: Transaction, index: Index, kbs: Sequence[int], query: str, limit: int) -> list[Hit]:
    """Passages whose text or heading holds every word or quoted phrase as it is written."""
    wanted = terms(query[:MAX_QUESTION])
    phrases = [tokens(term) for term in wanted]
    every = list({token for phrase in phrases for token in phrase})
    top = ceilings(index.counts.of(tx, every), every, "").all or 1.0
    ranked: list[Ranked] = []
    for kb in kbs:
        # More than asked for: stems let through what the comparison below sorts out.
        found = fulltext.match_all(tx, phrases, *span(kb), DEPTH + limit)
        ranked += [Ranked(one, bm25 / top, bm25 / top, 0.0) for one, bm25 in found]
    ranked.sort(key=lambda one: (-one.score, one.passage))
    hits = _fetched(tx, ranked, len(ranked))
    return [hit for hit in hits if _holds(hit, wanted)][:limit]


def terms(query: str) -> list[str]:
    """The words and the quoted phrases of a query, in comparing form, without empty ones."""
    quoted = [next(filter(None, match)) for match in _QUOTED.findall(query)]
    loose = _QUOTED.sub(" ", query).split()
    folded = (" ".join(normal(term).split()) for term in quoted + loose)
    return list(dict.fromkeys(term for term in folded if tokens(term)))


def evidence(tx: Transaction, index: Index, query: str, hits: Sequence[Hit]) -> Evidence:
    """What the question's words weigh over the whole store, and which of them each hit holds."""
    question = Question.of(query)
    rarity = index.counts.of(tx, question.tokens)
    return Evidence(
        idf={token: rarity.weight(token) for token in question.tokens},
        covered=tuple(_covered(question.tokens, hit) for hit in hits),
    )


def probe(tx: Transaction, index: Index, kbs: Sequence[int], query: str) -> float:
    """The largest share of the question's weight that one of the best passages holds, 0 to 1."""
    question = Question.of(query)
    rarity = index.counts.of(tx, question.tokens)
    found = [
        one
        for kb in kbs
        for one in fulltext.match_any(tx, rarity, question.tokens, *span(kb), PROBED)
    ]
    best = sorted(found, key=lambda one: -one[1])[:PROBED]
    hits = _fetched(tx, [Ranked(passage, bm25, 0.0, 0.0) for passage, bm25 in best], PROBED)
    idf = {token: rarity.weight(token) for token in question.tokens}
    covered = tuple(_covered(question.tokens, hit) for hit in hits)
    seen = Evidence(idf=idf, covered=covered)
    return max((seen.coverage(at) for at in range(len(hits))), default=0.0)


def _covered(wanted: Sequence[str], hit: Hit) -> tuple[str, ...]:
    held = set(tokens(f"{hit.heading}\n{hit.text}"))
    return tuple(token for token in wanted if token in held)


def _holds(hit: Hit, wanted: Sequence[str]) -> bool:
    text = " ".join(normal(f"{hit.heading}\n{hit.text}").split())
    return all(term in text for term in wanted)


def _fetched(tx: Transaction, ranked: Sequence[Ranked], limit: int) -> list[Hit]:
    hits: list[Hit] = []
    for one in ranked:
        if len(hits) == limit:
            break
        row = tx.one(FETCH, {"passage": one.passage, "kb": one.passage >> 32})
        if row is not None:
            hits.append(_hit(one, row))
    return hits


def _hit(one: Ranked, row: Sequence[object] | Mapping[int, object]) -> Hit:
    return Hit.model_validate(
        {
            "passage": one.passage,
            "document": row[0],
            "name": row[1],
            "version": row[2],
            "page": row[3],
            "heading": row[4],
            "text": row[5],
            "link": row[6],
            "added_at": row[7],
            "score": one.score,
            "lexical": one.lexical,
            "vector": one.vector,
        }
    )
