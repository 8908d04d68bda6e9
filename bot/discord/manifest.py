"""What to set in Discord's developer portal, and the invitation. Discord takes no manifest file."""

from __future__ import annotations

import json
from typing import Any

from bot.discord import commands, permissions
from core.texts import both

SCOPES = ("bot", "applications.commands")
PORTAL = "https://discord.com/developers/applications"
INVITE = "https://discord.com/oauth2/authorize?client_id={id}&scope={scopes}&permissions={bits}"
YOUR_ID = "YOUR_APPLICATION_ID"


def invite(application: str = YOUR_ID) -> str:
    """The link that brings the bot into a server, with what it asks for."""
    bits = permissions.asked_for()
    return INVITE.format(id=application, scopes="+".join(SCOPES), bits=bits)


def manifest(application: str = YOUR_ID) -> dict[str, Any]:
    """As JSON data: the invitation, the intents, the permissions, the commands."""
    zh, en = both("discord.manifest.description")
    return {
        "portal": PORTAL,
        "invite": invite(application),
        "description": {"en": en, "zh": zh},
        "scopes": list(SCOPES),
        "permissions": {"value": str(permissions.asked_for()), "names": list(permissions.BITS)},
        "intents": {
            "needed": ["GUILDS", "GUILD_MESSAGES", "DIRECT_MESSAGES"],
            "privileged_needed": [],
            "privileged_optional": {"MESSAGE_CONTENT": both("discord.manifest.content")[1]},
        },
        "commands": [
            {
                "name": one["name"],
                "name_zh": one.get("name_localizations", {}).get("zh-CN", ""),
                "type": "menu of a message" if one["type"] == commands.MENU else "slash",
            }
            for one in commands.tree()
        ],
        "commands_digest": commands.digest(commands.tree()),
    }


def manifest_json(application: str = YOUR_ID) -> str:
    return json.dumps(manifest(application), indent=2, ensure_ascii=False)
