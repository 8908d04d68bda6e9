"""The loop: the model calls tools and sees their results until it answers.

It always ends in an answer. Limits are looked at before they are spent; the last round carries no
tools and says so; when the model has no words left, code says what was done and what is missing.
What the model is given is asked of the hand before each call, so that tools may come and go.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.context import RunContext
from core.errors import ContextTooLong, LimitReached, ModelDown
from core.events import TextDelta, TextTakenBack, Thought, Usage
from core.messages import Frozen
from core.model.ask import Said, ask_model, estimate, paid
from core.model.protocol import Model, ModelMessage, ModelRequest, ToolCall, ToolSchema
from core.modes.unfinished import unfinished
from core.prompt import fence, new_nonce, with_data_section, without_tools
from core.tools.execute import Outcome, run_calls
from core.tools.hand import Hand, Held
from core.tools.tool import Tool

EQUAL_CALLS = 3
"""Equal calls with equal results after which tools end."""
LAST_ROUND_S = 60.0
"""Kept for the last round, so that there is time to say what was found; at most half of all."""
LIMITS = ("requests", "tool_calls", "tokens", "money", "time")
SHORT_RESULT = 1_500
"""Characters that a result keeps when the conversation was too long for the model."""
NUDGE = (
    "Your last message was empty or held a tool call written as text. Call tools only through the"
    " tool interface, or answer in plain words now."
)


class LoopAnswer(Frozen):
    text: str
    """Markdown with marks."""
    usage: Usage
    stopped_by_limit: bool = False
    by_code: bool = False
    """True when the model had no words and code wrote the answer."""


async def run(
    ctx: RunContext,
    model: Model,
    hand: Hand,
    messages: Sequence[ModelMessage],
    *,
    path: str = "loop",
    rounds: int | None = None,
    nonce: str = "",
) -> LoopAnswer:
    """Work until there is an answer.

    `messages` end with the question; `rounds` narrows the run's own limit; `nonce` is that of
    texts which are fenced already. Journal steps are `{path}:{n}:model` and
    `{path}:{n}:call:{m}`. Raises RunStopped, NeedsPerson, and ModelError when the caller has a
    better answer than a report of the steps: nothing was done yet, or passages were found that
    can be quoted.
    """
    most = min(rounds or ctx.limits.rounds, ctx.limits.rounds)
    nonce = nonce or new_nonce()
    return await _Loop(ctx, model, hand, list(messages), path, most, nonce).run()


@dataclass
class _Loop:
    ctx: RunContext
    model: Model
    hand: Hand
    messages: list[ModelMessage]
    path: str
    rounds: int
    nonce: str
    usage: Usage = Usage()
    """Of this loop alone; the limits are the purse's, which the whole run shares."""
    deeds: list[Outcome] = field(default_factory=list[Outcome])
    limit: str = ""
    """Why the next round is the last one; empty while it is not."""
    nudged: bool = False
    equal: Counter[str] = field(default_factory=Counter[str])
    ids: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    """Of every tool that was held: in the last round a call written as text is known by them."""

    async def run(self) -> LoopAnswer:
        """Rounds until one of them ends in an answer."""
        number = 0
        while True:
            number += 1
            held = await self.hand.hold(bool(self.limit))
            if not self.limit and (ahead := self._limit_ahead(number, held)):
                self.limit, held = ahead, await self.hand.hold(True)
            if self.limit and self._short_of(held):
                return await self._by_code()
            answer = await self._round(number, held)
            if answer is not None:
                return answer

    async def _round(self, number: int, held: Held) -> LoopAnswer | None:
        try:
            said = await self._ask(number, held)
        except LimitReached as error:
            if self.limit:
                return await self._by_code()
            self.limit = error.detail if error.detail in LIMITS else "time"
            return None
        except (ModelDown, ContextTooLong) as error:
            quotable = any(deed.result and deed.result.sources for deed in self.deeds)
            if not self.deeds or (quotable and not self.limit):
                raise
            self.limit = self.limit or ("model" if isinstance(error, ModelDown) else "tokens")
            return await self._by_code()
        # In the last round there were no tools to call: calls that come anyway are not looked at.
        calls = () if self.limit else self._distinct(said.reply.calls, number)
        if calls:
            return await self._call(number, said, calls, held)
        return await self._answer(number, said)

    async def _answer(self, number: int, said: Said) -> LoopAnswer | None:
        """The reply as an answer; None if the model gets one more chance to write one."""
        if said.text and (not said.leaked or self.limit or self.nudged):
            return self._ended(said.text)
        if self.limit or self.nudged:
            self.limit = self.limit or "empty"
            return await self._by_code()
        self.nudged = True
        await self._as_thought(number, said.text)
        self.messages.append(ModelMessage(role="assistant", text=said.text or "…"))
        self.messages.append(ModelMessage(role="user", text=NUDGE))
        return None

    async def _call(
        self, number: int, said: Said, calls: tuple[ToolCall, ...], held: Held
    ) -> LoopAnswer | None:
        """Run the calls of a round and put them, with their results, into the conversation."""
        await self._as_thought(number, said.text)
        self.messages.append(ModelMessage(role="assistant", text=said.text, calls=calls))
        path = f"{self.path}:{number}"
        done = await run_calls(self.ctx, held.tools, calls, path, held.unloaded)
        for call, outcome in done:
            self._result(call, outcome.text)
            self.hand.saw(call, outcome)
            if outcome.kind in ("limit", "not_loaded"):
                continue
            self.deeds.append(outcome)
            self.usage = self.usage.plus(Usage(tool_calls=1))
            self.equal[f"{call.name}\0{_canonical(call.arguments)}\0{outcome.text}"] += 1
        if self.equal and max(self.equal.values()) >= EQUAL_CALLS:
            self.limit = "repeats"
        return await self._direct(done, held)

    async def _direct(
        self, done: Sequence[tuple[ToolCall, Outcome]], held: Held
    ) -> LoopAnswer | None:
        """The result itself as the answer, for a tool that asks for that."""
        if len(done) != 1:
            return None
        call, outcome = done[0]
        tool = held.tools.get(call.name)
        if tool is None or not tool.return_direct or outcome.result is None:
            return None
        await self.ctx.emit(self.path, TextDelta(text=outcome.text))
        return self._ended(outcome.text)

    async def _ask(self, number: int, held: Held) -> Said:
        key, path = f"{self.path}:{number}:model", f"{self.path}:{number}"
        reserve = 0.0 if self.limit else self._reserve()
        try:
            return await self._ask_model(key, path, held, reserve)
        except ContextTooLong:
            self.messages = [_shortened(message) for message in self.messages]
            return await self._ask_model(key, path, held, reserve)

    async def _ask_model(self, key: str, path: str, held: Held, reserve: float) -> Said:
        self.names.update(held.tools, held.unloaded)
        request = self._request(held)
        said = await ask_model(
            self.ctx,
            self.model,
            request,
            key=key,
            path=path,
            tools=self.names,
            seconds=self.ctx.purse.seconds_left - reserve,
        )
        self.usage = self.usage.plus(paid(request, said.reply))
        return said

    def _request(self, held: Held) -> ModelRequest:
        language = self.ctx.request.language
        system = with_data_section(held.system, language, self.nonce)
        system = without_tools(system, language) if self.limit else system
        schemas = () if self.limit else tuple(_schema(tool) for tool in held.tools.values())
        first = ModelMessage(role="system", text=system)
        return ModelRequest(messages=(first, *self.messages), tools=schemas)

    async def _as_thought(self, number: int, text: str) -> None:
        """Text before a call was that step's thought, not the answer."""
        if text:
            path = f"{self.path}:{number}"
            await self.ctx.emit(path, TextTakenBack(reason="thought"))
            await self.ctx.emit(path, Thought(text=text))

    def _result(self, call: ToolCall, text: str) -> None:
        fenced = fence(text, self.nonce)
        self.messages.append(ModelMessage(role="tool", call_id=call.id, text=fenced))

    def _distinct(self, calls: tuple[ToolCall, ...], number: int) -> tuple[ToolCall, ...]:
        """The calls with ids that no earlier round used: some servers count from 1 each time."""
        out: list[ToolCall] = []
        for call in calls:
            while call.id in self.ids:
                call = call.model_copy(update={"id": f"{call.id}_{number}"})
            self.ids.add(call.id)
            out.append(call)
        return tuple(out)

    def _limit_ahead(self, number: int, held: Held) -> str:
        """The limit that one more round with tools would break."""
        if number >= self.rounds:
            return "rounds"
        # One round now with at least one call, and the last one after it.
        cost = 2 * self._cost(held)
        short = self.ctx.purse.short_of(requests=2, tool_calls=1, tokens=cost)
        return short or ("time" if self.ctx.purse.seconds_left <= self._reserve() else "")

    def _short_of(self, held: Held) -> str:
        return self.ctx.purse.short_of(requests=1, tokens=self._cost(held))

    def _reserve(self) -> float:
        return min(LAST_ROUND_S, self.ctx.purse.limits.seconds / 2)

    def _cost(self, held: Held) -> int:
        """Estimated tokens of the next request."""
        return estimate(self._request(held))

    async def _by_code(self) -> LoopAnswer:
        """The answer without the model."""
        limits = self.ctx.purse.limits
        counts = {
            "rounds": self.rounds,
            "requests": limits.requests,
            "tool_calls": limits.tool_calls,
        }
        count = counts.get(self.limit, 0)
        text = unfinished(self.ctx.request.language, self.limit, count, self.deeds)
        await self.ctx.emit(self.path, TextDelta(text=text))
        return self._ended(text, by_code=True)

    def _ended(self, text: str, *, by_code: bool = False) -> LoopAnswer:
        limited = self.limit not in ("", "empty", "model")
        return LoopAnswer(text=text, usage=self.usage, stopped_by_limit=limited, by_code=by_code)


def _schema(tool: Tool) -> ToolSchema:
    return ToolSchema(name=tool.name, description=tool.description, parameters=tool.parameters)


def _canonical(arguments: str) -> str:
    """Arguments without the accidents of spaces and order; as they are if they are no JSON."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _shortened(message: ModelMessage) -> ModelMessage:
    if message.role != "tool" or len(message.text) <= 2 * SHORT_RESULT:
        return message
    head, tail = message.text[:SHORT_RESULT], message.text[-100:]
    return message.model_copy(update={"text": f"{head}\n[cut here]\n{tail}"})
