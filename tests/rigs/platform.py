"""A platform in memory: keeps what people would see, and breaks on demand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from bot.platform import Download, Draft, PlatformLimits, Sign
from core.messages import Attachment, Message, Person, Place


@dataclass
class Post:
    id: str
    place: Place
    mark: str
    drafts: list[Draft]

    @property
    def text(self) -> str:
        return self.drafts[-1].text


@dataclass
class MemoryPlatform:
    name: str = "memory"
    limits: PlatformLimits = field(
        default_factory=lambda: PlatformLimits(12_000, 4_000, post_gap_s=0.0, edit_gap_s=0.0)
    )
    posts: list[Post] = field(default_factory=list[Post])
    whispers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    signs: list[tuple[str, Sign, bool]] = field(default_factory=list[tuple[str, Sign, bool]])
    files: dict[str, bytes | Exception] = field(default_factory=dict[str, "bytes | Exception"])
    calls: list[str] = field(default_factory=list[str])
    faults: list[Exception | None] = field(default_factory=list["Exception | None"])
    """Consumed one per post or edit."""
    lost_answers: list[Exception] = field(default_factory=list[Exception])
    """Raised after a post was taken, one per post."""
    posted: asyncio.Event = field(default_factory=asyncio.Event)

    async def post(self, place: Place, draft: Draft, mark: str) -> str:
        self._enter("post")
        post = Post(f"{place.channel}/{len(self.posts) + 1}", place, mark, [draft])
        self.posts.append(post)
        self.posted.set()
        if self.lost_answers:
            raise self.lost_answers.pop(0)
        return post.id

    async def find(self, place: Place, mark: str) -> str | None:
        self.calls.append("find")
        return next((post.id for post in self.posts if post.mark == mark), None)

    async def edit(self, place: Place, message: str, draft: Draft) -> None:
        self._enter("edit")
        self.of(message).drafts.append(draft)

    async def delete(self, place: Place, message: str) -> None:
        self.posts.remove(self.of(message))

    async def react(self, place: Place, message: str, sign: Sign, on: bool) -> None:
        self.signs.append((message, sign, on))

    async def whisper(self, place: Place, person: str, draft: Draft) -> None:
        self.whispers.append((person, draft.text))

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        content = self.files[attachment.id]
        if isinstance(content, Exception):
            raise content
        path = folder / "file"
        path.write_bytes(content)
        return Download(path, len(content))

    async def person(self, person: str) -> Person:
        return Person(id=person)

    def link(self, place: Place, message: str) -> str:
        return f"https://memory.example/{message}"

    def of(self, message: str) -> Post:
        return next(post for post in self.posts if post.id == message)

    def texts(self, thread: str) -> list[str]:
        """What people see in a thread, in order."""
        return [post.text for post in self.posts if post.place.thread == thread]

    def _enter(self, call: str) -> None:
        self.calls.append(call)
        if self.faults:
            fault = self.faults.pop(0)
            if fault is not None:
                raise fault


def a_place(thread: str = "1", channel: str = "C1") -> Place:
    return Place(
        platform="memory",
        workspace="memory:T1",
        channel=f"memory:T1/{channel}",
        thread=f"memory:T1/{channel}/{thread}",
    )


def a_message(text: str, *, key: str = "m:1", thread: str = "1", **changes: object) -> Message:
    fields: dict[str, object] = {
        "key": key,
        "kind": "ask",
        "place": a_place(thread),
        "author": Person(id="memory:T1/U1", language="en"),
        "id": f"memory:T1/C1/{key}",
        "text": text,
    }
    return Message.model_validate(fields | changes)
