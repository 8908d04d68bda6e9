"""A second opinion: simcord's Discord, which knows commands, permissions and components well.

It works inside discord.py and has no sockets, so our way to Discord's REST is led through it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord
import simcord
from discord.http import Route
from pydantic import SecretStr

from bot.discord import ids
from bot.discord.account import Account, DiscordConfig
from bot.discord.adapter import DiscordAdapter
from bot.discord.commands import register
from bot.discord.errors import TROUBLE, ours
from bot.discord.wire import Gateway
from bot.platform import Button, Draft
from core.store.sqlite import SqliteStore
from tests.bot.discord.conftest import Kept


class Inside:
    """`wire.Rest` through simcord's HTTP client."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def call(
        self, method: str, path: str, *, json: Any = None, params: Any = None, **major: str
    ) -> Any:
        more = {name: value for name, value in (("json", json), ("params", params)) if value}
        try:
            return await self._client.http.request(Route(method, path, **major), **more)
        except TROUBLE as error:
            raise ours(error) from error

    async def once(self, method: str, path: str, *, json: Any = None, params: Any = None) -> Any:
        return await self.call(method, path, json=json, params=params)

    async def close(self) -> None: ...


@dataclass
class Sim:
    env: Any
    client: discord.Client
    adapter: DiscordAdapter
    inbox: Kept
    guild: Any
    channel: Any
    person: Any


@asynccontextmanager
async def simulated(store: SqliteStore) -> AsyncIterator[Sim]:
    inbox = Kept()
    config = DiscordConfig(SecretStr("t"))
    adapter = DiscordAdapter(config, store, inbox)
    client = Gateway(config, adapter._heard, content=False)._made()
    async with simcord.run(client, shard_count=1) as env:
        user = client.user
        assert user is not None and client.application_id is not None
        number = str(client.application_id)
        account = Account(str(user.id), user.name, number, sees_content=False)
        await adapter.build(account, Inside(client))  # pyright: ignore[reportArgumentType]
        adapter._taking = True
        await register(adapter.rest, store, number)
        guild = env.create_guild()
        channel = guild.create_text_channel("general")
        person = guild.add_member(env.create_user("nora"))
        yield Sim(env, client, adapter, inbox, guild, channel, person)
        adapter._taking = False


async def test_commands_are_taken_by_a_stricter_judge_and_a_question_is_answered(
    store: SqliteStore,
):
    async with simulated(store) as sim:
        offered = sim.person.available_commands(sim.channel)
        assert {"ask", "kb", "help", "stop"} <= {name.split()[0] for name in offered}
        await sim.person.slash(sim.channel, "ask", question="how many days?")
        (message,) = sim.inbox.all
        assert (message.command, message.text) == ("ask", "how many days?")
        said = await sim.adapter.post(
            message.place, Draft(text="Ten."), f"{message.key}#post:answer:1"
        )
        shown = await sim.adapter.message(ids.where_of(said), ids.raw(said))
        assert shown["content"] == "Ten."


async def test_without_the_intent_a_mention_has_its_words_and_chatter_has_none(
    store: SqliteStore,
):
    async with simulated(store) as sim:
        await sim.person.send(sim.channel, "good morning")
        await sim.person.send(sim.channel, f"<@{sim.adapter.account.user}> how many days?")
        await sim.env.settle()
        assert [message.text for message in sim.inbox.all] == ["how many days?"]


async def test_a_button_is_pressed_by_its_label_and_acknowledged(store: SqliteStore):
    async with simulated(store) as sim:
        await sim.person.send(sim.channel, f"<@{sim.adapter.account.user}> hello")
        await sim.env.settle()
        (message,) = sim.inbox.all
        stop = Button(action="stop", label="Stop", value=message.key)
        said = await sim.adapter.post(
            message.place, Draft(text="▸", buttons=(stop,)), f"{message.key}#post:plan"
        )
        place = sim.client.get_partial_messageable(int(ids.where_of(said)))
        await sim.person.click(await place.fetch_message(int(ids.raw(said))), label="Stop")
        click = sim.inbox.all[-1].click
        assert click is not None and (click.action, click.value) == ("stop", message.key)


async def test_the_menu_of_a_message_brings_its_words_without_the_intent(store: SqliteStore):
    async with simulated(store) as sim:
        target = await sim.person.send(sim.channel, "门禁密码在蓝盒子里。")
        await sim.person.context_menu(sim.channel, "Add to knowledge base", target)
        (message,) = sim.inbox.all
        assert [file.name.endswith(".md") for file in message.attachments] == [True]
