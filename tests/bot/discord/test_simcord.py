"""A second opinion: simcord's Discord, which knows commands, permissions and components well.

It works inside discord.py and has no sockets, so our way to Discord's REST is led through it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import discord
import pytest
import simcord
from discord.http import Route
from pydantic import SecretStr

from bot.discord.account import Account, DiscordConfig
from bot.discord.adapter import DiscordAdapter
from bot.discord.catchup import CatchUp
from bot.discord.commands import register
from bot.discord.context import Context
from bot.discord.errors import TROUBLE, ours
from bot.discord.guilds import Guilds
from bot.discord.wire import Gateway
from bot.platform import Button, Draft
from bot.talk import Talk
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
    adapter: DiscordAdapter
    inbox: Kept
    guild: Any
    channel: Any
    person: Any


@pytest.fixture
async def sim(store: SqliteStore) -> AsyncIterator[Sim]:
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
        adapter.context, adapter.guilds = Context(adapter), Guilds(adapter)
        adapter.catch_up = CatchUp(adapter, adapter.cursor)
        adapter._talk = Talk(account.user)
        adapter._taking = True
        await register(adapter.rest, store, number)
        guild = env.create_guild()
        channel = guild.create_text_channel("general")
        person = guild.create_member("nora")
        yield Sim(env, adapter, inbox, guild, channel, person)
        adapter._taking = False


async def test_commands_are_taken_by_a_stricter_judge_and_a_question_is_answered(sim: Sim):
    await sim.person.slash(sim.channel, "ask", question="how many days?")
    (message,) = sim.inbox.all
    assert (message.command, message.text) == ("ask", "how many days?")
    await sim.adapter.post(message.place, Draft(text="Ten."), f"{message.key}#post:answer:1")


async def test_without_the_intent_a_mention_has_its_words_and_chatter_has_none(sim: Sim):
    user = sim.adapter.account.user
    await sim.person.send(sim.channel, "good morning")
    await sim.person.send(sim.channel, f"<@{user}> how many days?")
    await sim.env.settle()
    assert [message.text for message in sim.inbox.all] == ["how many days?"]


async def test_a_button_is_clicked_by_its_label(sim: Sim):
    user = sim.adapter.account.user
    await sim.person.send(sim.channel, f"<@{user}> hello")
    await sim.env.settle()
    (message,) = sim.inbox.all
    stop = Button(action="stop", label="Stop", value=message.key)
    await sim.adapter.post(
        message.place, Draft(text="▸", buttons=(stop,)), f"{message.key}#post:plan"
    )
