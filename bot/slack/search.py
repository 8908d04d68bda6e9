"""Find our own post by the mark in its metadata, before it is posted again."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.render import EVENT_TYPE

log = logging.getLogger(__name__)

THREAD_PAGE, THREAD_PAGES = 200, 20
"""conversations.replies gives the oldest first; bounded at 4,000 replies after the question."""
CHANNEL_PAGE, CHANNEL_PAGES = 100, 5
"""conversations.history gives the newest first; what we look for is seconds or minutes old."""

_ASKED_AT = re.compile(r"slack:[^:#]+:[^:#]+:(\d+\.\d+)")
Page = Callable[..., Awaitable[Any]]


@dataclass
class Search:
    """Looks through a thread, or through the newest of a channel."""

    client: AsyncWebClient

    async def marked(self, channel: str, thread_ts: str, mark: str) -> str | None:
        """`ts` of our message with `mark`, in a thread, or in the channel (empty `thread_ts`)."""
        asked: dict[str, Any] = {"channel": channel, "include_all_metadata": True}
        if not thread_ts:
            asked["limit"] = CHANNEL_PAGE
            return await self._page_by_page(
                self.client.conversations_history, asked, mark, CHANNEL_PAGES
            )
        asked |= {"ts": thread_ts, "limit": THREAD_PAGE}
        # Nothing of a run is older than the message that asked for it.
        question = _ASKED_AT.match(mark)
        if question:
            asked["oldest"] = question.group(1)
        return await self._page_by_page(
            self.client.conversations_replies, asked, mark, THREAD_PAGES
        )

    async def _page_by_page(
        self, page: Page, asked: dict[str, Any], mark: str, pages: int
    ) -> str | None:
        cursor = ""
        for _ in range(pages):
            answer = await page(**asked, **({"cursor": cursor} if cursor else {}))
            for message in cast(list[Mapping[str, Any]], answer.get("messages") or []):
                if mark_of(message) == mark:
                    return str(message["ts"])
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return None
        log.warning("gave up looking for a post of ours after %s pages", pages)
        return None


def mark_of(message: Mapping[str, Any]) -> str:
    """The outbox's mark of a message of ours, or an empty text."""
    metadata: Mapping[str, Any] = message.get("metadata") or {}
    payload: Mapping[str, Any] = metadata.get("event_payload") or {}
    return str(payload.get("mark") or "") if metadata.get("event_type") == EVENT_TYPE else ""
