"""Commands: works chat commands and the buttons of receipts."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.commands.desk import Desk, Documents
from bot.commands.kb import KbCommands
from bot.commands.memory import MemoryCommands
from bot.commands.picks import picks_of
from bot.commands.settings import SettingsCommands
from bot.commands.teammate import TeammateCommands
from bot.commands.words import COMMANDS
from bot.platform import Draft
from bot.text.markdown import escaped
from core.assemble import kbs_of
from core.errors import Denied, KnowledgeError, WrongUse
from core.feedback import Feedback
from core.language import language_of
from core.language.zones import first_zone
from core.memory.keeper import Keeper
from core.messages import Message
from core.quota import Quota
from core.request import Picks
from core.scope import audience
from core.settings import PERSON, SettingsBook, SettingsStore
from core.store import Store
from core.teammates import MemoryPresence, Roster, Speaking
from core.texts import told
from core.tools.builtin import BUILTIN
from core.tools.toolbox import Toolbox


class Commands:
    """Works chat commands and the buttons of receipts."""

    def __init__(
        self,
        library: Documents,
        settings: SettingsBook,
        time_zone: str = "UTC",
        clock: Callable[[], float] = time.time,
        *,
        roster: Roster | None = None,
        presence: Speaking | None = None,
        toolbox: Toolbox = BUILTIN,
        keeper: Keeper | None = None,
        store: Store | None = None,
        kept: SettingsStore | None = None,
        quota: Quota | None = None,
        feedback: Feedback | None = None,
    ) -> None:
        self._library = library
        self._settings = settings
        self._time_zone = time_zone
        self._toolbox = toolbox
        self._kb = KbCommands(library, clock)
        self._memory = MemoryCommands(keeper, store)
        self._teammate = TeammateCommands(roster, presence or MemoryPresence())
        self._own: SettingsCommands | None = None
        if kept is not None and quota is not None and feedback is not None:
            here = self._teammate.here
            self._own = SettingsCommands(kept, quota, feedback, here, clock)

    def question(self, message: Message) -> tuple[Message, Picks]:
        """An ask command's message with the bare question as its text, and its picks.

        Other messages pass as they are. Raises WrongUse if there is no question.
        """
        if message.kind != "command" or message.command != "ask":
            return message, Picks()
        text, picks = picks_of(message.text, self._toolbox.names)
        if not text and not message.attachments:
            raise WrongUse("ask", key="command.ask_what")
        return message.model_copy(update={"text": text}), picks

    async def run(self, message: Message) -> list[Draft]:
        """Do what a command says; what to post. Wrong use is answered, not raised."""
        desk = await self._desk(message)
        try:
            return await self._run(desk)
        except (WrongUse, Denied, KnowledgeError) as error:
            return [Draft(text=told(error, desk.language))]

    async def remove(self, message: Message) -> list[Draft]:
        """The Remove button of a receipt.

        Raises Denied, for the clicker's eyes only, if the document is another person's.
        """
        desk = await self._desk(message)
        wanted = message.click.value if message.click is not None else ""
        return await self._kb.remove(desk, wanted)

    def hears(self, text: str) -> bool:
        """True if a message is about what is remembered (`forget …`) and nothing else."""
        return self._memory.hears(text)

    async def heard(self, message: Message) -> list[Draft]:
        """The answer to such a message; empty if it is for the agent after all."""
        return await self._memory.heard(await self._desk(message))

    async def _desk(self, message: Message) -> Desk:
        place, settings = message.place, self._settings.of(message.place)
        readers = audience(message.author.id, place.channel, place.workspace)
        tongue = message.author.language or language_of(message.text) or settings.language
        seen = await self._library.kbs(readers)
        kbs = kbs_of(seen, place.channel, settings, Picks(), tongue)
        own = self._settings.merged(place, message.author.id)
        theirs = own.settings.time_zone if own.layer("time_zone") == PERSON else None
        zone = first_zone(theirs, message.author.time_zone, settings.time_zone, self._time_zone)
        return Desk(message, settings, tongue, kbs, zone, self._time_zone)

    async def _run(self, desk: Desk) -> list[Draft]:
        name, rest = desk.message.command, desk.message.text.strip()
        match COMMANDS.get(name):
            case "help":
                return [desk.draft("command.help")]
            case "stop":
                return [desk.draft("command.nothing_to_stop")]
            case "kb":
                return await self._kb.run(desk, rest)
            case "memory":
                return await self._memory.run(desk, rest)
            case "teammate":
                return await self._teammate.run(desk, rest)
            case "settings" if self._own is not None:
                return await self._own.run(desk, rest)
            case "settings":
                return [desk.draft("settings.not_kept")]
            case "ask":
                raise WrongUse("ask", key="command.ask_what")
            case _:
                raise WrongUse(name, key="command.unknown", word=escaped(name[:40]))
