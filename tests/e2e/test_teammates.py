"""Teammates in a workspace: called by name, going on in their threads, handing over in mid-run.

The wire, the queue, the worker and the files that ship are the real ones; the model is a script
that answers by who it is told to be.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from bot.app import bot, rooms
from bot.config import Config
from bot.ending import Ending
from bot.playground.seed import ENGINEERING, LIN, NORA, RANDOM
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER
from core.agent import Agent
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, Step, calling
from core.tools.services import Services

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

LONG_S = 90.0
ROLES = {
    "你负责调研": "研究员",
    "You do research": "researcher",
    "你负责写作": "写手",
    "You write:": "writer",
    "你管理知识库": "馆员",
    "You keep the knowledge base": "librarian",
}


def who(made: ModelRequest) -> str:
    """Whose role stands in the system prompt; the default one's where none of the others does."""
    system = made.messages[0].text
    return next((name for role, name in ROLES.items() if role in system), "generalist")


REPORT = "# K8s Service 类型\n\n四种类型：ClusterIP、NodePort、LoadBalancer、ExternalName。"
PLAN = {
    "nodes": [
        {"id": "n1", "title": "查", "teammate": "researcher", "task": "调研 K8s service 的类型"},
        {"id": "n2", "title": "写报告", "teammate": "writer", "task": "写成报告",
         "depends_on": ["n1"]},
        {"id": "n3", "title": "保存", "teammate": "librarian", "task": "把报告存进知识库",
         "depends_on": ["n2"]},
    ]
}  # fmt: skip


def works(made: ModelRequest) -> Step:
    """What each says while a report is researched, written and saved."""
    text, name = made.messages[-1].text, who(made)
    if "JSON" in made.messages[0].text and name == "generalist":
        return json.dumps(PLAN, ensure_ascii=False)
    if name == "馆员" and made.messages[-1].role == "user":
        given = {"title": "K8s Service 类型", "text": REPORT}
        return calling(("write_document", given))
    drafts = {"研究员": "K8s：ClusterIP、NodePort、LoadBalancer、ExternalName", "写手": REPORT}
    return drafts.get(name, f"{name} 写好了：{text[-400:]}")


def says(made: ModelRequest) -> Step:
    """Each speaks with its name; asked to hand over, it does."""
    asked = made.messages[-1]
    if any("K8s" in message.text for message in made.messages[1:]):
        return works(made)
    wanted = re.search(r"(?:hand over to|换成) ?(\w+)", asked.text)
    if asked.role == "user" and wanted and any(t.name == "switch_teammate" for t in made.tools):
        return calling(("switch_teammate", {"name": wanted[1]}))
    return f"{who(made)} says: {asked.text[:60] if asked.role == 'user' else 'I am here.'}"


@dataclass
class Town:
    server: PracticeServer
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel([says] * 200))

    async def asked(self, channel: str, person: str, text: str, thread: str | None = None) -> str:
        return self.server.say(channel, person, text, thread)

    async def answered(self, channel: str, thread: str, words: str) -> dict[str, Any]:
        """The bot's message in a thread that holds the words."""

        def found() -> dict[str, Any] | None:
            told = self.server.from_bot(channel, thread)
            return next((m for m in told if words in str(m)), None)

        return await self.server.wait_for(found, LONG_S)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    async with AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in ("THREADMATE_MODEL", "SLACK_API_URL", "DISCORD_TOKEN"):
            patch.delenv(name, raising=False)
        folder = tmp_path_factory.mktemp("place")
        patch.chdir(folder)
        server = PracticeServer()
        await server.start()
        stack.push_async_callback(server.stop)
        town = Town(server)
        config = Config(
            data=folder / "data",
            slack_bot_token=SecretStr(server.bot_token),
            slack_app_token=SecretStr(server.app_token),
            slack_api_url=server.api_url,
        )
        core = await stack.enter_async_context(rooms(config))
        services = Services(writer=core.library)
        agent = Agent(core.library, town.model, services=services, presence=core.presence)
        await stack.enter_async_context(bot(replace(core, agent=agent), Ending(), adapters=True))
        await server.wait_connected(LONG_S)
        yield town


def name_on(message: dict[str, Any]) -> str:
    return str(message.get("username", ""))


