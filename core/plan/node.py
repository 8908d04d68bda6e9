"""One node at work: its references filled in, its call or sub-agent, retries, time, and its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from core.context import NeedsPerson, Purse, RunContext, SubAnswer, SubTask
from core.errors import LostRun, RunStopped, ThreadmateError, ToolFailed
from core.events import Body, Need, StepDone, StepStarted, Thought, Usage
from core.plan.references import ReferenceMissing, filled
from core.plan.results import NodeResult, upstream
from core.plan.schema import Node
from core.texts import say, told
from core.tools.decide import decision_of
from core.tools.execute import run_tool
from core.tools.tool import Tool, ToolResult

log = logging.getLogger(__name__)

BACKOFF_S = 0.5
"""Before the first retry; doubled before each further one."""
RETRIED = ("timed_out", "tool_failed")
"""Kinds of failure that may pass; wrong arguments, a limit or a person's no do not."""


@dataclass(frozen=True)
class Ground:
    """What a node builds on: results of the nodes that it depends on."""

    results: Sequence[NodeResult]
    values: Mapping[str, Mapping[str, Any]]
    """By id of the plan, for references."""


class Share(Purse):
    """The run's purse, as one node uses it: what the node spends is known."""

    def __init__(self, whole: Purse) -> None:
        super().__init__(whole.limits, Usage(), whole.started)
        self._whole = whole

    def spend(self, usage: Usage) -> None:
        self.usage = self.usage.plus(usage)
        self._whole.spend(usage)

    @contextmanager
    def hold(self, usage: Usage) -> Generator[None]:
        with self._whole.hold(usage):
            yield

    @property
    def tokens_left(self) -> int:
        return self._whole.tokens_left

    def short_of(self, *, requests: int = 0, tool_calls: int = 0, tokens: int = 0) -> str:
        return self._whole.short_of(requests=requests, tool_calls=tool_calls, tokens=tokens)


