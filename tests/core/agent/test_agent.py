"""The agent owns a run: its events, its end, and nothing left behind."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import Agent
from core.context import StopSignal
from core.errors import LostRun, ModelDown, ModelRefused, StoreBusy, WrongUse
from core.events import Event
from core.journal import MemoryJournal
from core.model.scripted import ScriptedModel, calling
from core.request import Request
from tests.core.fake_library import FakeLibrary, handbook, request

DOWN = ModelDown("no route", retry_after=600)
"""Longer than anyone waits: no retry, so no pause in tests."""


async def events_of(
    agent: Agent,
    asked: Request,
    journal: Any = None,
    stop: StopSignal | None = None,
    watch: Callable[[Event], None] = lambda _: None,
) -> list[Event]:
    """All events of a run; afterwards nothing of it is alive."""
    seen: list[Event] = []
    before = asyncio.all_tasks()

    async def assemble() -> Request:
        return asked

    async with agent.run(
        asked.run, assemble, journal or MemoryJournal(), stop or StopSignal()
    ) as events:
        async for event in events:
            seen.append(event)
            watch(event)
    assert asyncio.all_tasks() <= before
    return seen


def assert_sound(events: list[Event]) -> None:
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert [event.terminal for event in events] == [False] * (len(events) - 1) + [True]


def answer(events: list[Event]) -> Any:
    assert events[-1].kind == "done", events[-1]
    return events[-1].body.answer  # type: ignore[union-attr]


async def test_a_question_without_a_key_is_quoted_with_its_page() -> None:
    events = await events_of(Agent(handbook(), None), request("年假有几天？"))
    assert_sound(events)
    told = answer(events)
    assert told.mode == "quotes"
    assert told.text.startswith("没有配置语言模型")
    assert "年假每年 15 天" in told.text
    assert [(s.mark, s.document, s.page) for s in told.sources] == [(1, "请假制度.pdf", 1)]
    assert "15 天" in told.sources[0].quote
    assert not told.refused


async def test_a_mixed_question_is_answered_in_chinese() -> None:
    asked = request("帮我 summarize 一下年假 policy")
    told = answer(await events_of(Agent(handbook(), None), asked))
    assert told.mode == "quotes"
    assert told.sources


async def test_a_question_outside_the_documents_is_refused_without_sources() -> None:
    for question in ("月球离地球多远？", "How far away is the moon?"):
        told = answer(await events_of(Agent(handbook(), None), request(question)))
        assert told.refused
        assert told.sources == ()


async def test_another_channels_document_is_never_quoted() -> None:
    asked = request("What is the secret launch code?")
    told = answer(await events_of(Agent(handbook(), None), asked))
    assert told.refused
    assert "4711" not in told.text


async def test_an_empty_channel_is_told_how_to_fill_it_without_a_search() -> None:
    library = FakeLibrary()
    told = answer(await events_of(Agent(library, None), request("年假有几天？")))
    assert told.refused
    assert "拖进这个频道" in told.text
    assert library.asked == []


async def test_the_clock_and_the_count_answer_without_a_key() -> None:
    agent = Agent(handbook(), None, clock=lambda: 1_795_953_600.0)
    told = answer(await events_of(agent, request("现在几点")))
    assert (told.mode, told.sources) == ("tool", ())
    assert "20:00" in told.text
    assert "Asia/Shanghai" in told.text
    told = answer(await events_of(agent, request("how many documents are there")))
    assert told.text.startswith("2 documents here, with 3 passages")


async def test_small_talk_without_a_key_is_friendly_and_names_the_setting() -> None:
    told = answer(await events_of(Agent(handbook(), None), request("你好")))
    assert told.mode == "chat"
    assert "THREADMATE_MODEL" in told.text


async def test_what_only_a_model_can_do_names_the_setting() -> None:
    told = answer(await events_of(Agent(handbook(), None), request("write a poem about whales")))
    assert "THREADMATE_MODEL" in told.text
    assert told.sources == ()


async def test_an_unknown_place_is_named_without_a_key() -> None:
    asked = request("what time is it in Narnia?")
    told = answer(await events_of(Agent(handbook(), None), asked))
    assert "Narnia" in told.text


async def test_rag_makes_one_call_and_cites() -> None:
    model = ScriptedModel(["年假 15 天[1]。"])
    events = await events_of(Agent(handbook(), model), request("年假有几天？"))
    told = answer(events)
    assert told.mode == "rag"
    assert [s.mark for s in told.sources] == [1]
    assert "年假每年 15 天" in model.calls[0].messages[-1].text
    assert "d1" not in re.sub(r"data-\w+", "", model.calls[0].messages[-1].text)
    model.assert_complete()


async def test_a_refusal_of_the_model_has_no_sources() -> None:
    model = ScriptedModel(["暂无相关内容。没有写到产假[1]。"])
    told = answer(await events_of(Agent(handbook(), model), request("年假有几天？")))
    assert told.refused
    assert told.sources == ()
    assert "[1]" not in told.text


async def test_marks_that_stand_for_nothing_are_removed() -> None:
    model = ScriptedModel(["15 天[1][7]，提前三天[9]。"])
    told = answer(await events_of(Agent(handbook(), model), request("年假有几天？")))
    assert told.text == "15 天[1]，提前三天。"


async def test_rag_that_finds_nothing_goes_on_as_a_loop() -> None:
    model = ScriptedModel(["Far."])
    library = handbook()
    asked = request("How far away is the moon?", picks={"mode": "rag"})
    events = await events_of(Agent(library, model), asked)
    chosen = [e.body for e in events if e.kind == "mode_chosen"]
    assert [(c.mode, c.instead_of) for c in chosen] == [("rag", ""), ("loop", "rag")]  # type: ignore[union-attr]
    assert answer(events).mode == "loop"


async def test_the_loop_uses_tools_of_the_run_and_shows_their_sources() -> None:
    model = ScriptedModel(
        [
            calling(("semantic_search", {"query": "VPN gateway"})),
            calling(("get_document", {"id": 1})),
            "如果没有就用 vpn-7 [1]。",
        ]
    )
    asked = request("如果 VPN 连不上，就告诉我网关是什么")
    told = answer(await events_of(Agent(handbook(), model), asked))
    assert told.mode == "loop"
    assert [s.document for s in told.sources] == ["vpn.md"]
    assert told.usage.tool_calls == 2


async def test_a_tool_that_fails_goes_on_as_a_loop_when_a_model_is_there() -> None:
    model = ScriptedModel(["There is no such place."])
    events = await events_of(Agent(handbook(), model), request("what time is it in Narnia?"))
    assert answer(events).mode == "loop"
    assert any(event.kind == "step_failed" for event in events)


@pytest.mark.parametrize("error", [DOWN, ModelRefused("401")])
async def test_a_failed_model_is_told_and_the_documents_are_quoted(error: Exception) -> None:
    model = ScriptedModel([error])
    events = await events_of(Agent(handbook(), model), request("年假有几天？"))
    assert_sound(events)
    assert any(event.kind == "notice" for event in events)
    told = answer(events)
    assert told.mode == "quotes"
    assert "15 天" in told.text
    assert told.sources


async def test_a_question_that_was_cut_is_told() -> None:
    events = await events_of(Agent(handbook(), None), request("年假？", cut=80_000))
    notice = next(event.body for event in events if event.kind == "notice")
    assert "80,000" in notice.text  # type: ignore[union-attr]


async def test_a_failure_to_assemble_is_an_event_with_a_sentence() -> None:
    async def assemble() -> Request:
        raise WrongUse("no such kb")

    async with Agent(handbook(), None).run(
        "r", assemble, MemoryJournal(), StopSignal(), language="zh"
    ) as events:
        seen = [event async for event in events]
    assert_sound(seen)
    assert seen[0].kind == "failed"
    assert seen[0].body.text == "用法不对：no such kb"  # type: ignore[union-attr]


async def test_an_error_of_ours_fails_the_run_with_a_sentence_and_no_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    library = handbook()
    library.broken = RuntimeError("secret inner detail")
    with caplog.at_level(logging.ERROR):
        events = await events_of(Agent(library, None), request("年假有几天？"))
    assert_sound(events)
    assert events[-1].kind == "failed"
    assert "secret inner detail" not in events[-1].model_dump_json()
    assert "secret inner detail" in caplog.text


async def test_a_run_that_another_process_took_says_nothing_more() -> None:
    class Taken(MemoryJournal):
        async def step(self, key: str, kind: Any, work: Any) -> Any:
            if key == "route":
                raise LostRun("r")
            return await super().step(key, kind, work)

    seen: list[Event] = []
    with pytest.raises(LostRun):
        await events_of(Agent(handbook(), None), request("年假？"), Taken(), watch=seen.append)
    assert not any(event.terminal for event in seen)


async def test_a_resumed_run_is_not_assembled_routed_or_searched_again() -> None:
    journal, library = MemoryJournal(), handbook()
    first = await events_of(Agent(library, None), request("年假有几天？"), journal)
    asked = list(library.asked)

    async def assemble() -> Request:
        raise AssertionError("assembled twice")

    async with Agent(library, None).run("run-1", assemble, journal, StopSignal()) as events:
        again = [event async for event in events]
    assert library.asked == asked
    assert answer(again) == answer(first)


async def test_a_resumed_loop_keeps_its_marks() -> None:
    journal, library = MemoryJournal(), handbook()
    model = ScriptedModel(
        [calling(("search_documents", {"query": "VPN"}), ("semantic_search", {"query": "年假"}))]
    )
    with pytest.raises(AssertionError):  # the script ends: as good as a kill
        answer(await events_of(Agent(library, model), request("如果有就列出年假和VPN"), journal))
    marks = {key: row for key, row in journal.rows.items() if key.startswith("sources:")}
    resumed = ScriptedModel(["VPN [1], 年假 [2]."])
    asked = request("如果有就列出年假和VPN")
    told = answer(await events_of(Agent(library, resumed), asked, journal))
    assert {key: journal.rows[key] for key in marks} == marks
    assert [source.mark for source in told.sources] == [1, 2]


async def test_a_stop_at_any_event_ends_the_run_at_once() -> None:
    def model() -> ScriptedModel:
        return ScriptedModel([calling(("semantic_search", {"query": "年假"})), "15 天[1]。"])

    asked = request("如果有规定就告诉我年假有几天")
    whole = await events_of(Agent(handbook(), model()), asked)
    for at in range(len(whole) - 1):
        stop = StopSignal()

        def watch(event: Event, at: int = at, stop: StopSignal = stop) -> None:
            if event.number == at + 1:
                stop.set("slack:T1/U2")

        events = await events_of(Agent(handbook(), model()), asked, stop=stop, watch=watch)
        assert_sound(events)
        assert events[-1].kind in ("stopped", "done")
        if events[-1].kind == "stopped":
            assert events[-1].body.by == "slack:T1/U2"  # type: ignore[union-attr]


async def test_a_stop_during_a_model_call_closes_the_call() -> None:
    begun = asyncio.Event()

    class Endless(ScriptedModel):
        async def stream(self, request: Any) -> Any:
            try:
                begun.set()
                await asyncio.Event().wait()
                yield
            finally:
                self.closed += 1

    model, stop = Endless([]), StopSignal()

    async def press() -> None:
        await begun.wait()
        stop.set("slack:T1/U2")

    pressing = asyncio.create_task(press())
    events = await events_of(Agent(handbook(), model), request("write a poem"), stop=stop)
    await pressing
    assert events[-1].kind == "stopped"
    assert model.closed == 1


async def test_leaving_early_leaks_no_task_at_any_event() -> None:
    asked = request("年假有几天？")
    whole = await events_of(Agent(handbook(), None), asked)
    before = asyncio.all_tasks()

    async def assemble() -> Request:
        return asked

    for count in range(len(whole)):
        async with Agent(handbook(), None).run(
            "r", assemble, MemoryJournal(), StopSignal()
        ) as events:
            async for event in events:
                if event.number > count:
                    break
        assert asyncio.all_tasks() <= before


async def test_a_watcher_that_is_cancelled_takes_the_run_with_it() -> None:
    model_called = asyncio.Event()

    class Endless(ScriptedModel):
        async def stream(self, request: Any) -> Any:
            model_called.set()
            await asyncio.Event().wait()
            yield

    watching = asyncio.create_task(
        events_of(Agent(handbook(), Endless([])), request("write a poem"))
    )
    await model_called.wait()
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_slow_watcher_makes_the_run_wait() -> None:
    made = 0

    class Talker(ScriptedModel):
        async def stream(self, request: Any) -> Any:
            nonlocal made
            from core.model.protocol import Delta

            for _ in range(1_000):
                made += 1
                yield Delta(text="字")

    async def assemble() -> Request:
        return request("write a poem")

    async with Agent(handbook(), Talker([])).run(
        "r", assemble, MemoryJournal(), StopSignal()
    ) as events:
        async for event in events:
            if event.kind == "text_delta":
                break
        for _ in range(300):
            await asyncio.sleep(0)
        assert made < 100


class Flaky(MemoryJournal):
    """A journal whose steps fail where the script says so."""

    def __init__(self, script: list[str]) -> None:
        super().__init__()
        self.script = script

    async def step(self, key: str, kind: Any, work: Any) -> Any:
        fate = self.script.pop(0) if self.script else "fine"
        if fate == "busy":
            raise StoreBusy(key)
        if fate == "bug":
            raise ZeroDivisionError(key)
        if fate == "cancel":
            raise asyncio.CancelledError
        if fate == "slow":
            await asyncio.sleep(0)
        return await super().step(key, kind, work)


STEPS = st.one_of(
    st.just("15 天[1]。"),
    st.just(calling(("semantic_search", {"query": "年假"}), ("get_time", {"zone": "Narnia"}))),
    st.just(calling(("no_such_tool", {}), text="Let me see.")),
    st.just(DOWN),
    st.just(ModelRefused("401")),
    st.just(ValueError("a bug in the adapter")),
)


@settings(max_examples=120, deadline=None)
@given(
    question=st.sampled_from(
        ["年假有几天？", "如果有就列出", "你好", "现在几点", "time in Narnia", "write a poem", ""]
    ),
    script=st.lists(st.sampled_from(["fine", "fine", "slow", "busy", "bug", "cancel"]), max_size=9),
    steps=st.none() | st.lists(STEPS, min_size=1, max_size=5),
    stop_at=st.none() | st.integers(1, 20),
)
def test_whatever_fails_a_run_ends_once_and_its_numbers_have_no_gaps(
    question: str, script: list[str], steps: list[Any] | None, stop_at: int | None
) -> None:
    async def scenario() -> None:
        model = None if steps is None else ScriptedModel([*steps, *["Done."] * 12])
        stop = StopSignal()

        def watch(event: Event) -> None:
            if event.number == stop_at:
                stop.set("slack:T1/U2")

        agent = Agent(handbook(), model)
        events = await events_of(agent, request(question), Flaky(list(script)), stop, watch)
        assert_sound(events)

    logging.disable(logging.CRITICAL)
    try:
        asyncio.run(scenario())
    finally:
        logging.disable(logging.NOTSET)
