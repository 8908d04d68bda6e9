"""The loop always ends in an answer, spends no more than its limits, and shows no leaks."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import Limits
from core.errors import ContextTooLong, ModelDown, RunStopped, ToolFailed
from core.events import Body, Thought, Usage
from core.journal import MemoryJournal
from core.messages import Language
from core.model.protocol import CallDelta, Delta, ModelRequest, Reply
from core.model.scripted import Breaks, ScriptedModel, Step, calling
from core.modes import loop
from core.modes.loop import LoopAnswer
from core.prompt import last_round_section, system_prompt, thread_messages, tools_section
from core.sources import Source
from core.tools.hand import FixedHand
from core.tools.tool import Tool, ToolResult
from tests.core.runs_of_one import Run, a_request, a_run, a_tool, echo


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait for nothing here; how long they wait is tested with the retries."""
    monkeypatch.setattr("core.model.retry._backoff", lambda _: 0.0)


async def work(run: Run, model: ScriptedModel, *tools: Tool) -> LoopAnswer:
    box = {tool.name: tool for tool in tools or (a_tool(),)}
    request = run.ctx.request
    system = system_prompt(request, list(box.values()))
    return await loop.run(run.ctx, model, FixedHand(system, box), thread_messages(request))


def search(query: str = "leave", text: str = "") -> Reply:
    return calling(("search", {"query": query}), text=text)


def forever(_: ModelRequest) -> Step:
    return search()


async def test_a_model_that_answers_at_once_needs_one_round() -> None:
    run, model = a_run(), ScriptedModel(["15 days [1]."])
    answer = await work(run, model)
    assert (answer.text, answer.stopped_by_limit, answer.by_code) == ("15 days [1].", False, False)
    assert run.shown() == "15 days [1]."


async def test_a_result_comes_back_fenced_behind_its_call() -> None:
    model = ScriptedModel([search(text="Let me look."), "15 days [1]."])
    run = a_run()
    answer = await work(run, model)
    assert answer.text == "15 days [1]."
    assistant, result = model.calls[1].messages[-2:]
    assert assistant.calls[0].name == "search"
    nonce = result.text.split(">")[0].removeprefix("<data-")
    assert result.text == f"<data-{nonce}>\n[1] leave\n</data-{nonce}>"
    assert nonce in model.calls[0].messages[0].text
    assert result.call_id == assistant.calls[0].id


async def test_text_before_a_call_is_a_thought_and_not_the_answer() -> None:
    run = a_run()
    await work(run, ScriptedModel([search(text="Let me look."), "15 days."]))
    assert run.kinds() == [
        "text_delta",
        "text_taken_back",
        "thought",
        "step_started",
        "step_done",
        "text_delta",
    ]
    assert run.events[2] == ("loop:1", Thought(text="Let me look."))
    assert run.shown() == "15 days."


async def test_two_runs_have_different_fences() -> None:
    seen: set[str] = set()
    for _ in range(2):
        model = ScriptedModel([search(), "x"])
        await work(a_run(), model)
        seen.add(model.calls[1].messages[-1].text)
    assert len(seen) == 2


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_model_that_never_stops_calling_is_given_a_last_round_without_tools(
    language: Language,
) -> None:
    numbers = iter(range(100))

    def other(_: ModelRequest) -> Step:
        return search(f"try {next(numbers)}")

    run = a_run(a_request(language=language), limits=Limits(rounds=4))
    model = ScriptedModel([other, other, other, "I found two things [1]."])
    answer = await work(run, model)
    model.assert_complete()
    assert answer.text == "I found two things [1]."
    assert answer.stopped_by_limit
    last = model.calls[-1]
    assert last.tools == ()
    assert last_round_section(language) in last.messages[0].text
    assert tools_section(language) not in last.messages[0].text
    assert all(request.tools for request in model.calls[:-1])


@pytest.mark.parametrize(
    "last", [search("more"), "<tool_call>{}</tool_call>", "", Reply(finish="content_filter")]
)
@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_call_in_the_last_round_is_stripped_and_code_writes_the_answer(
    last: Step, language: Language
) -> None:
    run = a_run(a_request(language=language), limits=Limits(rounds=2))
    answer = await work(run, ScriptedModel([search(), last, last]))
    assert answer.by_code and answer.stopped_by_limit
    assert run.shown() == answer.text
    assert run.kinds().count("step_started") == 1
    assert "search: leave" in answer.text
    assert ("2 轮" if language == "zh" else "all 2 rounds") in answer.text


