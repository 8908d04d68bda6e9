"""write_document: saved where everybody here finds it, marked, and never over a person's file."""

import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.context import NeedsPerson
from core.errors import ToolFailed
from core.journal import MemoryJournal
from core.knowledge.documents import Receipt
from core.messages import Place
from core.model.protocol import ToolCall
from core.plan.execute import execute
from core.plan.schema import Node, Plan
from core.request import Request, TeammateCard
from core.sources import Source
from core.tools.builtin import BUILTIN
from core.tools.builtin.write import asks_to_save
from core.tools.execute import Outcome, run_calls
from core.tools.services import Services
from core.tools.sources import SourceBook
from core.tools.toolbox import Bound
from tests.core.fake_library import NOON, PLACE, request
from tests.core.knowledge.rigs import SCOPE, Desk, opened
from tests.core.runs_of_one import Run, a_run

ASKED = "帮我调研一下 K8s service 的几种类型，写成报告保存"
TEXT = "ClusterIP、NodePort、LoadBalancer、ExternalName 四种[1]。"


def link(place: Place, message: str) -> str:
    return f"https://chat.example.com/{message.rpartition('/')[2]}"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with opened(tmp_path) as held:
        yield held


@dataclass
class Table:
    """One run at work on a library."""

    desk: Desk
    run: Run
    kb: int
    journal: MemoryJournal

    async def write(self, number: int = 1, **arguments: Any) -> Outcome:
        given = {"title": "K8s 报告", "text": TEXT} | arguments
        asked = self.run.ctx.request
        book = SourceBook(self.journal)
        await book.load()
        mine = Bound(
            asked,
            self.desk.library,
            book,
            lambda: NOON,
            Services(writer=self.desk.library, links={"slack": link}),
            self.run.ctx.heard,
        )
        call = ToolCall(id="a", name="write_document", arguments=json.dumps(given))
        [(_, outcome)] = await run_calls(self.run.ctx, BUILTIN.of(mine), [call], f"loop:{number}")
        return outcome

    async def names(self) -> list[str]:
        return sorted(one.name for one in await self.desk.library.listing([self.kb]))


async def table(desk: Desk, question: str = ASKED, journal: MemoryJournal | None = None) -> Table:
    kb = await desk.library.kb_for(SCOPE)
    card = TeammateCard(name="librarian", tools=("write_document",))
    asked: Request = request(
        question, kbs=(kb,), tools=("write_document",), teammate=card, place=PLACE
    )
    kept = journal or MemoryJournal()
    run = a_run(asked, journal=kept)
    run.ctx.heard.now.append(question)
    place = Source(mark=0, document="k8s.pdf", document_id="d", version=1, page=3)
    book = SourceBook(kept)
    await book.load()
    await book.touch([place])
    return Table(desk, run, kb, kept)


async def test_what_was_to_be_saved_is_saved_without_a_click_and_found_by_the_next_question(
    desk: Desk,
) -> None:
    at = await table(desk)
    outcome = await at.write()
    assert outcome.result is not None
    expected = "已保存到知识库：K8s 报告.md，链接 https://chat.example.com/1.0 [2]"
    assert outcome.text == expected
    assert outcome.result.details["name"] == "K8s 报告.md"
    assert outcome.result.details["link"] == "https://chat.example.com/1.0"
    assert outcome.result.sources[0].link == "https://chat.example.com/1.0"
    hits = await desk.library.search([at.kb], "NodePort LoadBalancer")
    assert hits[0].name == "K8s 报告.md" and "ExternalName" in hits[0].text


async def test_a_document_says_who_wrote_it_for_whom_in_which_run_and_from_what(desk: Desk) -> None:
    at = await table(desk)
    await at.write()
    (document,) = await desk.library.listing([at.kb])
    page = await desk.library.page([at.kb], document.id)
    assert page.text.startswith("# K8s 报告")
    assert "由 librarian 应 小明 的要求写于 2026-11-29 20:00。运行 run-1" in page.text
    assert "来源：\n- [1] k8s.pdf，第 3 页" in page.text
    assert document.owner == "teammate:librarian"
    assert document.asked_by == at.run.ctx.request.asker.id != ""
    assert document.link == "https://chat.example.com/1.0"


async def test_a_thread_that_a_slash_command_began_has_no_link(desk: Desk) -> None:
    at = await table(desk)
    thread = f"{PLACE.channel}/cmd:77.1"
    place = PLACE.model_copy(update={"thread": thread})
    at.run = a_run(at.run.ctx.request.model_copy(update={"place": place}), journal=at.journal)
    at.run.ctx.heard.now.append(ASKED)
    assert (await at.write()).text == "已保存到知识库：K8s 报告.md [2]"


