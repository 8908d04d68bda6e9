"""quotes, rag, tool and chat: what each says, and what it asks the model."""

from __future__ import annotations

import re

from core.agent import Agent
from core.context import Limits, StopSignal
from core.events import Answer, Done, Event
from core.journal import MemoryJournal
from core.model.protocol import Model
from core.model.scripted import ScriptedModel, calling
from core.request import Request, Turn
from tests.core.fake_library import Doc, FakeLibrary, handbook, request


async def run(library: FakeLibrary, model: Model | None, asked: Request) -> list[Event]:
    async def assemble() -> Request:
        return asked

    async with Agent(library, model).run(
        "r", assemble, MemoryJournal(), StopSignal(), Limits()
    ) as events:
        return [event async for event in events]


async def answered(library: FakeLibrary, model: Model | None, asked: Request) -> Answer:
    last = (await run(library, model, asked))[-1].body
    assert isinstance(last, Done), last
    return last.answer


async def test_at_most_three_sentences_are_quoted_word_for_word() -> None:
    pages = [f"第{n}条：年假规定第{n}款，年假应当提前申请。" + "无关的话。" * 20 for n in range(9)]
    library = FakeLibrary([Doc("d1", "规定.pdf", pages)])
    told = await answered(library, None, request("年假规定怎么申请？"))
    quoted = [line for line in told.text.splitlines() if line.startswith("> ")]
    assert 1 <= len(quoted) <= 3
    for line in quoted:
        words = line.removeprefix("> ").rsplit(" [", 1)[0]
        assert any(words in page for page in pages)
    assert len(told.sources) == len({line.rsplit("[", 1)[1] for line in quoted})


async def test_a_source_shows_the_sentence_that_was_quoted() -> None:
    told = await answered(handbook(), None, request("病假需要什么证明？"))
    assert "病假需要医院证明" in told.sources[0].quote


async def test_a_bracketed_number_of_the_document_is_no_mark() -> None:
    library = FakeLibrary([Doc("d1", "wiki.md", ["年假的起源[7]可以追溯到[1][2]十九世纪。"])])
    told = await answered(library, None, request("年假的起源是什么？"))
    assert "起源［7］可以追溯到［1］［2］" in told.text
    assert [source.mark for source in told.sources] == [1]


async def test_only_a_model_can_do_it_but_what_the_documents_say_is_quoted() -> None:
    told = await answered(handbook(), None, request("如果病假没有医院证明，就告诉我怎么办"))
    assert told.text.startswith("这件事要有语言模型才能做")
    assert "THREADMATE_MODEL" in told.text
    assert told.sources


async def test_a_follow_up_is_searched_with_the_question_before() -> None:
    history = (Turn(person="A", question="VPN gateway", answer="vpn-7"),)
    library = handbook()
    told = await answered(library, None, request("and the port?", history=history))
    assert library.asked[-1] == ("search", "VPN gateway and the port?")
    assert told.sources


async def test_a_question_that_stands_for_itself_is_searched_alone() -> None:
    history = (Turn(person="A", question="VPN gateway", answer="vpn-7"),)
    library = handbook()
    asked = request("how far away is the moon from the earth on average?", history=history)
    assert (await answered(library, None, asked)).refused
    assert len(library.asked) == 1


async def test_the_search_is_shown_as_a_step_with_what_was_found() -> None:
    events = await run(handbook(), None, request("年假有几天？"))
    steps = [event.body for event in events if event.kind.startswith("step_")]
    assert [step.kind for step in steps] == ["step_started", "step_done"]
    assert steps[0].title == "查文档：年假有几天？"  # type: ignore[union-attr]
    assert steps[1].summary == "找到 1 段：请假制度.pdf"  # type: ignore[union-attr]


async def test_a_search_that_breaks_is_shown_as_a_failed_step_and_ends_the_run() -> None:
    from core.errors import StoreBusy

    library = handbook()
    library.broken = StoreBusy("locked")
    events = await run(library, None, request("年假有几天？"))
    assert [event.kind for event in events][-2:] == ["step_failed", "failed"]
    assert "数据库正被另一个进程占用" in events[-1].body.text  # type: ignore[union-attr]


