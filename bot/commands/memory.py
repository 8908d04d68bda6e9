"""`/memory`: what is remembered of whoever asks, for their eyes only; and the same in words."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.commands.desk import LONGEST_ECHO, Desk, first_word
from bot.commands.words import MEMORY_COMMANDS
from bot.platform import Draft
from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.errors import Denied, WrongUse
from core.journal import Claim, StoredJournal
from core.language import language_of
from core.memory.gate.clauses import clauses_of
from core.memory.gate.dates import zone_of
from core.memory.gate.private import is_private
from core.memory.gate.wishes import named_in, remembered, to_forget
from core.memory.keeper import Keeper
from core.memory.record import Memory
from core.request import Request
from core.store import Store
from core.texts import say

MOST_LISTED = 40
"""Memories that one whisper shows, the newest."""
EVERYTHING = frozenset({"all", "everything", "全部", "所有", "一切"})
WHY = re.compile(
    r"^(?:why (?:do|did|would) you (?:think|say|believe) (?:so|that)"
    r"|how (?:do|did) you know(?: that| this)?|who told you(?: that| this)?"
    r"|where (?:do|did) you (?:get|know|learn|hear) (?:that|this)(?: from)?"
    r"|(?:你|您)?(?:是)?(?:怎么|从哪(?:里|儿)?)(?:会)?(?:知道|得知|晓得)(?:的|这个|这些|这件事)*"
    r"|(?:你)?(?:为什么|凭什么)(?:这么|这样|会这么)(?:说|想|认为|觉得)|谁(?:告诉|跟)你(?:说)?的)\s*[?？!！。.]*$",
    re.I,
)
_LAST = (
    "SELECT run FROM turn WHERE thread = :thread AND person = :person"
    " ORDER BY asked_at DESC, run DESC LIMIT 1"
)


class MemoryCommands:
    """Lists, corrects, forgets and exports what is remembered of whoever asks."""

    def __init__(self, keeper: Keeper | None, store: Store | None) -> None:
        self._keeper = keeper
        self._store = store
        self._table: dict[str, Callable[[Keeper, Desk, str], Awaitable[list[Draft]]]] = {
            "list": self._list,
            "correct": self._correct,
            "forget": self._forget,
            "export": self._export,
            "off": self._off,
            "on": self._on,
        }

    async def run(self, desk: Desk, rest: str) -> list[Draft]:
        """Do what comes after `/memory`."""
        if self._keeper is None:
            return [desk.draft("memory.none_here")]
        word, arguments = first_word(rest)
        action = MEMORY_COMMANDS.get(word.casefold())
        if action is None:
            raise WrongUse(word, key="memory.use")
        return await self._table[action](self._keeper, desk, arguments)

    def hears(self, text: str) -> bool:
        """True if a message is about the memory itself and nothing else; costs no time."""
        bare = text.strip()
        if self._keeper is None or not bare or len(bare) > 400 or "\n" in bare:
            return False
        if WHY.match(bare):
            return True
        if len({clause.sentence for clause in clauses_of(bare)}) > 1:
            return False
        return bool(remembered(bare)) or to_forget(bare, [], "") is not None

    async def heard(self, desk: Desk) -> list[Draft]:
        """The answer to such a message; empty if it is for the agent after all."""
        keeper, message = self._keeper, desk.message
        if keeper is None:
            return []
        desk = replace(desk, language=language_of(message.text) or desk.language)
        if WHY.match(message.text.strip()):
            return await self._why(keeper, desk)
        known = await keeper.listing(message.author.id)
        wished = to_forget(message.text, known, message.author.id)
        if wished is not None:
            return await self._gone(keeper, desk, wished)
        return await self._keep(keeper, desk)

    async def _list(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        del rest
        person, place = desk.message.author.id, desk.message.place
        known = await keeper.listing(person)
        off = await keeper.off.which(person, place.channel)
        note = [] if not off else [desk.draft("memory.is_off").text]
        if not known:
            return [Draft(text="\n\n".join([desk.draft("memory.empty").text, *note]))]
        rows = list(enumerate(known, 1))[-MOST_LISTED:]
        lines = [line_of(number, memory, desk) for number, memory in rows]
        head = say("memory.head", desk.language, count=len(known))
        how = desk.draft("memory.how").text
        return [Draft(text="\n\n".join([head, "\n".join(lines), *note, how]), hosts=_hosts(known))]

    async def _correct(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        found = re.match(r"#?(\d{1,4})[\s:：,，]+(.+)", rest, re.S)
        if found is None:
            raise WrongUse(rest, key="memory.correct_how")
        memory = self._numbered(await keeper.listing(desk.message.author.id), int(found[1]))
        text = " ".join(found[2].split())
        zone = zone_of(desk.time_zone)
        if not await keeper.correct(memory, text, desk.message, zone):
            return [desk.draft("memory.secret")]
        return [desk.draft("memory.corrected", text=escaped(clipped(text, LONGEST_ECHO)))]

    async def _forget(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        known = await keeper.listing(desk.message.author.id)
        wanted = rest.strip().strip("\"'“”「」")
        if not wanted:
            raise WrongUse("forget", key="memory.forget_what")
        if wanted.casefold() in EVERYTHING:
            return await self._gone(keeper, desk, known)
        if re.fullmatch(r"(?:#?\d{1,4}[\s,，、]*)+", wanted):
            chosen = [self._numbered(known, int(one)) for one in re.findall(r"\d+", wanted)]
        else:
            chosen = named_in(wanted, known)
        return await self._gone(keeper, desk, chosen)

    async def _gone(self, keeper: Keeper, desk: Desk, chosen: Sequence[Memory]) -> list[Draft]:
        if not chosen:
            return [desk.draft("memory.nothing_such")]
        message = desk.message
        gone = await keeper.forget(message.author.id, chosen, message.key)
        if not gone.turns:
            return [desk.draft("memory.forgotten", memories=gone.memories)]
        values = {"memories": gone.memories, "turns": gone.turns}
        return [desk.draft("memory.forgotten_with", **values)]

    async def _export(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        del rest
        known = await keeper.memories.listing(desk.message.author.id)
        rows = "\n".join(json.dumps(row_of(memory), ensure_ascii=False) for memory in known)
        if not rows:
            return [desk.draft("memory.empty")]
        return [Draft(text=f"{desk.draft('memory.exported').text}\n\n```\n{rows}\n```")]

    async def _off(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        return await self._switch(keeper, desk, rest, on=False)

    async def _on(self, keeper: Keeper, desk: Desk, rest: str) -> list[Draft]:
        return await self._switch(keeper, desk, rest, on=True)

    async def _switch(self, keeper: Keeper, desk: Desk, rest: str, *, on: bool) -> list[Draft]:
        message = desk.message
        person, now = message.author.id, message.sent_at or keeper.clock()
        how = "on" if on else "off"
        if rest.casefold() in ("channel", "here", "频道", "本频道", "这里"):
            if not (message.place.direct or desk.settings.may(person, "admin")):
                raise Denied("memory", key="memory.admins_only")
            await keeper.off.switch(message.place.channel, person, now, on=on)
            return [desk.draft(f"memory.channel_{how}")]
        await keeper.off.switch(person, person, now, on=on)
        return [desk.draft(f"memory.now_{how}")]

    async def _keep(self, keeper: Keeper, desk: Desk) -> list[Draft]:
        """`remember …`: at once, and said what of it is kept."""
        message = desk.message
        place = message.place
        if await keeper.off.which(message.author.id, place.channel, place.thread):
            return [desk.draft("memory.is_off")]
        if is_private(message.text):
            return [desk.draft("memory.secret")]
        ops = await keeper.look_now(message, zone_of(desk.time_zone))
        kept = [op.text for op in ops if op.op != "delete"]
        if not kept:
            return [desk.draft("memory.known_already")]
        comma = "；" if desk.language == "zh" else "; "
        text = escaped(clipped(comma.join(kept), 4 * LONGEST_ECHO))
        return [desk.draft("memory.kept", text=text)]

    async def _why(self, keeper: Keeper, desk: Desk) -> list[Draft]:
        """The memories that the last answer to this person here was given, with their messages."""
        message, store = desk.message, self._store
        if store is None:
            return []
        values = {"thread": message.place.thread, "person": message.author.id}
        row = await store.read(lambda tx: tx.one(_LAST, values))
        if row is None:
            return []
        run = Claim(str(row[0]), 0, "", "")
        request = await StoredJournal(store, run).kept("request", Request)
        ids = request.remembered if request is not None else ()
        known = await keeper.memories.listing(message.author.id)
        used = [memory for memory in known if memory.id in ids]
        # What was said alone with us is not repeated in a channel, not even to its owner.
        shown = [one for one in used if message.place.direct or not one.direct]
        if not shown:
            return []
        head = desk.draft("memory.because").text
        lines = "\n".join(line_of(None, memory, desk) for memory in shown)
        return [Draft(text=f"{head}\n\n{lines}", hosts=_hosts(shown))]

    def _numbered(self, known: Sequence[Memory], number: int) -> Memory:
        if not 1 <= number <= len(known):
            raise WrongUse(str(number), key="memory.no_number", number=number, count=len(known))
        return known[number - 1]


def line_of(number: int | None, memory: Memory, desk: Desk) -> str:
    """A memory for its owner: number, layer, text, day, and the message it comes from."""
    day = datetime.fromtimestamp(memory.observed_at, zone_of(desk.time_zone)).strftime("%Y-%m-%d")
    layer = say(f"memory.layer.{memory.layer}", desk.language)
    lead = f"{number}. " if number is not None else "- "
    said = say("memory.said_on", desk.language, day=day)
    where = f"[{said}]({memory.link})" if memory.link else said
    return f"{lead}{layer}{'：' if desk.language == 'zh' else ': '}{escaped(memory.text)} ({where})"


def row_of(memory: Memory) -> dict[str, Any]:
    """A memory as its owner may take it along."""
    kept = memory.model_dump(
        include={
            "layer", "text", "status", "state", "attribute", "value", "observed_at", "expires_at",
            "link",
        }
    )  # fmt: skip
    return {"id": memory.id, **{name: value for name, value in kept.items() if value}}


def _hosts(memories: Sequence[Memory]) -> tuple[str, ...]:
    found = {link[1] for memory in memories if (link := re.match(r"https?://([^/]+)", memory.link))}
    return tuple(sorted(found))
