"""From a dropped file to an answer with its page: agent, assembler and the real library."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from core.agent import Agent
from core.assemble import Assembler
from core.context import StopSignal
from core.events import Answer, Done
from core.journal import MemoryJournal
from core.memory.conversation import Conversation
from core.messages import Message, Person, Place
from core.model.protocol import Model
from core.model.scripted import ScriptedModel, calling
from core.request import Picks
from core.scope import channel_scope
from core.settings import SettingsBook
from tests.core.knowledge.rigs import Desk, HashEmbedder, opened

C1, C2 = "slack:T1/C1", "slack:T1/C2"
HANDBOOK = (
    "# 请假制度\n\n员工每年享有 15 天年假，需提前三个工作日申请。\n\n病假须提交医院证明。"
    "\f# Remote access\n\nInstall the VPN client, then sign in with your badge number.\n\n"
    "The error ECONNREFUSED means that the gateway is down."
)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    # Wide enough that unlike texts share no bucket: their cosine must be near 0, as a real one is.
    async with opened(tmp_path, HashEmbedder(dimension=4096)) as desk:
        kb = await desk.library.kb_for(channel_scope(C1))
        await desk.library.ingest(
            kb,
            scope=channel_scope(C1),
            owner="slack:T1/U1",
            name="handbook.pdf",
            path=desk.file(HANDBOOK),
        )
        await desk.library.embedded()
        yield desk


class Office:
    """Asks questions as a person in a channel would."""

    def __init__(self, desk: Desk, model: Model | None = None) -> None:
        self.conversation = Conversation(desk.store)
        self.assembler = Assembler(desk.library, SettingsBook(), self.conversation)
        self.agent = Agent(desk.library, model)
        self.count = 0

    async def ask(self, text: str, channel: str = C1, picks: Picks | None = None) -> Answer:
        self.count += 1
        message = Message(
            key=f"run-{self.count}",
            kind="ask",
            place=Place(
                platform="slack", workspace="slack:T1", channel=channel, thread=f"{channel}/1.0"
            ),
            author=Person(id="slack:T1/U1", name="Ann"),
            text=text,
            sent_at=float(self.count),
        )
        async with self.agent.run(
            message.key,
            lambda: self.assembler.assemble(message, picks),
            MemoryJournal(),
            StopSignal(),
        ) as events:
            last = [event async for event in events][-1].body
        assert isinstance(last, Done), last
        await self.conversation.log_turn(message, text, last.answer.text)
        return last.answer


async def test_chinese_english_and_mixed_questions_are_quoted_with_their_page(desk: Desk) -> None:
    office = Office(desk)
    for question, said, page in (
        ("年假有几天？", "15 天年假", 1),
        ("How do I sign in to the VPN?", "badge number", 2),
        ("帮我 summarize 一下请假 policy", "请假", 1),
    ):
        told = await office.ask(question)
        assert told.mode == "quotes", question
        assert said in told.text or said in told.sources[0].quote, question
        assert told.sources[0].page == page, question
        assert told.sources[0].document == "handbook.pdf"


async def test_what_the_documents_do_not_hold_is_refused(desk: Desk) -> None:
    for question in ("火星上有没有生命存在的证据？", "Who won the football cup in 1998?"):
        told = await Office(desk).ask(question)
        assert told.refused, question
        assert told.sources == ()


async def test_the_same_question_in_another_channel_sees_nothing_of_it(desk: Desk) -> None:
    told = await Office(desk).ask("年假有几天？", channel=C2)
    assert told.refused
    assert "15" not in told.text


async def test_counts_latest_and_exact_words_are_tool_answers(desk: Desk) -> None:
    office = Office(desk)
    assert (await office.ask("how many documents are there")).text.startswith("1 document here")
    latest = await office.ask("最近上传了什么")
    assert latest.mode == "tool"
    assert [source.document for source in latest.sources] == ["handbook.pdf"]
    exact = await office.ask("find the string ECONNREFUSED")
    assert "gateway is down" in exact.text
    assert [source.page for source in exact.sources] == [2]


async def test_a_short_follow_up_is_understood_from_the_question_before(desk: Desk) -> None:
    office = Office(desk)
    await office.ask("请假制度里年假有几天？")
    told = await office.ask("还要提前几天申请？")
    assert "三个工作日" in told.text


async def test_no_kb_means_that_nothing_is_read(desk: Desk) -> None:
    told = await Office(desk).ask("年假有几天？", picks=Picks(kb=()))
    assert told.refused


async def test_a_model_answers_from_one_search_and_reads_on_in_a_loop(desk: Desk) -> None:
    model = ScriptedModel(
        [
            "年假 15 天[1]。",
            calling(("search_documents", {"query": "ECONNREFUSED"})),
            calling(("get_document", {"id": 1, "page": 2})),
            "The gateway is down [1].",
        ]
    )
    office = Office(desk, model)
    rag = await office.ask("年假有几天？")
    assert (rag.mode, [source.page for source in rag.sources]) == ("rag", [1])
    looped = await office.ask("Unless it is documented, ask me what ECONNREFUSED means")
    assert (looped.mode, [source.page for source in looped.sources]) == ("loop", [2])
    assert looped.usage.tool_calls == 2
    model.assert_complete()


@pytest.mark.parametrize(
    "question",
    [
        '"',
        "AND",
        "NEAR(年假, 2)",
        "*",
        "-x 年假",
        "%",
        "",
        "\x00",
        "年假 OR 1=1 --",
        "' ; DROP",
        "🎉",
    ],
)
async def test_odd_questions_get_an_answer_or_a_refusal(desk: Desk, question: str) -> None:
    told = await Office(desk).ask(question)
    assert told.text


async def test_a_question_of_100_000_characters_is_answered(desk: Desk) -> None:
    assert (await Office(desk).ask("年假有几天？" + "问" * 100_000)).text
