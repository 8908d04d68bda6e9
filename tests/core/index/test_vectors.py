from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index import fulltext, vectors
from core.index.embed import MAX_CHARACTERS, SentenceEncoder, fit
from core.index.fulltext import MAX_MATCH, Counts, Rarity
from core.index.fuse import Ceilings, ceilings, fuse
from core.index.vectors import Near, Row, VectorSearch
from core.store.port import Transaction
from core.store.sqlite import SqliteStore

SPAN = (1 << 32, (2 << 32) - 1)
PASSAGE = """
INSERT INTO passage (id, kb, document, version, place, heading, kind, text, scope, owner)
VALUES (:id, 1, 'd', 1, 0, '', 'text', '', 's', 'o')
"""


def unit(count: int, seed: int = 1) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((count, 64)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def fill(tx: Transaction, made: np.ndarray, first: int = 0) -> None:
    rows = [Row(SPAN[0] + first + n, n % 2 == 0, "s", "o", v) for n, v in enumerate(made)]
    tx.run("INSERT INTO kb VALUES (1, 's', 'o', '', 1, 1, 0) ON CONFLICT DO NOTHING")
    tx.run("INSERT INTO document VALUES ('d', 1, 's', 'o', 'n', 'n', 1, 0) ON CONFLICT DO NOTHING")
    tx.many(PASSAGE, ({"id": row.passage} for row in rows))
    vectors.put(tx, "m", rows)


@pytest.fixture
async def store(tmp_path: Path):
    store = await SqliteStore.open(tmp_path / "app.db")
    yield store
    await store.close()


def nearest(tx: Transaction, search: VectorSearch, question: np.ndarray, revision: int = 1) -> int:
    near = search.near(tx, question, SPAN, revision, 5)
    return int(near.passages[near.cosines.argmax()])


async def test_the_nearest_vector_is_found_among_few(store: SqliteStore) -> None:
    made = unit(50)
    await store.write(lambda tx: fill(tx, made))
    search = VectorSearch("m", 64)
    assert await store.read(lambda tx: nearest(tx, search, made[17])) == SPAN[0] + 17


async def test_the_nearest_vector_is_found_among_many_by_signs(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "SMALL", 100)
    monkeypatch.setattr(vectors, "SLICE", 128)
    monkeypatch.setattr(vectors, "SIFTED", 40)
    made = unit(600)
    await store.write(lambda tx: fill(tx, made))
    search = VectorSearch("m", 64)

    def agreed(tx: Transaction) -> int:
        best = 0
        for place in range(0, 600, 20):
            question = made[place] + 0.3 * made[(place + 1) % 600]
            best += nearest(tx, search, question) == SPAN[0] + int((made @ question).argmax())
        return best

    assert await store.read(agreed) == 30


async def test_what_words_found_is_compared_too(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = unit(300)
    await store.write(lambda tx: fill(tx, made))
    for small in (100, 1000):
        monkeypatch.setattr(vectors, "SMALL", small)
        monkeypatch.setattr(vectors, "SIFTED", 5)
        search = VectorSearch("m", 64)
        farthest = SPAN[0] + int((made @ made[0]).argmin())
        beside = [farthest, SPAN[0] + 99_999]
        near = await store.read(lambda tx, s=search, b=beside: s.near(tx, made[0], SPAN, 1, 5, b))
        assert farthest in near.passages
        assert SPAN[0] + 99_999 not in near.passages


async def test_added_vectors_are_seen_and_removed_ones_go_with_the_revision(
    store: SqliteStore,
) -> None:
    made = unit(30)
    search = VectorSearch("m", 64)
    await store.write(lambda tx: fill(tx, made[:20]))
    assert await store.read(lambda tx: nearest(tx, search, made[3])) == SPAN[0] + 3
    await store.write(lambda tx: fill(tx, made[20:], first=20))
    assert await store.read(lambda tx: nearest(tx, search, made[25])) == SPAN[0] + 25
    await store.write(lambda tx: vectors.remove(tx, SPAN[0] + 3, SPAN[0] + 3))
    assert await store.read(lambda tx: nearest(tx, search, made[3], 2)) != SPAN[0] + 3


async def test_a_vector_of_a_passage_that_is_gone_is_not_kept(store: SqliteStore) -> None:
    row = Row(SPAN[0] + 5, False, "s", "o", unit(1)[0])
    await store.write(lambda tx: vectors.put(tx, "m", [row]))
    assert await store.read(lambda tx: tx.all("SELECT passage FROM vector")) == []


async def test_the_cache_keeps_to_its_size(store: SqliteStore) -> None:
    made = unit(40)
    await store.write(lambda tx: fill(tx, made))
    search = VectorSearch("m", 64, cache_bytes=1)
    other = (2 << 32, (3 << 32) - 1)
    await store.read(lambda tx: search.near(tx, made[0], SPAN, 1, 5))
    await store.read(lambda tx: search.near(tx, made[0], other, 1, 5))
    assert len(search._shelves) == 1


async def test_the_index_counts_its_passages(store: SqliteStore) -> None:
    counts = Counts()

    def count(tx: Transaction) -> int:
        return counts.of(tx, []).passages

    assert await store.read(count) == 0
    for first in (1, 1_000, 200_000):
        rows = [(first + n, ["a", "b"]) for n in range(150)]
        await store.write(lambda tx, r=rows: fulltext.add(tx, r))
    assert await store.read(count) == 450
    assert (await store.read(lambda tx: counts.of(tx, ["a"]))).holding == {"a": 450}
    await store.write(lambda tx: fulltext.remove(tx, 1, 120))
    assert await store.read(count) == 330
    assert (await store.read(lambda tx: counts.of(tx, ["a", "z"]))).holding == {
        "a": 330,
        "z": 0,
    }


async def test_phrases_must_stand_in_a_row(store: SqliteStore) -> None:
    await store.write(lambda tx: fulltext.add(tx, [(1, ["a", "b", "c"]), (2, ["b", "a", "c"])]))

    def found(tx: Transaction, *phrases: list[str]) -> list[int]:
        return [one for one, _ in fulltext.match_all(tx, phrases, 0, 10, 10)]

    assert await store.read(lambda tx: found(tx, ["a", "b"])) == [1]
    assert await store.read(lambda tx: found(tx, ["a", "b"], ["c"])) == [1]
    assert await store.read(lambda tx: found(tx)) == []


def test_a_long_question_is_looked_up_by_its_most_telling_words() -> None:
    words = [f"w{n}" for n in range(300)]
    rarity = Rarity(10_000, {word: n for n, word in enumerate(words)})
    kept = fulltext.telling(rarity, words)
    assert len(kept) == MAX_MATCH
    assert kept[0] == "w1"
    assert "w0" not in kept


def test_common_words_are_looked_up_only_if_little_else_is_asked() -> None:
    words = [f"w{n}" for n in range(20)]
    rarity = Rarity(100, {word: 1 if n < 12 else 60 for n, word in enumerate(words)})
    assert fulltext.uncommon(rarity, words) == words[:12]
    assert fulltext.uncommon(rarity, words[12:]) == words[12:16]
    assert fulltext.uncommon(Rarity(2, {"a": 2}), ["a"]) == ["a"]


def test_common_words_weigh_little_even_in_a_store_of_three_passages() -> None:
    rarity = Rarity(3, {"的": 1, "报销": 1})
    assert rarity.weight("报销") > 10 * rarity.weight("的")
    assert rarity.weight("缺") > rarity.weight("报销")


scores = st.dictionaries(st.integers(0, 30), st.floats(0.01, 40), max_size=12)


@given(scores, st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=12))
@settings(max_examples=100, deadline=None)
def test_fusing_keeps_every_passage_once_best_first(
    lexical: dict[int, float], cosines: dict[int, float]
) -> None:
    ids = sorted(cosines)
    near = Near(
        np.array(ids, np.int64),
        np.array([cosines[one] for one in ids], np.float32),
        np.array([one % 2 == 0 for one in ids], np.bool_),
    )
    for question in ("cjk", "latin", ""):
        ranked = fuse(lexical, Ceilings(50.0, 20.0), near, question)
        assert sorted(one.passage for one in ranked) == sorted({*lexical, *cosines})
        assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
        assert all(0 <= one.lexical <= 1 for one in ranked)


def test_more_words_or_a_nearer_vector_never_rank_lower() -> None:
    near = Near(
        np.array([1, 2, 3], np.int64),
        np.array([0.5, 0.5, 0.9], np.float32),
        np.array([True, True, True]),
    )
    ranked = fuse({1: 5.0, 2: 9.0, 3: 5.0}, Ceilings(20.0, 0.0), near, "cjk")
    assert [one.passage for one in ranked][-1] == 1


def test_words_that_an_english_passage_cannot_hold_do_not_count_against_it() -> None:
    rarity = Rarity(100, {"drogo": 1})
    tops = ceilings(rarity, ["谁", "是", "drogo"], "cjk")
    full = np.array([tops.plain])
    assert tops.share(full, cjk=False) == [1.0]
    assert tops.share(full, cjk=True) < 0.5
    assert ceilings(rarity, ["谁"], "cjk").share(np.array([3.0]), cjk=False) == [0.0]


def test_any_text_fits_the_embedder() -> None:
    assert fit("a\0b\ud800c") == "a b c"
    assert len(fit("年" * 100_000)) == MAX_CHARACTERS


def test_the_encoder_gives_the_same_vectors_from_its_cache(tmp_path: Path) -> None:
    texts = ["年假有几天", "How many days of leave", "", "\0\ud800", "👩‍👩‍👧"]
    first = SentenceEncoder(tmp_path).embed(texts)
    again = SentenceEncoder(tmp_path)
    assert np.array_equal(first, again.embed(texts))
    assert first.shape == (5, again.dimension)
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-3)
    assert first[0] @ first[1] > 0.4
    next(tmp_path.glob("*/rest.npz")).write_bytes(b"broken")
    assert np.array_equal(first, SentenceEncoder(tmp_path).embed(texts))
