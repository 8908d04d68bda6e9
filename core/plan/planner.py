"""The planner: a model writes a plan; what it wrote is read, mended, checked, and asked for anew.

The lines, cheapest first: what stands round the JSON is stripped, a strict parse, a tolerant one,
known other names, two retries with the list of errors, and at last dependencies are dropped. Each
that fires is a `Repaired` event, of which counters are made.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.context import RunContext
from core.errors import PlanInvalid
from core.events import Repaired
from core.model.ask import ask_model
from core.model.protocol import Model, ModelMessage, ModelRequest, Reply
from core.plan.loosen import ORDER, kind, loosened
from core.plan.prompt import again, asked, planner_prompt
from core.plan.read import PlanRead, read_plan
from core.plan.schema import Plan, check
from core.plan.titles import titled
from core.prompt import new_nonce
from core.request import TeammateCard
from core.tools.tool import Tool

RETRIES = 2
"""Times that a planner is asked again with its errors."""

counts: Counter[str] = Counter()
"""How often each line of repair fired in this process, by its name."""


async def plan(
    ctx: RunContext,
    model: Model,
    tools: Mapping[str, Tool],
    team: Sequence[TeammateCard],
    *,
    key: str = "plan",
    attempt: int = 1,
    failures: Sequence[str] = (),
) -> Plan:
    """The plan for a request; without nodes when nothing has to be looked up or done.

    `attempt` and `failures` are of a plan that is made anew. The plan is journal step `plan`, its
    model calls are `plan:model:N`; those of a later attempt begin with `plan@2`. Raises PlanInvalid
    when there is no plan that can be worked, ModelError, RunStopped and LimitReached.
    """
    key = key if attempt == 1 else f"{key}@{attempt}"
    kept = await ctx.journal.kept(key, Plan)
    if kept is not None:
        await _count_again(ctx, model, key)
        return kept
    made = await _Planning(ctx, model, tools, team, key).run(failures)

    async def work() -> Plan:
        return made

    return await ctx.journal.step(key, Plan, work)


async def _count_again(ctx: RunContext, model: Model, key: str) -> None:
    """Count what a kept plan cost: a run that goes on has spent it. Kept calls ask no model."""
    for number in range(1, RETRIES + 2):
        step = f"{key}:model:{number}"
        if await ctx.journal.kept(step, Reply) is None:
            return
        await ask_model(ctx, model, ModelRequest(messages=()), key=step, show=False)


@dataclass
class _Planning:
    ctx: RunContext
    model: Model
    tools: Mapping[str, Tool]
    team: Sequence[TeammateCard]
    key: str
    best: Plan | None = None
    """The last plan that was read, whatever is wrong with it."""
    errors: list[str] = field(default_factory=list[str])

    async def run(self, failures: Sequence[str]) -> Plan:
        request, nonce = self.ctx.request, new_nonce()
        system = planner_prompt(request, self.tools, self.team, self.ctx.knobs, nonce)
        messages = [
            ModelMessage(role="system", text=system),
            asked(request, failures, nonce),
        ]
        for number in range(1, RETRIES + 2):
            reply = await self._ask(messages, number)
            if await self._read(reply):
                assert self.best is not None
                return titled(self.best, self.tools, request.language)
            only_order = self.best is not None and all(kind(e) in ORDER for e in self.errors)
            if number > RETRIES or (only_order and number > 1):
                # Cycles and the like are given back once: then dependencies are dropped.
                break
            await self._fired("retry", "; ".join(self.errors))
            # Only the last answer is shown again: a pile of broken plans teaches the wrong form.
            messages = [*messages[:2], *again(_written(reply), self.errors, request.language)]
        return await self._degraded()

    async def _ask(self, messages: Sequence[ModelMessage], number: int) -> Reply:
        request = ModelRequest(messages=tuple(messages))
        key = f"{self.key}:model:{number}"
        # A plan is no answer: its text is not shown while it is written.
        said = await ask_model(self.ctx, self.model, request, key=key, path=self.key, show=False)
        return said.reply

    async def _read(self, reply: Reply) -> bool:
        """True if the reply holds a plan that can be worked."""
        names = [card.name for card in self.team]
        # In a thread: guessing at a long broken text takes its time.
        read = await asyncio.to_thread(
            read_plan, reply.text, self.tools, names, reply.calls, cut=reply.finish == "length"
        )
        for line in read.lines:
            await self._fired(line, _what(read))
        self.errors = list(read.errors)
        if read.plan is not None:
            wrong = check(read.plan, self.tools, names, self.ctx.knobs)
            self.errors += wrong
            # Nothing at all, cut or broken, is no reason to forget what was read before.
            if read.plan.nodes or not self.errors:
                self.best = read.plan
        return read.plan is not None and not self.errors

    async def _degraded(self) -> Plan:
        """The last plan without the links that are wrong. Raises PlanInvalid."""
        if self.best is None or not self.best.nodes:
            raise PlanInvalid(*self.errors)
        names = [card.name for card in self.team]
        if len(self.best.nodes) > self.ctx.knobs.nodes:
            # No loosening makes it smaller, and its links may be tens of thousands.
            raise PlanInvalid(*self.errors)
        mended = loosened(self.best, self.tools)
        left = check(mended, self.tools, names, self.ctx.knobs)
        if left:
            raise PlanInvalid(*left)
        await self._fired("degrade", "; ".join(self.errors))
        mended = mended.model_copy(update={"needs_click": True})
        return titled(mended, self.tools, self.ctx.request.language)

    async def _fired(self, line: str, what: str) -> None:
        counts[line] += 1
        event = Repaired.model_validate({"line": line, "what": what[:300]})
        await self.ctx.emit(self.key, event)


def _what(read: PlanRead) -> str:
    return f"plan of {len(read.plan.nodes)} nodes" if read.plan else "no plan"


def _written(reply: Reply) -> str:
    calls = "\n".join(f"{call.name}({call.arguments})" for call in reply.calls)
    return "\n".join(part for part in (reply.text, calls) if part)
