"""What a mode gives back, and how it says that another should try."""

from __future__ import annotations

from core.context import RunContext
from core.events import TextDelta, Usage
from core.messages import Frozen


class Outcome(Frozen):
    text: str
    """Markdown with marks; sources are added by the agent."""
    usage: Usage = Usage()
    stopped_by_limit: bool = False
    quoted: tuple[tuple[int, str], ...] = ()
    """Mark and sentence, where a source shows a better quote than its passage's start."""


class WrongRoute(Exception):
    """This mode cannot do it; `reason` is the id that the next `mode_chosen` event carries."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def shown(ctx: RunContext, path: str, outcome: Outcome) -> Outcome:
    """The outcome, after its text went out as an event, as a model's would."""
    await ctx.emit(path, TextDelta(text=outcome.text))
    return outcome
