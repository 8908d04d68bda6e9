"""The page with Discord's look, in a real browser, against the server and a plain client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import discord
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.guild import BOT
from bot.playground.discord.seed import HANDBOOK, LIN, NORA, QUESTIONS, RANDOM
from tests.rigs.discord_client import Plain, connected

pytestmark = pytest.mark.asyncio(loop_scope="module")

Open = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="module")
async def practice() -> AsyncIterator[PracticeDiscord]:
    practice = PracticeDiscord()
    await practice.start()
    yield practice
    await practice.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def client(practice: PracticeDiscord) -> AsyncIterator[Plain]:
    client = Plain()

    @client.tree.command(name="ask", description="Ask")
    async def ask(act: discord.Interaction, question: str, file: discord.Attachment | None = None):
        data = await file.read() if file else b""
        await act.response.send_message(f"{question} {len(data)}")

    @client.tree.context_menu(name="Add to knowledge base")
    async def add(act: discord.Interaction, message: discord.Message) -> None:
        await act.response.send_message(f"took {message.content}", ephemeral=True)

    async with connected(practice, client):
        await client.tree.sync()
        yield client


@pytest.fixture
def opened(practice: PracticeDiscord, page: Page) -> Open:
    async def open_page(person: str = NORA, language: str = "en", place: str = "") -> Page:
        await page.goto(f"{practice.url}/?person={person}&language={language}{place}")
        await page.wait_for_selector(".entry")
        return page

    return open_page


async def write(page: Page, pane: str, text: str) -> None:
    await page.locator(f"{pane} .composer textarea").fill(text)
    await page.keyboard.press("Enter")


async def test_a_typed_message_is_on_discords_wire_and_is_answered_in_its_thread(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    page = await opened()
    await write(page, "#channel", "@Threadmate how about <b>this</b> in #random?")
    heard = await client.hears("how about")
    assert heard.content == f"<@{BOT}> how about <b>this</b> in <#{RANDOM}>?"
    await expect(page.locator("#channel .text")).to_have_text(
        "@Threadmate how about <b>this</b> in #random?"
    )
    thread = await heard.create_thread(name="about this")
    await thread.send("> it is **fine**\n-# [1] handbook.pdf")
    # The thread of what one asked opens by itself with its first answer.
    await expect(page.locator("#thread h1")).to_have_text("about this")
    await expect(page.locator("#thread blockquote strong")).to_have_text("fine")
    await expect(page.locator("#thread .footnote")).to_have_text("[1] handbook.pdf")
    await expect(page.locator(".entry.under")).to_have_text("about this")
    await write(page, "#thread", "thank you")
    assert (await client.hears("thank you")).channel == thread


async def test_teammates_have_their_own_names_and_a_button_reaches_the_bot(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    said = practice.say(HANDBOOK, NORA, "x")
    thread = await (await client.hears("x")).create_thread(name="x")
    assert isinstance(thread.parent, discord.TextChannel)
    hook = await thread.parent.create_webhook(name="Mate")

    class Buttons(discord.ui.View):
        @discord.ui.button(label="Stop", custom_id="stop")
        async def stop_it(self, act: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
            await act.response.edit_message(content="stopped", view=None)

    await thread.send("at work", view=Buttons(timeout=None))
    for name in ("Researcher", "写手"):
        await hook.send(f"I am {name}", username=name, thread=thread)
    page = await opened()
    await page.locator(".thread-line").click()
    names = page.locator("#thread .message .name")
    await expect(names).to_have_text(["Nora Ellis", "Threadmate", "Researcher", "写手"])
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("#thread .message").nth(1)).to_contain_text("stopped")
    assert practice.from_bot(said)[0]["components"] == []


async def test_a_command_is_filled_in_field_by_field_with_a_file(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    page = await opened()
    await page.locator("#channel .composer textarea").fill("/as")
    await page.keyboard.press("Enter")
    await expect(page.locator(".command-head b")).to_have_text("/ask")
    file = {"name": "a.md", "mimeType": "text/markdown", "buffer": b"12345"}
    await page.locator(".command input[type=file]").set_input_files(file)  # pyright: ignore[reportArgumentType]
    await page.locator(".command textarea").fill("how long?")
    await page.keyboard.press("Enter")
    answer = page.locator("#channel .message").last
    await expect(answer).to_contain_text("how long? 5")
    await expect(answer.locator(".line-over")).to_have_text("Nora Ellisused /ask")


async def test_a_messages_menu_whispers_to_the_one_who_chose(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    practice.say(HANDBOOK, LIN, "notes")
    page = await opened()
    await page.locator("#channel .message").hover()
    await page.get_by_label("Apps").click()
    await page.get_by_role("menuitem", name="Add to knowledge base").click()
    whisper = page.locator(".message.whisper")
    await expect(whisper).to_contain_text("took notes")
    await page.locator(f"[data-person='{LIN}']").click()
    await expect(page.locator("#channel .message")).to_have_count(1)


async def test_a_reply_points_at_what_it_answers_and_rings_its_author(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    channel = client.get_channel(int(HANDBOOK))
    assert isinstance(channel, discord.TextChannel)
    await channel.send("from the bot")
    page = await opened()
    await page.locator("#channel .message").hover()
    await page.get_by_label("Reply", exact=True).click()
    await write(page, "#channel", "and then?")
    heard = await client.hears("and then?")
    assert [str(user.id) for user in heard.mentions] == [BOT]
    await expect(page.locator("#channel .line-over").last).to_contain_text("from the bot")


async def test_a_forum_takes_posts_with_a_title(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    page = await opened(LIN, "zh", f"#/{QUESTIONS}")
    await page.locator("#channel .title-field").fill("年假")
    await write(page, "#channel", "@Threadmate 有几天？")
    heard = await client.hears("有几天")
    assert isinstance(heard.channel, discord.Thread) and heard.channel.name == "年假"
    await heard.channel.send("15 天")
    await expect(page.locator("#channel .title")).to_have_text("年假")
    await expect(page.locator("#thread .message").last).to_contain_text("15 天")


async def test_typing_is_seen_until_something_was_said(
    practice: PracticeDiscord, client: Plain, opened: Open
) -> None:
    page = await opened()
    channel = client.get_channel(int(HANDBOOK))
    assert isinstance(channel, discord.TextChannel)
    await channel.typing()
    await expect(page.locator("#channel .typing")).to_have_text("Threadmate is typing…")
    await channel.send("done")
    await expect(page.locator("#channel .typing")).to_be_hidden()


async def test_a_command_that_nobody_answers_is_told_to_its_person(
    practice: PracticeDiscord, opened: Open
) -> None:
    practice.interactions.first_s = 0.05
    practice.commands.overwrite(None, [{"name": "ask", "description": "x"}])
    page = await opened()
    await page.locator("#channel .composer textarea").fill("/ask")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Run").click()
    await expect(page.locator("#toast")).to_contain_text("/ask failed")
