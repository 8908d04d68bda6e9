"""Events: what a run tells the outside while it works; the only way out of the core.

Every event carries run, number (gap-free from 1), teammate, path and exactly one of output, action,
error. A run ends with exactly one terminal event: `done`, `failed`, `stopped` or `suspended`; a
suspended run that goes on is told anew from number 1, with what was done as replayed steps.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import Field

from core.messages import Frozen, Language
from core.sources import Source


class Usage(Frozen):
    """What the model calls of a run cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    usd: float = 0.0
    """Money, where the model's price is known."""

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            usd=self.usd + other.usd,
        )

    def minus(self, other: Usage) -> Usage:
        """Without the other."""
        negative = {name: -value for name, value in other.model_dump().items()}
        return self.plus(Usage.model_validate(negative))


class Answer(Frozen):
    """The answer of a run that is done."""

    text: str
    """Markdown with marks `[n]`; raw: the outbound filter has not seen it yet."""
    language: Language
    mode: str
    teammate: str
    refused: bool = False
    sources: tuple[Source, ...] = ()
    usage: Usage = Usage()
    cached: bool = False
    stopped_by_limit: bool = False


# Outputs: something was produced.
class TextDelta(Frozen):
    """A piece of the answer, as it is written."""

    kind: Literal["text_delta"] = "text_delta"
    text: str


class Thought(Frozen):
    """Text before a tool call: that step's thought, not the answer."""

    kind: Literal["thought"] = "thought"
    text: str


class StepDone(Frozen):
    """A step came to its end."""

    kind: Literal["step_done"] = "step_done"
    id: str
    title: str
    ms: int
    summary: str = ""
    """One short line for people, in their language: `3 hits in policy.pdf`."""
    replayed: bool = False
    """True when the journal held the result already."""


class Done(Frozen):
    """The run ended with an answer. Terminal."""

    kind: Literal["done"] = "done"
    answer: Answer


# Actions: something was decided or begins.
class RunStarted(Frozen):
    """The request is assembled."""

    kind: Literal["run_started"] = "run_started"
    language: Language
    question: str


class ModeChosen(Frozen):
    """How the run is worked from here on."""

    kind: Literal["mode_chosen"] = "mode_chosen"
    mode: str
    reason: str
    """Id of the rule, for the trace."""
    instead_of: str = ""
    """The mode that was tried first, when a route degraded."""


class StepStarted(Frozen):
    """A step begins."""

    kind: Literal["step_started"] = "step_started"
    id: str
    """Stable id inside the run, e.g. `loop:2:call:1`."""
    step: Literal["tool", "model", "search", "ingest", "agent"]
    title: str
    """One short line for people, in their language."""


class TextTakenBack(Frozen):
    """All text deltas so far are void; the text is written anew (retry, or it was a thought)."""

    kind: Literal["text_taken_back"] = "text_taken_back"
    reason: str


class Stopped(Frozen):
    """A person stopped the run. Terminal."""

    kind: Literal["stopped"] = "stopped"
    by: str
    """Person id."""


class PlanNode(Frozen):
    """A node of a plan as people see it."""

    id: str
    """The step's id, as in the step events: `node:n1`."""
    title: str
    work: Literal["tool", "agent"]
    depends_on: tuple[str, ...] = ()
    race_group: str = ""
    teammate: str = ""
    """Who does it, where a teammate does."""


class PlanReady(Frozen):
    """What will be done; a second one replaces the open part of the first."""

    kind: Literal["plan_ready"] = "plan_ready"
    nodes: tuple[PlanNode, ...]
    attempt: int = 1


class StepDropped(Frozen):
    """A step is not needed any more: another was faster, or what it builds on failed."""

    kind: Literal["step_dropped"] = "step_dropped"
    id: str
    title: str
    reason: str
    """One short line for people, in their language."""


class Repaired(Frozen):
    """Output of a model was mended before it could be used; for traces and counters."""

    kind: Literal["repaired"] = "repaired"
    line: Literal["strip", "tolerant", "alias", "retry", "degrade"]
    what: str


