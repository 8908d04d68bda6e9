"""Our account on Discord: who we are, and what the application may see. No discord.py here:
`threadmate doctor` asks the same in a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import aiohttp
from pydantic import SecretStr

from core.errors import TryLater, WrongConfig

API_URL = "https://discord.com/api/v10"
TIMEOUT = aiohttp.ClientTimeout(total=20, connect=10)
CONTENT_FLAGS = (1 << 18) | (1 << 19)
"""Discord: flags of an application that may ask for the Message Content intent."""


@dataclass(frozen=True)
class DiscordConfig:
    """How to reach Discord."""

    token: SecretStr
    api_url: str = API_URL
    """DISCORD_API_URL: the practice server, or a proxy."""
    gateway_url: str = ""
    """DISCORD_GATEWAY_URL; empty: as the API tells."""
    allowed_bots: frozenset[str] = frozenset()
    """Discord's ids of bots that may ask; nobody by default."""

    @property
    def api(self) -> str:
        """Without the slash at its end, that a person may have written."""
        return self.api_url.rstrip("/")


@dataclass(frozen=True)
class Account:
    """Who we are there."""

    user: str
    name: str
    application: str
    sees_content: bool
    """The Message Content intent is switched on in the developer portal."""
    owner: str = ""
    public: bool = True
    """Others than the owner may invite it."""


async def who_are_we(config: DiscordConfig) -> Account:
    """WrongConfig names the token; TryLater if Discord is not there."""
    async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
        user = await asked(session, config, "/users/@me")
        application = await asked(session, config, "/oauth2/applications/@me")
    flags = application.get("flags")
    owner: Any = application.get("owner")
    return Account(
        user=str(user["id"]),
        name=str(user.get("global_name") or user.get("username") or ""),
        application=str(application.get("id") or user["id"]),
        sees_content=bool(flags & CONTENT_FLAGS) if isinstance(flags, int) else False,
        owner=str(owner.get("id") or "") if isinstance(owner, dict) else "",
        public=application.get("bot_public") is not False,
    )


async def asked(session: aiohttp.ClientSession, config: DiscordConfig, path: str) -> Any:
    """The answer to a GET, for what is asked before discord.py is there."""
    headers = {"Authorization": f"Bot {config.token.get_secret_value().strip()}"}
    try:
        async with session.get(config.api + path, headers=headers) as answer:
            if answer.status == 401:
                raise WrongConfig(key="discord.token_wrong")
            if answer.status >= 400:
                raise TryLater(f"Discord answered {answer.status} to {path}", seconds=2.0)
            return await answer.json()
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise TryLater(f"no connection to Discord: {type(error).__name__}: {error}") from error
