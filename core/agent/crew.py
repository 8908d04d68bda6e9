"""Crew: what every run of an agent works with, and how a teammate is given its own part of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from core.agent.door import Door
from core.context import Heard
from core.errors import WrongConfig
from core.model.protocol import Model
from core.quota import Level
from core.request import Request, TeammateCard
from core.teammates import MemoryPresence, Speaking, as_teammate, reach_of, within
from core.tools.choose import Chooser
from core.tools.knowledge import Knowledge
from core.tools.services import Services
from core.tools.sources import SourceBook
from core.tools.tool import Tool
from core.tools.toolbox import Bound, Toolbox

log = logging.getLogger(__name__)

MakeModel = Callable[[str], Model]
"""The model of a name, the same one each time; WrongConfig if it cannot be had."""


@dataclass(frozen=True)
class Crew:
    """What every run of an agent works with."""

    knowledge: Knowledge
    model: Model | None
    """The installation's; None without a key."""
    toolbox: Toolbox
    clock: Callable[[], float]
    services: Services = Services()
    chooser: Chooser = field(default_factory=Chooser)
    models: MakeModel | None = None
    """For teammates with a model of their own."""
    presence: Speaking = field(default_factory=MemoryPresence)
    cheap: Model | None = None
    """The cheaper model."""
    door: Door | None = None
    forbids: Callable[[Request], str] | None = None
    """Why the asker may not use tools with effects; empty if they may. None: everybody may."""

    def model_of(self, card: TeammateCard) -> Model | None:
        """The teammate's own model, else the installation's."""
        if card.model is None or self.models is None:
            return self.model
        try:
            return self.models(card.model)
        except WrongConfig as error:
            # A card is edited while we run: a slip in it must not silence the teammate.
            log.warning("teammate %s does without its model: %s", card.name, error)
            return self.model

    def at(self, level: Level, cheap: bool) -> Crew:
        """The crew as a step of the ladder leaves it: a cheaper model for all, or none."""
        if level == "cache_only":
            return replace(self, model=None, models=None)
        if (cheap or level == "cheap") and self.cheap is not None:
            return replace(self, model=self.cheap, models=None)
        return self

    def bound(self, request: Request, book: SourceBook, heard: Heard) -> Bound:
        """What the tools of a request are bound to."""
        return Bound(request, self.knowledge, book, self.clock, services=self.services, heard=heard)

    def tools(self, request: Request, book: SourceBook, heard: Heard) -> dict[str, Tool]:
        """The tools of a request that are there now."""
        return self.toolbox.of(self.bound(request, book, heard))

    def as_worked_by(self, request: Request, card: TeammateCard) -> Request:
        """The request with the role, tools, knowledge and style of another teammate."""
        if card.name == request.teammate.name:
            return request
        reach = reach_of(request)
        picked = within(request.picks.tools, reach.tools)
        tools = self.toolbox.permitted(card.tools, reach.effects, picked)
        return as_teammate(request, card, tools)
