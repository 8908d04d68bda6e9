"""One model call of a run: a step of the journal, shown while it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from core.context import RunContext
from core.errors import LimitReached
from core.events import TextDelta, TextTakenBack
from core.model.history import repaired
from core.model.protocol import Model, ModelRequest, Reply
from core.model.retry import Listener, Sleep, answer_of
from core.model.screen import Screen, visible
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
    sleep: Sleep = asyncio.sleep,
) -> Said:
    """Ask once, with retries, as journal step `key`; text goes out as TextDelta events of `path`.

    `tools` are the names by which a call without any mark is recognised and hidden. Raises
    ModelError, RunStopped, and LimitReached after `seconds`. A kept reply is shown at once.
    """
    ctx.stop.check()
    stage = _Stage(ctx, path, tools)
    request = request.model_copy(update={"messages": repaired(request.messages)})

    async def work() -> Reply:
        try:
            async with asyncio.timeout(seconds):
                listener = Listener(stage.tell, stage.take_back)
                return await ctx.stop.during(answer_of(model, request, listener, sleep))
        except TimeoutError as error:
            await stage.take_back("timeout")
            raise LimitReached("time", key="error.time_up") from error

    reply = await ctx.journal.step(key, Reply, work)
    text, leaked = visible(reply.text, tools)
    if text and reply.finish == "length" and not reply.calls:
        text = f"{text}\n\n{say('model.cut', ctx.request.language)}"
    await stage.settle(text)
    return Said(reply, text, leaked)


@dataclass
class _Stage:
    """The text that people see of this call."""

    ctx: RunContext
    path: str
    tools: Collection[str]
    shown: str = ""
    blanks: str = ""
    """Held back: they are only part of the text if more of it follows."""
    screen: Screen = field(init=False)

    def __post_init__(self) -> None:
        self.screen = Screen(self.tools)

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
        text = self.blanks + text if self.shown else text.lstrip()
        self.blanks = text[len(text.rstrip()) :]
        text = text.rstrip()
        if text:
            self.shown += text
            await self.ctx.emit(self.path, TextDelta(text=text))
