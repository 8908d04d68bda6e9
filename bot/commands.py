"""Chat commands: one table for every platform, `/kb list`, `!kb list` and `知识库 列表` alike."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.platform import Draft
from bot.text.listing import MOST_ROWS, document_lines, document_table, hit_lines, removed_counts
from bot.text.markdown import escaped
from bot.text.measure import clipped
from bot.text.team import card_text, face, team_lines
from core.assemble import kbs_of
from core.errors import Denied, KnowledgeError, WrongUse
from core.knowledge.documents import DocumentInfo, Hit, Kb, Removed
from core.language import language_of
from core.language.zones import first_zone
from core.messages import Language, Message
from core.request import Picks, TeammateCard
from core.router import MODES
from core.scope import audience
from core.settings import Settings, SettingsBook
from core.teammates import DEFAULT_NAMES, MemoryPresence, Roster, Speaking, Team
from core.texts import say, told
from core.texts.counts import counted
from core.tools.builtin import BUILTIN

COMMANDS = {
    "ask": "ask", "问": "ask", "提问": "ask",
    "kb": "kb", "知识库": "kb",
    "teammate": "teammate", "teammates": "teammate", "team": "teammate",
    "同事": "teammate", "队友": "teammate",
    "help": "help", "帮助": "help",
    "stop": "stop", "cancel": "stop", "停": "stop", "停止": "stop", "取消": "stop",
}  # fmt: skip
"""By the word after `/` or `!`; the Slack adapter reads it too."""
KB_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "列表": "list", "列出": "list",
    "search": "search", "find": "search", "搜索": "search", "查找": "search", "搜": "search",
    "delete": "delete", "remove": "delete", "rm": "delete", "删除": "delete", "移除": "delete",
}  # fmt: skip
TEAM_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "列表": "list", "列出": "list",
    "use": "use", "switch": "use", "用": "use", "换": "use", "使用": "use", "切换": "use",
    "show": "show", "who": "show", "看": "show", "查看": "show", "介绍": "show",
}  # fmt: skip
PICKS = {
    "mode": "mode", "模式": "mode", "tools": "tools", "tool": "tools", "工具": "tools",
    "kb": "kb", "知识库": "kb", "teammate": "teammate", "同事": "teammate",
}  # fmt: skip
EXAMPLES = {"mode": "rag", "tools": "get_time", "kb": "none", "teammate": "researcher"}
NO_KB = frozenset({"none", "no", "off", "无", "不用"})
MOST_HITS = 5
LEAST_SCORE = 0.1
LEAST_SHARE = 0.5
"""Hits below this score, or below this share of the best one's, are only noise under a search."""

MOST_DOCUMENTS = 1_000
"""Documents that a list looks through; it shows the latest."""

NEAR_NAMES = 3
LONGEST_ECHO = 80
"""Characters of what was typed that an answer repeats."""

_PICK = re.compile(rf"\s*({'|'.join(PICKS)})\s*[:：=]\s*", re.I)
_VALUE = re.compile(r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」|([^\s\"“「,，、;；:：]+)")
_JOINED = re.compile(r"\s*[,、]\s*")


class Documents(Protocol):
    """What the commands need of the library."""

    async def kbs(self, audience: Sequence[str]) -> list[Kb]: ...

    async def listing(self, kbs: Sequence[int], limit: int = 20) -> list[DocumentInfo]: ...

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]: ...

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]: ...

    async def delete(self, kbs: Sequence[int], document: str, by: str) -> Removed: ...


