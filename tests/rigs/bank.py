"""A bot with a purse to top up: what people must allow and be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.commands import Commands
from bot.inbox import Inbox
from bot.outbox import Outbox
from bot.platform import Button
from bot.presenter import Presenter
from bot.worker import Desk, Worker
from core.agent import Agent
from core.assemble import Assembler
from core.context import Limits, NeedsPerson
from core.events import Need
from core.knowledge.library import Library
from core.memory.conversation import Conversation
from core.messages import Click, Message, Person
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, Step, calling
from core.request import Picks, Request, TeammateCard
from core.runs import Waiting
from core.settings import SettingsBook
from core.store.port import Store
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound, Toolbox
from tests.core.knowledge.rigs import HashEmbedder, TextParser
from tests.rigs.platform import MemoryPlatform, a_message

ASKER = "memory:T1/U1"


@dataclass
class Line:
    """The queue as inbox and worker see it."""

    scratch: Path
    executor: str = "me"
    runs: dict[str, Waiting] = field(default_factory=dict[str, Waiting])

    async def enqueue(self, key: str, thread: str, payload: str, said_at: float) -> bool:
        if key in self.runs:
            return False
        self.runs[key] = Waiting(key, thread, payload)
        return True

    async def ahead(self, thread: str) -> int:
        return len(await self.unfinished(thread))

    async def unfinished(self, thread: str) -> list[Waiting]:
        return [run for run in self.runs.values() if run.thread == thread]

    async def unfinished_below(self, start: str, holding: str) -> list[Waiting]:
        return []


class Sum(Arguments):
    amount: int


class Nothing(Arguments):
    pass


class Question(Arguments):
    question: str


@dataclass
class Purse:
    """What the tools do to the world outside, where no journal reaches."""

    paid: list[int] = field(default_factory=list[int])
    began: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.may_end.set()

    async def recharge(self, arguments: Any) -> ToolResult:
        self.began.set()
        await self.may_end.wait()
        self.paid.append(arguments.amount)
        return ToolResult(text=f"topped up {arguments.amount}", summary=f"+{arguments.amount}")

    async def look(self, arguments: Any) -> ToolResult:
        del arguments
        return ToolResult(text=f"balance {sum(self.paid)}", summary="balance")

    async def ask(self, arguments: Any) -> ToolResult:
        asked = {"what": "answer", "tool": "ask_person", "title": "Ask for the address"}
        raise NeedsPerson(Need(id="", question=arguments.question, expects="email", **asked))


def toolbox(purse: Purse, *, approve: bool = True) -> Toolbox:
    def recharge(bound: Bound) -> Tool:
        del bound
        return a_tool("recharge", Sum, purse.recharge, effect="external", needs_approval=approve)

    def balance(bound: Bound) -> Tool:
        del bound
        return a_tool("get_balance", Nothing, purse.look)

    def ask_person(bound: Bound) -> Tool:
        del bound
        return a_tool("ask_person", Question, purse.ask)

    recharge.effect = "external"  # pyright: ignore[reportFunctionMemberAccess]
    return Toolbox({"recharge": recharge, "get_balance": balance, "ask_person": ask_person})


def a_tool(
    name: str,
    arguments: type[Arguments],
    run: Callable[[Any], Awaitable[ToolResult]],
    **fields: Any,
) -> Tool:
    def title(given: Any) -> str:
        return f"{name} {getattr(given, 'amount', '')}".strip()

    return Tool(name, f"Does {name}.", arguments, run, title, **fields)


def tells(request: ModelRequest) -> Step:
    """The model: calls as its question says (`recharge 50`, `ask`), then tells the results."""
    results = [m.text for m in request.messages if m.role == "tool"]
    if results:
        return f"All done: {len(results)} results, {' '.join(plain(text) for text in results)}."
    question = [m.text for m in request.messages if m.role == "user"][-1]
    calls = [
        ("recharge", {"amount": int(amount)})
        for word, amount in zip(question.split(), question.split()[1:], strict=False)
        if word == "recharge"
    ]
    if "ask" in question.split():
        return calling(("ask_person", {"question": "To which address?"}))
    return calling(*calls) if calls else "Hello!"


def plain(fenced: str) -> str:
    """The words of a result between its fences."""
    return " ".join(
        line for line in fenced.splitlines() if "topped" in line or "error" in line or "@" in line
    )


@dataclass(frozen=True)
class Plainly:
    """An assembler for runs that may use every tool, in a loop."""

    inner: Assembler
    box: Toolbox
    teammate: TeammateCard = TeammateCard()

    async def assemble(self, message: Message, picks: Picks | None = None) -> Request:
        request = await self.inner.assemble(message, picks)
        fields = {"tools": self.box.names, "picks": Picks(mode="loop"), "teammate": self.teammate}
        return request.model_copy(update=fields)


@dataclass
class Bank:
    """A worker and an inbox at a desk; `store` and `platform` outlive them."""

    store: Store
    platform: MemoryPlatform
    purse: Purse
    line: Line
    model: ScriptedModel
    outbox: Outbox
    worker: Worker
    inbox: Inbox

    async def say(self, text: str, key: str = "m:1", **changes: Any) -> Message:
        """A message, worked to where it ends or waits."""
        message = a_message(text, key=key, **changes)
        await self.work(message)
        return message

    async def work(self, message: Message) -> None:
        await self.worker.handle(message.key, message.model_dump_json())

    async def press(self, label: str, key: str = "c:1", number: int = -1, **changes: Any) -> None:
        """A click on a button that stands, or stood, in the thread."""
        await self.work(self.click(label, key, number, **changes))

    def click(self, label: str, key: str = "c:1", number: int = -1, **changes: Any) -> Message:
        button, post = self.buttons(label)[number]
        click = Click(action=button.action, value=button.value, message=post)
        return a_message("", key=key, kind="click", click=click, **changes)

    def buttons(self, label: str) -> list[tuple[Button, str]]:
        """Buttons of that label that ever stood in a post, with the post's id."""
        return [
            (button, post.id)
            for post in self.platform.posts
            for button in post.drafts[0].buttons
            if button.label == label
        ]

    def texts(self) -> list[str]:
        return [post.text for post in self.platform.posts]

    def answers(self) -> list[str]:
        return [text for text in self.texts() if text.startswith("All done")]

    async def state(self, run: str = "m:1") -> str:
        sql = "SELECT state FROM run_claim WHERE run = :run"
        row = await self.store.read(lambda tx: tx.one(sql, {"run": run}))
        return "" if row is None else str(row[0])

    async def close(self) -> None:
        await self.inbox.close()
        await self.worker.close()
        await self.outbox.close()


