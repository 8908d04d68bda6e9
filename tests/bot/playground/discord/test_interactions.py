"""Commands, buttons, menus and forms with the real client library."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.commands import NoCommand
from bot.playground.discord.seed import HANDBOOK, LIN, NORA, OMAR
from tests.rigs.discord_client import Plain, connected

Act = discord.Interaction


async def test_a_command_with_a_file_is_deferred_and_answered(practice: PracticeDiscord) -> None:
    client = Plain()

    @client.tree.command(name="ask")
    async def ask(act: Act, question: str, file: discord.Attachment | None = None) -> None:
        await act.response.defer(thinking=True)
        data = await file.read() if file else b""
        await act.edit_original_response(content=f"{question}: {len(data)} bytes")
        await act.followup.send("only for you", ephemeral=True)

    async with connected(practice, client):
        await client.tree.sync()
        options = {"question": "how long", "file": ("k.txt", b"12345")}
        asked = practice.slash(NORA, "handbook", "ask", options)
        assert await asked.answered()
        await practice.wait_for(lambda: practice.whispers(NORA))
    shown = practice.messages("handbook")
    assert [m["content"] for m in shown] == ["how long: 5 bytes"]
    assert shown[0]["interaction_metadata"]["user"]["id"] == NORA
    assert [m["content"] for m in practice.whispers(NORA)] == ["only for you"]
    assert practice.whispers(LIN) == []


async def test_a_message_menu_brings_the_message_without_the_intent(
    practice: PracticeDiscord,
) -> None:
    client = Plain(content=False)

    @client.tree.context_menu(name="Add to knowledge base")
    async def add(act: Act, message: discord.Message) -> None:
        size = len(await message.attachments[0].read())
        await act.response.send_message(f"{message.content}: {size}", ephemeral=True)

    async with connected(practice, client):
        await client.tree.sync()
        said = practice.say("handbook", OMAR, "notes", [("n.md", b"123")])
        assert await practice.context_menu(LIN, said, "Add to knowledge base").answered()
    assert [m["content"] for m in practice.whispers(LIN)] == ["notes: 3"]


async def test_a_button_changes_its_message_and_a_form_comes_back(
    practice: PracticeDiscord,
) -> None:
    client = Plain()
    got: asyncio.Queue[str] = asyncio.Queue()

    class Form(discord.ui.Modal, title="Say why"):
        reason = discord.ui.TextInput[Any](label="Why", custom_id="reason")

        async def on_submit(self, act: Act) -> None:
            await got.put(str(self.reason))
            await act.response.send_message("thanks", ephemeral=True)

    class Buttons(discord.ui.View):
        @discord.ui.button(label="Stop", custom_id="stop")
        async def stop_it(self, act: Act, _: discord.ui.Button[Buttons]) -> None:
            await act.response.edit_message(content="stopped", view=None)

        @discord.ui.button(label="Why", custom_id="why")
        async def why(self, act: Act, _: discord.ui.Button[Buttons]) -> None:
            await act.response.send_modal(Form())

    async with connected(practice, client):
        channel = client.get_channel(int(HANDBOOK))
        assert isinstance(channel, discord.TextChannel)
        sent = await channel.send("at work", view=Buttons(timeout=None))
        form = practice.click(NORA, str(sent.id), "why")
        assert await form.answered()
        assert await practice.submit(form, {"reason": "because"}).answered()
        assert await got.get() == "because"
        assert await practice.click(NORA, str(sent.id), "stop").answered()
    assert practice.messages("handbook")[0]["content"] == "stopped"
    with pytest.raises(NoCommand):
        practice.click(NORA, str(sent.id), "stop")


async def test_a_late_answer_finds_an_unknown_interaction(practice: PracticeDiscord) -> None:
    client = Plain()
    seen: asyncio.Queue[int] = asyncio.Queue()

    @client.tree.command(name="ask")
    async def ask(act: Act) -> None:
        practice.skip(3.3)
        try:
            await act.response.defer()
        except discord.NotFound as error:
            await seen.put(error.code)

    async with connected(practice, client):
        await client.tree.sync()
        asked = practice.slash(NORA, "handbook", "ask")
        assert not await asked.answered()
        assert await seen.get() == 10062


async def test_after_fifteen_minutes_the_token_is_dead_and_the_channel_is_not(
    practice: PracticeDiscord,
) -> None:
    client = Plain()
    seen: asyncio.Queue[int] = asyncio.Queue()

    @client.tree.command(name="ask")
    async def ask(act: Act) -> None:
        await act.response.defer()
        practice.skip(16 * 60)
        try:
            await act.edit_original_response(content="late")
        except discord.HTTPException as error:
            assert isinstance(act.channel, discord.TextChannel)
            await act.channel.send("late")
            await seen.put(error.code)

    async with connected(practice, client):
        await client.tree.sync()
        assert await practice.slash(NORA, "handbook", "ask").answered()
        assert await seen.get() == 50027
    assert practice.messages("handbook")[-1]["content"] == "late"


async def test_an_interaction_is_acknowledged_only_once(practice: PracticeDiscord) -> None:
    client = Plain()
    seen: asyncio.Queue[int] = asyncio.Queue()

    @client.tree.command(name="ask")
    async def ask(act: Act) -> None:
        await act.response.defer()
        act.response._response_type = None
        try:
            await act.response.send_message("again")
        except discord.HTTPException as error:
            await seen.put(error.code)

    async with connected(practice, client):
        await client.tree.sync()
        practice.slash(NORA, "handbook", "ask")
        assert await seen.get() == 40060


class Names(app_commands.Translator):
    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        chinese = {"kb": "知识库", "add": "添加", "file": "文件"}
        return chinese.get(string.message) if locale is discord.Locale.chinese else None


async def test_a_command_is_found_by_its_chinese_name_and_comes_with_the_real_one(
    practice: PracticeDiscord,
) -> None:
    client = Plain()
    kb = app_commands.Group(name=app_commands.locale_str("kb"), description="files")

    @kb.command(name=app_commands.locale_str("add"), description="one more")
    async def add(act: Act, file: discord.Attachment) -> None:
        await act.response.send_message(f"took {file.filename}")

    client.tree.add_command(kb)
    async with connected(practice, client):
        await client.tree.set_translator(Names())
        await client.tree.sync()
        asked = practice.slash(LIN, "handbook", "知识库 添加", {"file": ("假.md", b"x")})
        assert await asked.answered()
        assert asked.data["name"] == "kb"
        with pytest.raises(NoCommand):
            practice.slash(LIN, "handbook", "kb add", {})
        with pytest.raises(NoCommand):
            practice.slash(LIN, "handbook", "kb", {})
    assert practice.messages("handbook")[-1]["content"] == "took 假.md"


async def test_a_command_for_administrators_is_offered_to_them_alone(
    practice: PracticeDiscord,
) -> None:
    client = Plain()

    @client.tree.command(name="settings")
    @app_commands.default_permissions(manage_guild=True)
    async def settings(act: Act) -> None:
        await act.response.send_message("here", ephemeral=True)

    async with connected(practice, client):
        await client.tree.sync()
        assert await practice.slash(NORA, "handbook", "settings").answered()
        with pytest.raises(NoCommand):
            practice.slash(OMAR, "handbook", "settings")
