"""The main job on Discord: the real command, the practice Discord, no model and no key."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import LIN, NORA
from bot.playground.seed import SAMPLES
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

READY_S = 90.0
ANSWER_S = 90.0
PRIVATE = ("THREADMATE_", "SLACK_", "DISCORD_")
ROOT = Path(__file__).parents[2]


async def started(folder: Path, environment: dict[str, str]) -> asyncio.subprocess.Process:
    env = {k: v for k, v in os.environ.items() if not k.startswith(PRIVATE)}
    env |= environment | {"THREADMATE_DATA": str(folder / "data"), "PYTHONPATH": str(ROOT)}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"),
        env=env,
        cwd=folder,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def practice(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PracticeDiscord]:
    """The practice Discord with the bot's process on it, and nothing but its three variables."""
    practice = PracticeDiscord()
    await practice.start()
    child = await started(tmp_path_factory.mktemp("discord"), practice.environment)
    await practice.wait_connected(READY_S)
    yield practice
    child.terminate()
    assert await child.wait() == 0
    assert practice.faults == []
    await practice.stop()


async def answered(
    practice: PracticeDiscord, place: str, wanted: Callable[[str], bool]
) -> dict[str, Any]:
    """The bot's first message in a place that is as wanted."""

    def found() -> dict[str, Any] | None:
        if place.isdecimal() and place not in practice.guild.channels:
            return None  # A thread that is not opened yet.
        fitting = (one for one in practice.from_bot(place) if wanted(one["content"]))
        return next(fitting, None)

    message = await practice.wait_for(found, ANSWER_S)
    assert message is not None
    return message


async def test_a_mention_with_a_pdf_gets_a_receipt_a_plan_and_an_answer_with_its_page(
    practice: PracticeDiscord,
) -> None:
    question = "@Threadmate 入职满五年后每年有多少天带薪年假？"
    number = practice.say("random", LIN, question, [SAMPLES / "请假制度.pdf"])
    await practice.wait_for(lambda: "✅" in practice.reactions(number), ANSWER_S)
    texts = [one["content"] for one in practice.from_bot(number)]
    assert "已读入 **请假制度.pdf**" in texts[0]
    assert any(re.search("15 天", text) and "-# [1]" in text for text in texts)
    assert any("第 1 页" in text for text in texts)
    assert practice.threads("random")[0]["name"] == "入职满五年后每年有多少天带薪年假？"
    # Typing never stands under a finished answer.
    said_at = max(float(int(one["id"]) >> 22) for one in practice.from_bot(number))
    assert all(at * 1000 - 1_420_070_400_000 < said_at + 1 for _, _, at in practice.typing)


async def test_a_slash_command_with_a_file_is_answered_in_its_own_thread(
    practice: PracticeDiscord,
) -> None:
    options = {"question": "How many days of paid leave?", "file": SAMPLES / "leave-policy.md"}
    made = practice.slash(NORA, "handbook", "ask", options)
    assert await made.answered()
    root = await answered(practice, "handbook", lambda text: "/ask How many days" in text)
    answer = await answered(practice, root["id"], lambda text: "12 days" in text)
    assert "leave-policy.md" in answer["content"]


async def test_a_direct_message_a_menu_and_a_forum_post_are_answered(
    practice: PracticeDiscord,
) -> None:
    practice.dm(NORA, "how many days of leave?")
    await answered(practice, practice.direct(NORA), lambda text: "documents" in text)
    files = [SAMPLES / "leave-policy.md"]
    thread = practice.forum_post("questions", NORA, "Leave", "@Threadmate paid days?", files)
    await answered(practice, thread, lambda text: "Read **leave-policy.md**" in text)
    await answered(practice, thread, lambda text: "12 days" in text)
    number = practice.say("engineering", LIN, "门禁密码在窗边的蓝色盒子里。")
    assert await practice.context_menu(LIN, number, "Add to knowledge base").answered()
    await answered(practice, "engineering", lambda text: "已读入" in text)


async def test_two_teammates_answer_in_one_thread_under_their_own_names(
    practice: PracticeDiscord,
) -> None:
    number = practice.say("random", LIN, "@Threadmate @researcher 年假有多少天？")
    await practice.wait_for(lambda: "✅" in practice.reactions(number), ANSWER_S)
    second = practice.say(number, LIN, "@Threadmate @writer 病假呢？")
    await practice.wait_for(lambda: "✅" in practice.reactions(second), ANSWER_S)
    names = {one["author"]["username"] for one in practice.from_bot(number)}
    assert len(names - {"threadmate"}) >= 2


async def test_slack_and_discord_are_worked_by_one_process(tmp_path: Path) -> None:
    slack, discord = PracticeServer(), PracticeDiscord()
    await slack.start()
    await discord.start()
    child = await started(tmp_path, slack.environment | discord.environment)
    try:
        await discord.wait_connected(READY_S)
        await slack.wait_connected(READY_S)
        number = discord.say("random", NORA, "@Threadmate how many days of leave?")
        slack.say("C0RANDOM", "U0NORA", f"<@{BOT_USER}> how many days of leave?")
        await discord.wait_for(lambda: "✅" in discord.reactions(number), ANSWER_S)
        await slack.wait_for(lambda: slack.from_bot("C0RANDOM"), ANSWER_S)
        assert any("documents" in one["content"] for one in discord.from_bot(number))
    finally:
        child.terminate()
        assert await child.wait() == 0
        await slack.stop()
        await discord.stop()
