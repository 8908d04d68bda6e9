"""Events: what a run tells the outside while it works; the only way out of the core.

Every event carries run, number (gap-free from 1), teammate, path and exactly one of output, action,
error. A run ends with exactly one terminal event: `done`, `failed` or `stopped`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.messages import Frozen, Language
from core.sources import Source


class Usage(Frozen):
    """What the model calls of a run cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0


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
    RunStarted | ModeChosen | StepStarted | TextTakenBack | Stopped, Field(discriminator="kind")
]
Failure = Annotated[StepFailed | Notice | Failed, Field(discriminator="kind")]
Body = (
    TextDelta
    | Thought
    | StepDone
    | Done
    | RunStarted
    | ModeChosen
    | StepStarted
    | TextTakenBack
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
        return self.kind in ("done", "failed", "stopped")


def event(run: str, number: int, teammate: str, path: str, body: Body) -> Event:
    """Wrap a body: outputs, actions and errors land in the field of their kind."""
    slot = "output"
    if isinstance(body, RunStarted | ModeChosen | StepStarted | TextTakenBack | Stopped):
        slot = "action"
    elif isinstance(body, StepFailed | Notice | Failed):
        slot = "error"
    return Event.model_validate(
        {"run": run, "number": number, "teammate": teammate, "path": path, "kind": body.kind}
        | {slot: body}
    )
