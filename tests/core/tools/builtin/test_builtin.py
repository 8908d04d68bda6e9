"""The tools that ship: what the model reads, what people read, and what neither sees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import ToolFailed
from core.journal import MemoryJournal
from core.tools.builtin import BUILTIN
from core.tools.builtin.documents import PAGE_BUDGET
from core.tools.sources import SourceBook
from core.tools.tool import ToolResult
from core.tools.toolbox import Bound
from tests.core.fake_library import NOON, Doc, FakeLibrary, handbook, request


def bound(library: FakeLibrary | None = None, **fields: Any) -> Bound:
    asked = request(fields.pop("question", "年假？"), **fields)
    book = SourceBook(MemoryJournal())
    return Bound(asked, library or handbook(), book, lambda: NOON)


async def use(at: Bound, name: str, **arguments: Any) -> ToolResult:
    tool = BUILTIN.of(at)[name]
    return await tool.run(tool.arguments.model_validate(arguments))


async def test_a_passage_comes_with_a_mark_and_without_id_score_or_path() -> None:
    found = await use(bound(), "semantic_search", query="年假 15 天")
    assert found.text.startswith("[1] 请假制度.pdf，第 1 页\n年假每年 15 天")
    assert "d1" not in found.text
    assert "score" not in found.text
    assert [source.mark for source in found.sources] == [1]
    assert found.details["hits"][0]["document"] == "请假制度.pdf"
    assert found.summary == "找到 1 段：请假制度.pdf"


async def test_exact_search_holds_the_words_literally() -> None:
    at = bound(question="find it", language="en")
    assert "ECONNREFUSED" in (await use(at, "search_documents", query="ECONNREFUSED")).text
    nothing = await use(at, "search_documents", query="EACCES")
    assert not nothing.found
    assert "EACCES" in nothing.text


async def test_no_tool_sees_another_kb() -> None:
    at = bound()
    for name in ("semantic_search", "search_documents"):
        assert "4711" not in (await use(at, name, query="secret launch code")).text
    assert "secret" not in (await use(at, "latest_documents")).text
    with pytest.raises(ToolFailed):
        await use(at, "get_document", id="secret.md")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("semantic_search", {"query": "x"}),
        ("search_documents", {"query": "x"}),
        ("latest_documents", {}),
        ("knowledge_stats", {}),
    ],
)
async def test_without_documents_a_tool_says_how_to_bring_one_and_does_not_search(
    name: str, arguments: dict[str, Any]
) -> None:
    library = FakeLibrary()
    found = await use(bound(library), name, **arguments)
    assert not found.found
    assert "拖进这个频道" in found.text
    assert library.asked == []


async def test_a_document_is_read_by_the_number_that_a_search_showed() -> None:
    at = bound()
    await use(at, "semantic_search", query="年假")
    for wanted in (1, "1", "[1]", " [1] "):
        read = await use(at, "get_document", id=wanted)
        assert "年假每年 15 天" in read.text
        assert "page=2" in read.text
    second = await use(at, "get_document", id=1, page=2)
    assert second.text.startswith("[2] 请假制度.pdf，第 2 页，共 2 页\n加班可以调休")


async def test_a_document_is_also_read_by_its_name() -> None:
    assert "gateway" in (await use(bound(), "get_document", id="vpn.md")).text


async def test_a_long_page_is_cut_where_the_text_says() -> None:
    library = FakeLibrary([Doc("d1", "long.txt", ["字" * (PAGE_BUDGET + 500)])])
    read = await use(bound(library), "get_document", id="long.txt")
    assert len(read.text) < PAGE_BUDGET + 200
    assert str(PAGE_BUDGET) in read.text
    assert "500" in read.text


async def test_an_unknown_number_is_answered_with_the_way_to_get_one() -> None:
    with pytest.raises(ToolFailed) as failure:
        await use(bound(), "get_document", id=7)
    assert failure.value.key == "tool.document.unknown_mark"


async def test_the_latest_come_first_with_date_and_beginning() -> None:
    told = (await use(bound(), "latest_documents")).text.splitlines()
    assert told[0].startswith("[1] vpn.md（2026-11-29 19:00，1 页）：Install the VPN")
    assert told[1].startswith("[2] 请假制度.pdf（2026-11-26 20:00，2 页）：年假每年")
    assert len((await use(bound(), "latest_documents", n=1)).sources) == 1


async def test_a_document_that_could_not_be_read_says_so_in_the_list() -> None:
    library = FakeLibrary([Doc("d1", "scan.pdf", [], status="needs_ocr")])
    assert "扫描件" in (await use(bound(library), "latest_documents")).text


async def test_the_count_has_dates_and_the_days_since_the_first() -> None:
    told = (await use(bound(), "knowledge_stats")).text
    assert told.startswith("这里有 2 个文档，共 3 段")
    assert "3 天前" in told


async def test_the_time_is_the_askers_unless_a_place_is_named() -> None:
    own = await use(bound(), "get_time")
    assert "2026年11月29日（星期日）20:00" in own.text
    assert "21:00" in (await use(bound(), "get_time", zone="东京")).text
    english = await use(bound(language="en"), "get_time", zone="London")
    assert english.details["sentence"].startswith("It is 12:00 on Sunday, 29 November 2026")
    assert english.sources == ()


async def test_an_unknown_place_is_named_in_the_error() -> None:
    with pytest.raises(ToolFailed) as failure:
        await use(bound(), "get_time", zone="Narnia")
    assert failure.value.values["zone"] == "Narnia"


def test_a_run_has_only_the_tools_that_it_names() -> None:
    assert list(BUILTIN.of(bound(tools=("get_time", "gone_since")))) == ["get_time"]


def test_a_pick_of_tools_only_narrows() -> None:
    assert BUILTIN.narrowed(("get_time", "shell")) == ("get_time",)
    assert BUILTIN.narrowed(()) == ()
    assert BUILTIN.narrowed(None) == BUILTIN.names


def test_every_card_says_what_it_answers_names_a_neighbour_and_explains_its_arguments() -> None:
    tools = BUILTIN.of(bound())
    for name, tool in tools.items():
        assert tool.effect == "read"
        assert any(other in tool.description for other in tools if other != name), name
        for argument, schema in tool.parameters.get("properties", {}).items():
            assert schema.get("description"), f"{name}.{argument}"
        assert json.dumps(tool.parameters)
        given = {"query": "x", "n": 3, "id": 1, "page": 1, "zone": "", "question": "Who?"}
        assert tool.title(tool.arguments.model_construct(None, **given))


async def test_passages_that_hold_no_answer_are_said_to_be_only_near() -> None:
    near = await use(bound(), "semantic_search", query="贝多芬的第九交响曲写于哪一年？年假")
    assert not near.found
    assert near.text.startswith("下面的片段只是有些相近")
    assert "[1]" in near.text
    assert near.summary.startswith("只有 1 段")