@dataclass
class NodeWork:
    """A node of a plan that is being worked."""

    ctx: RunContext
    node: Node
    step: str
    tool: Tool | None
    needs_click: bool
    """True: with effects it waits for a person, whatever its tool says."""
    ground: Ground
    earlier: Mapping[str, NodeResult]
    """By digest: what an earlier plan of this run did."""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    replayed: bool = False
    needs: tuple[Need, ...] = ()
    """What it waits for, once it came to wait."""

    def __post_init__(self) -> None:
        self.ctx = replace(self.ctx, purse=Share(self.ctx.purse))

    async def run(self) -> NodeResult:
        """How it ended, after its first events. Raises RunStopped and LostRun; the border where
        every other error of a node ends. A failure is kept, so that it stays one."""
        await self._begin()
        key, started = f"{self.step}:end", time.monotonic()
        kept = await self.ctx.journal.kept(key, NodeResult)
        if kept is not None:
            self.ctx.purse.spend(kept.usage)
            return kept.model_copy(update={"replayed": True})
        result = await self._ended()
        ms = round((time.monotonic() - started) * 1000)
        result = result.model_copy(update={"ms": ms, "usage": self.ctx.purse.usage})
        if result.state != "failed":
            return result

        async def end() -> NodeResult:
            return result

        return await self.ctx.journal.step(key, NodeResult, end)

    async def _begin(self) -> None:
        # Whatever the depth of a stop: what has not begun does not begin.
        self.ctx.stop.check("model")
        language, title = self.ctx.request.language, self.node.title
        kind = "agent" if self.node.teammate else "tool"
        if "search" in self.node.tool:
            kind = "search"
        needed = say("nodes.and", language).join(one.title for one in self.ground.results)
        key = "nodes.thought.after" if needed else "nodes.thought.first"
        thought = say(key, language, title=title, needed=needed)
        await self.ctx.emit(self.step, Thought(text=thought))
        await self.ctx.emit(self.step, StepStarted(id=self.step, step=kind, title=title))
        # Telling may have waited for a slow watcher.
        self.ctx.stop.check("model")

    async def _ended(self) -> NodeResult:
        seconds = self.ctx.knobs.node_s
        try:
            async with asyncio.timeout(seconds):
                return await (self._agent() if self.node.teammate else self._tool())
        except (RunStopped, LostRun):
            raise
        except NeedsPerson as error:
            self.needs = error.needs
            return self.result("waiting")
        except TimeoutError:
            key = "nodes.timed_out" if self._repeatable else "nodes.timed_out_effect"
            return self._failed(key, "node_timed_out", seconds=f"{seconds:g}")
        except ReferenceMissing as error:
            return self.result(
                "failed", reason=self._told(error), kind="reference", hint=error.detail
            )
        except ToolFailed as error:
            # A tool's own failure already comes as the sentence for people.
            own = error.key == ToolFailed.key and error.detail
            reason, kind = own or self._told(error), str(error.values.get("kind", "tool_failed"))
            return self.result("failed", reason=reason, kind=kind)
        except ThreadmateError as error:
            return self.result("failed", reason=self._told(error), kind="error")
        except Exception:  # The node's border: a bug in one must not end the run.
            log.exception("node %s broke", self.step)
            return self._failed("nodes.broken", "broken")

    async def _tool(self) -> NodeResult:
        assert self.tool is not None, f"plan with an unknown tool: {self.node.tool}"
        self.arguments = filled(self.node.arguments, self.ground.values)
        again = self._done_before()
        if again is not None:
            return again
        tool = self.tool
        if self.needs_click and tool.effect != "read":
            tool = replace(tool, needs_approval=True)
        retries = self.ctx.knobs.retries if self._repeatable else 0
        for number in range(retries + 1):
            try:
                return self._of_tool(await self._call(tool, number))
            except ToolFailed as error:
                if number == retries or error.values.get("kind") not in RETRIED:
                    raise
            await self.ctx.stop.during(asyncio.sleep(BACKOFF_S * 2**number))
            self.ctx.stop.check("model")
        raise AssertionError("unreachable")

    async def _call(self, tool: Tool, number: int) -> ToolResult:
        key = f"{self.step}:call" if number == 0 else f"{self.step}:call:{number + 1}"

        async def listen(path: str, body: Body) -> None:
            # The node is the step that people see; its call is not a second one.
            del path
            if isinstance(body, StepDone):
                self.replayed = body.replayed

        quiet = replace(self.ctx, emit=listen)
        return await run_tool(quiet, tool, self.arguments, key, self.step)

    async def _agent(self) -> NodeResult:
        spawn = self.ctx.spawn
        if spawn is None:
            return self._failed("nodes.needs_model", "needs_model")
        task = str(filled(self.node.task, self.ground.values))
        self.arguments = {"task": task}
        again = self._done_before()
        if again is not None:
            return again
        if self.needs_click and not await self._allowed():
            return self._failed("execute.declined", "declined", name=self.node.title)
        given = upstream(self.ground.results, self.ctx.knobs.result_chars)
        teammate = self.node.teammate
        sub = SubTask(path=self.step, teammate=teammate, task=task, upstream=given)
        key = f"{self.step}:answer"
        self.replayed = await self.ctx.journal.kept(key, SubAnswer) is not None

        async def work() -> SubAnswer:
            answer = await spawn(self.ctx, sub)
            return answer.model_copy(update={"usage": self.ctx.purse.usage})

        answer = await self.ctx.journal.step(key, SubAnswer, work)
        if self.replayed:
            self.ctx.purse.spend(answer.usage)
        return self.result("done", text=answer.text, found=answer.found)

    async def _allowed(self) -> bool:
        """True if a person let the teammate, which may do more than read, begin this task."""
        language, teammate = self.ctx.request.language, self.node.teammate
        need = Need(
            id=f"{self.step}:go",
            what="approval",
            tool=f"@{teammate}",
            title=say("nodes.go", language, teammate=teammate, title=self.node.title),
            arguments=self.arguments,
        )
        return (await decision_of(self.ctx, need)).yes

    @property
    def _repeatable(self) -> bool:
        """True if doing it twice does no more than once."""
        return self.tool is not None and (self.tool.effect == "read" or self.tool.idempotent)

    def _done_before(self) -> NodeResult | None:
        """What an earlier plan of this run made of the very same work.

        Also a failure, where a second try could have a second effect.
        """
        if not self.earlier:
            return None
        before = self.earlier.get(self.result("done").digest)
        if before is None or (before.state == "failed" and self._repeatable):
            return None
        own = {"id": self.node.id, "step": self.step, "title": self.node.title, "replayed": True}
        return before.model_copy(update=own)

    def _of_tool(self, result: ToolResult) -> NodeResult:
        return self.result(
            "done",
            text=result.text,
            summary=result.summary,
            details=result.details,
            found=result.found,
            has_sources=bool(result.sources),
        )

    def result(self, state: str, **fields: Any) -> NodeResult:
        """A result of this node in `state`."""
        node = self.node
        values = {
            "id": node.id,
            "step": self.step,
            "title": node.title,
            "tool": node.tool,
            "teammate": node.teammate,
            "arguments": self.arguments,
            "state": state,
            "replayed": self.replayed,
        }
        return NodeResult.model_validate(values | fields)

    def _failed(self, key: str, kind: str, **values: object) -> NodeResult:
        language = self.ctx.request.language
        hint = say(key, "en", **values)
        return self.result("failed", reason=say(key, language, **values), kind=kind, hint=hint)

    def _told(self, error: ThreadmateError) -> str:
        return told(error, self.ctx.request.language)
