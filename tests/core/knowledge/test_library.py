from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import KnowledgeError
from core.knowledge.documents import Receipt
from tests.core.knowledge.rigs import SCOPE, Desk, HashEmbedder, opened

OTHER = "channel:slack:T1/C2"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with opened(tmp_path) as desk:
        yield desk


async def give(
    desk: Desk, text: str, name: str = "规定.md", owner: str = "slack:T1/U1", scope: str = SCOPE,
    key: str = "",
) -> Receipt:  # fmt: skip
    kb = await desk.library.kb_for(scope)
    path = desk.file(text)
    return await desk.library.ingest(
        kb, scope=scope, owner=owner, name=name, path=path, link="https://x/1", key=key
    )


async def test_a_file_is_found_by_words_at_once_and_by_meaning_soon(desk: Desk) -> None:
    receipt = await give(desk, "年假每年十天。\n\n病假需要证明。")
    assert (receipt.status, receipt.version, receipt.passages) == ("ready", 1, 1)
    kb = await desk.library.kb_for(SCOPE)
    [hit] = await desk.library.search([kb], "年假有几天？")
    assert (hit.document, hit.name, hit.link) == (receipt.document, "规定.md", "https://x/1")
    assert hit.lexical > 0
    await desk.library.embedded()
    [hit] = await desk.library.search([kb], "年假有几天？")
    assert hit.vector > 0


async def test_another_kb_never_answers(desk: Desk) -> None:
    await give(desk, "The launch code is 4711.", scope=OTHER)
    await give(desk, "Nothing of interest here.")
    await desk.library.embedded()
    mine = await desk.library.kb_for(SCOPE)
    for query in ("launch code", "4711", '"launch code"'):
        assert all(
            hit.name and "4711" not in hit.text for hit in await desk.library.search([mine], query)
        )
        assert await desk.library.words([mine], query) == []
    assert await desk.library.probe([mine], "launch code 4711") == 0


async def test_an_audience_sees_the_kbs_of_its_scopes_only(desk: Desk) -> None:
    await give(desk, "one")
    await give(desk, "two", scope=OTHER)
    assert [(kb.scope, kb.documents) for kb in await desk.library.kbs([SCOPE])] == [(SCOPE, 1)]
    assert await desk.library.kbs([]) == []


async def test_a_file_cannot_be_put_into_a_kb_of_another_scope(desk: Desk) -> None:
    kb = await desk.library.kb_for(OTHER)
    with pytest.raises(KnowledgeError):
        await desk.library.ingest(kb, scope=SCOPE, owner="u", name="a.txt", path=desk.file("x"))
    assert await desk.count("document") == 0


async def test_a_new_version_takes_the_place_of_the_old_one(desk: Desk) -> None:
    first = await give(desk, "端口是 8080。")
    second = await give(desk, "端口是 9090。")
    kb = await desk.library.kb_for(SCOPE)
    hits = await desk.library.search([kb], "端口 8080")
    assert [(hit.text, hit.version) for hit in hits] == [("端口是 9090。", 2)]
    assert second.document == first.document
    assert await desk.library.words([kb], "8080") == []
    assert len(desk.blobs()) == 1
    await desk.library.embedded()
    assert await desk.count("vector") == await desk.count("passage") == 1


async def test_the_same_bytes_again_change_nothing(desk: Desk) -> None:
    first = await give(desk, "同样的内容。")
    again = await give(desk, "同样的内容。")
    assert again.duplicate and not first.duplicate
    assert (again.document, again.version, again.passages) == (first.document, 1, 1)
    assert desk.parser.read == 1
    assert await desk.count("version") == 1


async def test_equal_uploads_side_by_side_make_one_document(desk: Desk) -> None:
    receipts = await asyncio.gather(*(give(desk, "一样。") for _ in range(5)))
    assert sum(not receipt.duplicate for receipt in receipts) == 1
    assert await desk.count("document") == await desk.count("version") == 1
    assert len(desk.blobs()) == 1


async def test_the_name_of_another_person_is_kept_apart_and_needs_a_click(desk: Desk) -> None:
    first = await give(desk, "甲的版本。", owner="slack:T1/U1")
    second = await give(desk, "乙的版本。", owner="slack:T1/U2")
    assert second.needs_click and not first.needs_click
    assert second.document != first.document
    kb = await desk.library.kb_for(SCOPE)
    assert len(await desk.library.find_by_name([kb], "规定.MD")) == 2


async def test_equal_bytes_under_two_names_are_two_documents_and_one_blob(desk: Desk) -> None:
    a = await give(desk, "shared text", name="a/conf.yaml")
    b = await give(desk, "shared text", name="b.yaml")
    assert len(desk.blobs()) == 1
    kb = await desk.library.kb_for(SCOPE)
    await desk.library.delete([kb], a.document, "u")
    assert [hit.document for hit in await desk.library.search([kb], "shared")] == [b.document]
    assert len(desk.blobs()) == 1
    await desk.library.delete([kb], b.document, "u")
    assert desk.blobs() == []


