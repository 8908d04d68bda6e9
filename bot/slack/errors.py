"""Slack's refusals to ours: try later, undeliverable, unknown outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from core.errors import PlatformError, TryLater, Undeliverable, UnknownOutcome

Trouble = SlackClientError | aiohttp.ClientError | TimeoutError | OSError
TROUBLE = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)
"""What the SDK raises while a call is made."""

RATE_LIMITED = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
DOWN = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
"""Slack's own failures; by its pages, a part of the work may have been done before."""
TOO_LONG = frozenset({"msg_too_long", "msg_blocks_too_long", "invalid_blocks", "no_text"})
"""Refusals of a form; the same text may go in another one."""

PAUSE_S = 1.0
"""Slack: one post a second into a channel; the pause where a refusal names none."""


class WrongForm(PlatformError):
    """Slack does not take a message in this form; `detail` is its word for it."""


def ours(error: Trouble) -> PlatformError:
    """The error to raise for one that the SDK raised while we sent something.

    UnknownOutcome where it may have been done: the connection broke after sending, or Slack
    answered with a failure of its own. A refusal with any other name is one that no repetition
    cures: Undeliverable.
    """
    if isinstance(error, aiohttp.ClientConnectorError):
        return TryLater(f"no connection to Slack: {error}", seconds=PAUSE_S)
    if not isinstance(error, SlackApiError):
        return UnknownOutcome(f"{type(error).__name__}: {error}")
    name, status = refusal(error), status_of(error)
    if status == 429 or name in RATE_LIMITED:
        return TryLater(name or "ratelimited", seconds=_retry_after(error))
    if status >= 500 or name in DOWN or not name:
        # Without a name it was not Slack's JSON: a proxy in between, and nobody knows what it did.
        return UnknownOutcome(name or f"status {status}")
    if name in TOO_LONG:
        return WrongForm(name)
    if name == "missing_scope":
        return Undeliverable(f"missing_scope: {needed_scope(error)}")
    return Undeliverable(name)


def refusal(error: BaseException) -> str:
    """Slack's name of the error, or an empty text."""
    if not isinstance(error, SlackApiError):
        return ""
    data: Any = getattr(error.response, "data", None)
    return str(data.get("error") or "") if isinstance(data, dict) else ""


def needed_scope(error: SlackApiError) -> str:
    data: Any = getattr(error.response, "data", None)
    return str(data.get("needed") or "") if isinstance(data, dict) else ""


def status_of(error: SlackApiError) -> int:
    response: Any = error.response
    return int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)


def _retry_after(error: SlackApiError) -> float:
    headers = cast(Mapping[str, str], getattr(error.response, "headers", None) or {})
    for name, value in headers.items():
        if name.lower() == "retry-after":
            try:
                return max(float(value), 0.0)
            except ValueError:
                return PAUSE_S
    return PAUSE_S
