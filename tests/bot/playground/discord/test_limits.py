"""What is beyond Discord's limits is refused and noted."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.discord import PracticeDiscord, limits
from bot.playground.discord.seed import HANDBOOK
from tests.rigs.discord_client import Plain


def button(**fields: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "x", "custom_id": "a", **fields}


def rows(*buttons: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": 1, "components": list(buttons)}]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"content": "长" * 2001}, "content"),
        ({"content": "😀" * 1001}, "content"),
        ({"embeds": [{"title": "x" * 257}]}, "embeds.0.title"),
        ({"embeds": [{"description": "x" * 4097}]}, "embeds.0.description"),
        ({"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]}, "embeds"),
        ({"embeds": [{"fields": [{"name": "a", "value": "x" * 1025}]}]}, "embeds.0.fields.0.value"),
        ({"embeds": [{}] * 11}, "embeds"),
        ({"components": rows(button(custom_id="x" * 101))}, "components.1.custom_id"),
        ({"components": rows(button(label="x" * 81))}, "components.1.label"),
        ({"components": rows(button(), button())}, "components"),
        ({"components": rows(*[button(custom_id=str(n)) for n in range(6)])}, "components.0"),
        ({"components": rows(button()) * 6}, "components"),
        ({"components": [button()]}, "components"),
        ({"nonce": "x" * 26}, "nonce"),
        ({"username": "my Discord"}, "username"),
        ({"allowed_mentions": {"parse": ["all"]}}, "allowed_mentions.parse"),
        ({"allowed_mentions": {"parse": ["users"], "users": ["1"]}}, "allowed_mentions.parse"),
        ({"flags": limits.V2, "content": "x"}, "flags"),
    ],
)
def test_a_message_beyond_a_limit_is_told_with_its_place(body: dict[str, Any], place: str) -> None:
    found = limits.message_faults(body)
    assert found and found[0].startswith(place), found


@given(st.text(max_size=2500))
def test_a_text_is_right_exactly_when_its_utf_16_length_is(text: str) -> None:
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert bool(limits.message_faults({"content": text})) == (length > 2000)


@pytest.mark.parametrize(
    ("command", "good"),
    [
        ({"name": "提问", "description": "问一个问题"}, True),
        ({"name": "Ask", "description": "x"}, False),
        ({"name": "ask me", "description": "x"}, False),
        ({"name": "ask", "description": ""}, False),
        ({"name": "ask", "description": "x" * 101}, False),
        ({"name": "ask", "description": "x", "name_localizations": {"zh-CN": "提问"}}, True),
        ({"name": "ask", "description": "x", "name_localizations": {"zh": "提问"}}, False),
        ({"name": "Ask about this", "type": 3}, True),
        ({"name": "x" * 33, "type": 3}, False),
    ],
)
def test_a_command_is_named_by_discords_rules(command: dict[str, Any], good: bool) -> None:
    assert (limits.command_faults([command]) == []) is good


def test_there_are_only_so_many_commands() -> None:
    menus = [{"name": f"m{n}", "type": 3} for n in range(16)]
    assert limits.command_faults(menus[:15]) == []
    assert limits.command_faults(menus) != []
    option = {"type": 3, "name": "x", "description": "y" * 100}
    large = {"name": "a", "description": "b"}
    large["options"] = [{**option, "name": f"x{n}"} for n in range(25)]
    nested = [{**large, "type": 1, "name": f"s{n}"} for n in range(4)]
    assert limits.command_faults([{**large, "options": nested}]) != []


async def test_a_text_that_is_too_long_is_refused_and_noted(
    practice: PracticeDiscord, client: Plain
) -> None:
    channel = client.get_channel(int(HANDBOOK))
    assert isinstance(channel, discord.TextChannel)
    with pytest.raises(discord.HTTPException) as caught:
        await channel.send("x" * 2001)
    assert (caught.value.status, caught.value.code) == (400, 50035)
    assert practice.faults[0].startswith("message.create: content")
    assert practice.messages("handbook") == []


async def test_an_edit_that_would_ring_a_crowd_is_noted(
    practice: PracticeDiscord, client: Plain
) -> None:
    channel = client.get_channel(int(HANDBOOK))
    assert isinstance(channel, discord.TextChannel)
    sent = await channel.send("@everyone look")
    assert practice.faults == []
    everyone = discord.AllowedMentions(everyone=True)
    await sent.edit(content="@everyone again", allowed_mentions=everyone)
    assert practice.faults == ["message.edit: would ring a crowd"]


async def test_a_body_without_allowed_mentions_is_noted(practice: PracticeDiscord) -> None:
    from tests.rigs.discord_client import addresses

    with addresses(practice):
        client = Plain()
        client._connection.allowed_mentions = None
        await client.login(practice.token)
        channel = await client.fetch_channel(int(HANDBOOK))
        assert isinstance(channel, discord.TextChannel)
        await channel.send("hello")
        await client.close()
    assert practice.faults == ["message.create: allowed_mentions: missing"]
