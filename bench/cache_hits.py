"""A question that was answered before: from the message to its answer, all of it our own time."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from core.agent import Agent
from core.agent.door import Door
from core.assemble import Assembler
from core.cache import AnswerCache
from core.context import StopSignal
from core.events import Answer, Done
from core.index.embed import SentenceEncoder
from core.journal import StoredJournal, claim_run
from core.knowledge.library import Library
from core.knowledge.parse import Parser
from core.memory.conversation import Conversation
from core.messages import Message, Person, Place
from core.quota import Amount, Quota
from core.scope import channel_scope
from core.settings import SettingsBook
from core.sources import Source
from core.store.sqlite import SqliteStore
from core.teammates import Roster

AIM_MS = 8.0
CHANNEL = "slack:T1/C1"
QUESTION = "How many days of annual leave are there?"


async def cache_hit_ms(asks: int, folder: Path) -> list[float]:
    """Milliseconds of each hit: settings, teammates, KBs, key, look-up, journal and events."""
    store = await SqliteStore.open(folder / "cache.db")
    parser = Parser(timeout_s=60, memory_mb=1024)
    library = Library(store, parser, SentenceEncoder(folder / "vectors"), folder / "blobs")
    await library.start()
    try:
        await library.kb_for(channel_scope(CHANNEL))
        book = SettingsBook()
        cache = AnswerCache(store, library.revisions)
        door = Door(book, cache, Quota(store, {"person": Amount(requests=100_000)}))
        agent = Agent(library, None, door=door)
        assembler = Assembler(library, book, Conversation(store), roster=Roster(Path("teammates")))
        await _fill(cache, assembler)
        took: list[float] = []
        for number in range(asks + 20):
            message = _asked(number)
            claim = await store.write(
                lambda tx, run=message.key: claim_run(
                    tx, run, "me", thread=run, scope=channel_scope(CHANNEL), person="slack:T1/U1"
                )
            )
            began = time.perf_counter()
            journal, stop = StoredJournal(store, claim), StopSignal()
            async with agent.run(
                message.key, lambda asked=message: assembler.assemble(asked), journal, stop
            ) as events:
                last = [event async for event in events][-1].body
            took.append((time.perf_counter() - began) * 1000)
            assert isinstance(last, Done) and last.answer.cached, last
        return took[20:]
    finally:
        await library.close()
        await parser.close()
        await store.close()


def p50(took: list[float]) -> float:
    return round(statistics.median(took), 2)


async def _fill(cache: AnswerCache, assembler: Assembler) -> None:
    request = await assembler.assemble(_asked(-1))
    slot = await cache.slot(request, "0")
    assert slot is not None
    source = Source(mark=1, document="policy.md", document_id="d1", version=2)
    teammate = request.teammate.name
    fields = {"text": "15 days [1].", "language": "en", "mode": "rag", "teammate": teammate}
    answer = Answer.model_validate(fields | {"sources": (source,)})
    assert await cache.put(slot, request, answer, set())


def _asked(number: int) -> Message:
    thread = f"{CHANNEL}/{number}"
    place = Place(platform="slack", workspace="slack:T1", channel=CHANNEL, thread=thread)
    person = Person(id="slack:T1/U1", name="Nora")
    return Message(key=f"m:{number}", kind="ask", place=place, author=person, text=QUESTION)
