"""Composition root: builds everything, starts and stops it in order."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Config, data_folder
from bot.ending import Ending
from core.agent import Agent
from core.agent.door import Door
from core.assemble import Assembler
from core.cache import AnswerCache
from core.context import Limits, PlanKnobs
from core.feedback import Feedback
from core.index.embed import SentenceEncoder
from core.knowledge.library import Library
from core.knowledge.parse import Parser
from core.memory.conversation import Conversation
from core.memory.keeper import Keeper, keeper_of
from core.messages import Message, Place
from core.model import make_models, model_of
from core.model.protocol import Model
from core.quota import Quota
from core.settings import SettingsBook, SettingsStore
from core.store.sqlite import SqliteStore
from core.teammates import Presence, Roster
from core.tools.builtin import BUILTIN
from core.tools.choose import Chooser
from core.tools.own import with_own
from core.tools.services import LinkTo
from core.tools.toolbox import Toolbox

log = logging.getLogger(__name__)

STORE = "threadmate.db"
TEAMMATES = "teammates"
"""An installation's own teammates, in the working directory; those that ship are always there."""


@dataclass(frozen=True)
class Rooms:
    """The rooms of core, built and started: all that the shell needs."""

    config: Config
    store: SqliteStore
    library: Library
    conversation: Conversation
    keeper: Keeper
    settings: SettingsBook
    kept: SettingsStore
    quota: Quota
    cache: AnswerCache
    door: Door
    assembler: Assembler
    agent: Agent
    roster: Roster
    presence: Presence
    toolbox: Toolbox
    model: Model | None
    limits: Limits
    knobs: PlanKnobs
    links: dict[str, LinkTo]
    """How each platform links to a message; filled as platforms are built."""


@asynccontextmanager
async def rooms(config: Config) -> AsyncGenerator[Rooms]:
    """Core on the data folder. Closed in reverse order, whatever happens inside."""
    folder = data_folder(config.data)
    limits = config.limits
    async with AsyncExitStack() as stack:
        model = make_models(config.asked_models) if config.asked_models else None
        if model is not None:
            stack.push_async_callback(model.close)
        store = await SqliteStore.open(folder / STORE)
        stack.push_async_callback(store.close)
        parser = Parser(timeout_s=limits.parse_seconds, memory_mb=limits.parse_mb)
        stack.push_async_callback(parser.close)
        encoder = SentenceEncoder(folder / "cache")
        library = Library(store, parser, encoder, folder / "blobs")
        await library.start()
        stack.push_async_callback(library.close)
        conversation = Conversation(store)
        links: dict[str, LinkTo] = {}
        keeper = keeper_of(store, encoder, model, links, config.time_zone)
        stack.push_async_callback(keeper.log.close)
        settings = config.book
        kept = SettingsStore(store, settings)
        await kept.refresh()
        roster, presence = Roster(Path(TEAMMATES)), Presence(store)
        toolbox = with_own(BUILTIN, config.tools)
        assembler = Assembler(
            library,
            settings,
            conversation,
            toolbox=toolbox,
            model=config.model,
            time_zone=config.time_zone,
            roster=roster,
            presence=presence,
            memory=keeper.memories,
        )
        knobs = PlanKnobs(**config.plan.model_dump())
        web = config.outside.client()
        stack.push_async_callback(web.close)
        cheap = models_of(config, stack)(config.cheap_model) if config.cheap_model else None
        quota = Quota(store, config.quotas)
        cache = AnswerCache(store, library.revisions)
        door = Door(settings, cache, quota, cheap is not None, config.time_zone)
        agent = Agent(
            library,
            model,
            toolbox=toolbox,
            services=replace(config.outside.services(web, library, links), log=keeper.log),
            chooser=Chooser(encoder),
            models=models_of(config, stack),
            presence=presence,
            knobs=knobs,
            cheap=cheap,
            door=door,
            forbids=settings.forbids,
        )
        yield Rooms(
            config=config,
            store=store,
            library=library,
            conversation=conversation,
            keeper=keeper,
            settings=settings,
            kept=kept,
            quota=quota,
            cache=cache,
            door=door,
            assembler=assembler,
            agent=agent,
            roster=roster,
            presence=presence,
            toolbox=toolbox,
            model=model,
            limits=Limits(
                rounds=limits.rounds,
                requests=limits.requests,
                tool_calls=limits.tool_calls,
                seconds=limits.seconds,
                tokens=limits.tokens,
                usd=limits.usd,
            ),
            knobs=knobs,
            links=links,
        )


