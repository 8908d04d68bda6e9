"""A town for the stories: people in a practice workspace, the bot in a process of its own.

The process is started as an installation starts it: settings in `threadmate.toml`, tools in a
module, teammates in files, tokens in the environment. Model, mail and weather are servers on
loopback whose logs the stories look at.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bot.playground.rows import Json
from bot.playground.seed import LIN, NORA, OMAR
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER
from tests.rigs.model_server import Answer, ModelServer
from tests.rigs.outside import MailServer, Web, forecast, geocoding, mail_server, serving

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60.0
"""For whatever a busy machine may be slow at; nothing waits that long on a quiet one."""
PRIVATE = ("THREADMATE_", "SLACK_", "DISCORD_")
"""Settings of whoever runs the tests must not reach the bot under test."""
READS, WRITES = "tools: [read, write_document, send_email]", "recharge]"
DAY_S = 86_400

SETTINGS = """
tools = ["town_tools"]
admins = []

[defaults]
web = "off"
effects = ["write_document", "send_email", "recharge"]

[weather]
geocoding_url = "{origin}/geo"
forecast_url = "{origin}/forecast"

[mail]
sender = "bot@threadmate.test"
"""

Tongue = Literal["zh", "en"]
ASKER: dict[Tongue, str] = {"zh": LIN, "en": NORA}
"""Who speaks which language in the town."""

ROLES = {
    "你负责调研": "researcher",
    "You do research": "researcher",
    "你负责写作": "writer",
    "You write:": "writer",
    "你管理知识库": "librarian",
    "You keep the knowledge base": "librarian",
    "你是大家第一个会问的人": "generalist",
    "You are the one people ask first": "generalist",
}


@dataclass(frozen=True)
class Asked:
    """One request that the model server got."""

    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All but the system prompt."""
        return self.body["messages"][1:]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def who(self) -> str:
        """Whose role stands in the system prompt; empty where nobody's does."""
        return next((name for role, name in ROLES.items() if role in self.system), "")

    @property
    def plans(self) -> bool:
        """True for the planner's request."""
        return self.system.startswith(("你是规划器", "You are the planner"))

    @property
    def last(self) -> str:
        return str(self.messages[-1]["content"])

    @property
    def whole(self) -> str:
        """All that was said, tools included."""
        return "\n".join(str(message.get("content") or "") for message in self.messages)

    @property
    def results(self) -> list[str]:
        """What tools gave since the last question, oldest first."""
        given: list[str] = []
        for message in self.messages:
            if message["role"] == "user":
                given.clear()
            elif message["role"] == "tool":
                given.append(str(message["content"]))
        return given


Brain = Callable[[Asked], Answer]


@dataclass
class Town:
    """What the stories act on, and what they look at."""

    server: PracticeServer
    folder: Path
    outside: Web
    mail: MailServer
    model: ModelServer | None = None
    process: Process | None = None
    channels: int = field(default=0)

    def think(self, brain: Brain) -> None:
        """Answer as `brain` does from here on, and forget what was asked before."""
        assert self.model is not None
        self.model.script(forever=lambda body: brain(Asked(body)))

    @property
    def asked(self) -> list[Asked]:
        """The requests that the model got, oldest first."""
        assert self.model is not None
        return [Asked(body) for body in self.model.requests]

    def channel(self) -> str:
        """A new channel with everybody and the bot in it, so that no story sees another's files."""
        self.channels += 1
        channel = f"C0STORY{self.channels}"
        everyone = [LIN, NORA, OMAR, BOT_USER]
        self.server.workspace.add_channel(channel, f"story-{self.channels}", "random", everyone)
        return channel

    async def shared(self, channel: str, person: str, name: str, text: str) -> None:
        """Drop a file into a channel, and wait until it is taken."""
        ts = self.server.say(channel, person, files=[(name, text.encode())])
        await self.done(channel, ts)

    def aged(self, name: str, days: int) -> None:
        """Let a document have come `days` ago: no test waits that long."""
        with closing(sqlite3.connect(self.folder / "data" / "threadmate.db", timeout=30)) as store:
            sql = "UPDATE document SET added_at = added_at - ? WHERE name = ?"
            assert store.execute(sql, (days * DAY_S, name)).rowcount == 1
            store.commit()

    async def ask(self, channel: str, person: str, text: str, thread: str | None = None) -> str:
        """Say something to the bot and wait until it is done with it; the message's ts."""
        ts = self.say(channel, person, text, thread)
        await self.done(channel, ts)
        return ts

    def say(self, channel: str, person: str, text: str, thread: str | None = None) -> str:
        return self.server.say(channel, person, f"<@{BOT_USER}> {text}", thread)

    async def done(self, channel: str, ts: str) -> None:
        """The bot's sign on a message says that it is worked."""

        def signed() -> bool:
            message = next(m for m in self.server.messages(channel) if m["ts"] == ts)
            return any(sign["name"] == "white_check_mark" for sign in message.get("reactions", ()))

        await self.server.wait_for(signed, PATIENCE_S)

    async def post(self, channel: str, thread: str, words: str) -> Json:
        """The bot's post in a thread that holds the words; waits for it."""

        def found() -> Json | None:
            told = self.server.from_bot(channel, thread)
            return next((m for m in reversed(told) if words in shown(m)), None)

        message = await self.server.wait_for(found, PATIENCE_S)
        assert message is not None
        return message

    def told(self, channel: str, thread: str) -> str:
        """All that the bot says in a thread."""
        return "\n".join(shown(message) for message in self.server.from_bot(channel, thread))

    def answer(self, channel: str, thread: str) -> Json:
        """The bot's last post in a thread."""
        return self.server.from_bot(channel, thread)[-1]

    async def press(self, channel: str, thread: str, label: str, person: str) -> None:
        """Click a button of the thread, as soon as it is there."""

        def found() -> tuple[str, str] | None:
            for message in self.server.from_bot(channel, thread):
                for element in elements(message):
                    if element["type"] == "button" and element["text"]["text"] == label:
                        return message["ts"], element["action_id"]
            return None

        held = await self.server.wait_for(found, PATIENCE_S)
        assert held is not None
        ts, action = held
        self.server.click(channel, ts, action, person)

    def labels(self, channel: str, thread: str) -> list[str]:
        """What stands on the buttons of a thread."""
        posts = self.server.from_bot(channel, thread)
        held = [element for message in posts for element in elements(message)]
        return [element["text"]["text"] for element in held if element["type"] == "button"]

    def balances(self, held: dict[str, int]) -> None:
        """Open accounts anew, with no payment made yet."""
        (self.folder / "accounts.json").write_text(json.dumps(held, ensure_ascii=False), "utf-8")
        (self.folder / "payments.txt").write_text("", "utf-8")

    @property
    def payments(self) -> list[str]:
        return (self.folder / "payments.txt").read_text("utf-8").splitlines()


