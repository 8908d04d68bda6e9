"""The manifest asks for what the adapter uses, and not more."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bot.commands import words
from bot.slack import manifest as room
from bot.slack.manifest import BOT_SCOPES, manifest, manifest_json

SOURCES = Path(room.__file__).parent
SCOPES = {
    "chat_postMessage": "chat:write",
    "chat_update": "chat:write",
    "chat_delete": "chat:write",
    "chat_postEphemeral": "chat:write",
    "reactions_add": "reactions:write",
    "reactions_remove": "reactions:write",
    "conversations_replies": "channels:history",
    "conversations_history": "channels:history",
    "users_info": "users:read",
    "files_info": "files:read",
    "auth_test": "",
    "apps_connections_open": "",
}


def test_every_method_that_is_called_has_its_scope() -> None:
    called = {
        name
        for path in SOURCES.glob("*.py")
        for name in re.findall(r"(?:writes|reads|client)\.([a-z]+_\w+)", path.read_text())
    }
    methods = called & set(SCOPES)
    unknown = {name for name in called - methods if re.match(r"(chat|conv|reac|users|files)", name)}
    assert not unknown
    assert {SCOPES[name] for name in methods} - {""} <= set(BOT_SCOPES)


def test_the_socket_the_messages_tab_and_the_buttons_are_on() -> None:
    made = manifest()
    assert made["settings"]["socket_mode_enabled"] is True
    assert made["settings"]["interactivity"]["is_enabled"] is True
    assert made["features"]["app_home"]["messages_tab_read_only_enabled"] is False
    offered = {c["command"] for c in made["features"]["slash_commands"]}
    assert offered == {"/ask", "/kb", "/teammate", "/memory", "/settings", "/help"}


def test_it_prints_as_json() -> None:
    assert json.loads(manifest_json()) == manifest()


def test_every_command_that_the_adapter_knows_is_in_the_manifest() -> None:
    # `stop` is a word in a thread, where Slack delivers no slash commands.
    assert set(room.COMMANDS) == set(words.COMMANDS.values()) - {"stop"}
