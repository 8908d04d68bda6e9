"""The page of the practice workspace, in a real browser, against the server alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.seed import ENGINEERING, HANDBOOK, LIN, NORA, RANDOM
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER

pytestmark = pytest.mark.asyncio(loop_scope="module")

Open = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[PracticeServer]:
    server = PracticeServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def client(server: PracticeServer) -> AsyncWebClient:
    return AsyncWebClient(token=server.bot_token, base_url=server.api_url)


@pytest.fixture
def opened(server: PracticeServer, page: Page) -> Open:
    async def open_page(person: str = NORA, language: str = "en", place: str = "") -> Page:
        await page.goto(f"{server.url}/?person={person}&language={language}{place}")
        await page.wait_for_selector(".entry")
        return page

    return open_page


def channel_field(page: Page) -> Any:
    return page.locator("#channel .composer textarea")


def thread_field(page: Page) -> Any:
    return page.locator("#thread .composer textarea")


async def drop(page: Page, pane: str, name: str, text: str) -> None:
    """Drop a file with the mouse's own events."""
    script = """([name, text]) => {
        const held = new DataTransfer();
        held.items.add(new File([text], name, {type: "text/markdown"}));
        return held;
    }"""
    held = await page.evaluate_handle(script, [name, text])
    for event in ("dragenter", "dragover", "drop"):
        await page.dispatch_event(pane, event, {"dataTransfer": held})


async def test_a_typed_message_is_posted_on_slacks_wire_and_shown(
    server: PracticeServer, opened: Open
) -> None:
    page = await opened()
    await channel_field(page).fill("@Threadmate how about <b>this</b>?")
    await page.keyboard.press("Enter")
    shown = page.locator("#channel .message .text")
    await expect(shown).to_have_text("@Threadmate how about <b>this</b>?")
    await expect(shown.locator("b")).to_have_count(0)
    (message,) = server.messages(HANDBOOK)
    assert message["text"] == f"<@{BOT_USER}> how about &lt;b&gt;this&lt;/b&gt;?"
    assert message["user"] == NORA
    await expect(channel_field(page)).to_have_value("")


async def test_enter_that_takes_a_word_of_an_input_method_does_not_send(
    server: PracticeServer, opened: Open
) -> None:
    page = await opened(LIN, "zh")
    await channel_field(page).fill("nian")
    await channel_field(page).dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    await page.keyboard.press("Shift+Enter")
    await expect(channel_field(page)).to_have_value("nian\n")
    assert server.messages(HANDBOOK) == []


async def test_replies_appear_live_in_the_thread_and_are_counted(
    server: PracticeServer, client: AsyncWebClient, opened: Open
) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    page = await opened()
    await page.locator("#channel .message").hover()
    await page.get_by_label("Reply in thread").click()
    await thread_field(page).fill("a reply")
    await page.keyboard.press("Enter")
    await expect(page.locator("#thread .message")).to_have_count(2)
    posted = await client.chat_postMessage(channel=HANDBOOK, thread_ts=root, text="working")
    await expect(page.locator("#thread .message").last).to_contain_text("working")
    await client.chat_update(channel=HANDBOOK, ts=posted["ts"], text="done")
    await expect(page.locator("#thread .message").last).to_contain_text("done")
    await expect(page.locator(".thread-line .count")).to_have_text("2 replies")
    await page.keyboard.press("Escape")
    await expect(page.locator("#thread")).to_be_hidden()


async def test_the_first_answer_to_what_i_asked_opens_its_thread(
    server: PracticeServer, client: AsyncWebClient, opened: Open
) -> None:
    page = await opened()
    await channel_field(page).fill("@Threadmate hi")
    await page.keyboard.press("Enter")
    await server.wait_for(lambda: server.messages(HANDBOOK))
    root = server.messages(HANDBOOK)[0]["ts"]
    await expect(page.locator("#channel .message")).to_have_count(1)
    await client.chat_postMessage(channel=HANDBOOK, thread_ts=root, text="hello")
    await expect(page.locator("#thread .message").last).to_contain_text("hello")


async def test_a_file_dropped_into_the_channel_is_shared_with_its_text(
    server: PracticeServer, opened: Open
) -> None:
    page = await opened()
    await drop(page, "#channel", "note.md", "# Note")
    await expect(page.locator("#channel .chip:not(.waiting)")).to_have_text("note.md")
    await channel_field(page).fill("please read")
    await page.keyboard.press("Enter")
    await expect(page.locator("#channel .file")).to_contain_text("note.md")
    (message,) = server.messages(HANDBOOK)
    assert message["subtype"] == "file_share"
    file = message["files"][0]["id"]
    assert server.workspace.blob(file).read_text() == "# Note"


