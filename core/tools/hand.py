"""The hand: the system text and the tools of one model call, made anew for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.model.protocol import ToolCall
from core.tools.execute import Outcome
from core.tools.tool import Tool


@dataclass(frozen=True)
class Held:
    """What one model call is given."""

    system: str
    """The system text; the section about fenced data is added by the loop."""
    tools: Mapping[str, Tool]
    """Loaded in full."""
    unloaded: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    """There, but only named in the catalog: a call of one is refused once, for free, and the
    refusal asks for it to be loaded (`Outcome.load`)."""


class Hand(Protocol):
    """Gives the tools of a loop; what it saw may change what it gives next."""

    async def hold(self, last: bool) -> Held:
        """The snapshot for the next model call; without tools in the `last` round."""
        ...

    def saw(self, call: ToolCall, outcome: Outcome) -> None:
        """A call ended, live or replayed: see `Outcome.load` and `Outcome.teammate`."""
        ...


@dataclass
class FixedHand:
    """The same system text and tools in every round."""

    system: str
    tools: Mapping[str, Tool]

    async def hold(self, last: bool) -> Held:
        del last
        return Held(self.system, self.tools)

    def saw(self, call: ToolCall, outcome: Outcome) -> None:
        del call, outcome
