"""Trying again: rate limits, 5xx, broken and empty answers.

A stream that broke twice is called whole: some proxies cut every long stream at the same second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_random_exponential

from core.errors import ModelDown, ModelSilent
from core.model.calls import Assembler
from core.model.protocol import Model, ModelRequest, Reply

ATTEMPTS = 4
PATIENCE_S = 20.0
"""A provider that asks for a longer pause is down, as far as a person who waits is concerned."""
BREAKS_BEFORE_WHOLE = 2
REPLY_CHARACTERS = 400_000
"""A model that repeats itself without end is cut here: the reply goes into journal and memory."""

Sleep = Callable[[float], Awaitable[None]]
_backoff = wait_random_exponential(multiplier=0.5, min=0.2, max=8)


@dataclass
class Listener:
    """Hears an answer while it is written."""

    tell: Callable[[str], Awaitable[None]]
    """A piece of text came."""
    take_back: Callable[[str], Awaitable[None]]
    """All text so far is void; the reason."""


async def answer_of(
    model: Model, request: ModelRequest, listener: Listener, sleep: Sleep = asyncio.sleep
) -> Reply:
    """The whole reply, told to `listener` piece by piece, tried again while that has a point.

    Raises ModelDown when all attempts failed; other ModelErrors at once. An empty reply is asked
    for once more, whole, and then returned as it is.
    """
    breaks = 0
    tries = 0
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(ModelDown),
        stop=_hopeless,
        wait=_pause,
        sleep=sleep,
        reraise=True,
    )
    async for attempt in retrying:
        with attempt:
            tries += 1
            streamed = request.stream and breaks < BREAKS_BEFORE_WHOLE
            said = Assembler()
            try:
                await _listen(
                    model, request.model_copy(update={"stream": streamed}), said, listener
                )
                if _empty(said) and tries == 1:
                    # A login page reads as an empty stream; called whole, it tells itself.
                    breaks = BREAKS_BEFORE_WHOLE
                    raise ModelSilent()
            except ModelDown:
                # An answer that began and broke; one that never began says nothing about streams.
                breaks += bool(said.text or said.reply().calls)
                await listener.take_back("retry")
                raise
            reply = said.reply()
            usage = reply.usage.model_copy(update={"requests": tries})
            return reply.model_copy(update={"usage": usage})
    raise AssertionError("tenacity ends by a return or an error")


async def _listen(model: Model, request: ModelRequest, said: Assembler, listener: Listener) -> None:
    async with aclosing(model.stream(request)) as deltas:
        async for delta in deltas:
            said.add(delta)
            if delta.text:
                await listener.tell(delta.text)
            if said.size > REPLY_CHARACTERS:
                said.finish = "length"
                return


def _empty(said: Assembler) -> bool:
    return not said.text.strip() and not said.reply().calls


def _pause(state: RetryCallState) -> float:
    asked = _asked_pause(state)
    return _backoff(state) if asked is None else asked


def _hopeless(state: RetryCallState) -> bool:
    asked = _asked_pause(state)
    return stop_after_attempt(ATTEMPTS)(state) or (asked is not None and asked > PATIENCE_S)


def _asked_pause(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after if isinstance(error, ModelDown) else None