def models_of(config: Config, stack: AsyncExitStack) -> Callable[[str], Model]:
    """Models of teammates, made once each and closed with `stack`."""
    made: dict[str, Model] = {}

    def model(name: str) -> Model:
        if name not in made:
            made[name] = model_of(*config.asked(name))
            stack.push_async_callback(made[name].close)
        return made[name]

    return model


async def serve(config: Config, ending: Ending, *, adapters: bool = True) -> int:
    """Work until `ending`: stop taking events, drain, close. The exit code.

    Without `adapters` only the queue is worked, beside a process that has them.
    """
    async with rooms(config) as core, bot(core, ending, adapters=adapters):
        warm = asyncio.create_task(warm_up(core.model), name="warm-up")
        log.info("ready")
        await ending.wanted.wait()
        log.info("draining")
        warm.cancel()
        with suppress(asyncio.CancelledError):
            await warm
    return ending.code


@asynccontextmanager
async def bot(core: Rooms, ending: Ending, *, adapters: bool) -> AsyncGenerator[None]:
    """The bot on its rooms: queue, outbox, worker, and the adapters that feed them."""
    # Imported here: the shell's commands need none of it.
    from bot.commands import Commands
    from bot.inbox import Inbox
    from bot.outbox import Outbox
    from bot.platform import Platform
    from bot.ports import at_work, ports_of
    from bot.presenter import Presenter
    from bot.text.outbound import clean
    from bot.worker import Deleted, Desk, Pictures, Worker
    from core.needs import Needs
    from core.runs import Runs

    config, store = core.config, core.store

    async def forget(place: Place, message: str) -> None:
        await core.conversation.forget_message(message, place.channel)
        await core.keeper.log.deleted(place, message)
        await deleted(place, message)

    ports = ports_of(config, store, core.settings, forget, adapters=adapters)
    platforms: dict[str, Platform] = {name: port.platform for name, port in ports.items()}
    for name, platform in platforms.items():
        core.links[name] = platform.link
    outbox = Outbox(store, platforms, clean)

    def heard(message: Message, edited: bool) -> None:
        if edited:
            core.keeper.log.edited(message)
        elif core.settings.of(message.place).listen:
            core.keeper.log.heard(message)

    async def handle(key: str, payload: str) -> None:
        # A platform that cannot be reached holds up its own runs, not those of the other.
        await ports[key.partition(":")[0]].opened.wait()
        await worker.handle(key, payload)

    feedback = Feedback(store)
    runs = Runs(config.data, store, handle, config.limits.runs)
    core.keeper.forgetting.queue = runs
    inbox = Inbox(runs, store, outbox, core.settings)
    pictures = config.data / "pictures"
    deleted = Deleted(Needs(store), outbox, runs, Pictures(pictures))
    worker = Worker(
        Desk(
            store=store,
            runs=runs,
            library=core.library,
            agent=core.agent,
            assembler=core.assembler,
            commands=Commands(
                core.library,
                core.settings,
                config.time_zone,
                roster=core.roster,
                presence=core.presence,
                kept=core.kept,
                quota=core.quota,
                feedback=feedback,
                keeper=core.keeper,
                store=store,
                toolbox=core.toolbox,
            ),
            conversation=core.conversation,
            keeper=core.keeper,
            settings=core.settings,
            outbox=outbox,
            presenter=Presenter(outbox, platforms),
            platforms=platforms,
            limits=core.limits,
            file_limit=config.limits.file_mb * 2**20,
            pictures=pictures,
            patience_s=config.limits.approval_hours * 3600,
            kept=core.kept,
            feedback=feedback,
            cache=core.cache,
        )
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(outbox.close)
        stack.push_async_callback(worker.close)
        stack.push_async_callback(core.keeper.attention.close)
        for port in ports.values():
            if port.listener is not None:
                port.listener.inbox = inbox
                port.listener.heard = heard
        core.keeper.attention.start()
        drain = config.limits.drain_seconds
        await stack.enter_async_context(at_work(ports.values(), ending, runs, inbox, drain))
        yield


async def warm_up(model: Model | None) -> None:
    """Load the model's library now, beside the work: the first answer need not wait for it."""
    warm = getattr(model, "warm", None)
    if warm is not None:
        await warm()
    # A full collection looks at everything that was imported and holds up every thread meanwhile,
    # 100 ms with many runs at work. What is here now stays; it need not be looked at again.
    gc.collect()
    gc.freeze()


async def migrated(config: Config) -> int:
    """Bring the schema up to date; its number."""
    store = await SqliteStore.open(data_folder(config.data) / STORE)
    try:
        row = await store.read(lambda tx: tx.one("SELECT max(number) FROM schema_version"))
    finally:
        await store.close()
    return int(row[0]) if row else 0
