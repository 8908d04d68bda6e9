"""ask and search: questions from the shell, over the same rooms as in a thread."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from bot.cli import shell
from bot.cli.decide import decisions
from bot.ending import FAILED, INTERRUPTED, WRONG_USE
from core.errors import WrongUse
from core.events import Answer, Event, Failed, Notice, StepDone, StepFailed, Suspended
from core.messages import Language
from core.request import Picks
from core.sources import Source
from core.texts import say

if TYPE_CHECKING:
    from core.journal import MemoryJournal

CHANNEL = typer.Option(
    shell.DEFAULT_CHANNEL, "--channel", "-c", help="A name, or a full id (slack:T1/C2)."
)
AS = typer.Option(None, "--as", help="Who asks; the user of this machine if not given.")
JSON = typer.Option(False, "--json", help="One JSON object on standard output, nothing else.")


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)
    app.command("search")(search)


def ask(
    text: str = typer.Argument(help="The question."),
    channel: str = CHANNEL,
    who: str | None = AS,
    teammate: str | None = typer.Option(None, help="Name of the teammate that answers."),
    mode: str | None = typer.Option(
        None, help="chat, tool, rag, react or loop; else the rules choose."
    ),
    tools: str | None = typer.Option(None, help="Only these tools: a,b."),
    kb: str | None = typer.Option(None, help="Only this knowledge base, by name."),
    no_kb: bool = typer.Option(False, "--no-kb", help="No knowledge base."),
    as_json: bool = JSON,
    events: bool = typer.Option(False, "--events", help="The event stream as JSON lines."),
) -> int:
    """Ask a question and print the answer with its sources."""
    if not text.strip():
        raise WrongUse(say("cli.no_question", shell.language()))
    if (as_json and events) or (kb and no_kb):
        raise WrongUse(say("cli.contradiction", shell.language()))
    picks = Picks(
        mode=mode,
        tools=None if tools is None else tuple(name for name in tools.split(",") if name.strip()),
        kb=() if no_kb else None if kb is None else (kb,),
        teammate=teammate,
    )
    question = Question(text, channel, who, picks)
    return asyncio.run(question.answered(Printer(as_json, events)))


class Printer:
    """Where events go: JSON lines, one JSON object at the end, or text for people."""

    def __init__(self, as_json: bool, events: bool) -> None:
        self.as_json = as_json
        self.as_events = events
        self.steps: list[dict[str, Any]] = []
        self.kinds: dict[str, str] = {}

    def take(self, event: Event) -> None:
        if self.as_events:
            sys.stdout.write(event.model_dump_json(exclude_none=True) + "\n")
            sys.stdout.flush()
        match event.body:
            case StepDone() | StepFailed() as step:
                self._step(step)
            case Notice() as notice if not self.as_events and not self.as_json:
                sys.stderr.write(f"! {notice.text}\n")
            case _:
                if event.kind == "step_started" and event.action is not None:
                    started = event.action.model_dump()
                    self.kinds[str(started["id"])] = str(started["step"])

    def _step(self, step: StepDone | StepFailed) -> None:
        if isinstance(step, StepDone) and step.replayed:
            return  # Told before the run waited for a person.
        failed = isinstance(step, StepFailed)
        self.steps.append(
            {
                "id": step.id,
                "kind": self.kinds.get(step.id, ""),
                "title": step.title,
                "status": "failed" if failed else "done",
                "ms": step.ms,
            }
        )
        if not self.as_events and not self.as_json:
            rest = step.reason if isinstance(step, StepFailed) else step.summary
            sign = "x" if failed else "✓"
            sys.stderr.write(f"{sign} {step.title}{f' · {rest}' if rest else ''}\n")

    def end(self, answer: Answer) -> None:
        if self.as_events:
            return
        if self.as_json:
            shell.print_json(answer_json(answer, self.steps))
        else:
            shell.print_text(answer_text(answer))


class Question:
    """One question from the shell."""

    def __init__(self, text: str, channel: str, who: str | None, picks: Picks) -> None:
        self.message = shell.message(text, shell.place(channel), shell.person(who))
        self.picks = picks

    async def answered(self, printer: Printer) -> int:
        """Work it to its end; the exit code."""
        from bot.ending import ending_by_signals
        from core.context import StopSignal
        from core.journal import MemoryJournal
        from core.teammates import MemoryPresence

        ending, stop = ending_by_signals(), StopSignal()
        async with shell.opened() as core:
            # A question from the shell is a thread of its own: nobody stays in it.
            assembler = replace(core.assembler, presence=MemoryPresence())
            watch = asyncio.create_task(self._stop_when(ending.wanted, stop), name="stop")
            journal = MemoryJournal()
            try:
                while True:
                    async with core.agent.run(
                        self.message.key,
                        lambda: assembler.assemble(self.message, self.picks),
                        journal,
                        stop,
                        core.limits,
                        language=shell.language(),
                    ) as events:
                        last = await self._printed(events, printer)
                    if not await self._decided(last, journal, printer):
                        return self._ended(last, printer, ending.code)
            finally:
                watch.cancel()

    async def _printed(self, events: AsyncIterator[Event], printer: Printer) -> Event:
        """Show the events of one life of the run; the last one."""
        async for event in events:
            printer.take(event)
            if event.terminal:
                return event
        raise AssertionError("a run without a terminal event")

    async def _decided(self, last: Event, journal: MemoryJournal, printer: Printer) -> bool:
        """True if the run waited for a person and the one here has decided: it can go on."""
        if not isinstance(last.body, Suspended):
            return False
        if printer.as_events:
            return False  # The stream says what was needed.
        by, needs = self.message.author.id, last.body.needs
        ask, language = not printer.as_json, shell.language()
        said = await asyncio.to_thread(decisions, needs, by, language, ask=ask)
        for need, decision in zip(needs, said, strict=False):
            journal.rows[f"{need.id}:decision"] = decision.model_dump_json()
        return bool(said)

    async def _stop_when(self, wanted: asyncio.Event, stop: Any) -> None:
        await wanted.wait()
        stop.set(self.message.author.id)

    def _ended(self, last: Event, printer: Printer, code: int) -> int:
        match last.body:
            case Failed() as failed:
                if not printer.as_events:
                    sys.stderr.write(f"threadmate: {failed.text}\n")
                wrong = failed.key.startswith(("assemble.", "error.wrong_use"))
                return WRONG_USE if wrong else FAILED
            case Suspended():
                return FAILED
            case body if body.kind == "done":
                printer.end(body.answer)
                return 0
            case _:
                return code or INTERRUPTED


def answer_json(answer: Answer, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """`ask --json`: the answer, its sources and its steps."""
    return {
        "answer": answer.text,
        "language": answer.language,
        "mode": answer.mode,
        "teammate": answer.teammate,
        "refused": answer.refused,
        "sources": [source_json(source) for source in answer.sources],
        "steps": steps,
        "usage": answer.usage.model_dump(),
        "cached": answer.cached,
    }


def source_json(source: Source) -> dict[str, Any]:
    kept = {"document", "version", "page", "heading", "quote", "link"}
    return {"mark": source.mark, **source.model_dump(include=kept)}


def answer_text(answer: Answer) -> str:
    """The answer for people, with its sources below."""
    lines = [answer.text]
    if answer.sources:
        lines += ["", say("cli.sources", answer.language)]
        lines += [source_line(source, answer.language) for source in answer.sources]
    return "\n".join(lines)


def source_line(source: Source, language: Language) -> str:
    """`[1] policy.pdf · p. 3 · Leave > Annual leave`"""
    parts = place_parts(source.document, source.page, source.heading, language)
    return f"[{source.mark}] " + " · ".join(parts)


def place_parts(name: str, page: int | None, heading: str, language: Language) -> list[str]:
    """A place in a document, for one line."""
    shown = "" if page is None else say("sources.page", language, page=page)
    return [part for part in (name, shown, heading) if part]


def search(
    text: str = typer.Argument(help="What to look for."),
    channel: str = CHANNEL,
    limit: int = typer.Option(8, min=1, max=100, help="At most this many passages."),
    as_json: bool = JSON,
) -> int:
    """Search the channel's documents; the best passages first."""
    return asyncio.run(_search(text, channel, limit, as_json))


async def _search(text: str, channel: str, limit: int, as_json: bool) -> int:
    async with shell.opened() as core:
        hits = await core.library.search(await shell.kbs_of(core, channel), text, limit)
    shown = {"page", "heading", "text", "score", "lexical", "vector"}
    if as_json:
        rows = [{"document": hit.name, **hit.model_dump(include=shown)} for hit in hits]
        shell.print_json({"hits": rows})
        return 0
    if not hits:
        shell.print_text(say("cli.no_hits", shell.language()))
    for number, hit in enumerate(hits, 1):
        parts = place_parts(hit.name, hit.page, hit.heading, shell.language())
        shell.print_text(f"{number}. {' · '.join(parts)} ({hit.score:.2f})")
        shell.print_text("   " + " ".join(hit.text.split())[:200])
    return 0
