"""The work of one run: assemble, route, go down the modes until one answers, fit the sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.agent.channel import Channel
from core.agent.crew import Crew
from core.agent.door import Admitted
from core.agent.down import Way
from core.agent.spawn import Spawner
from core.context import Limits, PlanKnobs, Purse, RunContext, StopSignal
from core.events import Answer, ModeChosen, Notice, RunStarted
from core.journal import Journal
from core.messages import Language
from core.modes.outcome import Outcome
from core.quota import Level
from core.request import Request
from core.router import Facts, Mode, Route, route
from core.sources import Source
from core.texts import say
from core.tools.sources import SourceBook, cite


@dataclass
class Work:
    """One run, from its request to its answer."""

    crew: Crew
    channel: Channel
    journal: Journal
    stop: StopSignal
    limits: Limits
    knobs: PlanKnobs
    language: Language
    """Of the sentences to people; the request's, once there is one."""

    async def answer(self, assemble: Callable[[], Awaitable[Request]]) -> Answer:
        """Work the run to its answer. Raises whatever ends it otherwise."""
        request = await self.journal.step("request", Request, assemble)
        self.language = request.language
        self.channel.teammate = request.teammate.name
        await self._begin(request)
        admitted = await self._admitted(request)
        if admitted.answer is not None:
            return admitted.answer
        self.crew = self.crew.at(admitted.level, request.cheap)
        book = SourceBook(self.journal)
        await book.load()
        ctx = self._context(request, book)
        try:
            answer = await self._worked(ctx, request, book, admitted.level)
        finally:
            if self.crew.door is not None:
                await self.crew.door.leave(request.run, ctx.purse.usage)
        if self.crew.door is not None:
            await self.crew.door.keep(admitted, request, answer, ctx.touched)
        return answer

    async def _admitted(self, request: Request) -> Admitted:
        """What the door says, once for all lives of the run."""
        door = self.crew.door
        if door is None:
            return Admitted()
        tools = str(self.crew.toolbox.version)
        admitted = await self.journal.step("admit", Admitted, lambda: door.admit(request, tools))
        if admitted.told:
            await self.channel.emit("", Notice(key=admitted.notice, text=admitted.told))
        if admitted.answer is not None:
            reason = "cache" if admitted.answer.cached else "quota"
            mode = ModeChosen(mode=admitted.answer.mode, reason=reason)
            await self.channel.emit("", mode)
        return admitted

    async def _worked(
        self, ctx: RunContext, request: Request, book: SourceBook, level: Level
    ) -> Answer:
        chosen = await self.journal.step("route", Route, lambda: self._route(request))
        way = Way(self.crew, self.channel, ctx, book, chosen, level)
        mode, outcome = await way.to_an_answer()
        return self._answer(ctx, mode, outcome, book)

    def _context(self, request: Request, book: SourceBook) -> RunContext:
        ctx = RunContext(
            request,
            self.journal,
            self.channel.emit,
            self.stop,
            self.limits,
            self.knobs,
            Purse(self.limits),
            Spawner(self.crew, book, self.channel),
            self.crew.forbids,
        )
        asker = request.asker.id
        ctx.heard.before += [turn.question for turn in request.history if turn.by == asker]
        ctx.heard.now.append(request.question)
        return ctx

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
        has_model = self.crew.model_of(request.teammate) is not None
        return route(request, Facts(has_model, stats.documents, coverage))

    def _answer(self, ctx: RunContext, mode: Mode, outcome: Outcome, book: SourceBook) -> Answer:
        cited = cite(outcome.text, book.known)
        quoted = dict(outcome.quoted)
        return Answer(
            text=cited.text,
            language=ctx.request.language,
            mode=mode,
            teammate=self.channel.teammate,
            refused=cited.refused,
            sources=tuple(_with_quote(source, quoted) for source in cited.sources),
            usage=ctx.purse.usage,
            stopped_by_limit=outcome.stopped_by_limit,
        )


def _with_quote(source: Source, quoted: dict[int, str]) -> Source:
    quote = quoted.get(source.mark)
    return source if quote is None else source.model_copy(update={"quote": quote})
