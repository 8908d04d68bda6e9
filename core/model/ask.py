"""One model call of a run: a step of the journal, paid from its purse, shown as it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from core.context import RunContext
from core.errors import ContextTooLong, LimitReached
from core.events import TextDelta, TextTakenBack, Usage, WillRetry
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
    if await ctx.journal.kept(key, Reply) is None:
        check_purse(ctx, request)

    async def work() -> Reply:
        try:
            async with asyncio.timeout(seconds):
                said = await ctx.stop.during(
                    _answer(model, request, stage.listener, sleep), "model"
                )
                # Kept with the reply: a run that is resumed must come to the same sum.
                return said.model_copy(update={"usage": paid(request, said)})
        except TimeoutError as error:
            await stage.take_back("timeout")
            raise LimitReached("time", key="error.time_up") from error

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
    if usage.input_tokens or usage.output_tokens:
        return usage.model_copy(update={"requests": max(1, usage.requests)})
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
    screen: Screen = field(init=False)

    def __post_init__(self) -> None:
        self.screen = Screen(self.tools)

    @property
    def listener(self) -> Listener:
        return Listener(self.tell, self.take_back, self.will_retry)

    async def will_retry(self, model: str, reason: str, wait_s: float) -> None:
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
