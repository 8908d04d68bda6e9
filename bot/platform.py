"""The port to a chat platform: what an adapter can do for the outbox and the worker.

Adapters raise `core.errors.PlatformError` children: TryLater (rate limit, 5xx), Undeliverable
(channel gone, not a member, account inactive), UnknownOutcome (the connection broke after sending).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from core.messages import Attachment, Frozen, Person, Place

Sign = Literal["seen", "working", "done", "failed", "stopped"]
"""Small signs on the asker's message (reactions)."""


class Button(Frozen):
    """A button under a post of ours."""

    action: str
    """`stop`, `remove`: comes back as `Click.action`."""
    label: str
    value: str
    danger: bool = False
    confirm: str = ""
    """A question to confirm with, if set."""


class Speaker(Frozen):
    """The name and face that a post carries: a teammate's."""

    name: str
    avatar: str = ""
    """An emoji, or the address of a picture."""


class Draft(Frozen):
    """One outgoing message, before the adapter renders it. Text is Markdown."""

    text: str
    buttons: tuple[Button, ...] = ()
    footer: str = ""
    """Small print under the text: sources."""
    hosts: tuple[str, ...] = ()
    """Hosts that links in it may name; every other link is disarmed by the outbound filter."""
    people: tuple[str, ...] = ()
    """Ids of people that may be mentioned (the asker); all other mentions are disarmed."""
    speaker: Speaker | None = None
    """None is the bot itself. A message keeps the speaker that it was posted with."""


@dataclass(frozen=True)
class PlatformLimits:
    """Sizes and budgets; each adapter gives its platform's, with the source next to the number."""

    post_chars: int
    """Longest text of one post."""
    edit_bytes: int
    """Longest text of an edit, in UTF-8 bytes."""
    post_gap_s: float
    """Pause between posts into one channel."""
    edit_gap_s: float
    """Pause between edits of one message; newer text waits and replaces older (coalescing)."""
    utf16: bool = False
    """The sizes may be counted in UTF-16 units: an emoji is two of them."""
    tables: bool = True
    """Markdown's tables are shown as tables; else they are laid out as text."""


@dataclass(frozen=True)
class Download:
    """A file that was fetched."""

    path: Path
    """A temporary file of ours; the caller removes it."""
    size: int


class Platform(Protocol):
    """A chat platform. Every method may raise the errors that the module's docstring names."""

    name: str
    limits: PlatformLimits

    async def post(self, place: Place, draft: Draft, mark: str) -> str:
        """Post into `place.thread`; the new message's id. `mark` travels as metadata."""
        ...

    async def find(self, place: Place, mark: str) -> str | None:
        """The id of our message that carries `mark`; looked up before a post is repeated."""
        ...

    async def edit(self, place: Place, message: str, draft: Draft) -> None: ...

    async def delete(self, place: Place, message: str) -> None: ...

    async def react(self, place: Place, message: str, sign: Sign, on: bool) -> None:
        """Put or take a sign. Doing it twice is no error."""
        ...

    async def whisper(self, place: Place, person: str, draft: Draft) -> None:
        """Say something that only `person` sees."""
        ...

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        """Fetch a file into `folder`; KnowledgeError with a sentence if it cannot be had."""
        ...

    async def person(self, person: str) -> Person:
        """The profile: name, language, time zone."""
        ...

    def link(self, place: Place, message: str) -> str:
        """A link to the message for people, or an empty text."""
        ...
