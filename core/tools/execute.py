"""Calls of a model -> results: checked, bounded, timed, journaled, shown as steps."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from core.context import RunContext, ended
from core.errors import LostRun, RunStopped, ThreadmateError, ToolFailed, ToolTimedOut
from core.events import StepDone, StepFailed, StepStarted
from core.messages import Frozen
from core.model.protocol import ToolCall
from core.texts import say
from core.tools.arguments import Rejected, checked, unknown_tool, validated
from core.tools.tool import Arguments, Tool, ToolResult

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
    error: str = ""
    """For the model: kind and reason, never a trace."""
    reason: str = ""
    """For people, in their language."""
    title: str = ""
    ms: int = 0

    @property
    def text(self) -> str:
        """What the model reads."""
        return self.error if self.result is None else self.result.text


@dataclass(frozen=True)
class _Call:
    """One call on its way: where it stands in the run, its tool and its checked arguments."""

    key: str
    path: str
    tool: Tool | None
    name: str
    arguments: Arguments | Rejected

    @property
    def reads(self) -> bool:
        return self.tool is None or self.tool.effect == "read"


async def run_calls(
    ctx: RunContext, toolbox: Mapping[str, Tool], calls: Sequence[ToolCall], path: str
) -> list[tuple[ToolCall, Outcome]]:
    """Run the calls of one round; pairs in the order of `calls`.

    Reads that stand side by side run at once, anything with effects alone and in order. Each call
    is the journal step `{path}:call:{n}`, also when it failed: a resumed run does not do it again.
    Raises RunStopped and LostRun; every other error becomes an outcome.
    """
    prepared = [
        await _prepare(toolbox, call, f"{path}:call:{number}", path)
        for number, call in enumerate(calls, 1)
    ]
    outcomes: dict[str, Outcome] = {}
    for group in _groups(prepared):
        gate = asyncio.Semaphore(SIDE_BY_SIDE)
        done = await _together([_gated(gate, ctx, call) for call in group])
        outcomes |= {call.key: outcome for call, outcome in zip(group, done, strict=True)}
    return [(call, outcomes[done.key]) for call, done in zip(calls, prepared, strict=True)]


async def run_tool(
    ctx: RunContext, tool: Tool, arguments: Mapping[str, object], key: str, path: str = ""
) -> ToolResult:
    """Run one tool as journal step `key`; raises ToolFailed with the sentence for people."""
    call = _Call(key, path, tool, tool.name, validated(tool, dict(arguments)))
    outcome = await _run(ctx, call)
    if outcome.result is None:
        raise ToolFailed(outcome.reason)
    return outcome.result


async def _prepare(toolbox: Mapping[str, Tool], call: ToolCall, key: str, path: str) -> _Call:
    tool = toolbox.get(call.name)
    if tool is None:
        refused = unknown_tool(call.name, list(toolbox.values()))
        return _Call(key, path, None, call.name[:80], refused)
    return _Call(key, path, tool, tool.name, await checked(tool, call.arguments))


def _groups(calls: Sequence[_Call]) -> list[list[_Call]]:
    """Runs of reads together; each call with effects by itself."""
    groups: list[list[_Call]] = []
    for call in calls:
        if groups and call.reads and groups[-1][-1].reads:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


async def _together(works: Sequence[Awaitable[Outcome]]) -> list[Outcome]:
    """All results in order; when one raises, the others are cancelled and awaited."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        await ended(*tasks)


async def _gated(gate: asyncio.Semaphore, ctx: RunContext, call: _Call) -> Outcome:
    async with gate:
        return await _run(ctx, call)


async def _run(ctx: RunContext, call: _Call) -> Outcome:
    """One call as a journal step, with its events."""
    ctx.stop.check()
    kept = await ctx.journal.kept(call.key, Outcome)
    title = kept.title if kept else _title(call)
    step = "search" if "search" in call.name else "tool"
    await ctx.emit(call.path, StepStarted(id=call.key, step=step, title=title))
    outcome = kept or await ctx.journal.step(call.key, Outcome, lambda: _outcome(ctx, call, title))
    await ctx.emit(call.path, _end(call.key, outcome, replayed=kept is not None))
    return outcome


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
    started = time.monotonic()
    reason = await _begin_effect(ctx, call)
    if reason:
        return Outcome(
            error=f"error: unknown_outcome\nreason: {reason}", reason=reason, title=title
        )
    try:
        async with asyncio.timeout(tool.timeout_s):
            result = await ctx.stop.during(tool.run(arguments))
        outcome = Outcome(result=bounded(result))
    except (RunStopped, LostRun):
        raise
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


async def _begin_effect(ctx: RunContext, call: _Call) -> str:
    """Write down that a call with effects begins; a sentence if an earlier life began it already.

    Such a call may have taken effect before the process died, so it is not done again.
    """
    if call.reads:
        return ""
    key = f"{call.key}:intent"
    if await ctx.journal.kept(key, bool):
        return say("execute.unknown_outcome", ctx.request.language, name=call.name)

    async def intend() -> bool:
        return True

    await ctx.journal.step(key, bool, intend)
    return ""


def _timed_out(tool: Tool) -> ToolTimedOut:
    seconds = f"{tool.timeout_s:g}"
    detail = f"no result within {seconds} seconds"
    return ToolTimedOut(detail, key="execute.timed_out", name=tool.name, seconds=seconds)


def _failed(ctx: RunContext, error: ThreadmateError, detail: str = "") -> Outcome:
    kind = "timed_out" if isinstance(error, ToolTimedOut) else "tool_failed"
    reason = say(error.key, ctx.request.language, **error.values)
    short = (detail or reason)[:ERROR_CHARACTERS]
    return Outcome(error=f"error: {kind}\nreason: {short}", reason=reason[:ERROR_CHARACTERS])


def _refused(ctx: RunContext, refused: Rejected, title: str) -> Outcome:
    reason = say(refused.key, ctx.request.language, **refused.values)
    return Outcome(error=refused.text, reason=reason, title=title)


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