async def test_deleting_leaves_no_row_behind(desk: Desk) -> None:
    await give(desk, "第一版。", key="run1:file1")
    receipt = await give(desk, "第二版。\f另一页。", key="run2:file1")
    await desk.library.embedded()
    kb = await desk.library.kb_for(SCOPE)
    removed = await desk.library.delete([kb], receipt.document, "slack:T1/U1")
    assert (removed.name, removed.passages, removed.versions) == ("规定.md", 2, 2)
    for table in ("document", "version", "passage", "vector", "unembedded", "blob", "receipt",
                  "passage_words", "passage_tokens", "passage_vocabulary"):  # fmt: skip
        assert await desk.count(table) == 0, table
    assert desk.blobs() == []
    assert await desk.library.search([kb], "第二版") == []


async def test_a_document_of_another_kb_cannot_be_deleted_or_read(desk: Desk) -> None:
    receipt = await give(desk, "Theirs.", scope=OTHER)
    mine = await desk.library.kb_for(SCOPE)
    with pytest.raises(KnowledgeError):
        await desk.library.delete([mine], receipt.document, "u")
    with pytest.raises(KnowledgeError):
        await desk.library.page([mine], receipt.document)
    assert await desk.count("passage") == 1


async def test_the_same_key_is_told_the_same_again(desk: Desk) -> None:
    first = await give(desk, "内容一。", key="run1:F1")
    await give(desk, "内容二。", key="run2:F2")
    assert await give(desk, "内容一。", key="run1:F1") == first
    assert desk.parser.read == 2


async def test_what_cannot_be_read_is_listed_and_replaces_nothing(desk: Desk) -> None:
    good = await give(desk, "能读的内容。")
    bad = await give(desk, "#lock")
    assert (bad.status, bad.reason, bad.version) == ("encrypted", "parse.encrypted", 2)
    kb = await desk.library.kb_for(SCOPE)
    assert [hit.document for hit in await desk.library.search([kb], "内容")] == [good.document]
    alone = await give(desk, "#lock", name="锁.pdf")
    states = {info.name: info.status for info in await desk.library.listing([kb])}
    assert states == {"规定.md": "ready", "锁.pdf": "encrypted"}
    assert (await desk.library.stats([kb])).documents == 1
    better = await give(desk, "解锁后的内容。", name="锁.pdf")
    assert (better.document, better.version, better.status) == (alone.document, 2, "ready")


async def test_a_text_without_a_word_is_empty(desk: Desk) -> None:
    receipt = await give(desk, " \n\t\n")
    assert (receipt.status, receipt.reason) == ("empty", "parse.empty")
    assert desk.blobs() == []


async def test_two_hundred_files_at_once_are_all_there(desk: Desk) -> None:
    receipts = await asyncio.gather(
        *(give(desk, f"文件编号 n{n:03d}。", name=f"{n}.txt") for n in range(200))
    )
    assert {receipt.status for receipt in receipts} == {"ready"}
    kb = await desk.library.kb_for(SCOPE)
    assert (await desk.library.stats([kb])).documents == 200
    for n in (0, 57, 199):
        [hit] = await desk.library.words([kb], f"n{n:03d}")
        assert hit.name == f"{n}.txt"


async def test_words_finds_only_what_stands_there_as_written(desk: Desk) -> None:
    await give(desk, "Error: connect ECONNREFUSED 127.0.0.1:5432 at net.js", name="log.txt")
    await give(desk, "We connected to the office in C++ and run .env files", name="b.txt")
    kb = await desk.library.kb_for(SCOPE)

    async def names(query: str) -> list[str]:
        return [hit.name for hit in await desk.library.words([kb], query)]

    assert await names("econnrefused 127.0.0.1:5432") == ["log.txt"]
    assert await names('"connect ECONNREFUSED"') == ["log.txt"]
    assert await names("C++") == ["b.txt"]
    assert await names(".env") == ["b.txt"]
    assert await names("connecting") == []
    assert await names('"ECONNREFUSED connect"') == []


async def test_pages_are_read_within_a_budget_that_says_what_it_cut(desk: Desk) -> None:
    receipt = await give(desk, "第一页。" * 5 + "\f" + "第二页很长。" * 50)
    kb = await desk.library.kb_for(SCOPE)
    first = await desk.library.page([kb], receipt.document, 1, 400)
    assert (first.text, first.cut, first.next, first.pages) == ("第一页。" * 5, 0, 2, 2)
    second = await desk.library.page([kb], receipt.document, 2, 100)
    assert len(second.text) == 100
    assert second.cut == 200
    assert second.next is None
    beyond = await desk.library.page([kb], receipt.document, 7, 100)
    assert (beyond.text, beyond.pages) == ("", 2)