async def test_an_answer_by_code_quotes_what_the_tools_found() -> None:
    async def found(_: Any) -> ToolResult:
        quote = "Annual leave is\n15 days."
        source = Source(mark=1, document="a.md", document_id="d", version=1, quote=quote)
        return ToolResult(text="[1] x", sources=(source,))

    answer = await work(a_run(), ScriptedModel([forever] * 4), a_tool(run=found))
    assert answer.by_code
    assert "Found in the documents:\n- Annual leave is 15 days. [1]" in answer.text


async def test_text_beside_a_call_in_the_last_round_is_the_answer() -> None:
    run = a_run(limits=Limits(rounds=2))
    answer = await work(run, ScriptedModel([search(), search(text="15 days.")]))
    assert (answer.text, run.shown(), answer.by_code) == ("15 days.", "15 days.", False)


async def test_three_equal_calls_with_equal_results_end_tools() -> None:
    model = ScriptedModel([forever, forever, forever, "Nothing new."])
    answer = await work(a_run(), model)
    model.assert_complete()
    assert answer.stopped_by_limit
    assert model.calls[-1].tools == ()


async def test_equal_calls_with_other_results_go_on() -> None:
    counter = iter(range(10))

    async def clock(_: Any) -> ToolResult:
        return ToolResult(text=str(next(counter)))

    model = ScriptedModel([forever, forever, forever, forever, "Done."])
    answer = await work(a_run(), model, a_tool(run=clock))
    assert (answer.text, answer.stopped_by_limit) == ("Done.", False)


async def test_no_more_tool_calls_run_than_the_limit_allows() -> None:
    run = a_run(limits=Limits(tool_calls=2))
    many = calling(*(("search", {"query": str(number)}) for number in range(5)))
    model = ScriptedModel([many, "Two of five."])
    answer = await work(run, model)
    assert run.kinds().count("step_started") == 2
    assert answer.usage.tool_calls == 2
    results = [message.text for message in model.calls[1].messages if message.role == "tool"]
    assert len(results) == 5
    assert sum("used up" in text for text in results) == 3
    assert model.calls[1].tools == ()


async def test_a_request_that_the_token_limit_cannot_pay_is_not_sent() -> None:
    run = a_run(limits=Limits(tokens=10))
    answer = await work(run, ScriptedModel([]))
    assert answer.by_code and answer.stopped_by_limit


async def test_tokens_are_counted_also_when_the_provider_tells_nothing() -> None:
    long = "word " * 4_000
    steps: Sequence[Step] = [
        lambda _: search(long + str(time.monotonic_ns())),
        lambda _: search(long + str(time.monotonic_ns())),
        "Enough.",
    ]
    model = ScriptedModel(steps)
    answer = await work(a_run(limits=Limits(tokens=45_000)), model)
    assert answer.text == "Enough."
    assert answer.stopped_by_limit
    assert answer.usage.input_tokens > 10_000


async def test_the_providers_own_count_is_taken_when_it_sends_one() -> None:
    usage = Usage(requests=1, input_tokens=7, output_tokens=3)
    answer = await work(a_run(), ScriptedModel([Reply(text="Hi.", usage=usage)]))
    assert answer.usage == usage


async def test_time_that_is_up_ends_in_an_answer_without_the_model() -> None:
    run = a_run(limits=Limits(seconds=0.0))
    answer = await work(run, ScriptedModel([]))
    assert answer.by_code and "the time is used up" in answer.text


