"""The hand of a teammate: its prompt and tools for each model call, and who takes over from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.agent.channel import Channel
from core.agent.crew import Crew
from core.agent.delegate import ASK, spent_before, team_tools
from core.context import RunContext
from core.events import TeammateChanged
from core.model.protocol import ToolCall
from core.prompt import system_prompt
from core.request import Request, TeammateCard
from core.tools.choose import Shelf, catalog
from core.tools.execute import Outcome
from core.tools.hand import Held
from core.tools.sources import SourceBook
from core.tools.tool import Tool


@dataclass
class TeammateHand:
    """What one teammate holds, and after a switch the next one.

    All of it follows from the request and from the outcomes that were seen, so that a resumed run,
    which sees the same outcomes, holds the same and speaks with the same voice.
    """

    crew: Crew
    ctx: RunContext
    book: SourceBook
    channel: Channel | None = None
    """Told about a switch; None in a sub-agent, where nobody takes over."""
    request: Request = field(init=False)
    """As the one who speaks now works it."""
    shelf: Shelf = field(init=False)
    begun: set[str] = field(default_factory=set[str])
    """Places of the sub-agents that this life of the run began."""
    coming: str = ""
    """Who takes over at the next model call."""

    def __post_init__(self) -> None:
        self.request = self.ctx.request
        self.shelf = self._shelf()

    @property
    def teammate(self) -> TeammateCard:
        """Who speaks now."""
        return self.request.teammate

    async def hold(self, last: bool) -> Held:
        """Prompt and tools for the next model call, taken anew: tools may have come or gone."""
        await self.take_over()
        if last:
            return Held(system_prompt(self.request, (), last_round=True), {})
        loaded, unloaded = await self.shelf.split(self._tools())
        system = system_prompt(
            self.request, list(loaded.values()), catalog=catalog(unloaded) if unloaded else ()
        )
        return Held(system, loaded, unloaded)

    def saw(self, call: ToolCall, outcome: Outcome) -> None:
        """Note what a call, live or replayed, asks to be loaded, and who is to take over."""
        self.shelf.saw(outcome)
        if call.name == ASK:
            self.ctx.purse.spend(spent_before(outcome, self.begun))
        if outcome.teammate:
            self.coming = outcome.teammate

    async def take_over(self) -> None:
        """Let the one who was called speak from here on."""
        name, self.coming = self.coming, ""
        card = next((one for one in self.request.team if one.name == name), None)
        if card is None or self.channel is None:
            return
        self.request = self.crew.as_worked_by(self.request, card)
        wanted = self.shelf.wanted
        self.shelf = self._shelf()
        self.shelf.wanted |= wanted
        self.channel.teammate = card.name
        await self.ctx.emit("", TeammateChanged(name=card.name, avatar=card.avatar))

    def _shelf(self) -> Shelf:
        return Shelf(self.crew.chooser, self.request.question, self.request.language)

    def _tools(self) -> dict[str, Tool]:
        tools = self.crew.tools(self.request, self.book, self.ctx.heard)
        return tools | team_tools(self.ctx, self.request, self.crew.presence, self.begun)
