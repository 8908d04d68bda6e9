"""Fetch a file that was shared on Slack. The bot token goes to Slack's own hosts only."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.platform import Download
from bot.slack.errors import needed_scope, refusal
from core.errors import KnowledgeError
from core.messages import Attachment
from core.texts.counts import megabytes

log = logging.getLogger(__name__)

TOKEN_HOSTS = ("slack.com", "slack-gov.com", "slack-files.com")
"""Slack's hosts that take the bot token, with everything under them."""
FILE_HOSTS = (*TOKEN_HOSTS, "slack-edge.com")
"""Hosts that Slack serves files from."""
PAGES = (".html", ".htm", ".xhtml")
PAGE_TYPES = ("text/html", "application/xhtml+xml", "application/vnd.slack-docs")
"""Files that are pages themselves; the last is a Slack canvas."""
REDIRECTS = 3
MOVED = frozenset({301, 302, 303, 307, 308})
TRIES = 2
TIMEOUT = aiohttp.ClientTimeout(total=300, connect=15, sock_read=30)
CHUNK = 256 * 1024
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_SIGN_IN = re.compile(rb"(?:/signin|/sign_in|\?redir=|data-qa=.signin|id=.signin)", re.I)


class _Cut(Exception):
    """The connection broke off, or fewer bytes came than were announced."""


@dataclass(frozen=True)
class Answer:
    """What came in place of the file, or as the file."""

    redirected: bool
    size: int
    mime: str
    start: bytes


@dataclass
class Files:
    """Downloads. `client` asks `files.info` where an address is missing."""

    client: AsyncWebClient
    token: str
    api_url: str

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        """Fetch into a new file of `folder`; KnowledgeError if it cannot be had."""
        self._check_size(attachment, attachment.size, limit)
        url = URL(attachment.handle or await self._address(attachment))
        path = folder / uuid4().hex
        for _ in range(TRIES):
            try:
                size = await self._fetch(attachment, url, path, limit)
                return Download(path=path, size=size)
            except (_Cut, aiohttp.ClientError, TimeoutError) as error:
                path.unlink(missing_ok=True)
                log.warning("download of %s broke off: %s", attachment.id, error)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        raise KnowledgeError(key="slack.file_cut", name=attachment.name)

    async def _address(self, attachment: Attachment) -> str:
        try:
            found: Any = (await self.client.files_info(file=attachment.id)).get("file") or {}
        except SlackApiError as error:
            raise self._refused(attachment, error) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._failed(attachment, type(error).__name__) from error
        address = str(found.get("url_private_download") or found.get("url_private") or "")
        if not address:
            raise KnowledgeError(key="slack.file_gone", name=attachment.name)
        return address

    def _refused(self, attachment: Attachment, error: SlackApiError) -> KnowledgeError:
        name = refusal(error)
        if name == "missing_scope" and needed_scope(error) in ("", "files:read"):
            return KnowledgeError(key="slack.file_login", name=attachment.name)
        if name in ("file_not_found", "file_deleted", "not_visible"):
            return KnowledgeError(key="slack.file_gone", name=attachment.name)
        return self._failed(attachment, name or "an error")

    async def _fetch(self, attachment: Attachment, url: URL, path: Path, limit: int) -> int:
        first = url
        # A session of its own: files are still fetched while the process drains.
        async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
            for _ in range(REDIRECTS + 1):
                self._check_host(attachment, url)
                async with session.get(
                    url, headers=self._headers(url), allow_redirects=False
                ) as response:
                    target = response.headers.get("Location")
                    if response.status in MOVED and target:
                        url = url.join(URL(target))
                        continue
                    self._check_status(attachment, response.status)
                    return await self._save(attachment, response, path, limit, url != first)
        raise self._failed(attachment, "too many redirects")

    def _headers(self, url: URL) -> dict[str, str]:
        # Without compression the announced length is that of the file.
        headers = {"Accept-Encoding": "identity"}
        if self._is_api(url) or (url.scheme == "https" and _under(url, TOKEN_HOSTS)):
            headers["Authorization"] = f"Bearer {self.token}"
        return headers

    def _is_api(self, url: URL) -> bool:
        return url.origin() == URL(self.api_url).origin()

    def _check_host(self, attachment: Attachment, url: URL) -> None:
        known = url.scheme == "https" and _under(url, FILE_HOSTS)
        if not (known or (url.is_absolute() and url.host and self._is_api(url))):
            raise KnowledgeError(
                key="slack.file_elsewhere", name=attachment.name, host=url.host or "?"
            )

    def _check_status(self, attachment: Attachment, status: int) -> None:
        if status in (401, 403):
            raise KnowledgeError(key="slack.file_login", name=attachment.name)
        if status in (404, 410):
            raise KnowledgeError(key="slack.file_gone", name=attachment.name)
        if status != 200:
            raise self._failed(attachment, f"status {status}")

    async def _save(
        self,
        attachment: Attachment,
        response: aiohttp.ClientResponse,
        path: Path,
        limit: int,
        redirected: bool,
    ) -> int:
        announced = response.content_length
        self._check_size(attachment, announced or 0, limit)
        size, start = 0, b""
        with await asyncio.to_thread(path.open, "wb") as file:
            async for chunk in response.content.iter_chunked(CHUNK):
                size += len(chunk)
                self._check_size(attachment, size, limit)
                start = start or chunk[:2048]
                await asyncio.to_thread(file.write, chunk)
        if announced is not None and size != announced:
            raise _Cut(f"{size} of {announced} bytes")
        answer = Answer(redirected, size, response.content_type, start)
        # A page in place of the file has its own length; that is told apart first.
        if is_sign_in(attachment, answer):
            raise KnowledgeError(key="slack.file_login", name=attachment.name)
        if attachment.size and size < attachment.size:
            raise _Cut(f"{size} of {attachment.size} bytes")
        return size

    def _check_size(self, attachment: Attachment, size: int, limit: int) -> None:
        if size > limit:
            raise KnowledgeError(
                key="slack.file_too_big",
                name=attachment.name,
                size=megabytes(max(size, attachment.size)),
                limit=megabytes(limit),
            )

    def _failed(self, attachment: Attachment, reason: str) -> KnowledgeError:
        return KnowledgeError(key="slack.file_failed", name=attachment.name, reason=reason)


def is_sign_in(attachment: Attachment, answer: Answer) -> bool:
    """True for Slack's sign-in page, which comes with status 200, at times as `image/png`."""
    page = bool(_HTML.match(answer.start))
    if not attachment.name.lower().endswith(PAGES) and attachment.mime not in PAGE_TYPES:
        return page or answer.mime == "text/html"
    # A page was shared: Slack's own differs from it by its way here, its size or its words.
    other_size = attachment.size not in (0, answer.size)
    words = attachment.size == 0 and _SIGN_IN.search(answer.start) is not None
    return page and (answer.redirected or other_size or words)


def _under(url: URL, hosts: tuple[str, ...]) -> bool:
    host = (url.host or "").lower()
    return any(host == known or host.endswith("." + known) for known in hosts)
