"""Assemble: a message and the settings of its place become the request of a run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import WrongUse
from core.knowledge.documents import Kb
from core.language import answer_language
from core.language.zones import first_zone
from core.memory.block import Recalled
from core.memory.conversation import Conversation
from core.memory.record import Seat
from core.messages import MAX_TEXT, Language, Message, Place
from core.request import OWN_KB, Picks, Reach, Request, TeammateCard
from core.router import MODES
from core.scope import audience, channel_scope
from core.settings import PERSON, Settings, SettingsBook
from core.teammates import (
    AUTO,
    Cast,
    MemoryPresence,
    Roster,
    Speaking,
    Team,
    Texts,
    addressed,
    cast_of,
    kbs_for,
    layer_of,
    role_in,
    style_of,
    wishes_of,
    within,
)
from core.texts import say
from core.tools.builtin import BUILTIN
from core.tools.knowledge import Knowledge
from core.tools.toolbox import Toolbox

_BROKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters and halves of surrogate pairs: neither JSON nor SQL nor a model takes them."""


class Recall(Protocol):
    """What the assembler needs of the memories."""

    async def recall(
        self, seat: Seat, question: str, language: Language, now: float
    ) -> Recalled: ...


@dataclass(frozen=True)
class Assembler:
    """Makes requests. One for the process; the clock is asked once per request."""

    knowledge: Knowledge
    settings: SettingsBook
    conversation: Conversation
    model: str | None = None
    """litellm name; None is no-key mode."""
    time_zone: str = "UTC"
    """Of the installation, where neither person nor channel has one."""
    toolbox: Toolbox = BUILTIN
    roster: Roster | None = None
    """None: the bot answers by itself."""
    presence: Speaking = field(default_factory=MemoryPresence)
    memory: Recall | None = None
    """None: nothing is remembered."""
    clock: Callable[[], float] = time.time

    async def assemble(self, message: Message, picks: Picks | None = None) -> Request:
        """The request of a message.

        Raises WrongUse, naming what there is, when something was picked that cannot be seen here.
        Whoever is asked by name is present in the thread from here on.
        """
        place, author, wanted = message.place, message.author, picks or Picks()
        settings = self.settings.of(place, author.id)
        whole, cut = clean_question(message.text)
        language = answer_language(whole, author, settings.language)
        cast = await self._cast(place, whole, wanted, settings, language)
        card = cast.speaker
        merged = self.settings.merged(place, author.id, layer_of(card))
        settings, wishes = merged.settings, wishes_of(merged)
        # What a card or a person fixes goes before the language of the question.
        language = wishes.language or (settings.language if card.language else language)
        readers = audience(message.author.id, place.channel, place.workspace)
        kbs = open_kbs(await self.knowledge.kbs(readers), place.channel, settings, wanted, language)
        own = settings.time_zone if merged.layer("time_zone") == PERSON else None
        zone = first_zone(own, author.time_zone, settings.time_zone, self.time_zone)
        now = self.clock()
        texts = Texts(author, place, language, zone, now)
        wishes = texts.in_wishes(wishes, card, merged)
        recalled = await self._recalled(message, whole, language, now)
        request = Request(
            run=message.key,
            place=place,
            asker=author,
            question=addressed(whole, (card, *cast.others), card.name),
            cut=cut + message.cut,
            language=language,
            time_zone=zone,
            now=now,
            teammate=texts.in_card(card, role_in(card.role, language)),
            team=tuple(texts.in_card(other, other.role) for other in cast.others),
            named=cast.named,
            # What the asker said last about the form of answers stands last.
            style="\n".join(
                filter(None, (style_of(texts.in_card(card, ""), language, wishes), recalled.style))
            ),
            memory=recalled.block,
            remembered=recalled.ids,
            known=recalled.known,
            wishes=wishes,
            web=settings.web,
            admins=settings.everyone_with.admin,
            audience=readers,
            kbs=kbs_for(card, kbs),
            tools=self._tools(card, settings, wanted, language),
            reach=Reach(effects=settings.effects, kbs=kbs, tools=settings.tools),
            picks=wanted.model_copy(update={"mode": _mode(wanted, settings, card, language)}),
            history=await self.conversation.history(place, author, language),
            documents_only=settings.documents_only,
            model=card.model or self.model,
            cheap=settings.model == "cheap",
            cache=settings.cache,
        )
        if cast.enters:
            await self.presence.enter(place, card.name, message.author.id)
        return request

    async def _recalled(
        self, message: Message, question: str, language: Language, now: float
    ) -> Recalled:
        if self.memory is None:
            return Recalled()
        seat = Seat.of(message.author.id, message.place)
        return await self.memory.recall(seat, question, language, now)

    async def _cast(
        self, place: Place, text: str, picks: Picks, settings: Settings, language: Language
    ) -> Cast:
        team = Team() if self.roster is None else await self.roster.team()
        picked = None if picks.teammate is None else team.get(picks.teammate)
        if picks.teammate is not None and picked is None:
            known = ", ".join(card.name for card in team.cards) or TeammateCard().name
            name = picks.teammate[:40]
            raise _wrong("assemble.unknown_teammate", language, teammate=name, known=known)
        present = await self.presence.present(place)
        usual = team.usual(settings.teammate)
        return cast_of(team, text, picked=picked, present=present, usual=usual)

    def _tools(
        self, card: TeammateCard, settings: Settings, picks: Picks, language: Language
    ) -> tuple[str, ...]:
        for name in picks.tools or ():
            if name not in self.toolbox.names:
                known = ", ".join(self.toolbox.names)
                raise _wrong("assemble.unknown_tool", language, tool=name, known=known)
        picked = within(picks.tools, settings.tools)
        return self.toolbox.permitted(card.tools, settings.effects, picked)


