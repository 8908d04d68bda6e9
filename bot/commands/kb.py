"""`/kb`: what is in the documents of a channel, and how something goes out of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Sequence

from bot.commands.desk import LONGEST_ECHO, Desk, Documents, first_word
from bot.commands.words import KB_COMMANDS
from bot.platform import Draft
from bot.text.listing import MOST_ROWS, document_lines, document_table, hit_lines, removed_counts
from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.errors import Denied, WrongUse
from core.knowledge.documents import DocumentInfo
from core.texts import say
from core.texts.counts import counted

MOST_HITS = 5
LEAST_SCORE = 0.1
LEAST_SHARE = 0.5
"""Hits below this score, or below this share of the best one's, are only noise under a search."""

MOST_DOCUMENTS = 1_000
"""Documents that a list looks through; it shows the latest."""

NEAR_NAMES = 3


class KbCommands:
    """The documents of the place."""

    def __init__(self, library: Documents, clock: Callable[[], float]) -> None:
        self._library = library
        self._clock = clock
        self._table: dict[str, Callable[[Desk, str], Awaitable[list[Draft]]]] = {
            "list": self._list,
            "search": self._search,
            "delete": self._delete,
        }

    async def run(self, desk: Desk, rest: str) -> list[Draft]:
        """Do what stands after `kb`. Raises WrongUse, Denied and KnowledgeError."""
        word, arguments = first_word(rest)
        action = KB_COMMANDS.get(word.casefold())
        if action is None:
            raise WrongUse(word, key="command.kb_use")
        return await self._table[action](desk, arguments)

    async def remove(self, desk: Desk, wanted: str) -> list[Draft]:
        """Remove a document by its id. Raises Denied if it is another person's."""
        documents = await self._library.listing(desk.kbs, MOST_DOCUMENTS)
        found = next((one for one in documents if one.id == wanted), None)
        if found is None:
            return [desk.draft("command.gone")]
        return await self._remove(desk, found)

    async def _list(self, desk: Desk, rest: str) -> list[Draft]:
        del rest
        documents = await self._library.listing(desk.kbs, MOST_DOCUMENTS)
        if not documents:
            return [desk.draft("command.list_empty")]
        zone, count = desk.time_zone, len(documents)
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
        mine = [one for one in found if desk.is_theirs(one)]
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
        listed = document_lines(found, desk.time_zone, desk.language, self._clock())
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
