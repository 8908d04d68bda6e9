"""What a workspace may use and who may do what, in threads, in Chinese and in English.

The wire, the queue, the worker, the store and the documents are the real ones; the models are
scripts that say which of them answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from bot.app import bot, rooms
from bot.config import Config
from bot.ending import Ending
from bot.playground.seed import ENGINEERING, HANDBOOK, LIN, NORA, OMAR, RANDOM
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER, TEAM
from core.agent import Agent
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, Step, calling
from core.store import Store
from core.tools.services import Services

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

LONG_S = 90.0
POLICY = "# Leave\n\nAnnual leave is 15 days a year. Unused leave is lost in March.\n"
POLICY_ZH = "# 报销\n\n差旅报销要在 30 天内提交，住宿每晚不超过 500 元。\n"


@dataclass
class Town:
    server: PracticeServer
    store: Store
    calls: list[str] = field(default_factory=list[str])

    def model(self, name: str) -> ScriptedModel:
        """A model that tells its name, and cites the first passage that it is shown."""

        def says(made: ModelRequest) -> Step:
            self.calls.append(name)
            results = [message.text for message in made.messages if message.role == "tool"]
            if made.messages[-1].text.endswith("write it down"):
                return calling(("write_document", {"title": "Notes", "text": "It is down."}))
            if results:
                return "I saved it."
            shown = any("[1]" in message.text for message in made.messages[1:])
            style = "short" if "Answer very briefly" in made.messages[0].text else "plain"
            return f"{name} ({style}) answers{' [1]' if shown else ''}."

        return ScriptedModel([says] * 200)

    async def ask(self, channel: str, person: str, text: str) -> str:
        return self.server.say(channel, person, f"<@{BOT_USER}> {text}")

    async def told(self, channel: str, thread: str, *words: str) -> str:
        """All that the bot said in a thread, once it holds the words."""

        def found() -> str:
            said = "\n".join(str(m) for m in self.server.from_bot(channel, thread))
            return said if all(word in said for word in words) else ""

        return await self.server.wait_for(found, LONG_S)

    async def whispered(self, person: str, words: str) -> dict[str, Any]:
        """What only one person was shown."""

        def found() -> dict[str, Any] | None:
            mine = (w for w in self.server.whispers if w["user"] == person)
            return next((w for w in mine if words in str(w["message"])), None)

        return await self.server.wait_for(found, LONG_S)

    async def read(self, channel: str, name: str, text: str) -> None:
        """A file is dropped and read."""
        thread = self.server.say(channel, LIN, "", files=[(name, text.encode())])
        await self.told(channel, thread, name)

    async def button(self, channel: str, thread: str, action: str) -> tuple[str, str]:
        """The post in a thread that has the button, and the button's id."""

        def found() -> tuple[str, str] | None:
            for post in self.server.from_bot(channel, thread):
                ids = [e["action_id"] for b in post.get("blocks", []) for e in b.get("elements", [])
                       if "action_id" in e]  # fmt: skip
                pressed = next((one for one in ids if one.startswith(f"{action}:")), "")
                if pressed:
                    return str(post["ts"]), pressed
            return None

        return await self.server.wait_for(found, LONG_S)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    async with AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in ("THREADMATE_MODEL", "SLACK_API_URL", "DISCORD_TOKEN"):
            patch.delenv(name, raising=False)
        folder: Path = tmp_path_factory.mktemp("place")
        patch.chdir(folder)
        server = PracticeServer()
        await server.start()
        stack.push_async_callback(server.stop)
        config = Config.model_validate(
            {
                "data": folder / "data",
                "slack_bot_token": SecretStr(server.bot_token),
                "slack_app_token": SecretStr(server.app_token),
                "slack_api_url": server.api_url,
                "admins": (f"slack:{TEAM}/{OMAR}",),
                "channels": {RANDOM: {"rights": {"ingest": [f"slack:{TEAM}/{LIN}"]}}},
            }
        )
        core = await stack.enter_async_context(rooms(config))
        town = Town(server, core.store)
        door = replace(core.door, cheap=True)
        agent = Agent(
            core.library,
            town.model("usual"),
            services=Services(writer=core.library),
            presence=core.presence,
            cheap=town.model("cheap"),
            door=door,
            forbids=core.settings.forbids,
        )
        made = replace(core, agent=agent, assembler=replace(core.assembler, model="scripted"))
        await stack.enter_async_context(bot(made, Ending(), adapters=True))
        await server.wait_connected(LONG_S)
        yield town


async def test_an_answer_is_given_again_until_its_document_changes(town: Town) -> None:
    for name, text, question, line in (
        ("leave.md", POLICY, "How many days of annual leave are there?", "Answered on"),
        ("报销.md", POLICY_ZH, "差旅报销要在多少天内提交？", "这是"),
    ):
        await town.read(HANDBOOK, name, text)
        first = await town.ask(HANDBOOK, NORA, question)
        assert line not in await town.told(HANDBOOK, first, "answers", name)
        calls = len(town.calls)
        again = await town.told(
            HANDBOOK, await town.ask(HANDBOOK, LIN, question.rstrip("?？")), line, "answers"
        )
        assert f"{name} v1" in again
        assert len(town.calls) == calls, "no model was asked"
        await town.read(HANDBOOK, name, text.replace("15", "20").replace("30", "40"))
        anew = await town.ask(HANDBOOK, NORA, question)
        assert line not in await town.told(HANDBOOK, anew, "answers", name)
        assert len(town.calls) > calls