def picks_of(text: str) -> tuple[str, Picks]:
    """The question and the picks before it: `mode: rag tools: a,b kb: none How many …`.

    Picks stand in any order at the start, with Chinese or English signs; names with spaces are
    quoted. Raises WrongUse for a pick that is empty or whose value cannot be.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    while (found := _PICK.match(text)) is not None:
        pick = PICKS[found[1].casefold()]
        values, text = _values(pick, text[found.end() :])
        if not values:
            example = EXAMPLES[pick]
            raise WrongUse(pick, key="command.pick_empty", pick=pick, example=example)
        chosen[pick] = values
    mode = chosen.get("mode", (None,))[0]
    if mode is not None:
        _check("mode", mode.casefold(), ("auto", *MODES))
    for tool in chosen.get("tools", ()):
        _check("tools", tool, BUILTIN.names)
    kb = chosen.get("kb")
    if kb is not None and len(kb) == 1 and kb[0].casefold() in NO_KB:
        kb = ()
    picks = Picks(
        mode=mode.casefold() if mode else None,
        tools=chosen.get("tools"),
        kb=kb,
        teammate=chosen.get("teammate", (None,))[0],
    )
    return text.strip(), picks


def _values(pick: str, text: str) -> tuple[tuple[str, ...], str]:
    """The values of a pick, and what comes after them.

    `,` and `、` join values. `，` and `；` end them: behind these the question itself may stand. A
    mode is one value, and what is no tool's name is none.
    """
    values: list[str] = []
    while (found := _VALUE.match(text)) is not None and _PICK.match(text) is None:
        value = next(part for part in found.groups() if part is not None).strip()
        if pick == "tools" and values and value not in BUILTIN.names:
            break
        values.append(value)
        text = text[found.end() :]
        joined = _JOINED.match(text)
        if joined is None or pick in ("mode", "teammate"):
            break
        text = text[joined.end() :]
    return tuple(value for value in values if value), re.sub(r"\A[\s,，;；、]+", "", text)


def _check(pick: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        shown = ", ".join(known)
        raise WrongUse(
            value, key="command.pick_unknown", pick=pick, value=escaped(value[:40]), known=shown
        )


@dataclass(frozen=True)
class Desk:
    """A command's place: who asks, in which language, and which KBs are read there."""

    message: Message
    settings: Settings
    language: Language
    kbs: tuple[int, ...]

    def draft(self, key: str, **values: object) -> Draft:
        return Draft(text=say(key, self.language, **values))

    def may_remove(self, document: DocumentInfo) -> bool:
        person = self.message.author.id
        return document.owner == person or person in self.settings.admins


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
    ) -> None:
        self._library = library
        self._roster = roster
        self._presence = presence or MemoryPresence()
        self._settings = settings
        self._time_zone = time_zone
        self._clock = clock
        self._table: dict[str, Callable[[Desk, str], Awaitable[list[Draft]]]] = {
            "kb list": self._list,
            "kb search": self._search,
            "kb delete": self._delete,
            "teammate list": self._team,
            "teammate use": self._use,
            "teammate show": self._show,
        }

    def question(self, message: Message) -> tuple[Message, Picks]:
        """An ask command's message with the bare question as its text, and its picks.

        Other messages pass as they are. Raises WrongUse if there is no question.
        """
        if message.kind != "command" or message.command != "ask":
            return message, Picks()
        text, picks = picks_of(message.text)
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
        documents = await self._library.listing(desk.kbs, MOST_DOCUMENTS)
        found = next((one for one in documents if one.id == wanted), None)
        if found is None:
            return [desk.draft("command.gone")]
        return await self._remove(desk, found)

    async def _desk(self, message: Message) -> Desk:
        place, settings = message.place, self._settings.of(message.place)
        readers = audience(message.author.id, place.channel, place.workspace)
        tongue = message.author.language or language_of(message.text) or settings.language
        seen = await self._library.kbs(readers)
        kbs = kbs_of(seen, place.channel, settings, Picks(), tongue)
        return Desk(message, settings, tongue, kbs)

    async def _run(self, desk: Desk) -> list[Draft]:
        name, rest = desk.message.command, desk.message.text.strip()
        match COMMANDS.get(name):
            case "help":
                return [desk.draft("command.help")]
            case "stop":
                return [desk.draft("command.nothing_to_stop")]
            case "kb":
                return await self._kb(desk, rest)
            case "teammate":
                return await self._teammate(desk, rest)
            case "ask":
                raise WrongUse("ask", key="command.ask_what")
            case _:
                raise WrongUse(name, key="command.unknown", word=escaped(name[:40]))

    async def _kb(self, desk: Desk, rest: str) -> list[Draft]:
        word, arguments = _first_word(rest)
        action = KB_COMMANDS.get(word.casefold())
        if action is None:
            raise WrongUse(word, key="command.kb_use")
        return await self._table[f"kb {action}"](desk, arguments)

    async def _teammate(self, desk: Desk, rest: str) -> list[Draft]:
        word, arguments = _first_word(rest)
        action = TEAM_COMMANDS.get(word.casefold())
        if action is None:
            # `/teammate writer` and `/同事 @研究员` say all that has to be said.
            action, arguments = "use", rest.strip()
        return await self._table[f"teammate {action}"](desk, arguments)

    async def _team(self, desk: Desk, rest: str) -> list[Draft]:
        del rest
        team = await self._everyone()
        if not team.cards:
            return [desk.draft("command.team_empty")]
        here = await self._here(desk, team)
        parts = [team_lines(team.cards, here.name, desk.language)]
        parts.append(say("command.team_how", desk.language))
        if desk.message.author.id in desk.settings.admins:
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
        """Who answers in this place."""
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

    async def _list(self, desk: Desk, rest: str) -> list[Draft]:
        del rest
        documents = await self._library.listing(desk.kbs, MOST_DOCUMENTS)
        if not documents:
            return [desk.draft("command.list_empty")]
        zone, count = self._zone(desk), len(documents)
        head = counted("documents", count, desk.language)
        parts = [
            say("command.list_head", desk.language, documents=head, zone=zone),
            document_table(documents, zone, desk.language, self._clock()),
        ]
        if count > MOST_ROWS:
            more = counted("documents", count - MOST_ROWS, desk.language)
            parts.append(say("command.list_more", desk.language, documents=more))
        return [Draft(text="\n\n".join(parts))]

    async def _search(self, desk: Desk, query: str) -> list[Draft]:
        if not query:
            raise WrongUse("search", key="command.search_what")
        shown = escaped(clipped(query, LONGEST_ECHO))
        found = await self._library.search(desk.kbs, query, MOST_HITS)
        floor = max([LEAST_SCORE, *(hit.score * LEAST_SHARE for hit in found)])
        hits = [hit for hit in found if hit.score >= floor]
        if not hits:
            return [desk.draft("command.found_none", query=shown)]
        places = counted("places", len(hits), desk.language)
        head = say("command.found", desk.language, query=shown, places=places)
        return [Draft(text=f"{head}\n\n{hit_lines(hits, query, desk.language)}")]

    async def _delete(self, desk: Desk, rest: str) -> list[Draft]:
        name = rest.strip().strip("\"'“”「」`").strip()
        if not name:
            raise WrongUse("delete", key="command.delete_what")
        found = await self._library.find_by_name(desk.kbs, name)
        number = re.fullmatch(r"(.+?)\s+#?(\d{1,3})", name, re.S)
        if not found and number is not None:
            named = await self._library.find_by_name(desk.kbs, number[1].rstrip('"”」` '))
            found = named[int(number[2]) - 1 : int(number[2])] if int(number[2]) else []
        if not found:
            return [await self._not_found(desk, name)]
        mine = [one for one in found if one.owner == desk.message.author.id]
        if len(found) > 1 and len(mine) != 1:
            return [self._which(desk, found)]
        return await self._remove(desk, mine[0] if len(mine) == 1 else found[0])

    async def _remove(self, desk: Desk, document: DocumentInfo) -> list[Draft]:
        name = escaped(document.name)
        if not desk.may_remove(document):
            raise Denied(document.name, key="command.not_yours", name=name)
        removed = await self._library.delete(desk.kbs, document.id, desk.message.author.id)
        counts = removed_counts(removed, desk.language)
        return [desk.draft("command.removed", name=name, counts=counts)]

    def _which(self, desk: Desk, found: Sequence[DocumentInfo]) -> Draft:
        name = escaped(found[0].name)
        head = say("command.which", desk.language, name=name, count=len(found))
        listed = document_lines(found, self._zone(desk), desk.language, self._clock())
        return Draft(text=f"{head}\n\n{listed}")

    async def _not_found(self, desk: Desk, name: str) -> Draft:
        documents = await self._library.listing(desk.kbs, MOST_DOCUMENTS)
        names = {one.name.casefold(): one.name for one in documents}
        wanted = name.casefold()
        near = [shown for folded, shown in names.items() if wanted in folded][:NEAR_NAMES]
        near = near or [names[one] for one in difflib.get_close_matches(wanted, names, NEAR_NAMES)]
        shown = escaped(clipped(name, LONGEST_ECHO))
        if not near:
            return desk.draft("command.not_found", name=shown)
        joined = ("、" if desk.language == "zh" else ", ").join(escaped(one) for one in near)
        return desk.draft("command.not_found_near", name=shown, near=joined)

    def _zone(self, desk: Desk) -> str:
        return first_zone(desk.message.author.time_zone, desk.settings.time_zone, self._time_zone)


def _first_word(rest: str) -> tuple[str, str]:
    """What is to be done, and with what: `search 年假`, `搜索：年假`."""
    found = re.match(r"([^\s:：]*)[\s:：]*(.*)", rest, re.S)
    return (found[1], found[2].strip()) if found else ("", "")