async def test_a_file_dropped_into_a_thread_stays_in_it(
    server: PracticeServer, opened: Open
) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    server.say(HANDBOOK, LIN, "reply", thread=root)
    page = await opened()
    await page.locator(".thread-line").click()
    await drop(page, "#thread", "报告.md", "# 报告")
    await expect(page.locator("#thread .chip:not(.waiting)")).to_have_text("报告.md")
    await thread_field(page).press("Enter")
    await expect(page.locator("#thread .file")).to_contain_text("报告.md")
    assert server.messages(HANDBOOK, root)[-1]["files"][0]["name"] == "报告.md"


async def test_the_button_takes_files_and_empty_ones_are_named(
    server: PracticeServer, opened: Open
) -> None:
    page = await opened()
    picker = page.locator("#channel input[type=file]")
    await picker.set_input_files(
        [
            {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"},
            {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""},
        ]
    )
    await expect(page.locator("#toast")).to_contain_text("“empty.txt” is empty")
    await expect(page.locator("#channel .chip:not(.waiting)")).to_have_count(1)
    await page.get_by_label("Take off a.txt").click()
    await expect(page.locator("#channel .chip")).to_have_count(0)


async def test_reactions_of_the_bot_show_and_mine_can_be_put_and_taken(
    server: PracticeServer, client: AsyncWebClient, opened: Open
) -> None:
    ts = server.say(HANDBOOK, LIN, "hi")
    page = await opened()
    await client.reactions_add(channel=HANDBOOK, timestamp=ts, name="eyes")
    chip = page.locator(".reaction")
    await expect(chip).to_have_text("1")
    await chip.click()
    await expect(chip).to_have_attribute("aria-pressed", "true")
    await expect(chip).to_have_text("2")
    await chip.click()
    await expect(chip).to_have_text("1")
    assert server.messages(HANDBOOK)[0]["reactions"][0]["users"] == [BOT_USER]


async def test_another_person_speaks_in_their_name_and_sees_their_own_messages(
    server: PracticeServer, opened: Open
) -> None:
    page = await opened(NORA)
    server.say(server.direct(NORA), NORA, "a secret of Nora's")
    await page.locator(f"[data-person={LIN}]").click()
    await expect(page.locator(f"[data-person={LIN}]")).to_have_attribute("aria-checked", "true")
    await channel_field(page).fill("我是林悦")
    await page.keyboard.press("Enter")
    await expect(page.locator("#channel .name")).to_have_text("林悦")
    await page.locator(f"[data-channel={server.direct(LIN)}]").click()
    await expect(page.locator("#channel .empty")).to_be_visible()
    await expect(page.get_by_text("a secret of Nora's")).to_have_count(0)


async def test_times_are_in_the_persons_zone(server: PracticeServer, opened: Open) -> None:
    ts = server.say(HANDBOOK, LIN, "now")
    kept = server.workspace.find(HANDBOOK, ts)
    kept["ts"] = "1795953600.000001"  # 29 November 2026, 12:00 UTC
    server.workspace._channels[HANDBOOK] = {kept["ts"]: kept}  # pyright: ignore[reportPrivateUsage]
    page = await opened(NORA)
    await expect(page.locator("#channel .head time")).to_have_text("12:00")
    await page.locator(f"[data-person={LIN}]").click()
    await expect(page.locator("#channel .head time")).to_have_text("20:00")


async def test_the_page_speaks_chinese_and_english(opened: Open) -> None:
    page = await opened()
    await expect(page.locator(".empty h2")).to_have_text("Drop a file here, then ask @Threadmate")
    await page.get_by_label("切换为中文").click()
    await expect(page.locator(".empty h2")).to_have_text("把文件拖到这里，然后问 @Threadmate")
    assert await page.evaluate("document.documentElement.lang") == "zh-CN"
    await page.reload()
    await expect(page.locator(".side")).to_contain_text("Channels")


async def test_a_click_reaches_the_app_and_a_missing_app_is_said(
    server: PracticeServer, client: AsyncWebClient, opened: Open
) -> None:
    button = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Remove"},
        "action_id": "remove",
        "value": "d1",
        "confirm": {
            "title": {"type": "plain_text", "text": "Remove it?"},
            "text": {"type": "plain_text", "text": "For all."},
            "confirm": {"type": "plain_text", "text": "Yes"},
            "deny": {"type": "plain_text", "text": "No"},
        },
    }
    await client.chat_postMessage(
        channel=HANDBOOK, text="t", blocks=[{"type": "actions", "elements": [button]}]
    )
    sent: list[Any] = []
    server.hub.prepare = lambda payload: sent.append(payload) or payload
    page = await opened()
    await page.locator("[data-action=remove]").click()
    await page.get_by_role("button", name="No", exact=True).click()
    await page.locator("[data-action=remove]").click()
    await page.get_by_role("button", name="Yes", exact=True).click()
    await expect(page.locator("#toast")).to_contain_text("Threadmate is not connected")
    assert sent == []


