"""The toolbox: every tool by name, and the ones of a single run, bound to what it may read.

Tools may come and go while runs go on: a run asks for its tools before each model call, and each
answer is a snapshot. What a run may use is decided by names when its request is assembled.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from core.context import Heard
from core.request import Request
from core.tools.knowledge import Knowledge
from core.tools.services import Services
from core.tools.sources import SourceBook
from core.tools.tool import Effect, Tool

log = logging.getLogger(__name__)

READ = "@read"
"""In a list of names: every tool that only reads, those that come later as well."""


@dataclass(frozen=True)
class Bound:
    """What a tool of one run is bound to."""

    request: Request
    knowledge: Knowledge
    book: SourceBook
    clock: Callable[[], float] = time.time
    services: Services = Services()
    heard: Heard = field(default_factory=Heard)
    """That of the RunContext. Never a model's words, so that no model can word away a click."""


Maker = Callable[[Bound], Tool | None]
"""Makes a tool for one run; None if that run has no use for it. A tool sees KBs only through what
it is bound to. A maker of a tool with effects has the attribute `effect`."""


class Toolbox:
    """Makers of tools by name; `version` rises with every change."""

    def __init__(self, makers: Mapping[str, Maker]) -> None:
        self._makers = dict(makers)
        self.version = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._makers)

    def register(self, name: str, maker: Maker) -> None:
        """Add a tool, or put another in its place; runs see it from their next model call."""
        # A new dict each time: whoever iterates over the old one is not disturbed.
        self._makers = {**self._makers, name: maker}
        self.version += 1

    def unregister(self, name: str) -> None:
        """Take a tool away; what is running with it runs on. Unknown names are no error."""
        self._makers = {known: maker for known, maker in self._makers.items() if known != name}
        self.version += 1

    def copy(self) -> Toolbox:
        """A box of its own with the same tools."""
        return Toolbox(self._makers)

    def effect(self, name: str) -> Effect:
        """What the tool does; KeyError for a name that is not there."""
        return effect_of(self._makers[name])

    def grouped(self) -> dict[Effect, tuple[str, ...]]:
        """The names by effect."""
        groups: dict[Effect, tuple[str, ...]] = {}
        for name, maker in self._makers.items():
            groups[effect_of(maker)] = (*groups.get(effect_of(maker), ()), name)
        return groups

    def narrowed(self, picked: Sequence[str] | None) -> tuple[str, ...]:
        """The names that a pick leaves over; a pick adds none."""
        return self.names if picked is None else tuple(n for n in self.names if n in picked)

    def permitted(
        self,
        named: Sequence[str] | None,
        effects: Collection[str],
        picked: Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """The names for `Request.tools`.

        `named` is a teammate's tools line; without one it has every tool that reads (`@read`, which
        a line may hold as well). Tools with effects must be named there one by one and be among
        `effects`, which the channel allows. `picked` only narrows.
        """
        line = (READ,) if named is None else tuple(named)
        may = [
            name
            for name, maker in self._makers.items()
            if (name in line and (reads(maker) or name in effects))
            or (READ in line and reads(maker))
        ]
        if picked is not None:
            return tuple(name for name in may if name in picked)
        return (*may, READ) if READ in line else tuple(may)

    def of(self, bound: Bound) -> dict[str, Tool]:
        """The tools of a run: those that its request names and that are there now."""
        names = set(bound.request.tools)
        tools: dict[str, Tool] = {}
        for name, maker in self._makers.items():
            if name not in names and not (READ in names and reads(maker)):
                continue
            tool = _made(name, maker, bound)
            if tool is not None:
                tools[name] = tool
        return tools


def effect_of(maker: Maker) -> Effect:
    return getattr(maker, "effect", "read")


def reads(maker: Maker) -> bool:
    return effect_of(maker) == "read"


def _made(name: str, maker: Maker, bound: Bound) -> Tool | None:
    try:
        return maker(bound)
    except Exception:  # The tool's border: one broken tool must not take the others away.
        log.exception("tool %s cannot be made", name)
        return None
