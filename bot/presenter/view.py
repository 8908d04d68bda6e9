"""What a run looks like at some moment: events folded into a view. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from core.events import (
    Done,
    Event,
    Failed,
    ModeChosen,
    Notice,
    PlanReady,
    Repaired,
    RunStarted,
    StepDone,
    StepDropped,
    StepFailed,
    StepStarted,
    Stopped,
    Suspended,
    TeammateChanged,
    TextDelta,
    TextTakenBack,
    Thought,
    WillRetry,
)
from core.messages import Language

State = Literal["running", "done", "failed"]
Ending = Done | Failed | Stopped | Suspended


@dataclass(frozen=True)
class Step:
    """A step of the run, as far as it has come."""

    id: str
    title: str
    kind: str
    """As in `StepStarted.step`; `model` steps are not shown as steps of the plan."""
    state: State = "running"
    ms: int = 0
    note: str = ""
    """What it brought, or why it failed: one line for people."""


@dataclass(frozen=True)
class View:
    """A run as people may see it. `fold` gives the next view."""

    language: Language = "en"
    steps: tuple[Step, ...] = ()
    text: str = ""
    """The answer as far as it is written; raw."""
    notices: tuple[str, ...] = ()
    ending: Ending | None = None

    @property
    def shown_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.kind != "model")

    def fold(self, event: Event) -> View:
        """The view after `event`. Events of other kinds change nothing that is shown."""
        match event.body:
            case RunStarted(language=language):
                return replace(self, language=language)
            case TextDelta(text=text):
                return replace(self, text=self.text + text)
            case TextTakenBack():
                return replace(self, text="")
            case StepStarted(id=step_id, title=title, step=kind):
                return self._with(Step(step_id, title, kind))
            case StepDone() as done:
                return self._ended(done, "done", done.summary)
            case StepFailed() as failed:
                return self._ended(failed, "failed", failed.reason)
            case Notice(text=text):
                return self._noticed(text)
            case Done() | Failed() | Stopped() as ending:
                return replace(self, ending=ending)
            case Suspended() as ending:
                return replace(self, ending=ending)
            case (
                ModeChosen()
                | Thought()
                | PlanReady()
                | StepDropped()
                | Repaired()
                | WillRetry()
                | TeammateChanged()
            ):
                return self

    def _noticed(self, text: str) -> View:
        if text in self.notices:
            return self
        return replace(self, notices=(*self.notices, text))

    def _with(self, step: Step) -> View:
        """A step that starts again (after a retry or a resume) keeps its place."""
        if any(known.id == step.id for known in self.steps):
            steps = tuple(step if known.id == step.id else known for known in self.steps)
        else:
            steps = (*self.steps, step)
        return replace(self, steps=steps)

    def _ended(self, body: StepDone | StepFailed, state: State, note: str) -> View:
        known = next((step for step in self.steps if step.id == body.id), None)
        kind = known.kind if known is not None else "tool"
        return self._with(Step(body.id, body.title, kind, state, body.ms, note))
