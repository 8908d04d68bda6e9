"""The work of one run: assemble, route, go down the modes until one answers, fit the sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.agent.channel import Channel
from core.context import Limits, Purse, RunContext, StopSignal
from core.errors import LimitReached, ModelError
from core.events import Answer, ModeChosen, Notice, RunStarted
from core.journal import Journal
from core.messages import Language
from core.model.protocol import Model
from core.modes import chat, loop, quotes, rag, tool
from core.modes.outcome import Outcome, WrongRoute
from core.prompt import system_prompt, thread_messages
from core.request import Request
from core.router import Facts, Mode, Route, route
from core.sources import Source
from core.texts import say, told
from core.tools.hand import FixedHand
from core.tools.knowledge import Knowledge
from core.tools.sources import SourceBook, cite
from core.tools.toolbox import Bound, Toolbox


@dataclass(frozen=True)
class Crew:
    """What every run of an agent works with."""

    knowledge: Knowledge
    model: Model | None
    toolbox: Toolbox
    clock: Callable[[], float]


@dataclass
class Work:
    """One run, from its request to its answer."""

    crew: Crew
    channel: Channel
    journal: Journal
    stop: StopSignal
    limits: Limits
    language: Language
    """Of the sentences to people; the request's, once there is one."""

    async def answer(self, assemble: Callable[[], Awaitable[Request]]) -> Answer:
        """Work the run to its answer. Raises whatever ends it otherwise."""
        request = await self.journal.step("request", Request, assemble)
        self.language = request.language
        self.channel.teammate = request.teammate.name
        await self._begin(request)
        ctx = RunContext(
            request,
            self.journal,
            self.channel.emit,
            self.stop,
            self.limits,
            purse=Purse(self.limits),
        )
        asker = request.asker.id
        ctx.heard.before += [turn.question for turn in request.history if turn.by == asker]
        ctx.heard.now.append(request.question)
        book = SourceBook(self.journal)
        await book.load()
        bound = Bound(request, self.crew.knowledge, book, self.crew.clock, heard=ctx.heard)
        chosen = await self.journal.step("route", Route, lambda: self._route(request))
        mode, outcome = await self._down_the_modes(ctx, bound, chosen)
        return self._answer(request, mode, outcome, book)

    async def _begin(self, request: Request) -> None:
        started = RunStarted(language=request.language, question=request.question)
        await self.channel.emit("", started)
        if request.cut:
            kept, cut = f"{len(request.question):,}", f"{request.cut:,}"
            text = say("notice.cut", self.language, kept=kept, cut=cut)
            await self.channel.emit("", Notice(key="notice.cut", text=text))

    async def _route(self, request: Request) -> Route:
        knowledge = self.crew.knowledge
        stats = await knowledge.stats(request.kbs)
        coverage = await knowledge.probe(request.kbs, request.question) if stats.documents else 0.0
        facts = Facts(self.crew.model is not None, stats.documents, coverage)
        return route(request, facts)

    async def _down_the_modes(
        self, ctx: RunContext, bound: Bound, chosen: Route
    ) -> tuple[Mode, Outcome]:
        """Work in the chosen mode; a wrong route or a failed model leads to the next one.

        `quotes` needs no model and ends every way down.
        """
        mode, reason, instead_of = chosen.mode, chosen.reason, chosen.wanted
        why: quotes.Why = "needs_model" if chosen.needs_model else "no_model"
        while True:
            if self.crew.model is None and mode in ("rag", "loop"):
                mode = "quotes"  # Routed by a process that had a model, resumed by one without.
            choice = ModeChosen(mode=mode, reason=reason, instead_of=instead_of)
            await self.channel.emit("", choice)
            try:
                return mode, await self._in_mode(mode, ctx, bound, chosen, why)
            except WrongRoute as wrong:
                mode, reason, instead_of = "loop", wrong.reason, mode
            except (ModelError, LimitReached) as error:
                await self._tell_model_failed(error)
                mode, reason, instead_of, why = "quotes", error.key, mode, "model_failed"
            await self.channel.take_back("rerouted")

    async def _in_mode(
        self, mode: Mode, ctx: RunContext, bound: Bound, chosen: Route, why: quotes.Why
    ) -> Outcome:
        model = self.crew.model
        if mode == "chat" and chosen.reason == "empty":
            return await quotes.small_talk(ctx, "quotes.empty_question")
        if mode == "tool":
            tools = self.crew.toolbox.of(bound)
            if chosen.tool not in tools:
                raise WrongRoute("no_tool")
            return await tool.run(ctx, tools[chosen.tool], chosen.arguments, model)
        if mode == "chat":
            return await (quotes.small_talk(ctx) if model is None else chat.run(ctx, model))
        if model is None or mode == "quotes":
            return await quotes.run(ctx, bound, why)
        if mode == "rag":
            return await rag.run(ctx, bound, model)
        return await self._loop(ctx, bound, model)

    async def _loop(self, ctx: RunContext, bound: Bound, model: Model) -> Outcome:
        tools = self.crew.toolbox.of(bound)
        system = system_prompt(ctx.request, list(tools.values()))
        hand = FixedHand(system, tools)
        said = await loop.run(ctx, model, hand, thread_messages(ctx.request))
        return Outcome(text=said.text, usage=said.usage, stopped_by_limit=said.stopped_by_limit)

    async def _tell_model_failed(self, error: ModelError | LimitReached) -> None:
        await self.channel.take_back("model_failed")
        text = say("notice.model", self.language, reason=told(error, self.language))
        await self.channel.emit("", Notice(key=error.key, text=text))

    def _answer(self, request: Request, mode: Mode, outcome: Outcome, book: SourceBook) -> Answer:
        cited = cite(outcome.text, book.known)
        quoted = dict(outcome.quoted)
        return Answer(
            text=cited.text,
            language=request.language,
            mode=mode,
            teammate=request.teammate.name,
            refused=cited.refused,
            sources=tuple(_with_quote(source, quoted) for source in cited.sources),
            usage=outcome.usage,
            stopped_by_limit=outcome.stopped_by_limit,
        )


def _with_quote(source: Source, quoted: dict[int, str]) -> Source:
    quote = quoted.get(source.mark)
    return source if quote is None else source.model_copy(update={"quote": quote})