def open_bank(
    store: Store,
    library: Library,
    scratch: Path,
    *,
    platform: MemoryPlatform | None = None,
    purse: Purse | None = None,
    approve: bool = True,
    patience_s: float = 86_400.0,
    **settings: object,
) -> Bank:
    """A process's share of the bot; another one on the same store is a restart."""
    platform, purse = platform or MemoryPlatform(), purse or Purse()
    book, line, box = (
        SettingsBook(defaults=settings),
        Line(scratch),
        toolbox(purse, approve=approve),
    )
    model = ScriptedModel([tells] * 20)
    platforms, conversation = {"memory": platform}, Conversation(store)
    outbox = Outbox(store, platforms, lambda draft, _: draft)
    assembler = Assembler(library, book, conversation, model="scripted", toolbox=box)
    desk = Desk(
        store=store,
        runs=line,  # pyright: ignore[reportArgumentType]
        library=library,
        agent=Agent(library, model, box, forbids=book.forbids),
        assembler=Plainly(assembler, box),  # pyright: ignore[reportArgumentType]
        commands=Commands(library, book),
        conversation=conversation,
        settings=book,
        outbox=outbox,
        presenter=Presenter(outbox, platforms),
        platforms=platforms,
        limits=Limits(),
        file_limit=1_000_000,
        pictures=scratch.parent / "pictures",
        patience_s=patience_s,
    )
    inbox = Inbox(line, store, outbox, book)  # pyright: ignore[reportArgumentType]
    return Bank(store, platform, purse, line, model, outbox, Worker(desk), inbox)


async def open_library(store: Store, folder: Path) -> Library:
    library = Library(store, TextParser(), HashEmbedder(), folder / "blobs")  # pyright: ignore[reportArgumentType]
    await library.start()
    return library


def another_person() -> Person:
    return Person(id="memory:T1/U2", language="en")
