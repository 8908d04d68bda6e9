"""Fetch a file that was shared on Discord. Its address expires and never leaves this room.

What a message holds is an address with a date; when it is over, the message is asked for a fresh
one. Files go without our token: the addresses carry their own right.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from yarl import URL

from bot.discord.account import API_URL
from bot.platform import Download
from core.errors import KnowledgeError, PlatformError
from core.messages import Attachment
from core.texts.counts import megabytes

log = logging.getLogger(__name__)

HOSTS = ("cdn.discordapp.com", "media.discordapp.net")
"""Hosts that Discord serves files from."""
GONE = frozenset({401, 403, 404, 410})
"""What an expired address answers; so does a deleted file's."""
TRIES = 3
TIMEOUT = aiohttp.ClientTimeout(total=300, connect=15, sock_read=30)
CHUNK = 256 * 1024
NOTE = "text:"
"""Marks a handle that is the text itself: a message that was added to the knowledge."""

Fetch = Callable[[str, str], Awaitable[Any]]
"""A message by its channel's and its own id, as JSON."""


class _Cut(Exception):
    """The connection broke off, or fewer bytes came than were announced."""


class _Expired(Exception):
    """The address answers no more."""


def attachment_from(file: Mapping[str, Any], where: str, message: str) -> Attachment:
    """An Attachment of a message's file; `where` it stands is kept for a fresh address."""
    number = str(file.get("id") or "")
    size = file.get("size")
    handle = {"channel": where, "message": message, "url": str(file.get("url") or "")}
    return Attachment(
        id=number,
        name=str(file.get("filename") or file.get("title") or number),
        size=size if isinstance(size, int) else 0,
        # `text/plain; charset=utf-8`, or nothing at all: the reader looks at the bytes anyway.
        mime=str(file.get("content_type") or "").partition(";")[0].strip(),
        handle=json.dumps(handle),
    )


def note_from(text: str, name: str, number: str) -> Attachment:
    """A message's own words as a file."""
    return Attachment(
        id=number,
        name=name,
        size=len(text.encode()),
        mime="text/markdown",
        handle=NOTE + text,
    )


@dataclass
class Files:
    """Downloads. `fetch` gets a message, for a fresh address of its file."""

    fetch: Fetch
    api_url: str

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        """Fetch into a new file of `folder`; KnowledgeError if it cannot be had."""
        path = folder / uuid4().hex
        if attachment.handle.startswith(NOTE):
            data = attachment.handle.removeprefix(NOTE).encode()
            await asyncio.to_thread(path.write_bytes, data)
            return Download(path, len(data))
        self._check_size(attachment, attachment.size, limit)
        held: dict[str, str] = json.loads(attachment.handle)
        url = held["url"]
        for number in range(TRIES):
            try:
                return Download(path, await self._fetch(attachment, URL(url), path, limit))
            except _Expired:
                if number:
                    break
                url = await self._fresh(attachment, held)
            except (_Cut, aiohttp.ClientError, TimeoutError) as error:
                log.warning("download of %s broke off: %s", attachment.id, error)
            path.unlink(missing_ok=True)
        else:
            raise KnowledgeError(key="discord.file_cut", name=attachment.name)
        raise KnowledgeError(key="discord.file_gone", name=attachment.name)

    async def _fresh(self, attachment: Attachment, held: Mapping[str, str]) -> str:
        """The file's new address, from its message; a command's file stands in none."""
        if not held["message"]:
            raise KnowledgeError(key="discord.file_gone", name=attachment.name)
        try:
            message: Any = await self.fetch(held["channel"], held["message"])
        except PlatformError as error:
            log.info("no fresh address of %s: %s", attachment.id, error)
            raise KnowledgeError(key="discord.file_gone", name=attachment.name) from error
        listed = [*(message.get("attachments") or [])]
        for one in message.get("message_snapshots") or []:
            listed += (one.get("message") or {}).get("attachments") or []
        for file in listed:
            if str(file.get("id")) == attachment.id and file.get("url"):
                return str(file["url"])
        raise KnowledgeError(key="discord.file_gone", name=attachment.name)

    async def _fetch(self, attachment: Attachment, url: URL, path: Path, limit: int) -> int:
        self._check_host(attachment, url)
        headers = {"Accept-Encoding": "identity"}
        # A session of its own: files are still fetched while the process drains.
        async with (
            aiohttp.ClientSession(timeout=TIMEOUT) as session,
            session.get(url, headers=headers, allow_redirects=False) as answer,
        ):
            if answer.status in GONE:
                raise _Expired
            if answer.status >= 500:
                raise _Cut(f"status {answer.status}")
            if answer.status != 200:
                raise KnowledgeError(
                    key="discord.file_failed", name=attachment.name, reason=str(answer.status)
                )
            return await self._save(attachment, answer, path, limit)

    async def _save(
        self, attachment: Attachment, answer: aiohttp.ClientResponse, path: Path, limit: int
    ) -> int:
        announced = answer.content_length
        self._check_size(attachment, announced or 0, limit)
        size = 0
        with await asyncio.to_thread(path.open, "wb") as file:
            async for chunk in answer.content.iter_chunked(CHUNK):
                size += len(chunk)
                self._check_size(attachment, size, limit)
                await asyncio.to_thread(file.write, chunk)
        if announced is not None and size != announced:
            raise _Cut(f"{size} of {announced} bytes")
        return size

    def _check_host(self, attachment: Attachment, url: URL) -> None:
        """Discord's own hosts; where the API is somewhere else, that host too."""
        known = url.scheme == "https" and url.host in HOSTS
        practice = self.api_url != API_URL and url.host == URL(self.api_url).host
        if not (known or (practice and url.scheme in ("http", "https"))):
            raise KnowledgeError(
                key="discord.file_elsewhere", name=attachment.name, host=url.host or "?"
            )

    def _check_size(self, attachment: Attachment, size: int, limit: int) -> None:
        if size > limit:
            raise KnowledgeError(
                key="discord.file_too_big",
                name=attachment.name,
                size=megabytes(max(size, attachment.size)),
                limit=megabytes(limit),
            )