async def test_a_slash_command_is_hinted_and_refused_in_threads(
    server: PracticeServer, opened: Open
) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    server.say(HANDBOOK, LIN, "reply", thread=root)
    page = await opened()
    await channel_field(page).press_sequentially("/a")
    await expect(page.locator("#channel .suggestion b")).to_have_text("/ask")
    await page.keyboard.press("Tab")
    await expect(channel_field(page)).to_have_value("/ask ")
    await page.locator(".thread-line").click()
    await thread_field(page).fill("/ask x")
    await page.keyboard.press("Enter")
    await expect(page.locator("#toast")).to_contain_text("do not work in threads")
    await expect(thread_field(page)).to_have_value("/ask x")


async def test_an_at_sign_offers_people(opened: Open) -> None:
    page = await opened()
    await channel_field(page).press_sequentially("@thr")
    await page.keyboard.press("Enter")
    await expect(channel_field(page)).to_have_value("@Threadmate ")


async def test_only_the_right_person_sees_a_whisper(client: AsyncWebClient, opened: Open) -> None:
    page = await opened(NORA)
    for person, text in ((LIN, "for Lin"), (NORA, "for Nora")):
        await client.chat_postEphemeral(channel=HANDBOOK, user=person, text=text)
    await expect(page.locator(".whisper")).to_have_count(1)
    await expect(page.locator(".whisper")).to_contain_text("for Nora")
    await page.get_by_role("button", name="Dismiss").click()
    await expect(page.locator(".whisper")).to_have_count(0)


async def test_own_messages_can_be_edited_and_deleted(server: PracticeServer, opened: Open) -> None:
    server.say(HANDBOOK, NORA, f"<@{BOT_USER}> teh plan")
    page = await opened(NORA)
    await channel_field(page).press("ArrowUp")
    field = page.locator(".edit-field")
    await expect(field).to_have_value("@Threadmate teh plan")
    await field.fill("@Threadmate the plan")
    await field.press("Enter")
    await expect(page.locator("#channel .message")).to_contain_text("the plan")
    await expect(page.locator(".edited")).to_be_visible()
    assert server.messages(HANDBOOK)[0]["text"] == f"<@{BOT_USER}> the plan"
    await page.locator("#channel .message").hover()
    await page.get_by_label("Delete").click()
    await page.get_by_role("button", name="Delete", exact=True).last.click()
    await expect(page.locator("#channel .message")).to_have_count(0)


async def test_news_in_other_channels_are_counted(server: PracticeServer, opened: Open) -> None:
    page = await opened()
    await expect(page.locator(".badge")).to_have_count(0)
    server.say(RANDOM, LIN, "one")
    server.say(RANDOM, LIN, "two")
    badge = page.locator(f"[data-channel={RANDOM}] .badge")
    await expect(badge).to_have_text("2")
    await page.locator(f"[data-channel={RANDOM}]").click()
    await expect(badge).to_have_count(0)


async def test_the_page_says_whether_the_bot_is_there(server: PracticeServer, opened: Open) -> None:
    page = await opened()
    await expect(page.locator("#channel .banner")).to_contain_text("not connected yet")
    headers = {"Authorization": f"Bearer {server.app_token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(f"{server.api_url}apps.connections.open") as response:
            url = (await response.json())["url"]
        async with session.ws_connect(url):
            await expect(page.locator(".status")).to_have_text("Threadmate is connected")
            await expect(page.locator("#channel .banner")).to_be_hidden()
    await expect(page.locator(".status")).to_have_text("Threadmate is not connected")


async def test_a_permalink_opens_channel_thread_and_message(
    server: PracticeServer, opened: Open
) -> None:
    root = server.say(ENGINEERING, LIN, "root")
    reply = server.say(ENGINEERING, LIN, "the reply", thread=root)
    page = await opened(place=f"#/{ENGINEERING}/{reply}")
    await expect(page.locator("#channel h1")).to_have_text("engineering")
    await expect(page.locator("#thread .message").last).to_contain_text("the reply")


async def test_everything_fits_a_narrow_window(server: PracticeServer, opened: Open) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    server.say(HANDBOOK, LIN, "reply", thread=root)
    page = await opened()
    await page.set_viewport_size({"width": 390, "height": 760})
    await expect(page.locator("#side")).not_to_be_in_viewport()
    await page.get_by_label("Channel list").click()
    await page.locator(f"[data-channel={RANDOM}]").click()
    await expect(page.locator("#side")).not_to_be_in_viewport()
    await page.get_by_label("Channel list").click()
    await page.locator(f"[data-channel={HANDBOOK}]").click()
    await page.locator(".thread-line").click()
    await expect(thread_field(page)).to_be_in_viewport()
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await page.evaluate(wide)
