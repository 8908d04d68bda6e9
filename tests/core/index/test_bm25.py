from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index import bm25, fulltext
from core.index.fulltext import Counts
from core.store.port import Transaction
from core.store.sqlite import SqliteStore

VOCABULARY = ["a", "b", "c", "年", "年假", "dotenv", "cplusplus", "x1"]
passages = st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=12), min_size=1, max_size=8)
LAST = 1 << 32


def plainly(words: list[str], weights: dict[str, float], average: float) -> float:
    """bm25 as it stands in books."""
    score = 0.0
    for token, weight in weights.items():
        often = words.count(token)
        length = 1.2 * (0.25 + 0.75 * len(words) / average)
        score += weight * often * 2.2 / (often + length)
    return score


@given(
    passages, st.dictionaries(st.sampled_from([*VOCABULARY, "zz"]), st.floats(0.1, 9), min_size=1)
)
@settings(max_examples=60, deadline=None)
def test_the_score_is_that_of_the_formula(
    texts: list[list[str]], weights: dict[str, float]
) -> None:
    average = max(1.0, sum(map(len, texts)) / len(texts))
    made = bm25.scores([bm25.numbers(words).tobytes() for words in texts], weights, average)
    assert np.allclose(made, [plainly(words, weights, average) for words in texts])


def test_tokens_whose_numbers_share_a_half_are_told_apart() -> None:
    halves: dict[int, str] = {}
    for n in range(5_000):
        token = f"{n**3:x}"
        number = int(bm25.numbers([token])[0])
        twin = halves.setdefault(number & 0xFFFF, token)
        if twin != token:
            break
    else:
        pytest.fail("no two tokens share the lower half of their number")
    [score] = bm25.scores([bm25.numbers([token, token]).tobytes()], {twin: 1.0}, 2)
    assert score == 0


async def test_any_word_ranks_as_the_full_text_index_itself_would(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The index itself looks up common words too.
    monkeypatch.setattr(fulltext, "FEWEST", 6)
    random = np.random.default_rng(3)
    texts = [[f"w{int(n)}" for n in random.zipf(1.5, 30) % 90] for _ in range(200)]
    asked = ["w7", "w12", "w30", "w45", "w60", "w88"]
    await store.write(lambda tx: fulltext.add(tx, enumerate(texts, 1)))

    def both(tx: Transaction) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
        rarity = Counts().of(tx, asked)
        ours = fulltext.match_any(tx, rarity, asked, 0, LAST, 500)
        match = " OR ".join(f'"{token}"' for token in asked)
        values = {"match": match, "first": 0, "last": LAST, "limit": 500}
        return ours, [(row[0], -row[1]) for row in tx.all(fulltext.MATCH, values)]

    ours, theirs = await store.read(both)
    assert len(ours) == len(theirs) > 20
    mine = dict(ours)
    assert all(math.isclose(mine[one], score, rel_tol=1e-6) for one, score in theirs)
    assert [score for _, score in ours] == sorted((score for _, score in ours), reverse=True)


async def test_a_common_word_is_not_looked_up_but_still_ranks(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "FEWEST", 1)
    texts = [["rare", "x"], ["rare", "of"], *([["of", "x"]] * 30), *([["y", "z"]] * 40)]
    await store.write(lambda tx: fulltext.add(tx, enumerate(texts, 1)))

    def found(tx: Transaction) -> list[int]:
        asked = ["rare", "of"]
        ours = fulltext.match_any(tx, Counts().of(tx, asked), asked, 0, LAST, 9)
        return [one for one, _ in ours]

    assert await store.read(found) == [2, 1]


async def test_of_too_many_the_best_are_ranked_and_none_of_another_range(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "RANKED", 5)
    monkeypatch.setattr(fulltext, "MAX_RANKED", 5)
    texts = [["a", "x"]] * 40 + [["a", "b"]] * 3 + [["z", "y"]] * 90
    await store.write(lambda tx: fulltext.add(tx, enumerate(texts, 1)))

    def found(tx: Transaction, first: int, last: int) -> list[int]:
        rarity = Counts().of(tx, ["a", "b"])
        ours = fulltext.match_any(tx, rarity, ["a", "b"], first, last, 9)
        return [one for one, _ in ours]

    # Those that hold both words first, then the newest of those that hold one.
    assert await store.read(lambda tx: found(tx, 0, LAST)) == [41, 42, 43, 39, 40]
    assert await store.read(lambda tx: found(tx, 42, 42)) == [42]
    assert await store.read(lambda tx: found(tx, 60, 90)) == []


async def test_passages_that_hold_the_same_words_are_all_ranked(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "RANKED", 5)
    texts = [["a", "a", "a"], *([["a", "x", "y"]] * 40), *([["z", "y", "x"]] * 90)]
    await store.write(lambda tx: fulltext.add(tx, enumerate(texts, 1)))

    def best(tx: Transaction) -> int:
        rarity = Counts().of(tx, ["a"])
        return fulltext.match_any(tx, rarity, ["a"], 0, LAST, 9)[0][0]

    assert await store.read(best) == 1
