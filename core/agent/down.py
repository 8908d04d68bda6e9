"""The way of a run down the modes: a wrong route or a failed model leads to the next one."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.agent.channel import Channel
from core.agent.crew import Crew
from core.agent.hand import TeammateHand
from core.context import RunContext
from core.errors import LimitReached, ModelError
from core.events import ModeChosen, Notice
from core.model.protocol import Model
from core.modes import chat, loop, quotes, rag, react, tool
from core.modes.outcome import Outcome, WrongRoute
from core.plan.schema import Plan
from core.prompt import thread_messages
from core.quota import Level
from core.router import Mode, Route
from core.texts import say, told
from core.tools.sources import SourceBook
from core.tools.tool import Tool
from core.tools.toolbox import Bound

FALLEN = "fallen"
"""Journal step: the model failed, and the run goes on without it, also when it is resumed."""


@dataclass
class Way:
    """One run's way from its route to an answer. `quotes` needs no model and ends every way."""

    crew: Crew
    channel: Channel
    ctx: RunContext
    book: SourceBook
    chosen: Route
    level: Level = "normal"
    """What the quota leaves; with `cache_only` the crew has no model."""
    model: Model | None = field(init=False)
    bound: Bound = field(init=False)
    why: quotes.Why = "no_model"

    def __post_init__(self) -> None:
        self.model = self.crew.model_of(self.ctx.request.teammate)
        self.bound = self.crew.bound(self.ctx.request, self.book, self.ctx.heard)
        if self.level == "cache_only":
            self.why = "quota"
        elif self.chosen.needs_model:
            self.why = "needs_model"

    async def to_an_answer(self) -> tuple[Mode, Outcome]:
        """Work in the chosen mode, and in the next one where that cannot do it."""
        mode, reason, instead_of = self.chosen.mode, self.chosen.reason, self.chosen.wanted
        if await self.ctx.journal.kept(FALLEN, bool):
            self._fall()
        while True:
            if self.model is None and mode in ("rag", "loop"):
                mode = "quotes"  # Routed with a model, resumed by a process without one.
            choice = ModeChosen(mode=mode, reason=reason, instead_of=instead_of)
            await self.ctx.emit("", choice)
            try:
                return mode, await self._in(mode)
            except WrongRoute as wrong:
                mode, reason, instead_of = self._next(mode), wrong.reason, mode
            except (ModelError, LimitReached) as error:
                failed, reason = mode, error.key
                mode = await self._without_model(failed)
                await self._tell_model_failed(error, mode)
                instead_of = failed if mode != failed else ""
            await self.channel.take_back("rerouted")

    def _next(self, mode: Mode) -> Mode:
        """Where a wrong route leads. Without a model a plan can only be followed by quotes."""
        return "quotes" if self.model is None or mode == "loop" else "loop"

    async def _without_model(self, mode: Mode) -> Mode:
        """Where a failed model leads: a tool has its own words, and rules make plans too.

        Not where the model's plan was begun: its steps would be taken for those of the rules.
        """
        began = mode == "react" and await self.ctx.journal.kept("plan", Plan) is not None
        if self.model is not None and mode in ("tool", "react") and not began:
            await self.ctx.journal.step(FALLEN, bool, _yes)
            self._fall()
            return mode
        self._fall()
        return "quotes"

    def _fall(self) -> None:
        self.model, self.why = None, "model_failed"

    async def _in(self, mode: Mode) -> Outcome:
        ctx, model = self.ctx, self.model
        match mode:
            case "tool":
                return await self._tool()
            case "react":
                why = self.why if self.why in ("model_failed", "quota") else "no_model"
                team = ctx.request.team
                return await react.run(ctx, self.bound, model, self._tools(), team, why)
            case "rag" if model is not None:
                return await rag.run(ctx, self.bound, model)
            case "loop" if model is not None:
                return await self._loop(model)
            case "chat" if self.chosen.reason == "empty":
                return await quotes.small_talk(ctx, "quotes.empty_question")
            case "chat":
                return await (quotes.small_talk(ctx) if model is None else chat.run(ctx, model))
            case _:
                return await quotes.run(ctx, self.bound, self.why)

    async def _tool(self) -> Outcome:
        tools = self._tools()
        if self.chosen.tool not in tools:
            raise WrongRoute("no_tool")
        return await tool.run(self.ctx, tools[self.chosen.tool], self.chosen.arguments, self.model)

    async def _loop(self, model: Model) -> Outcome:
        request = self.ctx.request
        hand = TeammateHand(self.crew, self.ctx, self.book, self.channel)
        said = await loop.run(
            self.ctx,
            model,
            hand,
            thread_messages(request),
            rounds=request.teammate.max_rounds,
        )
        # A hand-over in the last round has nobody left to speak in it, but holds for the thread.
        await hand.take_over()
        return Outcome(text=said.text, usage=said.usage, stopped_by_limit=said.stopped_by_limit)

    def _tools(self) -> dict[str, Tool]:
        return self.crew.toolbox.of(self.bound)

    async def _tell_model_failed(self, error: ModelError | LimitReached, then: Mode) -> None:
        await self.channel.take_back("model_failed")
        language = self.ctx.request.language
        key = "notice.model" if then == "quotes" else "notice.model_fallen"
        text = say(key, language, reason=told(error, language))
        await self.ctx.emit("", Notice(key=error.key, text=text))


async def _yes() -> bool:
    return True