async def test_passages_go_to_the_model_fenced_and_with_marks() -> None:
    model = ScriptedModel(["15 天[1]。"])
    await answered(handbook(), model, request("年假有几天？"))
    sent = model.calls[0].messages
    assert sent[0].role == "system"
    assert "[1] 请假制度.pdf，第 1 页" in sent[-1].text
    assert "<data-" in sent[-1].text
    assert sent[-1].text.endswith("年假有几天？")
    assert model.calls[0].tools == ()


async def test_earlier_turns_go_to_the_model_before_the_question() -> None:
    model = ScriptedModel(["Hello Ann."])
    history = (Turn(person="Ann", question="hi", answer="Hello."),)
    await answered(handbook(), model, request("hello", history=history))
    assert [m.role for m in model.calls[0].messages] == ["system", "user", "assistant", "user"]


async def test_a_tools_result_is_phrased_by_one_call() -> None:
    model = ScriptedModel(["It is eight in the evening."])
    told = await answered(handbook(), model, request("what time is it"))
    assert (told.mode, told.text) == ("tool", "It is eight in the evening.")
    assert told.usage.tool_calls == 1
    assert "Asia/Shanghai" in model.calls[0].messages[-1].text
    model.assert_complete()


async def test_a_model_without_words_gives_way_to_quotes() -> None:
    told = await answered(handbook(), ScriptedModel([""] * 8), request("年假有几天？"))
    assert told.mode == "quotes"
    assert told.text.startswith("语言模型这次没能回答")


async def test_text_that_was_shown_before_the_model_failed_is_taken_back() -> None:
    from core.errors import ModelRefused
    from core.model.protocol import Delta
    from core.model.scripted import Breaks

    model = ScriptedModel([Breaks(ModelRefused("400"), [Delta(text="年假大概")])])
    events = await run(handbook(), model, request("年假有几天？"))
    kinds = [event.kind for event in events]
    assert kinds.index("text_delta") < kinds.index("text_taken_back") < kinds.index("notice")
    shown = ""
    for event in events:
        if event.kind == "text_taken_back":
            shown = ""
        elif event.kind == "text_delta":
            shown += event.body.text  # type: ignore[union-attr]
    assert shown == events[-1].body.answer.text  # type: ignore[union-attr]


async def test_a_pick_of_tools_without_search_reads_no_document() -> None:
    model = ScriptedModel(["I cannot tell."])
    library = handbook()
    asked = request("年假有几天？", tools=("get_time",))
    told = await answered(library, model, asked)
    assert (told.mode, told.sources) == ("loop", ())
    assert library.asked == []


async def test_what_is_far_worse_than_the_best_quote_is_left_out() -> None:
    noise = "申请打印机墨盒请找前台。"
    library = FakeLibrary(
        [Doc("d1", "规定.pdf", ["年假需提前三天向主管申请。"]), Doc("d2", "x", [noise])]
    )
    told = await answered(library, None, request("年假需提前几天申请？"))
    assert "提前三天" in told.text
    assert "墨盒" not in told.text


async def test_a_model_that_calls_tools_it_was_not_given_gets_them_in_the_loop() -> None:
    search = calling(("semantic_search", {"query": "年假"}))
    model = ScriptedModel([search, search, "15 天[1]。"])
    told = await answered(handbook(), model, request("年假有几天？"))
    assert (told.mode, told.text) == ("loop", "15 天[1]。")
    assert model.calls[0].tools == ()
    assert model.calls[1].tools != ()


async def test_marks_begin_with_one_in_the_order_of_the_quotes() -> None:
    pages = ["年假年假年假规定见附件。" + "无关的话。" * 40, "年假每年 15 天，满五年 20 天。"]
    library = FakeLibrary([Doc("d1", "规定.pdf", pages)])
    told = await answered(library, None, request("年假每年几天？"))
    marks = re.findall(r"\[(\d)\]", told.text)
    assert marks == sorted(marks)
    assert marks[0] == "1"
    assert "15 天" in told.sources[0].quote
