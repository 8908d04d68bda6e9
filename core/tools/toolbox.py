"""The toolbox: every tool by name, and the ones of a single run, bound to what it may read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.request import Request
from core.tools.knowledge import Knowledge
from core.tools.sources import SourceBook
from core.tools.tool import Tool


@dataclass(frozen=True)
class Bound:
    """What a tool of one run is bound to."""

    request: Request
    knowledge: Knowledge
    book: SourceBook
    clock: Callable[[], float] = time.time


Maker = Callable[[Bound], Tool]
"""Makes a tool for one run. A tool sees KBs only through what it is bound to."""


@dataclass(frozen=True)
class Toolbox:
    """Makers of tools by name."""

    makers: Mapping[str, Maker]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.makers)

    def narrowed(self, picked: Sequence[str] | None) -> tuple[str, ...]:
        """The names that a pick leaves over; a pick adds none."""
        return self.names if picked is None else tuple(n for n in self.names if n in picked)

    def of(self, bound: Bound) -> dict[str, Tool]:
        """The tools of a run: those that its request names and that are still there."""
        return {
            name: make(bound) for name, make in self.makers.items() if name in bound.request.tools
        }
