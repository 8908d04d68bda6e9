"""The answer cache: given again only where anybody would get the same, and only while it is so."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cache import AnswerCache, cacheable, key_of, normalised
from core.events import Answer
from core.knowledge.library import Library
from core.messages import Person, Place
from core.request import Request, TeammateCard, Turn
from core.scope import channel_scope
from core.sources import Source
from core.store.sqlite import SqliteStore
from tests.rigs.bank import open_library

PLACE = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1")


def a_request(question: str = "How many days of leave are there?", **changes: object) -> Request:
    request = Request(
        run="m:1",
        place=PLACE,
        asker=Person(id="slack:T1/U1", name="Nora"),
        question=question,
        language="en",
        time_zone="UTC",
        now=0.0,
        audience=("channel:slack:T1/C1",),
        kbs=(1,),
        tools=("semantic_search",),
        cache=True,
    )
    return request.model_copy(update=changes)


SOURCE = Source(mark=1, document="policy.md", document_id="d1", version=2)
ANSWER = Answer(
    text="15 days [1].", language="en", mode="rag", teammate="threadmate", sources=(SOURCE,)
)


@pytest.mark.parametrize(
    "question",
    ["年假有几天？", "我们的请假流程是什么", "How many days of leave are there?", "our VPN setup"],
)
def test_what_anybody_may_ask_at_any_time_is_kept(question: str) -> None:
    assert cacheable(a_request(question))


@pytest.mark.parametrize(
    "question",
    ["我还有几天年假？", "How many days do I have left?", "今天谁值班？",
     "who is on call this week",
     "what is the latest release", "现在的版本是什么", "", "x" * 500],
)  # fmt: skip
def test_what_is_personal_or_of_the_moment_is_not(question: str) -> None:
    assert not cacheable(a_request(question))


@pytest.mark.parametrize(
    "changes",
    [
        {"history": (Turn(person="Nora", question="hi", answer="hello"),)},
        {"memory": "- likes tea"},
        {"known": {"city": "Paris"}},
        {"cache": False},
        {"kbs": ()},
        {"named": ("writer",)},
    ],
)
def test_what_leans_on_something_else_is_not(changes: dict[str, object]) -> None:
    assert not cacheable(a_request(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"question": "How many days of sick leave are there?"},
        {"language": "zh"},
        {"audience": ("channel:slack:T1/C2",)},
        {"model": "other"},
        {"tools": ()},
        {"documents_only": True},
        {"style": "short"},
        {"teammate": TeammateCard(name="threadmate", version="2")},
        {"teammate": TeammateCard(name="threadmate", role="You help Nora.")},
        {"cheap": True},
        {"web": "on"},
    ],
)
def test_every_thing_that_an_answer_depends_on_makes_another_key(
    changes: dict[str, object],
) -> None:
    one = key_of(a_request(), {1: 5}, "0")
    assert key_of(a_request(**changes), {1: 5}, "0") != one
    assert key_of(a_request(), {1: 6}, "0") != one and key_of(a_request(), {1: 5}, "1") != one


@given(st.text(max_size=60))
def test_normalising_is_done_once(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


def test_width_case_and_signs_make_no_difference() -> None:
    assert normalised("  How many  DAYS？ ") == normalised("how many days")
    assert normalised("年假 有 几天？") == normalised("年假有几天")


async def a_cache(store: SqliteStore, tmp_path: Path) -> tuple[AnswerCache, Library, int]:
    library = await open_library(store, tmp_path)
    kb = await library.kb_for(channel_scope(PLACE.channel))
    return AnswerCache(store, library.revisions), library, kb


async def ingested(library: Library, kb: int, folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    scope = channel_scope(PLACE.channel)
    receipt = await library.ingest(kb, scope=scope, owner="slack:T1/U1", name=name, path=path)
    return receipt.document


@pytest.mark.parametrize("change", ["added", "renewed", "removed"])
async def test_an_answer_is_given_again_until_its_documents_change(
    store: SqliteStore, tmp_path: Path, change: str
) -> None:
    cache, library, kb = await a_cache(store, tmp_path)
    policy = await ingested(library, kb, tmp_path, "policy.md", "# Leave\n\n15 days of leave.")
    request = a_request(kbs=(kb,))
    slot = await cache.slot(request, "0")
    assert slot is not None and await cache.get(slot) is None
    assert await cache.put(slot, request, ANSWER, set())
    again = await cache.slot(a_request("how many days of leave are there", kbs=(kb,)), "0")
    assert again == slot
    kept = await cache.get(slot)
    assert kept is not None and kept.answer.cached and kept.answer.text == ANSWER.text
    match change:
        case "added":
            await ingested(library, kb, tmp_path, "faq.md", "# Leave\n\n20 days of leave.")
        case "renewed":
            await ingested(library, kb, tmp_path, "policy.md", "# Leave\n\n20 days of leave.")
        case _:
            await library.delete([kb], policy, "slack:T1/U1")
    assert await cache.slot(request, "0") != slot
    left = await store.read(
        lambda tx: (
            tx.all("SELECT key FROM answer_cache"),
            tx.all("SELECT kb FROM answer_cache_kb"),
        )
    )
    assert left == ([], []), "what was removed from the documents stays in no answer"
    await library.close()


@pytest.mark.parametrize(
    ("answer", "touched"),
    [
        ({}, {"get_time"}),
        ({"refused": True}, set[str]()),
        ({"sources": ()}, set[str]()),
        ({"stopped_by_limit": True}, set[str]()),
        ({"mode": "chat"}, set[str]()),
        ({"teammate": "writer"}, set[str]()),
        ({"text": "15 days, Nora [1]."}, set[str]()),
    ],
)
async def test_what_is_not_for_everybody_is_not_kept(
    store: SqliteStore, tmp_path: Path, answer: dict[str, object], touched: set[str]
) -> None:
    cache, library, kb = await a_cache(store, tmp_path)
    request = a_request(kbs=(kb,))
    slot = await cache.slot(request, "0")
    assert slot is not None
    assert not await cache.put(slot, request, ANSWER.model_copy(update=answer), touched)
    await library.close()


async def test_an_answer_is_forgotten_with_its_run(store: SqliteStore, tmp_path: Path) -> None:
    cache, library, kb = await a_cache(store, tmp_path)
    request = a_request(kbs=(kb,))
    slot = await cache.slot(request, "0")
    assert slot is not None and await cache.put(slot, request, ANSWER, set())
    assert await cache.drop_for("m:1") == 1
    assert await cache.get(slot) is None
    await library.close()
