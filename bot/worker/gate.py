"""The gate: who has no right to what they ask for is told, alone, who has."""

from __future__ import annotations

from dataclasses import dataclass

from bot.inbox import language
from bot.outbox import Outbox
from bot.platform import Draft
from bot.text.needs import names_of
from core.messages import Message
from core.rights import Right
from core.settings import SettingsBook
from core.texts import say


@dataclass(frozen=True)
class Gate:
    """Looks at rights in the moment of use."""

    settings: SettingsBook
    outbox: Outbox

    async def lets(self, message: Message, right: Right) -> bool:
        """True if the author may; else they are told who may."""
        if self.settings.may(message.author.id, right, message.place):
            return True
        await self.refuse(message, right)
        return False

    async def refuse(self, message: Message, right: Right) -> None:
        """Tell the author, alone, who has the right."""
        tongue = language(message)
        people = self.settings.of(message.place).who_may(right)
        named = names_of(people, tongue) or say("rights.nobody", tongue)
        text = say(f"rights.refused.{right}", tongue, people=named)
        draft = Draft(text=text, people=people)
        await self.outbox.whisper(message.place, message.author.id, draft)
