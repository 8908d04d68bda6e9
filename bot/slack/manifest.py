"""The Slack app's manifest, to paste at *Create New App*, *From a manifest*."""

from __future__ import annotations

import json
from typing import Any

from core.texts import say

BOT_SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "chat:write.customize",
    "commands",
    "files:read",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:write",
    "users:read",
)
"""What the bot token may do. `*:history` is what makes Slack deliver messages of such channels."""

BOT_EVENTS = (
    "app_home_opened",
    "app_mention",
    "member_joined_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)

COMMANDS = ("ask", "kb", "teammate", "memory", "settings", "help")
"""Slash commands; Slack delivers them outside of threads only, where `!ask` serves."""


def manifest(name: str = "Threadmate") -> dict[str, Any]:
    """The manifest as JSON data. Socket Mode: no public address is needed."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": name,
            "description": say("slack.manifest.description", "en"),
            "background_color": "#2c3e50",
        },
        "features": {
            "agent_view": {
                "agent_description": say("slack.manifest.description", "en"),
                "suggested_prompts": [_prompt("documents"), _prompt("latest")],
            },
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                # Read-only is Slack's default, and silently blocks direct messages.
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "slash_commands": [_command(word) for word in COMMANDS],
        },
        "oauth_config": {"scopes": {"bot": list(BOT_SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(BOT_EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def manifest_json() -> str:
    """As text to paste; Slack takes JSON as well as YAML."""
    return json.dumps(manifest(), indent=2, ensure_ascii=False)


def _command(word: str) -> dict[str, Any]:
    return {
        "command": f"/{word}",
        "description": say(f"slack.manifest.{word}", "en"),
        "usage_hint": say(f"slack.manifest.{word}_hint", "en"),
        "should_escape": True,
    }


def _prompt(name: str) -> dict[str, str]:
    return {
        "title": say(f"slack.manifest.prompt_{name}", "en"),
        "message": say(f"slack.manifest.prompt_{name}", "en"),
    }
