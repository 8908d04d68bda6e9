"""Trying again: what is repeated, what is not, how long it waits, what people see meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from core.context import Limits
from core.errors import LimitReached, ModelDown, ModelRefused, RunStopped
from core.events import TextDelta
from core.journal import MemoryJournal
from core.model.ask import Said, ask_model
from core.model.protocol import CallDelta, Delta, ModelMessage, ModelRequest, Reply
from core.model.scripted import Breaks, ScriptedModel, Step, calling
from core.texts import told
from tests.core.runs_of_one import Run, a_run

REQUEST = ModelRequest(messages=(ModelMessage(role="user", text="Hi"),))
PARTIAL = [Delta(text="The leave is "), Delta(text="15 ")]


async def ask(
    run: Run, steps: Sequence[Step], pauses: list[float] | None = None
) -> tuple[Said, ScriptedModel]:
    model = ScriptedModel(steps)

    async def sleep(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    said = await ask_model(
        run.ctx, model, REQUEST, key="m", path="p", tools=["search"], sleep=sleep
    )
    model.assert_complete()
    assert model.closed == len(model.calls)
    return said, model


async def test_an_answer_is_shown_while_it_is_written() -> None:
    run = a_run()
    said, _ = await ask(run, [[Delta(text="Fif"), Delta(text="teen."), Delta(finish="stop")]])
    assert said.text == "Fifteen."
    assert run.events == [("p", TextDelta(text="Fif")), ("p", TextDelta(text="teen."))]


async def test_a_broken_stream_takes_its_text_back_and_is_tried_again() -> None:
    run = a_run()
    said, _ = await ask(run, [Breaks(ModelDown("cut"), PARTIAL), "15 days."])
    assert said.text == "15 days."
    assert run.shown() == "15 days."
    assert run.kinds() == [
        *("text_delta", "text_delta", "text_taken_back", "will_retry", "text_delta")
    ]


async def test_a_stream_that_broke_twice_is_called_whole() -> None:
    run = a_run()
    broken = Breaks(ModelDown("cut"), PARTIAL)
    _, model = await ask(run, [broken, broken, "15 days."])
    assert [call.stream for call in model.calls] == [True, True, False]
    assert run.shown() == "15 days."


async def test_a_call_that_never_began_stays_a_stream() -> None:
    _, model = await ask(a_run(), [ModelDown("500"), ModelDown("500"), ModelDown("500"), "Hi."])
    assert [call.stream for call in model.calls] == [True, True, True, True]


async def test_a_rate_limit_is_waited_out_as_long_as_the_provider_says() -> None:
    pauses: list[float] = []
    await ask(a_run(), [ModelDown("429", retry_after=7.0), "Hi."], pauses)
    assert pauses == [7.0]


async def test_a_pause_that_no_person_would_wait_for_is_a_failure_at_once() -> None:
    with pytest.raises(ModelDown):
        await ask(a_run(), [ModelDown("429", retry_after=3600.0)])


async def test_backoff_grows_and_ends() -> None:
    pauses: list[float] = []
    with pytest.raises(ModelDown):
        await ask(a_run(), [ModelDown("500")] * 4, pauses)
    assert len(pauses) == 3
    assert all(0.2 <= pause <= 8 for pause in pauses)


async def test_a_wrong_key_is_not_tried_again() -> None:
    with pytest.raises(ModelRefused):
        await ask(a_run(), [ModelRefused("401")])


async def test_an_empty_answer_is_asked_for_once_more() -> None:
    said, model = await ask(a_run(), ["", "Here."])
    assert said.text == "Here."
    assert [call.stream for call in model.calls] == [True, False]
    said, _ = await ask(a_run(), ["", ""])
    assert said.text == ""


async def test_an_answer_at_the_length_limit_says_that_it_is_cut() -> None:
    run = a_run()
    said, _ = await ask(run, [Reply(text="The leave is fif", finish="length")])
    assert said.text == run.shown()
    assert said.text.startswith("The leave is fif\n\n(The answer reached")


async def test_a_model_that_repeats_itself_without_end_is_cut() -> None:
    class Endless(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            try:
                while True:
                    yield Delta(text="and on " * 1_000)
            finally:
                self.closed += 1

    model = Endless([])
    said = await ask_model(a_run().ctx, model, REQUEST, key="m")
    assert said.reply.finish == "length"
    assert len(said.text) < 410_000
    assert model.closed == 1


async def test_usage_counts_every_try() -> None:
    said, _ = await ask(a_run(), [ModelDown("500"), "Hi."])
    assert said.reply.usage.requests == 2


async def test_a_kept_answer_is_shown_without_asking() -> None:
    journal = MemoryJournal()
    await ask(a_run(journal=journal), ["Fifteen."])
    again = a_run(journal=journal)
    said, _ = await ask(again, [])
    assert said.text == "Fifteen."
    assert again.shown() == "Fifteen."


async def test_a_leaked_call_is_never_on_screen() -> None:
    run = a_run()
    reply = Reply(text='I look. <tool_call>{"name": "search"}</tool_call>')
    said, _ = await ask(run, [reply])
    assert (said.text, said.leaked) == ("I look.", True)
    assert not any("tool_call" in str(body) for _, body in run.events)


async def test_thoughts_without_an_opening_mark_are_taken_back() -> None:
    run = a_run()
    said, _ = await ask(run, ["The user wants a number.</think>\n\nFifteen."])
    assert said.text == run.shown() == "Fifteen."


async def test_a_stop_closes_the_stream_at_once() -> None:
    run = a_run()
    never = asyncio.Event()

    class Slow(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            try:
                yield Delta(text="The ")
                run.ctx.stop.set("slack:T1/U1")
                await never.wait()
            finally:
                self.closed += 1

    model = Slow([])
    with pytest.raises(RunStopped):
        await ask_model(run.ctx, model, REQUEST, key="m")
    assert model.closed == 1
    assert isinstance(run.ctx.journal, MemoryJournal)
    assert run.ctx.journal.rows == {}
    assert len(asyncio.all_tasks()) == 1


async def test_a_model_that_takes_too_long_is_cut_and_its_text_taken_back() -> None:
    run = a_run(limits=Limits())
    never = asyncio.Event()

    class Silent(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            yield Delta(text="The ")
            await never.wait()

    with pytest.raises(LimitReached) as caught:
        await ask_model(run.ctx, Silent([]), REQUEST, key="m", seconds=0.05)
    # What a person reads holds no English word in a Chinese sentence.
    assert told(caught.value, "zh") == "这次的时间用完了。"
    assert run.shown() == ""


async def test_calls_arrive_whole() -> None:
    wanted = calling(("search", {"query": "请假"}))
    pieces = [
        Delta(calls=(CallDelta(index=0, id="call_1", name="search", arguments='{"query"'),)),
        Delta(calls=(CallDelta(index=0, arguments=': "请假"}'),)),
        Delta(finish="tool_calls"),
    ]
    said, _ = await ask(a_run(), [pieces])
    assert said.reply.calls == wanted.calls


async def test_a_history_with_loose_ends_is_repaired_before_it_is_sent() -> None:
    call = calling(("search", '{"query": "cut')).calls
    model = ScriptedModel(["Hi."])
    messages = (
        ModelMessage(role="tool", call_id="orphan", text="x"),
        ModelMessage(role="user", text="Hi"),
        ModelMessage(role="assistant", calls=call),
    )
    await ask_model(a_run().ctx, model, ModelRequest(messages=messages), key="m")
    sent = model.calls[0].messages
    assert [message.role for message in sent] == ["user", "assistant", "tool"]
    assert sent[1].calls[0].arguments == "{}"
    assert sent[2].call_id == call[0].id
