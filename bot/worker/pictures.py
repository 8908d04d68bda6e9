"""Pictures that came with a question: kept as files while its run is open, for models that see."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from bot.platform import Platform
from core.errors import KnowledgeError, PlatformError
from core.messages import Attachment, Message
from core.request import Picture

log = logging.getLogger(__name__)

MOST_PICTURES = 4
"""Of one question; more cost more than they tell."""
MOST_BYTES = 5 * 2**20
"""Providers take no larger one (Anthropic: 5 MB an image)."""

KINDS = {
    b"\x89PNG\r\n\x1a\n": ("png", "image/png"),
    b"\xff\xd8\xff": ("jpg", "image/jpeg"),
    b"GIF87a": ("gif", "image/gif"),
    b"GIF89a": ("gif", "image/gif"),
}
"""By the first bytes: what a platform or a name says of a file is not trusted."""


class Pictures:
    """The pictures of open runs, a folder each below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def take(self, message: Message, platform: Platform) -> tuple[Picture, ...]:
        """The pictures of a message; those that are there from an earlier life are not fetched
        again. One that cannot be had, or is none, is left out and logged."""
        found = [one for one in message.attachments if is_picture(one)][:MOST_PICTURES]
        if not found:
            return ()
        folder = self._of(message.key)
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        taken = [
            await self._one(file, folder / str(number), platform)
            for number, file in enumerate(found, 1)
        ]
        return tuple(picture for picture in taken if picture is not None)

    async def drop(self, run: str) -> None:
        """Remove the pictures of a run that is over."""
        await asyncio.to_thread(shutil.rmtree, self._of(run), ignore_errors=True)

    def _of(self, run: str) -> Path:
        return self._folder / hashlib.sha256(run.encode()).hexdigest()[:32]

    async def _one(self, file: Attachment, folder: Path, platform: Platform) -> Picture | None:
        kept = await asyncio.to_thread(_kept, folder)
        if kept is None:
            await asyncio.to_thread(folder.mkdir, exist_ok=True)
            try:
                download = await platform.download(file, folder, MOST_BYTES)
            except (KnowledgeError, PlatformError) as error:
                log.info("a picture cannot be had: %s", error)
                return None
            kept = await asyncio.to_thread(_as_picture, download.path)
        return kept


def is_picture(file: Attachment) -> bool:
    """By what the platform says; its bytes are looked at when they are here."""
    return file.mime.startswith("image/")


def looked_at(message: Message, *, sees: bool) -> Sequence[Attachment]:
    """The attachments that are asked about and not filed: pictures beside words, given a model."""
    if not sees or not message.text.strip():
        return ()
    return [file for file in message.attachments if is_picture(file)]


def _kept(folder: Path) -> Picture | None:
    for path in sorted(folder.glob("picture.*")):
        kind = _kind(path)
        if kind is not None:
            return Picture(path=str(path), mime=kind[1])
    return None


def _as_picture(path: Path) -> Picture | None:
    """The file under its own kind's name; None, and removed, if it is no picture."""
    kind = _kind(path)
    if kind is None:
        path.unlink(missing_ok=True)
        log.info("a file that was called a picture is none")
        return None
    target = path.replace(path.parent / f"picture.{kind[0]}")
    return Picture(path=str(target), mime=kind[1])


def _kind(path: Path) -> tuple[str, str] | None:
    with path.open("rb") as file:
        head = file.read(16)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp", "image/webp"
    return next((kind for magic, kind in KINDS.items() if head.startswith(magic)), None)
