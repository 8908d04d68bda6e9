"""What an operator is told: the invitation, and what the doctor finds."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import SecretStr

from bot.discord import health, permissions
from bot.discord.account import DiscordConfig
from bot.discord.manifest import manifest, manifest_json
from bot.playground.discord import PracticeDiscord
from core.errors import TryLater, WrongConfig
from tests.bot.discord.conftest import Rig, config


def test_the_invitation_asks_for_what_is_used_and_no_privileged_intent():
    found = manifest("42")
    bits = int(re.search(r"permissions=(\d+)", found["invite"])[1])  # pyright: ignore
    assert permissions.missing(bits) == []
    assert not bits & permissions.ADMINISTRATOR
    assert "client_id=42" in found["invite"]
    assert found["intents"]["privileged_needed"] == []
    assert json.loads(manifest_json()) == manifest()


ALL = permissions.asked_for()
GUILD, ROLE, US = "1", "2", "9"


@pytest.mark.parametrize(
    ("overwrites", "held"),
    [
        ([], ALL),
        ([{"id": GUILD, "deny": str(ALL)}], 0),
        ([{"id": GUILD, "deny": str(ALL)}, {"id": ROLE, "allow": "1024"}], 1024),
        ([{"id": ROLE, "deny": "1024"}, {"id": US, "allow": "1024"}], ALL),
        ([{"id": US, "deny": "1024"}, {"id": ROLE, "allow": "1024"}], ALL & ~1024),
        ([{"id": "77", "deny": str(ALL)}], ALL),
    ],
)
def test_permissions_come_about_as_discord_documents_it(
    overwrites: list[dict[str, str]], held: int
):
    roles = {GUILD: ALL, ROLE: 0, "77": 0}
    channel = {"permission_overwrites": overwrites}
    assert permissions.in_channel(channel, GUILD, "", roles, US, [ROLE]) == held


def test_an_administrator_and_an_owner_may_do_all():
    roles = {GUILD: 0, ROLE: permissions.ADMINISTRATOR}
    assert permissions.in_channel({}, GUILD, "", roles, US, [ROLE]) == permissions.ALL
    assert permissions.in_channel({}, GUILD, US, roles, US, []) == permissions.ALL
    assert permissions.in_channel({}, GUILD, "", roles, US, []) == 0


async def test_the_doctor_names_intent_commands_and_each_channel_that_lacks_something(rig: Rig):
    found = await health.examined(config(rig.practice))
    assert found.registered and found.lacking == ()
    assert "all permissions in" in health.report(found, "en")
    rig.practice.deny("random", "SEND_MESSAGES", "MANAGE_WEBHOOKS")
    found = await health.examined(config(rig.practice))
    (lacking,) = found.lacking
    assert lacking.channel == "random"
    assert set(lacking.permissions) == {"Send Messages", "Manage Webhooks"}
    text = health.report(found, "zh")
    assert "#random" in text and "Send Messages" in text and "Message Content intent：开" in text


async def test_commands_of_another_release_are_told(practice: PracticeDiscord):
    found = await health.examined(config(practice))
    assert not found.registered
    assert "will be registered at the start" in health.report(found, "en")


async def test_the_doctor_names_a_wrong_token_and_a_discord_that_is_not_there(
    practice: PracticeDiscord,
):
    with pytest.raises(WrongConfig) as error:
        await health.examined(DiscordConfig(SecretStr("wrong"), practice.api_url))
    assert error.value.key == "discord.token_wrong"
    with pytest.raises(TryLater):
        await health.examined(DiscordConfig(SecretStr("t"), "http://127.0.0.1:9/api/v10"))
