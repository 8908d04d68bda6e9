"""Web search: ddgs, a SearXNG server, or any search API that answers a GET with JSON."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from urllib.parse import quote

from pydantic import SecretStr

from core.errors import ToolFailed
from core.http import WEB_PORTS, Blocked, GuardedClient, is_public, literal, parse_url
from core.messages import Language
from core.tools.outside.fetch import json_of
from core.tools.services import WebHit

log = logging.getLogger(__name__)

TITLES, LINKS = ("title", "name"), ("url", "link", "href")
TEXTS = ("content", "snippet", "description", "body", "summary")
"""Names of the same thing in the answers of SearXNG, Brave, Bing, Google, Bocha, ddgs."""
SNIPPET = 600
TITLE = 200
DEEPEST = 6
"""Levels of an answer that are looked through for its list of results."""
DDGS_S = 10
AT_ONCE = 4
"""Searches of ddgs at the same time."""

Find = Callable[[str, int, str], list[dict[str, Any]]]
"""Query, limit and region -> rows; blocks."""


class Ddgs:
    """Free search without an account. It brings its own client and asks fixed engines only."""

    def __init__(self, find: Find | None = None) -> None:
        self._find = find or _ddgs
        # Threads of its own: a slow engine must not take those that files and vectors need.
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="ddgs")

    async def search(self, query: str, limit: int, language: Language) -> list[WebHit]:
        region = "cn-zh" if language == "zh" else "us-en"
        try:
            loop = asyncio.get_running_loop()
            rows = await loop.run_in_executor(self._pool, self._find, query, limit, region)
        except Exception as error:  # A scraper's border: every engine fails in its own way.
            log.warning("ddgs: %s", error)
            if "no results" in str(error).lower():
                return []
            raise ToolFailed(key="tool.web.down") from error
        return hits_of(rows, limit)


class SearchApi:
    """A server that answers with JSON.

    `address` holds `{query}` and may hold `{limit}`, `{language}` (zh-CN, en-US) and `{key}`. With
    `key_header` the key travels as that header, as `Bearer` if it is Authorization.
    """

    def __init__(
        self,
        client: GuardedClient,
        address: str,
        key: SecretStr | None = None,
        key_header: str = "",
    ) -> None:
        self._client = client
        self._address = address
        self._key = key
        self._key_header = key_header

    async def search(self, query: str, limit: int, language: Language) -> list[WebHit]:
        key = self._key.get_secret_value() if self._key else ""
        values = {
            "query": query,
            "limit": str(limit),
            "language": "zh-CN" if language == "zh" else "en-US",
            "key": key,
        }
        address = re.sub(
            r"\{(query|limit|language|key)\}",
            lambda name: quote(values[name[1]], safe=""),
            self._address,
        )
        headers = {"Accept": "application/json"}
        if key and self._key_header:
            bearer = self._key_header.lower() == "authorization"
            headers[self._key_header] = f"Bearer {key}" if bearer else key
        return hits_of(rows_in(await json_of(self._client, address, headers)), limit)


def searxng(client: GuardedClient, url: str) -> SearchApi:
    """A SearXNG server; `json` must be among its `search.formats`."""
    path = "search?q={query}&format=json&language={language}&safesearch=1"
    return SearchApi(client, f"{url.rstrip('/')}/{path}")


def rows_in(answer: Any) -> list[Mapping[str, Any]]:
    """The first list of things that have a title and an address, nearest to the top."""
    queue: deque[tuple[Any, int]] = deque([(answer, 0)])
    while queue:
        value, depth = queue.popleft()
        if isinstance(value, list):
            items = cast(list[Any], value)
            rows = [item for item in items if isinstance(item, Mapping) and _is_row(item)]
            if rows:
                return rows
            queue.extend((item, depth + 1) for item in items[:50] if depth < DEEPEST)
        elif isinstance(value, Mapping) and depth < DEEPEST:
            queue.extend((item, depth + 1) for item in cast(dict[str, Any], value).values())
    return []


def hits_of(rows: Iterable[Mapping[str, Any]], limit: int) -> list[WebHit]:
    """Rows as hits: one for each address that a person may open, plain text only."""
    hits: dict[str, WebHit] = {}
    for row in rows:
        url = _first(row, LINKS)
        if not _is_public(url):
            continue
        title = _plain(_first(row, TITLES))[:TITLE] or url[:TITLE]
        hits.setdefault(
            url, WebHit(title=title, url=url, text=_plain(_first(row, TEXTS))[:SNIPPET])
        )
        if len(hits) == limit:
            break
    return list(hits.values())


def _is_public(url: str) -> bool:
    """True for an address of the public web: only those are shown as sources."""
    try:
        number = literal(parse_url(url, WEB_PORTS, ()).raw_host or "")
    except Blocked:
        return False
    return number is None or is_public(number)


def _is_row(item: Mapping[str, Any]) -> bool:
    return bool(_first(item, LINKS)) and any(name in item for name in TITLES)


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str:
    found = (row.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")


def _plain(text: str) -> str:
    """Without the tags that engines put round the words they found."""
    return " ".join(re.sub(r"</?[a-zA-Z][^<>]{0,200}>", "", text).split())


def _ddgs(query: str, limit: int, region: str) -> list[dict[str, Any]]:
    # Imported late: it brings an HTTP client of its own.
    from ddgs import DDGS

    return DDGS(timeout=DDGS_S).text(query, region=region, max_results=limit)