async def test_a_model_that_drips_for_ever_is_cut_and_gets_its_last_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    never = asyncio.Event()

    def nearly_all(self: Any) -> float:
        return self.ctx.purse.seconds_left - 0.05

    monkeypatch.setattr("core.modes.loop._Loop._reserve", nearly_all)

    class Dripping(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            self.calls.append(request)
            if request.tools:
                yield Delta(text="well")
                await never.wait()
            yield Delta(text="In short: 15.", finish="stop")

    run = a_run()
    model = Dripping([])
    answer = await work(run, model)
    assert answer.text == run.shown() == "In short: 15."
    assert answer.stopped_by_limit


async def test_a_500_is_tried_again_and_never_seen() -> None:
    run = a_run()
    answer = await work(run, ScriptedModel([ModelDown("500"), search(), ModelDown("500"), "15."]))
    assert answer.text == run.shown() == "15."


async def test_a_stream_cut_inside_a_call_runs_nothing_of_it() -> None:
    half = Delta(text="I", calls=(CallDelta(index=0, id="a", name="search", arguments='{"que'),))
    run = a_run()
    answer = await work(run, ScriptedModel([Breaks(ModelDown("cut"), [half]), "15."]))
    assert answer.text == run.shown() == "15."
    assert "step_started" not in run.kinds()


async def test_a_model_that_is_down_before_anything_was_done_is_the_callers_case() -> None:
    for rounds in (1, 10):
        run = a_run(limits=Limits(rounds=rounds))
        with pytest.raises(ModelDown):
            await work(run, ScriptedModel([ModelDown("500")] * 4))


async def test_a_model_that_breaks_down_after_quotable_passages_is_the_callers_case() -> None:
    async def found(_: Any) -> ToolResult:
        source = Source(mark=1, document="a.md", document_id="d", version=1)
        return ToolResult(text="[1] x", sources=(source,))

    with pytest.raises(ModelDown):
        await work(a_run(), ScriptedModel([search(), *[ModelDown("500")] * 4]), a_tool(run=found))


async def test_a_model_that_breaks_down_after_other_work_leaves_a_report() -> None:
    run = a_run(a_request(language="zh"))
    answer = await work(run, ScriptedModel([search(), *[ModelDown("500")] * 4]))
    assert answer.by_code and not answer.stopped_by_limit
    assert "模型中途连不上了" in answer.text and "search: leave" in answer.text


async def test_broken_arguments_go_back_with_what_is_missing() -> None:
    model = ScriptedModel([calling(("search", '{"limit": 2}')), search(), "15."])
    answer = await work(a_run(), model)
    assert answer.text == "15."
    assert "missing: query" in model.calls[1].messages[-1].text


async def test_an_unknown_tool_goes_back_with_near_names() -> None:
    model = ScriptedModel([calling(("serach", {"query": "x"})), "15."])
    await work(a_run(), model)
    assert "near names: search" in model.calls[1].messages[-1].text


async def test_an_empty_answer_is_asked_for_again_and_then_written_by_code() -> None:
    run = a_run()
    answer = await work(run, ScriptedModel(["", "", "15."]))
    assert answer.text == "15."
    run = a_run()
    answer = await work(run, ScriptedModel([""] * 4))
    assert answer.by_code and not answer.stopped_by_limit
    assert "gave no answer" in answer.text


async def test_a_call_written_as_text_is_not_shown_and_the_model_is_told_once() -> None:
    leak = 'Looking. <tool_call>{"name": "search", "arguments": {}}</tool_call>'
    run = a_run()
    model = ScriptedModel([leak, search(), "15."])
    answer = await work(run, model)
    assert answer.text == run.shown() == "15."
    assert not any("<tool_call>" in str(body) for _, body in run.events)
    assert "tool interface" in model.calls[1].messages[-1].text
    run = a_run()
    assert (await work(run, ScriptedModel([leak, leak]))).text == run.shown() == "Looking."


async def test_ids_that_a_server_uses_again_are_made_different() -> None:
    model = ScriptedModel([search("a"), search("b"), "Done."])
    await work(a_run(), model)
    ids = [call.id for message in model.calls[2].messages for call in message.calls]
    answered = [message.call_id for message in model.calls[2].messages if message.role == "tool"]
    assert len(set(ids)) == 2
    assert ids == answered


async def test_a_conversation_that_is_too_long_is_shortened_and_sent_again() -> None:
    async def long(_: Any) -> ToolResult:
        return ToolResult(text="x" * 20_000)

    model = ScriptedModel([search(), ContextTooLong("8k"), "15."])
    answer = await work(a_run(), model, a_tool(run=long))
    assert answer.text == "15."
    short, whole = model.calls[2].messages[-1].text, model.calls[1].messages[-1].text
    assert len(short) < 2_000 < len(whole)
    assert short.endswith(whole[-20:])


async def test_a_tool_that_answers_by_itself_ends_the_loop() -> None:
    async def report(_: Any) -> ToolResult:
        return ToolResult(text="The report.")

    tool = Tool("search", "", a_tool().arguments, report, lambda _: "", return_direct=True)
    run = a_run()
    answer = await work(run, ScriptedModel([search()]), tool)
    assert answer.text == run.shown() == "The report."


async def test_a_resumed_run_asks_and_does_nothing_twice() -> None:
    journal = MemoryJournal()
    done: list[str] = []

    async def once(arguments: Any) -> ToolResult:
        done.append(arguments.query)
        return await echo(arguments)

    first = ScriptedModel([search("a"), search("b"), asyncio.CancelledError()])
    with pytest.raises(asyncio.CancelledError):
        await work(a_run(journal=journal), first, a_tool(run=once))
    second = ScriptedModel(["15."])
    answer = await work(a_run(journal=journal), second, a_tool(run=once))
    assert answer.text == "15."
    assert done == ["a", "b"]
    assert [message.role for message in second.calls[0].messages].count("tool") == 2


async def test_a_stop_in_a_tool_ends_the_loop_at_once_and_leaves_no_task() -> None:
    run = a_run()
    never = asyncio.Event()

    async def slow(_: Any) -> ToolResult:
        run.ctx.stop.set("slack:T1/U1")
        await never.wait()
        raise AssertionError

    with pytest.raises(RunStopped):
        await work(run, ScriptedModel([search()]), a_tool(run=slow))
    assert len(asyncio.all_tasks()) == 1


async def test_a_run_that_dies_at_any_event_goes_on_and_does_no_effect_twice() -> None:
    def by_results(request: ModelRequest) -> Step:
        results = sum(message.role == "tool" for message in request.messages)
        calls = [("search", {"query": "a"}), ("search", {"query": "b"}), ("send", {"query": "c"})]
        rounds = {0: calling(*calls[:2], text="Looking."), 2: calling(calls[2])}
        return rounds.get(results, "All is sent [1].")

    sent: list[str] = []

    async def send(arguments: Any) -> ToolResult:
        sent.append(arguments.query)
        return ToolResult(text="sent")

    tools = [a_tool(), a_tool("send", send, effect="external")]
    whole = a_run()
    await work(whole, ScriptedModel([by_results] * 9), *tools)
    for dies_at in range(len(whole.events)):
        sent.clear()
        run = a_run(journal=MemoryJournal())
        told = count()

        async def emit(
            path: str, body: Body, told: Iterator[int] = told, at: int = dies_at
        ) -> None:
            if next(told) == at:
                raise asyncio.CancelledError

        dying = Run(replace(run.ctx, emit=emit))
        with pytest.raises(asyncio.CancelledError):
            await work(dying, ScriptedModel([by_results] * 9), *tools)
        answer = await work(run, ScriptedModel([by_results] * 9), *tools)
        assert answer.text == run.shown() == "All is sent [1]."
        assert sent == ["c"]


def any_step() -> st.SearchStrategy[Step]:
    """What a bad model may do in one call."""
    half = Delta(calls=(CallDelta(index=0, name="search", arguments='{"q'),))
    replies: list[Step] = [
        "", "Answer [1].", "<tool_call>", "<think>hm", '{"name": "search", "arguments": {}}',
        search(), search("other", text="Let me see"), calling(("nope", {})),
        calling(("search", "null")), calling(("search", '{"query"'), ("fails", {"query": "x"})),
        Reply(finish="content_filter"), Reply(text="cut", finish="length"),
        ModelDown("500"), Breaks(ModelDown("cut"), [Delta(text="Ans")]),
        Breaks(ModelDown("cut"), [half]), ContextTooLong("8k"),
    ]  # fmt: skip
    return st.sampled_from(replies)


@settings(max_examples=120, deadline=None)
@given(st.lists(any_step(), max_size=14), st.integers(1, 5), st.integers(1, 6))
def test_whatever_the_model_does_there_is_one_answer_inside_the_limits(
    steps: list[Step], rounds: int, tool_calls: int
) -> None:
    async def fails(_: Any) -> ToolResult:
        raise ToolFailed("never works")

    run = a_run(limits=Limits(rounds=rounds, tool_calls=tool_calls))
    model = ScriptedModel([*steps, *["The end."] * 20])

    async def all_of_it() -> LoopAnswer | None:
        try:
            return await work(run, model, a_tool(), a_tool("fails", fails))
        except (ModelDown, ContextTooLong):
            return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.model.retry._backoff", lambda _: 0.0)
        answer = asyncio.run(all_of_it())
    assert run.kinds().count("step_started") <= tool_calls
    asked_with_tools = {len(request.messages) for request in model.calls if request.tools}
    assert len(asked_with_tools) <= rounds
    shown = json.dumps([body.model_dump() for _, body in run.events])
    assert "<tool_call>" not in shown and "<think>" not in shown
    if answer is not None:
        assert answer.text.strip()
        assert run.shown() == answer.text