async def test_without_being_asked_to_save_a_person_has_to_allow_it(desk: Desk) -> None:
    at = await table(desk, "K8s service 有几种类型？")
    with pytest.raises(NeedsPerson) as caught:
        await at.write()
    (need,) = caught.value.needs
    assert need.arguments["text"] == TEXT and need.title == "写文档：K8s 报告"
    assert await at.names() == []


async def test_a_draft_changes_nothing_and_needs_no_click(desk: Desk) -> None:
    at = await table(desk, "K8s service 有几种类型？")
    outcome = await at.write(ingest=False)
    assert "没有保存" in outcome.text
    assert outcome.result is not None and outcome.result.details["sentence"] == TEXT
    assert await at.names() == []


async def test_a_persons_file_of_that_name_is_left_alone(desk: Desk) -> None:
    at = await table(desk)
    path = desk.file("mine", "K8s 报告.md")
    await desk.library.ingest(
        at.kb, scope=SCOPE, owner="slack:T1/U1", name="K8s 报告.md", path=path
    )
    await at.write()
    assert await at.names() == ["K8s 报告 (2).md", "K8s 报告.md"]
    (mine,) = await desk.library.find_by_name([at.kb], "K8s 报告.md")
    assert (mine.owner, mine.version) == ("slack:T1/U1", 1)


async def test_a_teammates_own_document_gets_a_new_version(desk: Desk) -> None:
    at = await table(desk)
    await at.write()
    await at.write(2, text="Five types.")
    (document,) = await desk.library.listing([at.kb])
    assert (document.name, document.version) == ("K8s 报告.md", 2)


async def test_a_run_that_died_after_saving_saves_no_second_time(desk: Desk) -> None:
    journal = MemoryJournal()
    at = await table(desk, journal=journal)
    await at.write()
    del journal.rows["loop:1:call:1"]
    again = await table(desk, journal=journal)
    outcome = await again.write()
    assert outcome.result is not None and outcome.result.details["version"] == 1
    assert await at.names() == ["K8s 报告.md"]


@dataclass
class LosesItsWord:
    """A library whose first word on what was saved is lost, as when time runs out just then."""

    desk: Desk
    keys: list[str] = field(default_factory=list[str])

    async def write(self, **given: Any) -> Receipt:
        receipt = await self.desk.library.write(**given)
        self.keys.append(given["key"])
        if len(self.keys) == 1:
            raise ToolFailed("no word came back")
        return receipt


async def test_a_node_that_is_tried_again_after_it_saved_makes_no_second_version(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.plan.node.BACKOFF_S", 0.0)
    at, writer = await table(desk), LosesItsWord(desk)
    minutes = itertools.count(NOON, 60)
    book = SourceBook(at.journal)
    await book.load()
    ctx = at.run.ctx
    bound = Bound(
        ctx.request, desk.library, book, lambda: next(minutes), Services(writer=writer), ctx.heard
    )
    save = Node(
        id="n1",
        title="Save",
        tool="write_document",
        arguments={"title": "K8s", "text": TEXT},
    )
    result = await execute(ctx, Plan(nodes=(save,)), BUILTIN.of(bound))
    assert [node.state for node in result.nodes] == ["done"]
    assert len(writer.keys) == 2 and len(set(writer.keys)) == 1
    (document,) = await desk.library.listing([at.kb])
    assert (document.name, document.version) == ("K8s.md", 1)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a/b\\c: d?", "a b c d.md"),
        ("plan.md", "plan.md"),
        ("///", "文档.md"),
        ("../../etc/passwd", "etc passwd.md"),
    ],
)
async def test_a_title_becomes_a_plain_file_name(desk: Desk, title: str, name: str) -> None:
    at = await table(desk)
    outcome = await at.write(title=title)
    assert outcome.result is not None
    assert outcome.result.details["name"].lstrip(". ") == name


@pytest.mark.parametrize(
    "text",
    [
        "写成报告保存",
        "存一下",
        "把结论保存到知识库",
        "整理好以后归档",
        "写进知识库",
        "记录到知识库里",
        "save it",
        "Write a report and save it to the knowledge base",
        "put a summary into our knowledge base",
        "Research K8s services and save.",
        "store this in the library",
    ],
)
def test_ways_to_ask_for_saving(text: str) -> None:
    assert asks_to_save([text])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "写一份报告",
        "不要保存，给我看看就行",
        "先别存",
        "知识库里有什么",
        "Write a report",
        "don't save it",
        "summarise this without saving it",
        "What does the knowledge base say about leave?",
        "我们存在什么问题",
    ],
)
def test_what_does_not_ask_for_saving(text: str) -> None:
    assert not asks_to_save([text])
