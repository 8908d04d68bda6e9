"""Trying again: rate limits, 5xx, broken and empty answers; and the next model of a list.

A stream that broke twice is called whole: some proxies cut every long stream at the same second.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
from tenacity.wait import wait_random_exponential

from core.errors import ModelDown, ModelError, ModelRefused, ModelSilent
from core.model.calls import Assembler
from core.model.failover import Turn
from core.model.protocol import Model, ModelRequest, Reply

ATTEMPTS = 4
"""Of one model; the last of a list has them all, the others one each."""
PATIENCE_S = 20.0
"""A provider that asks for a longer pause is down, as far as a person who waits is concerned."""
BREAKS_BEFORE_WHOLE = 2

Sleep = Callable[[float], Awaitable[None]]
_backoff = wait_random_exponential(multiplier=0.5, min=0.2, max=8)


@dataclass
class Listener:
    """Hears an answer while it is written."""

    tell: Callable[[str], Awaitable[None]]
    """A piece of text came."""
    lost: Callable[[Assembler], Awaitable[None]]
    """An attempt failed; all that it said is void."""
    will_retry: Callable[[str, str, float], Awaitable[None]]
    """A model is asked again, or the next one is: its name, the reason, seconds until then."""
    most: float = math.inf
    """Tokens of an answer that are paid for; it is cut there."""


async def answer_of(
    model: Model, request: ModelRequest, listener: Listener, sleep: Sleep = asyncio.sleep
) -> Reply:
    """The whole reply, told to `listener` piece by piece, tried again while that has a point.

    Raises ModelDown when all attempts failed; other ModelErrors at once, unless another model is
    there. An empty reply is asked for once more, whole, and then returned as it is.
    """
    answer = _Answer(Turn(model), request, listener)
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(_Again),
        stop=answer.hopeless,
        wait=answer.pause,
        before_sleep=answer.told,
        sleep=sleep,
        reraise=True,
    )
    try:
        return await retrying(answer.attempt)
    except _Again as again:
        raise again.error from again.error.__cause__


class _Again(Exception):
    """An attempt failed and another one may be made."""

    def __init__(self, error: ModelError, *, moved: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.moved = moved
        """True if the next attempt asks another model."""


@dataclass
class _Answer:
    """One answer on its way, with what its attempts have taught."""

    turn: Turn
    request: ModelRequest
    listener: Listener
    tries: int = 0
    here: int = 0
    """Attempts of the current model."""
    breaks: int = 0
    said: Assembler = field(default_factory=Assembler)

    async def attempt(self) -> Reply:
        """Ask once. Raises _Again, or the ModelError that ends it."""
        self.tries += 1
        self.here += 1
        self.said = Assembler()
        streamed = self.request.stream and self.breaks < BREAKS_BEFORE_WHOLE
        request = self.request.model_copy(update={"stream": streamed})
        try:
            await _listen(self.turn.current, request, self.said, self.listener)
            if _empty(self.said) and self.tries == 1:
                # A login page reads as an empty stream; called whole, it tells itself.
                raise ModelSilent()
        except (ModelDown, ModelRefused) as error:
            await self._failed(error)
        self.turn.answered()
        reply = self.said.reply()
        usage = reply.usage.model_copy(update={"requests": self.tries})
        return reply.model_copy(update={"usage": usage})

    async def _failed(self, error: ModelError) -> None:
        if isinstance(error, ModelSilent):
            self.breaks = BREAKS_BEFORE_WHOLE
        # An answer that began and broke; one that never began says nothing about streams.
        self.breaks += bool(self.said.text or self.said.reply().calls)
        await self.listener.lost(self.said)
        moved = self.turn.after(error) is not None
        if moved:
            self.here = self.breaks = 0
        elif not isinstance(error, ModelDown):
            raise error
        raise _Again(error, moved=moved) from error

    def hopeless(self, state: RetryCallState) -> bool:
        """True if no further attempt is made."""
        again = _again(state)
        asked = _asked_pause(again)
        return not again.moved and (
            self.here >= ATTEMPTS or (asked is not None and asked > PATIENCE_S)
        )

    def pause(self, state: RetryCallState) -> float:
        """Seconds until the next attempt."""
        again = _again(state)
        if again.moved:
            return 0.0
        asked = _asked_pause(again)
        return _backoff(state) if asked is None else asked

    async def told(self, state: RetryCallState) -> None:
        """Tell that it is tried again."""
        wait = state.next_action.sleep if state.next_action else 0.0
        reason = _again(state).error.detail
        await self.listener.will_retry(self.turn.current.name, reason, wait)


async def _listen(model: Model, request: ModelRequest, said: Assembler, listener: Listener) -> None:
    async with aclosing(model.stream(request)) as deltas:
        async for delta in deltas:
            text = said.add(delta)
            if text:
                await listener.tell(text)
            if said.endless or said.tokens > listener.most:
                said.finish = "length"
                return


def _empty(said: Assembler) -> bool:
    return not said.text.strip() and not said.reply().calls


def _again(state: RetryCallState) -> _Again:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, _Again), "only _Again is tried again"
    return error


def _asked_pause(again: _Again) -> float | None:
    return again.error.retry_after if isinstance(again.error, ModelDown) else None
