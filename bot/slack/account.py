"""Our account in the workspace: who we are, by `auth.test`, and whether the tokens will do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import SecretStr
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.errors import TROUBLE, Trouble, needed_scope, ours, refusal
from bot.slack.events import Us
from bot.slack.manifest import BOT_SCOPES
from core.errors import PlatformError, TryLater, UnknownOutcome, WrongConfig

API_URL = "https://slack.com/api/"
NEEDED = frozenset({"chat:write"})
"""Without these nothing can be answered. Each other scope only takes its own part away."""
TOKEN_TROUBLE = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "not_allowed_token_type",
        "missing_scope",
        "no_permission",
    }
)


@dataclass(frozen=True)
class SlackConfig:
    """How to reach a workspace."""

    bot_token: SecretStr
    app_token: SecretStr
    api_url: str = API_URL
    """SLACK_API_URL: the practice workspace, or a proxy."""
    allowed_bots: frozenset[str] = frozenset()
    """Ids of bots that may ask; nobody by default."""


@dataclass(frozen=True)
class Account:
    """Who we are there."""

    us: Us
    url: str
    """The workspace's address, for links; ends with `/`."""
    missing: tuple[str, ...]
    """Scopes of the manifest that the token does not have."""


def check_tokens(config: SlackConfig) -> None:
    """Tell swapped tokens before Slack says only `invalid_auth`."""
    for variable, token, prefix, other in (
        ("SLACK_BOT_TOKEN", config.bot_token, "xoxb-", "xapp-"),
        ("SLACK_APP_TOKEN", config.app_token, "xapp-", "xox"),
    ):
        if token.get_secret_value().startswith(other):
            raise WrongConfig(key="slack.tokens_swapped", variable=variable, prefix=prefix)


async def who_are_we(client: AsyncWebClient, config: SlackConfig) -> Account:
    """`auth.test`. WrongConfig names the token or the scopes; TryLater if Slack is not there."""
    try:
        answer = await client.auth_test()
    except TROUBLE as error:
        raise _trouble(error, "slack.bot_token_wrong") from error
    scopes = _scopes(answer.headers)
    missing = tuple(scope for scope in BOT_SCOPES if scopes and scope not in scopes)
    lost = sorted(NEEDED & set(missing))
    if lost:
        raise WrongConfig(key="slack.scopes_missing", scopes=", ".join(lost))
    us = Us(
        team=str(answer.get("team_id") or answer.get("enterprise_id") or ""),
        user=str(answer.get("user_id") or ""),
        bot=str(answer.get("bot_id") or ""),
        allowed_bots=config.allowed_bots,
    )
    url = str(answer.get("url") or "")
    return Account(us, url if url.endswith("/") or not url else url + "/", missing)


async def socket_address(client: AsyncWebClient, config: SlackConfig) -> str:
    """A fresh Socket Mode address. WrongConfig names SLACK_APP_TOKEN."""
    try:
        answer = await client.apps_connections_open(app_token=config.app_token.get_secret_value())
    except TROUBLE as error:
        raise _trouble(error, "slack.app_token_wrong") from error
    return str(answer["url"])


def _trouble(error: Trouble, key: str) -> WrongConfig | PlatformError:
    name = refusal(error)
    if name in TOKEN_TROUBLE:
        scope = needed_scope(error) if isinstance(error, SlackApiError) else ""
        return WrongConfig(key=key, reason=f"{name}: {scope}" if scope else name)
    found = ours(error)
    if isinstance(found, UnknownOutcome):
        return TryLater(found.detail)
    return found


def _scopes(headers: Mapping[str, str]) -> frozenset[str]:
    """Scopes of the token by Slack's answer; empty if it does not tell."""
    for name, value in headers.items():
        if name.lower() == "x-oauth-scopes":
            return frozenset(scope.strip() for scope in value.split(",") if scope.strip())
    return frozenset()
