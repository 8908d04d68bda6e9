"""What a model call may cost: looked at before it is spent, and paid whatever came of it."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from core.context import Limits
from core.errors import LimitReached, ModelDown
from core.events import Usage
from core.model.ask import ask_model
from core.model.protocol import Delta, ModelMessage, ModelRequest, Reply
from core.model.scripted import Breaks, ScriptedModel
from tests.core.runs_of_one import a_run

REQUEST = ModelRequest(messages=(ModelMessage(role="user", text="Hi"),))


class Endless:
    """Writes on for ever."""

    name = "endless"

    def __init__(self, piece: str, pause: float = 0.0) -> None:
        self.piece, self.pause = piece, pause

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        del request
        while True:
            await asyncio.sleep(self.pause)
            yield Delta(text=self.piece)

    async def close(self) -> None: ...


async def no_pause(seconds: float) -> None:
    del seconds


@pytest.mark.parametrize("piece", ["word ", "字"])
async def test_a_model_that_never_ends_writes_no_more_than_the_purse_pays(piece: str) -> None:
    run = a_run(limits=Limits(tokens=2_000))
    said = await ask_model(run.ctx, Endless(piece), REQUEST, key="m")
    assert said.reply.finish == "length"
    used = run.ctx.purse.usage
    assert 1_900 < used.input_tokens + used.output_tokens <= 2_005


async def test_a_call_without_a_time_of_its_own_ends_with_that_of_the_run() -> None:
    run = a_run(limits=Limits(seconds=0.05))
    with pytest.raises(LimitReached) as failed:
        await ask_model(run.ctx, Endless("", 0.001), REQUEST, key="m", seconds=None)
    assert failed.value.detail == "time"
    assert run.ctx.purse.usage.requests == 1


async def test_attempts_that_broke_are_paid_also_when_none_came_through() -> None:
    run = a_run(limits=Limits(requests=10))
    broken = Breaks(ModelDown("cut"), [Delta(text="four char" * 10)])
    with pytest.raises(ModelDown):
        await ask_model(run.ctx, ScriptedModel([broken] * 4), REQUEST, key="m", sleep=no_pause)
    assert run.ctx.purse.usage.requests == 4
    assert run.ctx.purse.usage.output_tokens == 4 * 23


async def test_nothing_is_tried_again_that_cannot_be_paid() -> None:
    run = a_run(limits=Limits(requests=2))
    model = ScriptedModel([ModelDown("503")] * 4)
    with pytest.raises(LimitReached):
        await ask_model(run.ctx, model, REQUEST, key="m", sleep=no_pause)
    assert len(model.calls) == 2
    assert run.ctx.purse.short_of(requests=1) == "requests"


async def test_calls_side_by_side_cannot_spend_the_same_request() -> None:
    run = a_run(limits=Limits(requests=2))
    model = ScriptedModel(["one", "two", "three", "four"])
    asked = [ask_model(run.ctx, model, REQUEST, key=f"m:{number}") for number in range(4)]
    ends = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(end, LimitReached) for end in ends].count(True) == 2
    assert len(model.calls) == run.ctx.purse.usage.requests == 2


async def test_a_server_that_tells_less_than_nothing_fills_no_purse() -> None:
    run = a_run()
    usage = Usage(input_tokens=5, output_tokens=-1_000_000, usd=-1.0)
    await ask_model(run.ctx, ScriptedModel([Reply(text="Hi", usage=usage)]), REQUEST, key="m")
    used = run.ctx.purse.usage
    assert (used.input_tokens, used.output_tokens, used.usd) == (5, 0, 0.0)
