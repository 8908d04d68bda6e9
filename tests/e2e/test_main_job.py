"""The main job as a person does it: the real command, a real browser, the real Slack adapter.

A document is dropped into a channel, questions are asked in Chinese, English and a mix of both, and
the steps, the answer, its source and its page are seen; what the documents do not hold is refused.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.playground.seed import ENGINEERING, HANDBOOK, LIN, NORA, RANDOM, SAMPLES

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

READY_MS = 60_000
"""The bot's process loads its embedder, on a busy machine."""
ANSWER_MS = 45_000

PRIVATE = ("THREADMATE_", "SLACK_", "DISCORD_")
"""Settings of whoever runs the tests must not reach the bot under test."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The address that `threadmate playground` prints on a fresh data folder."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(PRIVATE)}
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", "0"),
        env={**env, "THREADMATE_DATA": str(tmp_path_factory.mktemp("data"))},
        cwd=Path(__file__).parents[2],
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
    )
    assert child.stdout is not None
    async with asyncio.timeout(READY_MS / 1000):
        while not (found := re.search(r"http://[\d.:]+", (await child.stdout.readline()).decode())):
            pass
    yield found[0]
    child.terminate()
    assert await child.wait() == 0


@pytest_asyncio.fixture(loop_scope="module")
async def workspace(page: Page, url: str) -> Page:
    """The page once the bot is connected."""
    page.set_default_timeout(15_000)
    await page.goto(f"{url}/?person={LIN}&language=zh")
    await expect(page.locator(".status")).to_have_text("Threadmate 已连接", timeout=READY_MS)
    return page


async def go(page: Page, channel: str) -> None:
    await page.locator(f"[data-channel={channel}]").click()


async def until_done(message: Locator) -> None:
    """The bot's sign on a message says that it is worked."""
    sign = message.locator(".reaction[title^=':white_check_mark:']")
    await expect(sign).to_be_visible(timeout=ANSWER_MS)


async def ask(page: Page, channel: str, question: str) -> Locator:
    """Post a question; the messages of its thread when the bot is done."""
    await go(page, channel)
    await page.locator("#channel .composer textarea").fill(f"@Threadmate {question}")
    await page.keyboard.press("Enter")
    asked = page.locator("#channel .message", has_text=question).last
    await until_done(asked)
    # The thread of what one asked opens by itself with its first answer.
    await expect(page.locator("#thread .message").first).to_contain_text(question)
    return page.locator("#thread .message")


async def taken(page: Page, channel: str, file: str) -> None:
    await go(page, channel)
    await until_done(page.locator("#channel .message", has_text=file).last)


async def test_a_dropped_pdf_is_answered_from_with_its_page(workspace: Page) -> None:
    await go(workspace, RANDOM)
    await expect(workspace.locator("#channel .empty h2")).to_have_text(
        "把文件拖到这里，然后问 @Threadmate"
    )
    picker = workspace.locator("#channel input[type=file]")
    await picker.set_input_files(SAMPLES / "请假制度.pdf")
    await expect(workspace.locator("#channel .chip:not(.waiting)")).to_be_visible()
    await workspace.locator("#channel .composer textarea").press("Enter")
    await taken(workspace, RANDOM, "请假制度.pdf")
    await expect(workspace.locator("#thread .message").last).to_contain_text("请假制度.pdf")

    thread = await ask(workspace, RANDOM, "入职满五年后每年有多少天带薪年假？")
    await expect(thread.locator("blockquote").first).to_contain_text("15 天")
    await expect(thread.locator(".footnote", has_text="请假制度.pdf").first).to_contain_text(
        "第 1 页"
    )
    # The step that found it is shown as well.
    await expect(workspace.locator("#thread")).to_contain_text("查文档")


async def test_a_question_in_english_is_answered_in_english(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "leave-policy.md")
    await workspace.locator(f"[data-person={NORA}]").click()
    question = "How many days of paid annual leave does everyone have?"
    thread = await ask(workspace, HANDBOOK, question)
    await expect(thread.locator("blockquote").first).to_contain_text("12 days")
    await expect(thread.locator(".footnote", has_text="leave-policy.md").first).to_be_visible()


async def test_a_mixed_question_is_answered_from_the_chinese_policy(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "请假制度.pdf")
    thread = await ask(workspace, HANDBOOK, "帮我 summarize 一下请假 policy")
    await expect(thread.locator("blockquote").first).to_be_visible()
    await expect(thread.locator(".footnote a", has_text="请假制度.pdf").first).to_be_visible()


async def test_what_no_document_holds_is_refused_without_sources(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "请假制度.pdf")
    thread = await ask(workspace, HANDBOOK, "贝多芬的第九交响曲写于哪一年？")
    await expect(workspace.locator("#thread")).to_contain_text("暂无相关内容")
    await expect(thread.locator("blockquote")).to_have_count(0)
    await expect(thread.locator(".footnote a")).to_have_count(0)


async def test_another_channel_sees_nothing_of_it(workspace: Page) -> None:
    await taken(workspace, ENGINEERING, "release-notes-2.4.md")
    await ask(workspace, ENGINEERING, "未休完的年假最多可结转几天？")
    await expect(workspace.locator("#thread")).to_contain_text("暂无相关内容")
    await expect(workspace.locator("#thread")).not_to_contain_text("请假制度.pdf")


async def test_the_time_and_the_number_of_documents_come_from_tools(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "leave-policy.md")
    await ask(workspace, HANDBOOK, "现在几点")
    await expect(workspace.locator("#thread")).to_contain_text("Asia/Shanghai")
    await ask(workspace, HANDBOOK, "how many documents are there?")
    await expect(workspace.locator("#thread")).to_contain_text("3 documents")


async def test_a_slash_command_is_answered_in_a_thread_of_its_own(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "faq.md")
    await workspace.locator("#channel .composer textarea").fill("/kb list")
    await workspace.keyboard.press("Enter")
    answer = workspace.locator("#thread .message").last
    await expect(answer).to_contain_text("leave-policy.md", timeout=ANSWER_MS)


async def test_a_document_is_removed_with_its_button(workspace: Page) -> None:
    await taken(workspace, HANDBOOK, "faq.md")
    await workspace.locator(f"[data-person={NORA}]").click()
    shared = workspace.locator("#channel .message", has_text="faq.md")
    await shared.locator(".thread-line").click()
    await workspace.locator("#thread button.action", has_text="faq.md").click()
    await workspace.locator("#confirm .primary").click()
    # Nora reads English.
    removed = workspace.locator("#thread .list")
    await expect(removed).to_contain_text("Removed “faq.md”", timeout=ANSWER_MS)