def elements(message: Json) -> list[Json]:
    return [one for block in message.get("blocks", ()) for one in block.get("elements", ())]


def shown(message: Json) -> str:
    """What a person reads in a post: its blocks, or its text where it has none."""
    parts: list[str] = []
    for block in message.get("blocks", ()):
        if block["type"] == "markdown":
            parts.append(block["text"])
        texts = (one["text"] for one in block.get("elements", ()) if "text" in one)
        parts += [text if isinstance(text, str) else text["text"] for text in texts]
    return "\n".join(parts) or str(message["text"])


def name_on(message: Json) -> str:
    """The user name on a post; empty where the bot speaks as itself."""
    return str(message.get("username", ""))


def number_in(text: str, name: str) -> int:
    """The number that a tool's result gives under a name."""
    found = re.search(rf'"{name}": (\d+)', text)
    assert found, text
    return int(found[1])


@asynccontextmanager
async def a_town(folder: Path, *, with_model: bool) -> AsyncGenerator[Town]:
    """A town whose bot is connected."""
    async with AsyncExitStack() as stack:
        weather = {"/geo": geocoding, "/forecast": forecast}
        outside = await stack.enter_async_context(serving(weather))  # pyright: ignore[reportArgumentType]
        mail = await stack.enter_async_context(mail_server())
        server = PracticeServer()
        await server.start()
        stack.push_async_callback(server.stop)
        town = Town(server, folder, outside, mail)
        _settle(town)
        env = {k: v for k, v in os.environ.items() if not k.startswith(PRIVATE)}
        env |= server.environment | {
            "PYTHONPATH": str(ROOT),
            "THREADMATE_DATA": str(folder / "data"),
            "THREADMATE_SMTP_URL": f"smtp://127.0.0.1:{mail.port}",
        }
        if with_model:
            town.model = ModelServer()
            await town.model.start()
            stack.push_async_callback(town.model.stop)
            env |= {
                "THREADMATE_MODEL": "openai/scripted",
                "THREADMATE_API_BASE": town.model.api_base,
                "THREADMATE_API_KEY": "sk-practice",
            }
        log = stack.enter_context((folder / "bot.log").open("wb"))
        town.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot.serve"),
            cwd=folder,
            env=env,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=log,
        )
        try:
            await _connected(town)
            yield town
        finally:
            if town.process.returncode is None:
                town.process.terminate()
            code = await town.process.wait()
        told = (folder / "bot.log").read_text("utf-8", "replace")
        assert code == 0, told
        assert "Traceback" not in told, told


async def _connected(town: Town) -> None:
    """Wait for the bot; a process that ends instead is not waited for."""
    assert town.process is not None
    ended = asyncio.create_task(town.process.wait())
    there = asyncio.create_task(town.server.wait_connected(PATIENCE_S))
    await asyncio.wait({ended, there}, return_when=asyncio.FIRST_COMPLETED)
    ended.cancel()
    assert town.process.returncode is None, (town.folder / "bot.log").read_text("utf-8")
    await there


def _settle(town: Town) -> None:
    """The files that an installation has."""
    folder = town.folder
    (folder / "threadmate.toml").write_text(SETTINGS.format(origin=town.outside.origin), "utf-8")
    shutil.copy(Path(__file__).with_name("town_tools.py"), folder)
    (folder / "teammates").mkdir()
    card = (ROOT / "teammates" / "generalist.md").read_text("utf-8")
    assert READS in card
    # Only this teammate may spend money.
    own = card.replace(READS, f"{READS[:-1]}, {WRITES}")
    (folder / "teammates" / "generalist.md").write_text(own, "utf-8")
