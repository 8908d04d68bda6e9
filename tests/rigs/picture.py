"""Take the README's picture from the running page.

`python -m tests.rigs.picture docs/practice.png` starts `threadmate playground` on an empty data
folder, asks as a person would, and keeps what the browser shows.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from bot.playground.seed import HANDBOOK, LIN
from tests.rigs.browser import ARGUMENTS, chromium

QUESTIONS = (
    ("U0NORA", "How many days of paid annual leave does everyone have?"),
    (LIN, "未休完的年假最多可以结转几天？"),
)
READY_MS = 90_000


async def shoot(page: Page, url: str, path: Path) -> None:
    await page.goto(f"{url}/?person={LIN}&language=zh&theme=light#/{HANDBOOK}")
    await expect(page.locator(".status.on")).to_be_visible(timeout=READY_MS)
    sign = ".reaction[title^=':white_check_mark:']"
    await expect(page.locator(f"#channel {sign}")).to_have_count(2, timeout=READY_MS)
    for person, question in QUESTIONS:
        await page.locator(f"[data-person={person}]").click()
        await page.locator("#channel .composer textarea").fill(f"@Threadmate {question}")
        await page.keyboard.press("Enter")
        asked = page.locator("#channel .message", has_text=question)
        await expect(asked.locator(sign)).to_be_visible(timeout=READY_MS)
        await expect(page.locator("#thread blockquote").first).to_be_visible()
    await page.mouse.move(0, 0)
    await page.screenshot(path=path)


async def show(child: Process, path: Path) -> None:
    assert child.stdout is not None
    found = re.search(r"http://[\d.:]+", (await child.stdout.readline()).decode())
    assert found is not None
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = await browser.new_page(
            viewport={"width": 1280, "height": 800}, device_scale_factor=1.5
        )
        await shoot(page, found[0], path)
        await browser.close()


async def main(path: Path) -> None:
    with tempfile.TemporaryDirectory() as data:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "playground", "--port", "0"),
            env={**os.environ, "THREADMATE_DATA": data},
            stdin=DEVNULL,
            stdout=PIPE,
        )
        try:
            await show(child, path)
        finally:
            child.terminate()
            await child.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
