"""discord.py's errors, and raw answers, to the errors of `bot.platform`."""

from __future__ import annotations

import aiohttp
import discord

from core.errors import PlatformError, TryLater, Undeliverable, UnknownOutcome

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK = 10003, 10008, 10015
UNKNOWN_INTERACTION, ACKNOWLEDGED, TOKEN_EXPIRED = 10062, 40060, 50027
NO_ACCESS, NOT_OURS, NO_PERMISSION, NO_DIRECT = 50001, 50005, 50013, 50007
THREAD_EXISTS, THREAD_LOCKED, MOST_THREADS, ARCHIVED = 160004, 160005, 160006, 50083
MOST_WEBHOOKS, MOST_GUILD_WEBHOOKS = 30007, 30058
OLD_EDITS = 30046
"""Discord: too many edits of messages older than an hour; they work again a little later."""

OLD_EDIT_PAUSE_S = 30.0
PAUSE_S = 1.0

Trouble = discord.DiscordException | aiohttp.ClientError | TimeoutError | OSError
TROUBLE = (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError)


class Refused(Undeliverable):
    """Discord refuses, and no repetition cures it. `code` is Discord's number for the reason."""

    def __init__(self, code: int, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code


def ours(error: Trouble) -> PlatformError:
    """The error to raise for one of discord.py's; it has waited and tried again where it may."""
    if isinstance(error, discord.RateLimited):
        return TryLater("rate limited", seconds=error.retry_after)
    if isinstance(error, discord.HTTPException):
        return refusal(error.status, error.code, error.text)
    if isinstance(error, aiohttp.ClientConnectorError):
        return TryLater(f"no connection to Discord: {error}", seconds=PAUSE_S)
    return UnknownOutcome(f"{type(error).__name__}: {error}")


def refusal(status: int, code: int, text: str, retry_after: float = PAUSE_S) -> PlatformError:
    """The error for an answer that is no success."""
    if status == 429 or code == 429:
        return TryLater("rate limited", seconds=max(retry_after, PAUSE_S))
    if code == OLD_EDITS:
        return TryLater("edits of old messages", seconds=OLD_EDIT_PAUSE_S)
    if status >= 500:
        return UnknownOutcome(f"status {status}")
    return Refused(code or status, " ".join(text.split())[:200])
