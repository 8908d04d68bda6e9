"""One model call of a run: a step of the journal, paid from its purse, shown as it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial

from core.context import RunContext
from core.errors import ContextTooLong, LimitReached, ModelError
from core.events import TextDelta, TextTakenBack, Usage, WillRetry
from core.model.calls import Assembler
from core.model.history import repaired, without_oldest
from core.model.protocol import Model, ModelRequest, Reply
from core.model.retry import Listener, Sleep, answer_of
from core.model.screen import Screen, visible
from core.model.tokens import tokens_of, tokens_of_messages
from core.texts import say


@dataclass(frozen=True)
class Said:
    """What a model said in one call."""

    reply: Reply
    """As it came; what a history needs."""
    text: str
    """What of it people may see."""
    leaked: bool
    """True if a tool call was written as text."""


async def ask_model(
    ctx: RunContext,
    model: Model,
    request: ModelRequest,
    *,
    key: str,
    path: str = "",
    tools: Collection[str] = (),
    seconds: float | None = None,
    show: bool = True,
    sleep: Sleep = asyncio.sleep,
) -> Said:
    """Ask once, with retries, as journal step `key`; text goes out as TextDelta events of `path`.

    `tools` are the names by which a call without any mark is recognised and hidden; with
    `show=False` nothing of the text goes out. The purse is looked at before and pays after, also
    for a kept reply, which is shown at once. Raises ModelError, RunStopped, and LimitReached with
    the name of the limit, `time` after `seconds`.
    """
    ctx.stop.check("model")
    stage = _Stage(ctx, path, tools, show)
    messages = repaired(request.messages)
    language = ctx.request.language
    request = request.model_copy(update={"messages": messages, "language": language})

    async def work() -> Reply:
        check_purse(ctx, request)
        left = ctx.purse.seconds_left
        try:
            with ctx.purse.hold(Usage(requests=1, input_tokens=estimate(request))):
                async with asyncio.timeout(left if seconds is None else min(seconds, left)):
                    answering = _answer(model, request, stage.listener(request), sleep)
                    said = await ctx.stop.during(answering, "model")
        except TimeoutError as error:
            await stage.take_back("timeout")
            ctx.purse.spend(stage.gone.plus(Usage(requests=1)))
            raise LimitReached("time", key="error.time_up") from error
        except (ModelError, LimitReached):
            ctx.purse.spend(stage.gone)
            raise
        # Kept with the reply: a run that is resumed must come to the same sum. The requests of
        # failed attempts are in the reply's own.
        usage = paid(request, said).plus(stage.gone.model_copy(update={"requests": 0}))
        return said.model_copy(update={"usage": usage})

    reply = await ctx.journal.step(key, Reply, work)
    ctx.purse.spend(reply.usage)
    text, leaked = visible(reply.text, tools)
    if text and reply.finish == "length" and not reply.calls:
        text = f"{text}\n\n{say('model.cut', language)}"
    await stage.settle(text)
    return Said(reply, text, leaked)


def check_purse(ctx: RunContext, request: ModelRequest) -> None:
    """LimitReached if the run cannot pay for one more request of this size."""
    short = ctx.purse.short_of(requests=1, tokens=estimate(request))
    if short:
        raise LimitReached(short, key=f"model.limit.{short}")


def estimate(request: ModelRequest) -> int:
    """Tokens that go in, near enough for a budget."""
    cards = "".join(f"{tool.description}{tool.parameters}" for tool in request.tools)
    return tokens_of(cards) + tokens_of_messages(request.messages)


def paid(request: ModelRequest, reply: Reply) -> Usage:
    """What a reply cost; an estimate where the provider told nothing, so that limits hold."""
    usage = reply.usage
    if usage.input_tokens > 0 or usage.output_tokens > 0:
        # Whoever tells less than nothing would fill the purse.
        told = {name: max(0, value) for name, value in usage.model_dump().items()}
        return Usage.model_validate(told | {"requests": max(1, usage.requests)})
    written = tokens_of(reply.text) + sum(tokens_of(call.arguments) for call in reply.calls)
    return usage.model_copy(
        update={
            "requests": max(1, usage.requests),
            "input_tokens": estimate(request),
            "output_tokens": written,
        }
    )


async def _answer(model: Model, request: ModelRequest, listener: Listener, sleep: Sleep) -> Reply:
    """The answer; if the request is too long, once more without the oldest turns."""
    try:
        return await answer_of(model, request, listener, sleep)
    except ContextTooLong:
        shorter = without_oldest(request.messages)
        if shorter == request.messages:
            raise
        request = request.model_copy(update={"messages": shorter})
        return await answer_of(model, request, listener, sleep)


@dataclass
class _Stage:
    """The text that people see of this call."""

    ctx: RunContext
    path: str
    tools: Collection[str]
    show: bool
    shown: str = ""
    blanks: str = ""
    """Held back: they are only part of the text if more of it follows."""
    gone: Usage = Usage()
    """What attempts cost that came to nothing; providers bill those that broke on the way."""
    screen: Screen = field(init=False)

    def __post_init__(self) -> None:
        self.screen = Screen(self.tools)

    def listener(self, request: ModelRequest) -> Listener:
        """Hears the answer to `request`, as long as the purse can pay for it."""
        room = max(0, self.ctx.purse.tokens_left)
        return Listener(self.tell, partial(self.lost, request), self.will_retry, room)

    async def lost(self, request: ModelRequest, said: Assembler) -> None:
        cost = paid(request, said.reply()) if said.size else Usage(requests=1)
        self.gone = self.gone.plus(cost.model_copy(update={"requests": 1}))
        await self.take_back("retry")

    async def will_retry(self, model: str, reason: str, wait_s: float) -> None:
        tokens = self.gone.input_tokens + self.gone.output_tokens
        if short := self.ctx.purse.short_of(requests=self.gone.requests, tokens=tokens):
            raise LimitReached(short, key=f"model.limit.{short}")
        await self.ctx.emit(self.path, WillRetry(model=model, reason=reason, wait_s=wait_s))

    async def tell(self, text: str) -> None:
        await self._show(self.screen.feed(text))

    async def take_back(self, reason: str) -> None:
        if self.shown:
            await self.ctx.emit(self.path, TextTakenBack(reason=reason))
        self.shown = self.blanks = ""
        self.screen = Screen(self.tools)

    async def settle(self, text: str) -> None:
        """Make the screen show `text`: what was held back follows, what should not be goes."""
        self.blanks = ""
        if not text.startswith(self.shown):
            await self.take_back("screened")
        await self._show(text[len(self.shown) :])

    async def _show(self, text: str) -> None:
        if not self.show:
            return
        text = self.blanks + text if self.shown else text.lstrip()
        self.blanks = text[len(text.rstrip()) :]
        text = text.rstrip()
        if text:
            self.shown += text
            await self.ctx.emit(self.path, TextDelta(text=text))