@pytest.mark.parametrize("budget", [90, 1000])
async def test_a_text_without_pages_is_read_to_its_end_page_by_page(
    desk: Desk, budget: int
) -> None:
    text = "".join(f"Sentence number {n} of the long text. " for n in range(200))
    receipt = await give(desk, text)
    kb = await desk.library.kb_for(SCOPE)
    seen, page = "", 1
    while page:
        part = await desk.library.page([kb], receipt.document, page, budget)
        assert part.cut == 0 and not part.paged and len(part.text) <= budget
        seen, page = seen + part.text, part.next or 0
    bare = "".join(seen.split())
    assert all(f"Sentencenumber{n}ofthelongtext." in bare for n in range(200))


async def test_a_new_embedder_embeds_all_again_and_mixes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await give(desk, "旧模型的内容。")
        await desk.library.embedded()
    newer = HashEmbedder(model="hash/2", dimension=64)
    async with opened(tmp_path, newer) as desk:
        kb = await desk.library.kb_for(SCOPE)
        await desk.library.search([kb], "内容")
        await desk.library.embedded()
        rows = await desk.store.read(lambda tx: tx.all("SELECT model, dimension FROM vector"))
        assert rows == [("hash/2", 64)]
        [hit] = await desk.library.search([kb], "内容")
        assert hit.vector > 0


async def test_what_a_kill_left_without_a_vector_gets_one_after_the_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await give(desk, "还没有向量的内容。")
        await desk.library.embedded()
        await desk.store.write(
            lambda tx: (
                tx.run("INSERT INTO unembedded SELECT passage, scope, owner FROM vector"),
                tx.run("DELETE FROM vector"),
            )
        )
    async with opened(tmp_path) as desk:
        await desk.library.embedded()
        assert await desk.count("vector") == 1


async def test_the_start_sweeps_files_without_a_row_and_keeps_the_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await give(desk, "要留下的内容。")
        kept = desk.blobs()
        (tmp_path / "blobs" / "abandoned.part").write_bytes(b"x")
        (tmp_path / "blobs" / "orphan").write_bytes(b"x")
    async with opened(tmp_path) as desk:
        assert desk.blobs() == kept


async def test_two_libraries_on_one_folder_see_each_others_changes(tmp_path: Path) -> None:
    async with opened(tmp_path) as one, opened(tmp_path) as two:
        kb = await one.library.kb_for(SCOPE)
        await give(one, "第一份内容。", name="a.md")
        await one.library.embedded()
        assert len(await two.library.search([kb], "内容")) == 1
        receipt = await give(two, "第二份内容。", name="b.md")
        await two.library.embedded()
        assert len(await one.library.search([kb], "内容")) == 2
        await two.library.delete([kb], receipt.document, "u")
        assert [hit.name for hit in await one.library.search([kb], "内容")] == ["a.md"]


async def test_a_path_as_a_name_is_shown_by_its_last_part(desk: Desk) -> None:
    receipt = await give(desk, "x y z", name="../../etc/passwd")
    assert receipt.name == "passwd"
    assert all("passwd" not in name for name in desk.blobs())


async def test_evidence_names_what_a_hit_covers(desk: Desk) -> None:
    await give(desk, "The quota for laptops is two per person.")
    kb = await desk.library.kb_for(SCOPE)
    hits = await desk.library.search([kb], "laptops quota in Paris")
    seen = await desk.library.evidence([kb], "laptops quota in Paris", hits)
    assert set(seen.covered[0]) == {"laptop", "quota"}
    assert seen.idf["pari"] > 0
    assert 0 < seen.coverage(0) < 1
    with pytest.raises(KnowledgeError):
        await desk.library.evidence([kb + 1], "laptops", hits)


HOSTILE = ['"', "AND", "NEAR(a b", "*", "-x", "%", "", "\0", "a*", "x:foo", "^foo", "'; DROP", "()"]
HOSTILE += [
    'what is "props"?',
    "\ud800",
    "👩‍👩‍👧",
    "a" * 100_000,
    "年" * 100_000,
    "c++ OR",
    "{a b}: x",
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
async def test_no_query_is_syntax(desk: Desk, query: str) -> None:
    await give(desk, "foo 年 props AND NEAR bar")
    kb = await desk.library.kb_for(SCOPE)
    for found in (await desk.library.search([kb], query), await desk.library.words([kb], query)):
        assert len(found) <= 1
    assert 0 <= await desk.library.probe([kb], query) <= 1


@given(query=st.text(max_size=60))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_can_be_asked(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    async def ask() -> None:
        async with opened(tmp_path_factory.mktemp("any")) as desk:
            await give(desk, "any text at all 任何文字")
            kb = await desk.library.kb_for(SCOPE)
            await desk.library.search([kb], query)
            await desk.library.words([kb], query)

    asyncio.run(ask())
