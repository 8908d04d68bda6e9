"""JSON from a service that the operator named, through the one guarded client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from core.errors import ToolFailed
from core.http import GuardedClient

MAX_ANSWER = 2 * 2**20
"""Bytes; a page of search results is some 50 KiB."""


async def json_of(client: GuardedClient, url: str, headers: Mapping[str, str] | None = None) -> Any:
    """The decoded answer. Raises WebError, or ToolFailed if it is an error or no JSON."""
    answer = await client.get(url, headers=headers, limit=MAX_ANSWER)
    host = urlsplit(url).hostname or ""
    if answer.status != 200:
        raise ToolFailed(key="tool.outside.status", host=host, status=answer.status)
    try:
        return json.loads(answer.body)
    except ValueError:
        raise ToolFailed(key="tool.outside.no_json", host=host) from None
