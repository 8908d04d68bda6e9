"""`/teammate`: who is there, who answers here, and who shall."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.commands.desk import LONGEST_ECHO, Desk, first_word
from bot.commands.words import TEAM_COMMANDS
from bot.platform import Draft
from bot.text.markdown import escaped
from bot.text.measure import clipped
from bot.text.team import card_text, face, team_lines
from core.errors import WrongUse
from core.request import TeammateCard
from core.teammates import DEFAULT_NAMES, Roster, Speaking, Team
from core.texts import say


class TeammateCommands:
    """The teammates of the place."""

    def __init__(self, roster: Roster | None, presence: Speaking) -> None:
        self._roster = roster
        self._presence = presence
        self._table: dict[str, Callable[[Desk, str], Awaitable[list[Draft]]]] = {
            "list": self._team,
            "use": self._use,
            "show": self._show,
        }

    async def run(self, desk: Desk, rest: str) -> list[Draft]:
        """Do what stands after `teammate`. Raises WrongUse."""
        word, arguments = first_word(rest)
        action = TEAM_COMMANDS.get(word.casefold())
        if action is None:
            # `/teammate writer` and `/同事 @研究员` say all that has to be said.
            action, arguments = "use", rest.strip()
        return await self._table[action](desk, arguments)

    async def here(self, desk: Desk) -> TeammateCard:
        """Who answers in this place."""
        return await self._here(desk, await self._everyone())

    async def _team(self, desk: Desk, rest: str) -> list[Draft]:
        del rest
        team = await self._everyone()
        if not team.cards:
            return [desk.draft("command.team_empty")]
        here = await self._here(desk, team)
        parts = [team_lines(team.cards, here.name, desk.language)]
        parts.append(say("command.team_how", desk.language))
        if desk.settings.may(desk.message.author.id, "admin"):
            parts += [f"⚠ {escaped(error.told(desk.language))}" for error in team.errors]
        return [Draft(text="\n\n".join(parts))]

    async def _use(self, desk: Desk, name: str) -> list[Draft]:
        if not name:
            raise WrongUse("use", key="command.team_whom")
        place, person = desk.message.place, desk.message.author.id
        team = await self._everyone()
        if name.casefold() in DEFAULT_NAMES:
            await self._presence.enter(place, "", person)
            return [desk.draft("command.team_default")]
        card = self._known(team, name)
        await self._presence.enter(place, card.name, person)
        return [desk.draft("command.team_used", name=f"{face(card)}{escaped(card.name)}")]

    async def _show(self, desk: Desk, name: str) -> list[Draft]:
        team = await self._everyone()
        card = self._known(team, name) if name else await self._here(desk, team)
        return [Draft(text=card_text(card, desk.language))]

    async def _everyone(self) -> Team:
        return Team() if self._roster is None else await self._roster.team()

    async def _here(self, desk: Desk, team: Team) -> TeammateCard:
        present = await self._presence.present(desk.message.place)
        usual = team.usual(desk.settings.teammate)
        return (team.get(present) if present else None) or usual

    def _known(self, team: Team, name: str) -> TeammateCard:
        card = team.get(name)
        if card is None:
            known = ", ".join(escaped(other.name) for other in team.cards) or "-"
            shown = escaped(clipped(name, LONGEST_ECHO))
            raise WrongUse(name, key="teammates.unknown", name=shown, known=known)
        return card
