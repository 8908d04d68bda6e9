"""The plan as a few calm lines: what is done, what is being done, how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.presenter.view import Step, View
from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.events import Done, Stopped, Suspended
from core.messages import Language
from core.texts import say
from core.texts.counts import counted

MOST_STEPS = 8
"""Lines of a plan; of a longer one the steps before and after are only counted."""

STEPS_BEFORE = 2
"""Ended steps that a long plan still shows before the first one that is not over."""

LONGEST_TITLE = 100
LONGEST_NOTE = 120

SIGNS = {"ahead": "○", "running": "▸", "done": "✓", "failed": "✗", "dropped": "·", "asked": "◇"}
BREAK = "  \n"
"""Markdown's line break: two spaces, or a renderer may join the lines."""


def plan_text(view: View, seconds: float) -> str:
    """The plan; with a closing line once the run has ended."""
    language, steps = view.language, shown_steps(view)
    before, after = window(steps)
    found = [step_line(step, language, over(view)) for step in steps[before:after]]
    if before:
        left = counted("steps", before, language)
        found.insert(0, f"· {say('presenter.earlier', language, steps=left)}")
    if after < len(steps):
        left = counted("steps", len(steps) - after, language)
        found.append(f"· {say('presenter.later', language, steps=left)}")
    if view.ending is None:
        if view.retry_s:
            wait = duration(view.retry_s, language)
            found.append(f"▸ {say('presenter.retry', language, time=wait)}")
        elif not any(step.state == "running" for step in steps):
            found.append(f"▸ {say('presenter.thinking', language)}")
        return BREAK.join(found)
    if len(found) == 1 and isinstance(view.ending, Done):
        return found[0]
    return BREAK.join([*found, closing(view, seconds)])


def over(view: View) -> bool:
    """True when no step goes on any more."""
    return view.ending is not None and not isinstance(view.ending, Suspended)


def shown_steps(view: View) -> tuple[Step, ...]:
    """The steps as people see them: in a race that was won, nobody failed."""
    won = {step.race_group for step in view.shown_steps if step.state == "done"} - {""}
    return tuple(
        replace(step, state="dropped")
        if step.state == "failed" and step.race_group in won
        else step
        for step in view.shown_steps
    )


def window(steps: Sequence[Step]) -> tuple[int, int]:
    """The part of a long plan that is shown: where the work is."""
    first = next((at for at, step in enumerate(steps) if step.open), len(steps))
    start = max(0, min(first - STEPS_BEFORE, len(steps) - MOST_STEPS))
    return start, min(len(steps), start + MOST_STEPS)


def closing(view: View, seconds: float) -> str:
    """`3 steps · 2.1 s`, or that it was stopped, failed or waits for a person."""
    language, time = view.language, duration(seconds, view.language)
    if isinstance(view.ending, Suspended):
        return say("presenter.waiting_plan", language, time=time)
    if isinstance(view.ending, Stopped):
        return say("presenter.stopped_plan", language, time=time)
    if not isinstance(view.ending, Done):
        return say("presenter.failed_plan", language, time=time)
    count = len(view.shown_steps)
    if not count:
        return say("presenter.took", language, time=time)
    return f"{counted('steps', count, language)} · {time}"


def step_line(step: Step, language: Language, over: bool) -> str:
    """`✓ Searched the documents · 3 hits · 0.2 s`; a step that was cut off gets a dot.

    A teammate's step names it, and tells what it is at: its own steps are no lines of the plan.
    """
    sign = "·" if over and step.open else SIGNS[step.state]
    parts = [_line(step.title, LONGEST_TITLE)]
    if step.who:
        parts.insert(0, f"**{_line(step.who, LONGEST_TITLE)}**")
    if note := _note(step, language, over):
        parts.append(_line(note, LONGEST_NOTE))
    if step.who and step.inner and step.state == "done":
        parts.append(counted("steps", len(step.inner), language))
    if step.state in ("done", "failed"):
        parts.append(duration(step.ms / 1000, language))
    return f"{sign} " + " · ".join(parts)


def _note(step: Step, language: Language, over: bool) -> str:
    if step.state == "asked" and not over:
        return say("presenter.waits", language)
    if step.state == "dropped":
        return step.note or say("presenter.faster", language)
    if step.state == "running" and step.inner and not over:
        return step.inner[-1].title
    return step.note


def compact(view: View) -> str:
    """The steps for the small print under a quick answer."""
    lines = (step_line(step, view.language, True) for step in shown_steps(view)[-MOST_STEPS:])
    return "\n".join(line.replace("\\", "").replace("**", "") for line in lines)


def duration(seconds: float, language: Language) -> str:
    """`0.2 s`, `2.1 s`, `12 s`, `1 min 5 s`."""
    if seconds < 60:
        shown = f"{max(seconds, 0.1):.1f}" if seconds < 10 else f"{seconds:.0f}"
        return say("presenter.seconds", language, seconds=shown)
    minutes, rest = divmod(round(seconds), 60)
    return say("presenter.minutes", language, minutes=minutes, seconds=rest)


def _line(text: str, most: int) -> str:
    return escaped(clipped(" ".join(text.split()), most))
