"""A list of models: the last good one first, the others when it fails, none after a stop."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from core.context import Limits
from core.errors import ContextTooLong, LimitReached, ModelDown, ModelRefused, RunStopped
from core.events import TextDelta, Usage, WillRetry
from core.journal import MemoryJournal
from core.model.ask import Said, ask_model
from core.model.failover import Failover
from core.model.history import without_oldest
from core.model.protocol import Delta, Model, ModelMessage, ModelRequest, Reply
from core.model.scripted import Breaks, ScriptedModel, Step
from core.texts import told
from tests.core.runs_of_one import Run, a_run

REQUEST = ModelRequest(messages=(ModelMessage(role="user", text="Hi"),))


def two(first: Sequence[Step], second: Sequence[Step]) -> tuple[ScriptedModel, ScriptedModel]:
    return ScriptedModel(first, "one"), ScriptedModel(second, "two")


async def ask(run: Run, model: Model, key: str = "m", pauses: list[float] | None = None) -> Said:
    async def sleep(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    return await ask_model(run.ctx, model, REQUEST, key=key, sleep=sleep)


@pytest.mark.parametrize("error", [ModelDown("500"), ModelRefused("401"), ModelDown("429")])
async def test_the_next_model_answers_at_once_when_one_fails(error: Exception) -> None:
    one, two_ = two([error], ["From two."])
    run, pauses = a_run(), list[float]()
    said = await ask(run, Failover([one, two_]), pauses=pauses)
    assert said.text == "From two."
    assert pauses == [0.0]
    (retry,) = [body for _, body in run.events if isinstance(body, WillRetry)]
    assert (retry.model, retry.reason, retry.wait_s) == ("two", str(error), 0.0)


async def test_what_one_model_began_is_taken_back_before_the_next_speaks() -> None:
    one, two_ = two([Breaks(ModelDown("cut"), [Delta(text="The ")])], ["From two."])
    run = a_run()
    await ask(run, Failover([one, two_]))
    assert run.kinds() == ["text_delta", "text_taken_back", "will_retry", "text_delta"]
    assert run.shown() == "From two."


async def test_the_last_good_model_is_asked_first() -> None:
    one, two_ = two([ModelDown("500"), "One again."], ["From two.", "Two again.", ModelDown("500")])
    model, run = Failover([one, two_]), a_run()
    texts = [(await ask(run, model, key=f"m{n}")).text for n in range(3)]
    assert texts == ["From two.", "Two again.", "One again."]
    assert model.name == "one"


async def test_when_all_fail_the_last_one_is_tried_as_long_as_one_alone() -> None:
    one, two_ = two([ModelDown("500")], [ModelDown("503")] * 4)
    with pytest.raises(ModelDown, match="503"):
        await ask(a_run(), Failover([one, two_]))
    assert (len(one.calls), len(two_.calls)) == (1, 4)


async def test_a_refusal_of_the_last_model_ends_it() -> None:
    one, two_ = two([ModelDown("500")], [ModelRefused("401")])
    with pytest.raises(ModelRefused):
        await ask(a_run(), Failover([one, two_]))


async def test_a_request_that_is_too_long_is_no_matter_of_the_model() -> None:
    one, two_ = two([ContextTooLong("long")], [])
    with pytest.raises(ContextTooLong):
        await ask(a_run(), Failover([one, two_]))
    assert two_.calls == []


async def test_after_a_stop_no_other_model_is_asked() -> None:
    run = a_run()

    class Stopped(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            yield Delta(text="The ")
            run.ctx.stop.set("slack:T1/U1")
            await asyncio.Event().wait()

    other = ScriptedModel([], "two")
    with pytest.raises(RunStopped):
        await ask(run, Failover([Stopped([], "one"), other]))
    assert other.calls == []
    assert len(asyncio.all_tasks()) == 1


async def test_the_purse_is_looked_at_before_and_pays_after() -> None:
    usage = Usage(requests=1, input_tokens=10, output_tokens=5, usd=0.25)
    run = a_run(limits=Limits(requests=2, usd=1.0))
    model = ScriptedModel([Reply(text="a", usage=usage), Reply(text="b", usage=usage)])
    await ask(run, model, key="m1")
    assert run.ctx.purse.usage == usage
    await ask(run, model, key="m2")
    assert run.ctx.purse.usage.usd == 0.5
    with pytest.raises(LimitReached) as caught:
        await ask(run, model, key="m3")
    assert caught.value.detail == "requests"
    assert told(caught.value, "zh") == "这次任务的模型调用次数用完了。"
    model.assert_complete()


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(tokens=1), "tokens"), (Limits(usd=0.1), "money"), (Limits(seconds=0.0), "time")],
)
async def test_a_run_that_cannot_pay_asks_no_model(limits: Limits, name: str) -> None:
    run = a_run(limits=limits)
    run.ctx.purse.spend(Usage(usd=0.2))
    with pytest.raises(LimitReached) as caught:
        await ask(run, ScriptedModel([]))
    assert caught.value.detail == name


async def test_a_kept_reply_is_paid_again_and_is_never_too_dear() -> None:
    journal = MemoryJournal()
    first = a_run(journal=journal)
    await ask(first, ScriptedModel(["Fifteen."]))
    assert first.ctx.purse.usage.input_tokens > 0
    again = a_run(journal=journal, limits=Limits(requests=0))
    assert (await ask(again, ScriptedModel([]))).text == "Fifteen."
    assert again.ctx.purse.usage == first.ctx.purse.usage


async def test_what_is_not_to_be_shown_is_not_shown() -> None:
    run = a_run()
    said = await ask_model(run.ctx, ScriptedModel(["{}"]), REQUEST, key="m", show=False)
    assert said.text == "{}"
    assert not any(isinstance(body, TextDelta) for _, body in run.events)


def turns(count: int) -> tuple[ModelMessage, ...]:
    pairs = [
        (ModelMessage(role="user", text=f"Q{n}"), ModelMessage(role="assistant", text=f"A{n}"))
        for n in range(count)
    ]
    return (ModelMessage(role="system", text="S"), *(each for pair in pairs for each in pair))


async def test_a_conversation_that_is_too_long_loses_its_oldest_turns_once() -> None:
    model = ScriptedModel([ContextTooLong("long"), "Short."])
    messages = (*turns(3), ModelMessage(role="user", text="Q3"))
    said = await ask_model(a_run().ctx, model, ModelRequest(messages=messages), key="m")
    assert said.text == "Short."
    assert [message.text for message in model.calls[1].messages] == ["S", "Q2", "A2", "Q3"]


def test_only_whole_turns_are_left_out_and_never_the_last() -> None:
    assert without_oldest(turns(1)) == turns(1)
    assert [message.text for message in without_oldest(turns(2))] == ["S", "Q1", "A1"]
