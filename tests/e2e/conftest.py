"""Headless Chromium: one for the tests of a file (a start takes seconds), a fresh profile each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.rigs.browser import ARGUMENTS, chromium, missing

# A slow machine is no broken page: what must show may take its time.
expect.set_options(timeout=20_000)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    if missing():
        pytest.skip(missing())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page of 1280 x 800 that fails its test when a script of it fails."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    yield page
    await context.close()
    assert faults == []