async def test_the_ladder_of_a_quota_is_said_step_by_step(town: Town) -> None:
    for person, ask, steps in (
        (LIN, "如果在，就说一声，第 {n} 次", ("用到八成", "快用完了", "额度用完了")),
        (NORA, "if you are there, say so, {n}", ("80 % of", "95 % of", "Sorry, your")),
    ):
        used = await used_today(town, person)
        await give(town, person, 10)
        for _ in range(8 - used):
            thread = await town.ask(ENGINEERING, person, ask.format(n=1))
            assert "usual (plain) answers" in await town.told(ENGINEERING, thread, "answers")
        thread = await town.ask(ENGINEERING, person, ask.format(n=9))
        assert "cheap (plain) answers" in await town.told(ENGINEERING, thread, steps[0], "answers")
        thread = await town.ask(ENGINEERING, person, ask.format(n=10))
        calls = len(town.calls)
        assert ") answers" not in await town.told(ENGINEERING, thread, steps[1])
        thread = await town.ask(ENGINEERING, person, ask.format(n=11))
        await town.told(ENGINEERING, thread, steps[2])
        assert len(town.calls) == calls
        await give(town, person, 200)
        thread = await town.ask(ENGINEERING, person, ask.format(n=12))
        assert "usual (plain) answers" in await town.told(ENGINEERING, thread, "answers")


async def used_today(town: Town, person: str) -> int:
    """Questions of a person that were counted: those of the test before this one."""
    row = await town.store.read(
        lambda tx: tx.one(
            "SELECT requests FROM quota_use WHERE kind = 'person' AND target = :person",
            {"person": f"slack:{TEAM}/{person}"},
        )
    )
    return 0 if row is None else int(row[0])


async def give(town: Town, person: str, count: int) -> None:
    """An admin sets a quota in the chat."""
    town.server.say(RANDOM, OMAR, f"<@{BOT_USER}> !settings quota <@{person}> {count}")
    await town.whispered(OMAR, f"may ask {count} times")


async def test_a_setting_is_traced_to_its_layer_and_obeyed(town: Town) -> None:
    server = town.server
    server.command(RANDOM, NORA, "/settings", "verbosity short")
    await town.whispered(NORA, "`verbosity` is short now (you)")
    server.command(RANDOM, NORA, "/settings", "")
    table = str((await town.whispered(NORA, "What holds for you"))["message"])
    assert "`verbosity` | short | you" in table or "verbosity" in table
    thread = await town.ask(RANDOM, NORA, "if you are there, say so")
    assert "usual (short) answers" in await town.told(RANDOM, thread, "answers")
    thread = await town.ask(RANDOM, LIN, "如果在，就说一声")
    assert "usual (plain) answers" in await town.told(RANDOM, thread, "answers")
    server.command(RANDOM, LIN, "/settings", "篇幅 短")
    await town.whispered(LIN, "`verbosity` 现在是 short（你的设置）")
    server.command(RANDOM, LIN, "/settings", "channel web off")
    await town.whispered(LIN, "只有管理员能改这里的设置")
    server.command(RANDOM, OMAR, "/settings", "channel web off")
    await town.whispered(OMAR, "`web` is off now (this channel)")
    server.command(RANDOM, LIN, "/settings", "web on")
    await town.whispered(LIN, "只能收紧，不能放宽")


async def test_who_may_not_bring_documents_is_told_who_may(town: Town) -> None:
    town.server.say(RANDOM, NORA, "", files=[("plan.md", b"# Plan\n\nNothing yet.\n")])
    refused = await town.whispered(NORA, "may add documents here")
    assert f"<@{LIN}>" in str(refused["message"])


async def test_a_right_is_looked_at_when_the_button_is_pressed(town: Town) -> None:
    thread = await town.ask(HANDBOOK, NORA, "write it down")
    post = await town.button(HANDBOOK, thread, "approve")
    town.server.click(HANDBOOK, *post, LIN)
    refused = await town.whispered(LIN, f"<@{NORA}>")
    assert "管理员" in str(refused["message"])
    town.server.click(HANDBOOK, *post, NORA)
    await town.told(HANDBOOK, thread, "saved it")


async def test_what_people_say_of_an_answer_is_shown_to_admins(town: Town) -> None:
    town.server.command(RANDOM, OMAR, "/settings", "channel feedback on")
    await town.whispered(OMAR, "`feedback` is on now")
    thread = await town.ask(RANDOM, LIN, "如果在，就再说一声")
    post = await town.button(RANDOM, thread, "unhelpful")
    town.server.click(RANDOM, *post, LIN)
    await town.whispered(LIN, "谢谢，记下了")
    town.server.command(RANDOM, OMAR, "/settings", "feedback")
    listed = str((await town.whispered(OMAR, "Feedback: "))["message"])
    assert "如果在，就再说一声" in listed and f"<@{LIN}>" in listed