async def test_a_named_teammate_answers_under_its_name_and_goes_on_in_the_thread(
    town: Town,
) -> None:
    thread = await town.asked(ENGINEERING, LIN, f"<@{BOT_USER}> @researcher 如果有新消息就告诉我")
    answer = await town.answered(ENGINEERING, thread, "研究员 says")
    assert name_on(answer) == "researcher"
    assert "如果有新消息就告诉我" in str(answer)
    assert "@researcher" not in str(answer["text"])
    # A follow-up without any mention goes to it as well.
    await town.asked(ENGINEERING, LIN, "如果没有，就说没有", thread)
    again = await town.answered(ENGINEERING, thread, "说没有")
    assert name_on(again) == "researcher"
    # Another thread is the bot's own.
    other = await town.asked(ENGINEERING, NORA, f"<@{BOT_USER}> if there is news, tell me")
    assert name_on(await town.answered(ENGINEERING, other, "generalist says")) == ""


async def test_a_teammate_hands_over_in_mid_run_and_people_see_who_speaks(town: Town) -> None:
    thread = await town.asked(RANDOM, NORA, f"<@{BOT_USER}> if you can, hand over to writer")
    answer = await town.answered(RANDOM, thread, "writer says")
    assert name_on(answer) == "writer"
    first, second = town.model.calls[-2:]
    assert (who(first), who(second)) == ("generalist", "writer")
    assert "switch_teammate" in {tool.name for tool in first.tools}
    await town.asked(RANDOM, NORA, "if so, go on", thread)
    assert name_on(await town.answered(RANDOM, thread, "if so, go on")) == "writer"


async def test_a_command_hands_a_thread_over_and_back(town: Town) -> None:
    thread = await town.asked(RANDOM, LIN, f"<@{BOT_USER}> 如果在，就说一声")
    await town.answered(RANDOM, thread, "generalist says")
    await town.asked(RANDOM, LIN, "!同事 换 馆员", thread)
    await town.answered(RANDOM, thread, "从现在起由")
    await town.asked(RANDOM, LIN, "如果在，就再说一声", thread)
    assert name_on(await town.answered(RANDOM, thread, "馆员 says")) == "librarian"
    await town.asked(RANDOM, LIN, "!同事 换 默认", thread)
    await town.answered(RANDOM, thread, "又由我来回答")
    await town.asked(RANDOM, LIN, "如果在，就第三次说一声", thread)
    assert name_on(await town.answered(RANDOM, thread, "第三次")) == ""


async def test_an_own_teammate_is_there_as_soon_as_its_file_is(town: Town) -> None:
    folder = Path("teammates")
    folder.mkdir(exist_ok=True)
    text = "---\nname: 法务\navatar: ⚖️\n---\nYou read contracts. 你管理知识库\n"
    (folder / "lawyer.md").write_text(text, "utf-8")
    thread = await town.asked(RANDOM, LIN, f"<@{BOT_USER}> @法务如果有合同就看一下")
    assert name_on(await town.answered(RANDOM, thread, "says: 如果有合同")) == "法务"


async def test_a_report_is_researched_written_saved_and_answered_from(town: Town) -> None:
    before = len(town.model.calls)
    question = "帮我调研一下 K8s service 的几种类型，写成报告保存"
    thread = await town.asked(ENGINEERING, LIN, f"<@{BOT_USER}> {question}")
    answer = await town.answered(ENGINEERING, thread, "generalist 写好了")
    assert name_on(answer) == ""
    made = town.model.calls[before:]
    order = [name for name, _ in groupby(made, who)]
    assert order == ["generalist", "研究员", "写手", "馆员", "generalist"]
    # Histories of their own: the task and what it builds on, nothing of the thread.
    researching, writing, saving = made[1:4]
    assert [message.role for message in researching.messages] == ["system", "user"]
    assert question not in researching.messages[1].text
    assert "NodePort" in writing.messages[1].text
    assert REPORT.splitlines()[2] in saving.messages[1].text
    # Only the librarian can save.
    assert {tool.name for tool in saving.tools} >= {"write_document"}
    assert "write_document" not in {tool.name for tool in (*researching.tools, *writing.tools)}
    asked = await town.asked(ENGINEERING, NORA, f"<@{BOT_USER}> K8s Service 有哪几种类型？")
    told = await town.answered(ENGINEERING, asked, "generalist 写好了")
    assert "LoadBalancer" in "".join(m.text for m in town.model.calls[-1].messages)
    assert "K8s Service 类型" in str(told)
