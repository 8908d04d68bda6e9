"""People decide, in the browser: the real page, Slack's own wire, the real queue and worker.

What a click allows, what an answer tells and what a restart survives is seen in the thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect
from pydantic import SecretStr

from bot.app import bot, rooms
from bot.config import Config
from bot.ending import Ending
from bot.playground.seed import LIN, NORA
from bot.playground.server import PracticeServer
from core.agent import Agent
from core.model.scripted import ScriptedModel
from core.request import TeammateCard
from tests.rigs.bank import Plainly, Purse, tells, toolbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

LONG_MS = 45_000
TREASURER = TeammateCard(name="司库", avatar="📚", role="You keep the purse.")


@dataclass
class Town:
    """The practice workspace and a bot in it that can be started anew."""

    server: PracticeServer
    data: Path
    purse: Purse = field(default_factory=Purse)
    running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> None:
        config = Config(
            data=self.data,
            slack_bot_token=SecretStr(self.server.bot_token),
            slack_app_token=SecretStr(self.server.app_token),
            slack_api_url=self.server.api_url,
        )
        box = toolbox(self.purse)
        core = await self.running.enter_async_context(rooms(config))
        agent = Agent(core.library, ScriptedModel([tells] * 20), box)
        assembler = Plainly(core.assembler, box, TREASURER)
        core = replace(core, agent=agent, assembler=assembler)  # pyright: ignore[reportArgumentType]
        await self.running.enter_async_context(bot(core, Ending(), adapters=True))

    async def stop(self) -> None:
        await self.running.aclose()
        self.running = AsyncExitStack()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("THREADMATE_MODEL", "SLACK_API_URL", "DISCORD_TOKEN"):
            patch.delenv(name, raising=False)
        server = PracticeServer()
        await server.start()
        town = Town(server, tmp_path_factory.mktemp("data"))
        await town.start()
        yield town
        await town.stop()
        await server.stop()


async def opened(page: Page, town: Town, person: str, language: str) -> None:
    await page.goto(f"{town.server.url}/?person={person}&language={language}")
    await page.wait_for_selector(".entry")


async def ask(page: Page, text: str) -> None:
    """Post a question; its thread opens with the first answer."""
    await page.locator("#channel .composer textarea").fill(f"@Threadmate {text}")
    await page.keyboard.press("Enter")
    await expect(page.locator("#thread .message").first).to_contain_text(text, timeout=LONG_MS)


def thread(page: Page) -> Locator:
    return page.locator("#thread .message")


def button(page: Page, label: str) -> Locator:
    return page.locator("#thread button.action", has_text=label)


async def become(page: Page, person: str) -> None:
    """Speak as somebody else, with the last thread open."""
    await page.locator(f"[data-person={person}]").click()
    await page.locator("#channel .thread-line").last.click()


async def test_a_click_of_the_asker_lets_the_call_run_and_the_answer_has_a_face(
    page: Page, town: Town
) -> None:
    await opened(page, town, LIN, "zh")
    await ask(page, "请帮我给团队的账户充值： recharge 50 （元），谢谢你")
    asked = thread(page).filter(has_text="要这样做吗")
    await expect(asked).to_contain_text("amount: 50", timeout=LONG_MS)
    await expect(thread(page).filter(has_text="等你决定")).to_have_count(1)
    await expect(page.locator("#thread .name", has_text="司库")).to_have_count(1)
    assert town.purse.paid == []

    await become(page, NORA)
    await button(page, "同意").first.click()
    await expect(page.locator(".whisper")).to_contain_text("or an admin decides", timeout=LONG_MS)
    assert town.purse.paid == []

    await become(page, LIN)
    await button(page, "同意").first.click()
    await expect(thread(page).filter(has_text="topped up 50")).to_have_count(1, timeout=LONG_MS)
    await expect(thread(page).filter(has_text="已同意")).to_have_count(1)
    await expect(button(page, "同意")).to_have_count(0)
    assert town.purse.paid == [50]


async def test_a_refusal_in_english(page: Page, town: Town) -> None:
    before = list(town.purse.paid)
    await opened(page, town, NORA, "en")
    await ask(page, "please recharge 70")
    await button(page, "Reject").click(timeout=LONG_MS)
    await expect(thread(page).filter(has_text="said no")).to_have_count(1, timeout=LONG_MS)
    await expect(thread(page).filter(has_text="All done")).to_have_count(1, timeout=LONG_MS)
    assert town.purse.paid == before


async def test_a_restart_between_question_and_answer_loses_nothing(page: Page, town: Town) -> None:
    await opened(page, town, LIN, "zh")
    await ask(page, "麻烦 ask")
    await expect(thread(page).filter(has_text="To which address?")).to_have_count(
        1, timeout=LONG_MS
    )
    await expect(page.locator("#channel .message").last).to_contain_text("麻烦 ask")
    await town.stop()
    await town.start()
    await expect(page.locator(".status")).to_have_text("Threadmate 已连接", timeout=LONG_MS)
    await page.locator("#thread .composer textarea").fill("发到 lin@example.com")
    await page.keyboard.press("Enter")
    done = thread(page).filter(has_text="All done: 1 results")
    await expect(done).to_have_count(1, timeout=LONG_MS)
    await expect(done).to_contain_text("lin@example.com")


async def test_a_stop_word_gives_up_what_waits(page: Page, town: Town) -> None:
    before = list(town.purse.paid)
    await opened(page, town, NORA, "en")
    await ask(page, "now recharge 90")
    await expect(button(page, "Approve")).to_have_count(1, timeout=LONG_MS)
    await page.locator("#thread .composer textarea").fill("stop")
    await page.keyboard.press("Enter")
    await expect(thread(page).filter(has_text="Not needed any more")).to_have_count(
        1, timeout=LONG_MS
    )
    await expect(button(page, "Approve")).to_have_count(0)
    assert town.purse.paid == before
