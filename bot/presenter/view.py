"""What a run looks like at some moment: events folded into a view. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from core.events import (
    Body,
    Done,
    Event,
    Failed,
    Need,
    Notice,
    PlanNode,
    PlanReady,
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

State = Literal["ahead", "running", "done", "failed", "dropped", "asked"]
"""`ahead`: planned, not begun. `asked`: a person has to decide first."""
Ending = Done | Failed | Stopped | Suspended

LONG_WAIT_S = 3.0
"""A wait for a busy model is told from this length on."""


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
    race_group: str = ""
    who: str = ""
    """The teammate that does it, if it is not the one that answers."""
    inner: tuple[Step, ...] = ()
    """Steps inside it: a sub-agent's, or the one call of a tool node."""

    def holds(self, place: str) -> bool:
        """True if a path or step id lies inside this step."""
        return place.startswith((f"{self.id}/", f"{self.id}:"))

    @property
    def open(self) -> bool:
        return self.state in ("ahead", "running", "asked")


@dataclass(frozen=True)
class View:
    """A run as people may see it. `fold` gives the next view."""

    language: Language = "en"
    steps: tuple[Step, ...] = ()
    text: str = ""
    """The answer as far as it is written; raw."""
    thought: str = ""
    """The newest text that turned out to be no answer."""
    notices: tuple[str, ...] = ()
    retry_s: float = 0.0
    """How long a busy model is waited for, if that is long."""
    speaker: str = ""
    """Name of the teammate that answers."""
    switches: int = 0
    """How often another teammate took over."""
    ending: Ending | None = None

    @property
    def shown_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.kind != "model")

    def fold(self, event: Event) -> View:
        """The view after `event`. Events of other kinds change nothing that is shown."""
        view = replace(self, retry_s=0.0) if self.retry_s else self
        outer = self._outer(event.path)
        if outer is not None:
            return view._inside(outer, event)
        match event.body:
            case TextDelta() | TextTakenBack() | Thought() as body:
                return view._written(body)
            case PlanReady(nodes=nodes):
                return view._planned(nodes)
            case StepStarted() | StepDone() | StepFailed() | StepDropped() as body:
                return view._stepped(body)
            case WillRetry(wait_s=seconds):
                return replace(view, retry_s=seconds if seconds > LONG_WAIT_S else 0.0)
            case Notice(text=text):
                return view._noticed(text)
            case body:
                return view._turned(body, event.teammate)

    def _turned(self, body: Body, teammate: str) -> View:
        """Where a run begins, changes hands or ends."""
        match body:
            case RunStarted(language=language):
                return replace(self, language=language, speaker=teammate)
            case TeammateChanged(name=name):
                return replace(self, speaker=name, switches=self.switches + 1)
            case Suspended(needs=needs) as ending:
                return replace(self, ending=ending, steps=_asked(self.steps, needs))
            case Done() | Failed() | Stopped() as ending:
                return replace(self, ending=ending)
            case _:
                return self

    def _written(self, body: TextDelta | TextTakenBack | Thought) -> View:
        match body:
            case TextDelta(text=text):
                return replace(self, text=self.text + text)
            case TextTakenBack():
                return replace(self, text="")
            case Thought(text=text):
                return replace(self, thought=text)

    def _outer(self, path: str) -> Step | None:
        """The step that an event's path lies in: then it is told by a sub-agent."""
        return next((step for step in self.steps if path == step.id or step.holds(path)), None)

    def _inside(self, outer: Step, event: Event) -> View:
        """What a sub-agent tells is part of its step's line; its words are not the answer."""
        body = event.body
        if isinstance(body, StepStarted | StepDone | StepFailed | StepDropped):
            if body.id == outer.id:
                return self._stepped(body)
            if body.kind == "step_started" and body.step == "model":
                return self
            outer = replace(outer, inner=_with(outer.inner, _step(outer.inner, body)))
        if event.teammate not in ("", self.speaker):
            outer = replace(outer, who=event.teammate)
        return replace(self, steps=_with(self.steps, outer))

    def _planned(self, nodes: tuple[PlanNode, ...]) -> View:
        """The plan as steps ahead. A new plan replaces what had not begun of the old one."""
        steps = tuple(step for step in self.steps if step.state != "ahead")
        begun = {step.id for step in steps}
        ahead = tuple(
            Step(
                node.id,
                node.title,
                node.work,
                "ahead",
                race_group=node.race_group,
                who="" if node.teammate == self.speaker else node.teammate,
            )
            for node in nodes
            if node.id not in begun
        )
        return replace(self, steps=(*steps, *ahead))

    def _stepped(self, body: StepStarted | StepDone | StepFailed | StepDropped) -> View:
        outer = next((step for step in self.steps if step.holds(body.id)), None)
        if outer is None:
            return replace(self, steps=_with(self.steps, _step(self.steps, body)))
        if isinstance(body, StepStarted) and body.step == "model":
            return self
        outer = replace(outer, inner=_with(outer.inner, _step(outer.inner, body)))
        return replace(self, steps=_with(self.steps, outer))

    def _noticed(self, text: str) -> View:
        if text in self.notices:
            return self
        return replace(self, notices=(*self.notices, text))


def _step(known: tuple[Step, ...], body: StepStarted | StepDone | StepFailed | StepDropped) -> Step:
    """The step that `body` tells of, after it."""
    before = next((step for step in known if step.id == body.id), None)
    kind = before.kind if before is not None else "tool"
    made = before or Step(body.id, body.title, kind)
    match body:
        case StepStarted(step=kind, title=title):
            # The title of a planned node is the planner's, and says more than the call's.
            title = made.title if made.state == "ahead" else title
            return replace(made, kind=kind, title=title, state="running", ms=0, note="")
        case StepDone(summary=summary, ms=ms):
            return replace(made, state="done", ms=ms, note=summary)
        case StepFailed(reason=reason, ms=ms):
            return replace(made, state="failed", ms=ms, note=reason)
        case StepDropped(reason=reason):
            return replace(made, state="dropped", note=reason)


def _with(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """A step that is known keeps its place: it starts again after a retry or a resume."""
    if any(known.id == step.id for known in steps):
        return tuple(step if known.id == step.id else known for known in steps)
    return (*steps, step)


def _asked(steps: tuple[Step, ...], needs: tuple[Need, ...]) -> tuple[Step, ...]:
    """The steps, those marked that wait for a person; a call that was held back becomes one."""
    for need in needs:
        held = next((step for step in steps if need.id == step.id or step.holds(need.id)), None)
        waits = replace(held, state="asked") if held is not None else None
        steps = _with(steps, waits or Step(need.id, need.title, "tool", "asked"))
    return steps