class WillRetry(Frozen):
    """A model failed and is asked again, or another one is."""

    kind: Literal["will_retry"] = "will_retry"
    model: str
    reason: str
    wait_s: float = 0.0


class TeammateChanged(Frozen):
    """Another teammate speaks from here on."""

    kind: Literal["teammate_changed"] = "teammate_changed"
    name: str
    avatar: str = ""


class Need(Frozen):
    """What a run waits for: a click that allows one exact call, or a fact that a person has."""

    id: str
    """Journal key of the call; the decision is kept under `{id}:decision`."""
    what: Literal["approval", "answer"]
    tool: str
    title: str
    """The step line of the call, in the run's language."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The exact arguments that would be used; for `approval`."""
    question: str = ""
    """For `answer`: what the person is asked, in their language."""
    expects: Literal["text", "email"] = "text"
    """For `answer`: what the next message must hold to count as the answer."""

    @property
    def digest(self) -> str:
        """Of tool and arguments: an approval is good for nothing else."""
        held = json.dumps([self.tool, self.arguments], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(held.encode()).hexdigest()


class Decision(Frozen):
    """What a person said to a need; a step of the journal."""

    by: str
    """Person id."""
    yes: bool
    text: str = ""
    """For `answer`: their words."""
    digest: str = ""
    """Of the need that was decided."""
    at: float


class Suspended(Frozen):
    """The run waits for a person and goes on with their click or message. Terminal."""

    kind: Literal["suspended"] = "suspended"
    needs: tuple[Need, ...]


# Errors.
class StepFailed(Frozen):
    """A step failed; the run may go on without it."""

    kind: Literal["step_failed"] = "step_failed"
    id: str
    title: str
    ms: int
    reason: str
    """One sentence for people, in their language."""


class Notice(Frozen):
    """Something went wrong and the run goes on another way: `The model is down; quotes instead.`"""

    kind: Literal["notice"] = "notice"
    key: str
    text: str


class Failed(Frozen):
    """The run ended without an answer. Terminal."""

    kind: Literal["failed"] = "failed"
    key: str
    text: str
    """One sentence for people, in their language."""


Output = Annotated[TextDelta | Thought | StepDone | Done, Field(discriminator="kind")]
Action = Annotated[
    RunStarted
    | ModeChosen
    | PlanReady
    | StepStarted
    | StepDropped
    | Repaired
    | WillRetry
    | TeammateChanged
    | TextTakenBack
    | Suspended
    | Stopped,
    Field(discriminator="kind"),
]
Failure = Annotated[StepFailed | Notice | Failed, Field(discriminator="kind")]
Body = (
    TextDelta
    | Thought
    | StepDone
    | Done
    | RunStarted
    | ModeChosen
    | PlanReady
    | StepStarted
    | StepDropped
    | Repaired
    | WillRetry
    | TeammateChanged
    | TextTakenBack
    | Suspended
    | Stopped
    | StepFailed
    | Notice
    | Failed
)


class Event(Frozen):
    """One body with its number and place in the run."""

    run: str
    number: int
    teammate: str
    path: str
    """Where in the run: `` (the run itself), `loop:2`, `node:n1/loop:3`."""
    kind: str
    output: Output | None = None
    action: Action | None = None
    error: Failure | None = None

    @property
    def body(self) -> Body:
        """The one of output, action, error that is set."""
        body = self.output or self.action or self.error
        assert body is not None, "an event without a body"
        return body

    @property
    def terminal(self) -> bool:
        """True for the one event that ends a run."""
        return self.kind in ("done", "failed", "stopped", "suspended")


def event(run: str, number: int, teammate: str, path: str, body: Body) -> Event:
    """Wrap a body: outputs, actions and errors land in the field of their kind."""
    slot = "action"
    if isinstance(body, TextDelta | Thought | StepDone | Done):
        slot = "output"
    elif isinstance(body, StepFailed | Notice | Failed):
        slot = "error"
    return Event.model_validate(
        {"run": run, "number": number, "teammate": teammate, "path": path, "kind": body.kind}
        | {slot: body}
    )