def clean_question(text: str) -> tuple[str, int]:
    """The question as it can be worked with, and how many characters were cut off."""
    whole = _BROKEN.sub(" ", text).strip()
    return whole[:MAX_TEXT], max(0, len(whole) - MAX_TEXT)


def kbs_of(
    seen: Sequence[Kb], channel: str, settings: Settings, picks: Picks, language: Language
) -> tuple[int, ...]:
    """Ids of the KBs that a channel reads, narrowed by the picks."""
    return tuple(kb for kb, _ in open_kbs(seen, channel, settings, picks, language))


def open_kbs(
    seen: Sequence[Kb], channel: str, settings: Settings, picks: Picks, language: Language
) -> tuple[tuple[int, str], ...]:
    """Ids and names of the channel's own KB and the shared ones it reads, narrowed by the picks.

    `seen` are those that the audience may see; nothing beyond them can be picked.
    """
    own = channel_scope(channel)
    read = [kb for kb in seen if kb.scope == own or settings.kbs is None or kb.name in settings.kbs]
    if picks.kb is None:
        return tuple((kb.id, kb.name) for kb in read)
    chosen: dict[int, str] = {}
    for name in picks.kb:
        found = {kb.id: kb.name for kb in read if _is_named(kb, name, own)}
        if not found and name.strip().casefold() not in OWN_KB:
            known = [kb.name for kb in read if kb.name]
            known.insert(0, say("assemble.this_channel", language))
            raise _wrong("assemble.unknown_kb", language, kb=name, known=", ".join(known))
        chosen |= found
    return tuple(chosen.items())


def _is_named(kb: Kb, name: str, own: str) -> bool:
    wanted = name.strip().casefold()
    return kb.name.casefold() == wanted if kb.name else kb.scope == own and wanted in OWN_KB


def _mode(picks: Picks, settings: Settings, card: TeammateCard, language: Language) -> str | None:
    """The mode that was picked, else the teammate's, else the channel's; None leaves it to the
    rules."""
    if picks.mode is None:
        fixed = card.mode if card.mode != AUTO else settings.mode
        return None if fixed == AUTO else fixed
    mode = picks.mode.strip().casefold()
    if mode == "auto":
        return None
    if mode not in MODES:
        known = ", ".join(("auto", *MODES))
        raise _wrong("assemble.unknown_mode", language, mode=picks.mode, known=known)
    return mode


def _wrong(key: str, language: Language, **values: object) -> WrongUse:
    """WrongUse that says its sentence both to people (by key) and in the log."""
    return WrongUse(say(key, language, **values), key=key, **values)
