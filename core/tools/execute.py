"""Calls of a model -> results: checked, bounded, timed, journaled, shown as steps."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.context import Kind, NeedsPerson, RunContext, ended
from core.errors import LostRun, RunStopped, ThreadmateError, ToolFailed, ToolTimedOut
from core.events import Decision, StepDone, StepFailed, StepStarted, Usage
from core.messages import Frozen
from core.model.protocol import ToolCall
from core.texts import say, told
from core.tools.arguments import Rejected, checked, not_loaded, unknown_tool, used_up, validated
from core.tools.decide import (
    FORBIDDEN,
    all_needs,
    approval,
    asked_by,
    decision_of,
    must_be_allowed,
    no_right,
)
from core.tools.tool import AT_WORK, Arguments, Tool, ToolResult

log = logging.getLogger(__name__)

RESULT_CHARACTERS = 24_000
"""Longest text of one result: about 24,000 tokens in Chinese, 6,000 in English."""
DETAILS_BYTES = 64 * 1024
SOURCES = 50
SIDE_BY_SIDE = 4
"""Reads of one round that run at once."""
ERROR_CHARACTERS = 400


class Outcome(Frozen):
    """How a call ended; what the journal keeps of it."""

    result: ToolResult | None = None
    kind: str = ""
    """Of the error: `unknown_tool`, `not_loaded`, `broken_arguments`, `bad_arguments`, `limit`,
    `declined`, `forbidden`, `timed_out`, `tool_failed`, `unknown_outcome`; or `answered` by a
    person."""
    error: str = ""
    """For the model: kind and reason, never a trace."""
    reason: str = ""
    """For people, in their language."""
    title: str = ""
    ms: int = 0
    refused: tuple[str, ...] = ()
    """Names of tools that were called before they were loaded."""

    @property
    def text(self) -> str:
        """What the model reads."""
        return self.error if self.result is None else self.result.text

    @property
    def load(self) -> tuple[str, ...]:
        """Names of tools that are to be loaded from here on."""
        found = self.result.details.get("load") if self.result else None
        return tuple(map(str, found)) if isinstance(found, list | tuple) else self.refused

    @property
    def teammate(self) -> str:
        """Name of the teammate that takes over; empty if none does."""
        return str(self.result.details.get("teammate") or "") if self.result else ""


@dataclass(frozen=True)
class _Call:
    """One call on its way: where it stands in the run, its tool and its checked arguments."""

    key: str
    path: str
    tool: Tool | None
    name: str
    arguments: Arguments | Rejected
    kept: Outcome | None = None
    """How it ended in an earlier life of the run."""

    @property
    def reads(self) -> bool:
        return self.tool is None or self.tool.effect == "read"

    @property
    def kind(self) -> Kind:
        """What a stop makes of it."""
        return "read" if self.reads else "effect"

    @property
    def free(self) -> bool:
        """True for a refusal that costs nothing and is no step that people see."""
        kind = self.arguments.kind if isinstance(self.arguments, Rejected) else ""
        return kind in ("not_loaded", "limit")


_Ended = Outcome | NeedsPerson


async def run_calls(
    ctx: RunContext,
    toolbox: Mapping[str, Tool],
    calls: Sequence[ToolCall],
    path: str,
    unloaded: Mapping[str, Tool] | None = None,
) -> list[tuple[ToolCall, Outcome]]:
    """Run the calls of one round; pairs in the order of `calls`.

    Reads that stand side by side run at once, anything with effects alone and in order. Each call
    is the journal step `{path}:call:{n}`, also when it failed: a resumed run does not do it again.
    Every call takes one from the run's purse. Raises RunStopped and LostRun, and NeedsPerson with
    all that the round waits for, once the other calls have ended: only effects that come after a
    waiting call wait with it, for they were meant to follow it. Every other error is an outcome.
    """
    prepared = [
        await _prepare(ctx, toolbox, unloaded or {}, call, f"{path}:call:{number}", path)
        for number, call in enumerate(calls, 1)
    ]
    ended_calls: dict[str, Outcome] = {}
    waiting: list[NeedsPerson] = []
    for group in _groups(prepared):
        if waiting and not group[0].reads:
            waiting += [need for call in group if (need := await _need(ctx, call))]
            continue
        gate = asyncio.Semaphore(SIDE_BY_SIDE)
        done = await _together([_gated(gate, ctx, call) for call in group])
        for call, end in zip(group, done, strict=True):
            if isinstance(end, NeedsPerson):
                waiting.append(end)
            else:
                ended_calls[call.key] = end
    if waiting:
        raise all_needs(waiting)
    return [(call, ended_calls[done.key]) for call, done in zip(calls, prepared, strict=True)]


async def run_tool(
    ctx: RunContext, tool: Tool, arguments: Mapping[str, object], key: str, path: str = ""
) -> ToolResult:
    """Run one tool as journal step `key`.

    Raises ToolFailed with the sentence for people (its `values["kind"]` is the outcome's), and
    NeedsPerson if a person has to decide first.
    """
    checked_arguments = validated(tool, dict(arguments))
    call = await _on_the_purse(ctx, _Call(key, path, tool, tool.name, checked_arguments))
    outcome = await _run(ctx, call)
    if outcome.result is None:
        raise ToolFailed(outcome.reason, kind=outcome.kind)
    return outcome.result


async def _prepare(
    ctx: RunContext,
    toolbox: Mapping[str, Tool],
    unloaded: Mapping[str, Tool],
    call: ToolCall,
    key: str,
    path: str,
) -> _Call:
    tool = toolbox.get(call.name)
    if tool is not None:
        arguments = await checked(tool, call.arguments)
        return await _on_the_purse(ctx, _Call(key, path, tool, tool.name, arguments))
    if call.name in unloaded:
        refused = not_loaded(unloaded[call.name])
    else:
        refused = unknown_tool(call.name, [*toolbox.values(), *unloaded.values()])
    return await _on_the_purse(ctx, _Call(key, path, None, call.name[:80], refused))


async def _on_the_purse(ctx: RunContext, call: _Call) -> _Call:
    """The call, paid for; refused if the purse is empty. What was done before is paid again."""
    call = replace(call, kept=await ctx.journal.kept(call.key, Outcome))
    if call.kept is None and not call.free and ctx.purse.short_of(tool_calls=1):
        return replace(call, tool=None, arguments=used_up(call.name))
    if not call.free:
        ctx.purse.spend(Usage(tool_calls=1))
    return call


def _groups(calls: Sequence[_Call]) -> list[list[_Call]]:
    """Runs of reads together; each call with effects by itself."""
    groups: list[list[_Call]] = []
    for call in calls:
        if groups and call.reads and groups[-1][-1].reads:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


async def _together(works: Sequence[Awaitable[_Ended]]) -> list[_Ended]:
    """All results in order; when one raises, the others are cancelled and awaited."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        await ended(*tasks)


async def _gated(gate: asyncio.Semaphore, ctx: RunContext, call: _Call) -> _Ended:
    """One call; that it waits for a person ends it, but not those beside it."""
    async with gate:
        try:
            return await _run(ctx, call)
        except NeedsPerson as error:
            return error


async def _need(ctx: RunContext, call: _Call) -> NeedsPerson | None:
    """What a call that is held back will ask for, so that a person can decide on all at once."""
    try:
        await _decided(ctx, call, _title(call))
    except NeedsPerson as error:
        return error
    return None


async def _run(ctx: RunContext, call: _Call) -> Outcome:
    """One call as a journal step, with its events."""
    ctx.stop.check()
    kept, title = call.kept, call.kept.title if call.kept else _title(call)
    if isinstance(call.arguments, Rejected) and call.free and kept is None:
        return _refused(ctx, call.arguments, title)
    step = "search" if "search" in call.name else "tool"
    await ctx.emit(call.path, StepStarted(id=call.key, step=step, title=title))
    # Writing it down is part of it: what a stop lets finish is also kept before the run ends.
    outcome = kept or await ctx.stop.during(
        ctx.journal.step(call.key, Outcome, lambda: _outcome(ctx, call, title)), call.kind
    )
    _hear(ctx, outcome)
    if call.tool is not None and not _lasts(call.tool, outcome):
        ctx.touched.add(call.name)
    await ctx.emit(call.path, _end(call.key, outcome, replayed=kept is not None))
    return outcome


def _lasts(tool: Tool, outcome: Outcome) -> bool:
    """True if the same call comes to the same tomorrow: nothing of the moment, and no person."""
    read = tool.cacheable and tool.effect == "read"
    return read and outcome.result is not None and outcome.kind != "answered"


def _end(key: str, outcome: Outcome, replayed: bool) -> StepDone | StepFailed:
    if outcome.result is None:
        return StepFailed(id=key, title=outcome.title, ms=outcome.ms, reason=outcome.reason)
    return StepDone(
        id=key,
        title=outcome.title,
        ms=outcome.ms,
        summary=outcome.result.summary,
        replayed=replayed,
    )


async def _outcome(ctx: RunContext, call: _Call, title: str) -> Outcome:
    """Do the work. The border where a tool's errors end."""
    if call.tool is None or isinstance(call.arguments, Rejected):
        assert isinstance(call.arguments, Rejected)
        return _refused(ctx, call.arguments, title)
    tool, arguments = call.tool, call.arguments
    if forbidden := await no_right(ctx, tool):
        return _error("forbidden", FORBIDDEN, forbidden).model_copy(update={"title": title})
    decision = await _decided(ctx, call, title)
    if decision is not None and not decision.yes:
        return _declined(ctx, tool, title)
    started = time.monotonic()
    reason = await _begin_effect(ctx, call)
    if reason:
        return _error("unknown_outcome", reason, reason).model_copy(update={"title": title})
    try:
        work = _in_time(tool, _pressed(tool, arguments, call.key))
        result = await ctx.stop.during(work, call.kind)
        outcome = Outcome(result=bounded(result))
    except (RunStopped, LostRun):
        raise
    except NeedsPerson as error:
        outcome = await _answered(ctx, error, call)
    except TimeoutError:
        outcome = _failed(ctx, _timed_out(tool))
    except ThreadmateError as error:
        outcome = _failed(ctx, error)
    except Exception as error:  # The tool's border: its bug must not end the run.
        log.exception("tool %s broke", tool.name)
        detail = f"it broke ({type(error).__name__})"
        outcome = _failed(ctx, ToolFailed(detail, key="execute.broken", name=tool.name), detail)
    ms = round((time.monotonic() - started) * 1000)
    return outcome.model_copy(update={"title": title, "ms": ms})


async def _pressed(tool: Tool, arguments: Arguments, key: str) -> ToolResult:
    """The button's work; a task of its own, so that the key is its own as well."""
    AT_WORK.set(key)
    return await tool.run(arguments)


async def _decided(ctx: RunContext, call: _Call, title: str) -> Decision | None:
    """What a person said to the call; None if nobody has to. Raises NeedsPerson while open."""
    if call.tool is None or isinstance(call.arguments, Rejected):
        return None
    if not must_be_allowed(call.tool, call.arguments, ctx.heard.all):
        return None
    return await decision_of(ctx, approval(call.key, title, call.tool, call.arguments))


async def _answered(ctx: RunContext, error: NeedsPerson, call: _Call) -> Outcome:
    """The person's words as the result of a tool that asks; NeedsPerson while there are none."""
    assert call.tool is not None and isinstance(call.arguments, Arguments)
    need = asked_by(error, call.key, call.arguments)
    if need is None:
        raise error
    decision = await decision_of(ctx, need)
    if not decision.yes:
        return _declined(ctx, call.tool, need.title)
    details = {"by": decision.by, "answer": decision.text}
    result = ToolResult(text=decision.text, summary=decision.text, details=details)
    return Outcome(kind="answered", result=bounded(result))


def _hear(ctx: RunContext, outcome: Outcome) -> None:
    """What the asker answered counts as their own words from here on."""
    if outcome.kind == "answered" and outcome.result is not None:
        details = outcome.result.details
        if details.get("by") == ctx.request.asker.id:
            ctx.heard.now.append(str(details.get("answer", "")))


async def _begin_effect(ctx: RunContext, call: _Call) -> str:
    """Write down that a call with effects begins; a sentence if an earlier life began it already.

    Such a call may have taken effect before the process died, so it is not done again, unless
    doing it twice does no more than once.
    """
    if call.reads or (call.tool is not None and call.tool.idempotent):
        return ""
    key = f"{call.key}:intent"
    if await ctx.journal.kept(key, bool):
        return say("execute.unknown_outcome", ctx.request.language, name=call.name)

    async def intend() -> bool:
        return True

    await ctx.journal.step(key, bool, intend)
    return ""


async def _in_time(tool: Tool, work: Awaitable[ToolResult]) -> ToolResult:
    """`work` within the tool's own time.

    Inside of what a stop lets finish, not around it: from there the timeout's cancel would be taken
    for one that comes of the stop, and a hanging call would hold the run for good.
    """
    async with asyncio.timeout(tool.timeout_s):
        return await work


def _timed_out(tool: Tool) -> ToolTimedOut:
    seconds = f"{tool.timeout_s:g}"
    detail = f"no result within {seconds} seconds"
    return ToolTimedOut(detail, key="execute.timed_out", name=tool.name, seconds=seconds)


def _failed(ctx: RunContext, error: ThreadmateError, detail: str = "") -> Outcome:
    kind = "timed_out" if isinstance(error, ToolTimedOut) else "tool_failed"
    reason = told(error, ctx.request.language)
    return _error(kind, detail or reason, reason)


def _error(kind: str, short: str, reason: str) -> Outcome:
    error = f"error: {kind}\nreason: {short[:ERROR_CHARACTERS]}"
    return Outcome(kind=kind, error=error, reason=reason[:ERROR_CHARACTERS])


def _declined(ctx: RunContext, tool: Tool, title: str) -> Outcome:
    short = "a person said no; do not call it again for this, go on without it"
    reason = say("execute.declined", ctx.request.language, name=tool.name)
    return _error("declined", short, reason).model_copy(update={"title": title})


def _refused(ctx: RunContext, refused: Rejected, title: str) -> Outcome:
    reason = say(refused.key, ctx.request.language, **refused.values)
    early = (refused.values["name"],) if refused.kind == "not_loaded" else ()
    return Outcome(kind=refused.kind, error=refused.text, reason=reason, title=title, refused=early)


def _title(call: _Call) -> str:
    if call.tool is None or isinstance(call.arguments, Rejected):
        return call.name
    try:
        return _clean(call.tool.title(call.arguments))[:200]
    except Exception:  # The tool's border: a broken title must not end the run.
        log.exception("title of tool %s broke", call.name)
        return call.name


def bounded(result: ToolResult) -> ToolResult:
    """A result that fits prompt and journal; what was cut is said where it was cut."""
    text = _clean(result.text[: RESULT_CHARACTERS + 1])
    if len(text) > RESULT_CHARACTERS:
        whole = len(result.text)
        text = (
            f"{text[:RESULT_CHARACTERS]}\n"
            f"[cut here: {RESULT_CHARACTERS:,} of {whole:,} characters are shown]"
        )
    details = _clean(json.dumps(result.details, ensure_ascii=False, default=str))
    size = len(details.encode())
    return result.model_copy(
        update={
            "text": text,
            "summary": _clean(result.summary[:300]),
            "details": json.loads(details) if size <= DETAILS_BYTES else {"cut": size},
            "sources": result.sources[:SOURCES],
        }
    )


def _clean(text: str) -> str:
    """No lone surrogates: they can be neither sent nor stored."""
    return text.encode("utf-8", "replace").decode("utf-8")
