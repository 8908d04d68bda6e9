"""The plan as a few calm lines: what is done, what is being done, how long it took."""

from __future__ import annotations

from bot.presenter.view import Step, View
from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.events import Done, Stopped
from core.messages import Language
from core.texts import say
from core.texts.counts import counted

MOST_STEPS = 8
"""Lines of a plan; of a longer one the first steps are only counted."""

LONGEST_TITLE = 100
LONGEST_NOTE = 120

SIGNS = {"running": "▸", "done": "✓", "failed": "✗"}
BREAK = "  \n"
"""Markdown's line break: two spaces, or a renderer may join the lines."""


def plan_text(view: View, seconds: float) -> str:
    """The plan; with a closing line once the run has ended."""
    language = view.language
    steps = view.shown_steps
    shown = steps[-MOST_STEPS:]
    found = [step_line(step, language, view.ending is not None) for step in shown]
    if len(steps) > len(shown):
        left = counted("steps", len(steps) - len(shown), language)
        found.insert(0, f"· {say('presenter.earlier', language, steps=left)}")
    if view.ending is None:
        if not any(step.state == "running" for step in steps):
            found.append(f"▸ {say('presenter.thinking', language)}")
        return BREAK.join(found)
    if len(found) == 1 and isinstance(view.ending, Done):
        return found[0]
    return BREAK.join([*found, closing(view, seconds)])


def closing(view: View, seconds: float) -> str:
    """`3 steps · 2.1 s`, or that it was stopped or failed."""
    language, time = view.language, duration(seconds, view.language)
    if isinstance(view.ending, Stopped):
        return say("presenter.stopped_plan", language, time=time)
    if not isinstance(view.ending, Done):
        return say("presenter.failed_plan", language, time=time)
    count = len(view.shown_steps)
    if not count:
        return say("presenter.took", language, time=time)
    return f"{counted('steps', count, language)} · {time}"


def step_line(step: Step, language: Language, over: bool) -> str:
    """`✓ Searched the documents · 3 hits · 0.2 s`; a step that was cut off gets a dot."""
    sign = "·" if over and step.state == "running" else SIGNS[step.state]
    parts = [_line(step.title, LONGEST_TITLE)]
    if step.note:
        parts.append(_line(step.note, LONGEST_NOTE))
    if step.state != "running":
        parts.append(duration(step.ms / 1000, language))
    return f"{sign} " + " · ".join(parts)


def compact(view: View) -> str:
    """The steps for the small print under a quick answer."""
    steps = view.shown_steps[-MOST_STEPS:]
    return "\n".join(step_line(step, view.language, True).replace("\\", "") for step in steps)


def duration(seconds: float, language: Language) -> str:
    """`0.2 s`, `2.1 s`, `12 s`, `1 min 5 s`."""
    if seconds < 60:
        shown = f"{max(seconds, 0.1):.1f}" if seconds < 10 else f"{seconds:.0f}"
        return say("presenter.seconds", language, seconds=shown)
    minutes, rest = divmod(round(seconds), 60)
    return say("presenter.minutes", language, minutes=minutes, seconds=rest)


def _line(text: str, most: int) -> str:
    return escaped(clipped(" ".join(text.split()), most))
