"""What a question rests on and does not say: the message it answers, and its thread's beginning.

Somebody writes, somebody else opens a thread there and says "@bot take a look". The message meant
is in the parent channel; the thread's own list shows only an empty reference to it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.discord import events, ids
from bot.discord.channels import FORUM, MEDIA, Channel
from bot.discord.events import Us
from bot.discord.port import DiscordPort
from core.errors import KnowledgeError, PlatformError
from core.messages import MAX_TEXT, Attachment, Message

log = logging.getLogger(__name__)

LOOK_UP_S = 2.0
"""How long a message that a question rests on may be looked up."""
PASTE = "message.txt"
"""Discord: what a text too long for a message is turned into."""
PASTE_BYTES = 80_000
STARTER_REFERENCE = 21
"""Discord: the type of the empty message that a thread begins with."""


@dataclass(frozen=True)
class Context:
    """Completes messages that are for us."""

    port: DiscordPort

    async def completed(
        self, message: Message, data: Mapping[str, Any], channel: Channel, us: Us, *, fresh: bool
    ) -> Message:
        """The message with what it rests on. `fresh`: nothing was said by us in its thread yet."""
        try:
            async with asyncio.timeout(LOOK_UP_S):
                rests_on = await self._rests_on(data, channel, us, fresh)
        except (PlatformError, TimeoutError) as error:
            log.warning("a question is taken without what it rests on: %s", error)
            rests_on = []
        for one in rests_on:
            message = with_quoted(message, one, us)
        return await self._with_paste(message)

    async def _rests_on(
        self, data: Mapping[str, Any], channel: Channel, us: Us, fresh: bool
    ) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        answered: Any = data.get("referenced_message")
        if isinstance(answered, Mapping) and not events.is_ours(answered, us):
            found.append(answered)
        if channel.is_thread and fresh and str(data.get("id")) != channel.id:
            starter = await self._starter(channel)
            known = {str(one.get("id")) for one in found}
            if starter and str(starter.get("id")) not in known:
                found.insert(0, starter)
        return [one for one in found if not events.is_ours(one, us)]

    async def _starter(self, thread: Channel) -> Mapping[str, Any]:
        """A forum's post holds its first message itself; else it stands in the parent channel."""
        parent = self.port.channels.peek(thread.parent)
        in_forum = parent is not None and parent.kind in (FORUM, MEDIA)
        places = (thread.id,) if in_forum else (thread.parent, thread.id)
        for place in places:
            try:
                found: Any = await self.port.message(place, thread.id)
            except PlatformError as error:
                log.debug("no first message of thread %s in %s: %s", thread.id, place, error)
                continue
            if found.get("type") != STARTER_REFERENCE:
                return found
        return {}

    async def _with_paste(self, message: Message) -> Message:
        """A paste that Discord turned into a file is words again."""
        pastes = [one for one in message.attachments if is_paste(one)]
        if message.kind == "command" or len(pastes) != 1:
            return message
        text = await self._read(pastes[0])
        joined = "\n\n".join(part for part in (message.text, text) if part)
        if not text or len(joined) > MAX_TEXT:
            return message
        rest = tuple(one for one in message.attachments if one is not pastes[0])
        return message.model_copy(update={"text": joined, "attachments": rest, "kind": "ask"})

    async def _read(self, paste: Attachment) -> str:
        try:
            async with asyncio.timeout(LOOK_UP_S):
                with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                    found = await self.port.download(paste, Path(folder), PASTE_BYTES)
                    data = await asyncio.to_thread(found.path.read_bytes)
        except (KnowledgeError, PlatformError, TimeoutError) as error:
            log.info("a pasted text stays a file: %s", error)
            return ""
        return data.decode("utf-8", "replace").strip()


def is_paste(file: Attachment) -> bool:
    return file.name == PASTE and file.size <= PASTE_BYTES


def with_quoted(message: Message, data: Mapping[str, Any], us: Us) -> Message:
    """The question with another message's words quoted above it, and its files."""
    text, files = events.spoken_text(data, us), events.attachments(data)
    if not text and not files:
        return message
    who = ids.person_id(str((data.get("author") or {}).get("id") or ""))
    name = events.author_of(data).name or ids.raw(who)
    lines = [f"{name}:", *text.splitlines()] if text else []
    quote = "\n".join(f"> {line}" for line in lines)
    joined = "\n\n".join(part for part in (quote, message.text) if part)
    kind = "ask" if message.kind == "file" and joined else message.kind
    return message.model_copy(
        update={
            "text": joined[:MAX_TEXT],
            "cut": message.cut + max(0, len(joined) - MAX_TEXT),
            "attachments": (*message.attachments, *files),
            "kind": kind,
        }
    )
