"""What came in, platform-neutral: people, places, messages. Ids are the platform's, prefixed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Language = Literal["zh", "en"]


class Frozen(BaseModel):
    """Plain data: immutable, no unknown fields, JSON in and out."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Person(Frozen):
    """Somebody who speaks to us."""

    id: str
    """`slack:T1/U2`. People are ids, never names."""
    name: str = ""
    """Display name, for showing only."""
    language: Language | None = None
    """From the platform profile's locale, if it tells."""
    time_zone: str | None = None
    """IANA name from the platform profile."""


class Place(Frozen):
    """Where something was said, and where the answer goes."""

    platform: str
    """`slack`, `local` (the shell)."""
    workspace: str
    """`slack:T1`."""
    channel: str
    """`slack:T1/C2`."""
    thread: str
    """`slack:T1/C2/1700.1`: the root message's id under the channel."""
    direct: bool = False
    """A one-to-one conversation with us."""


class Attachment(Frozen):
    """A file that came with a message, not fetched yet."""

    id: str
    """The platform's file id."""
    name: str
    """As given by the uploader; never used as a path."""
    size: int = 0
    """Bytes, as the platform tells; 0 if unknown."""
    mime: str = ""
    handle: str = ""
    """What the adapter needs to fetch it; opaque to everyone else."""


class Click(Frozen):
    """A button of ours that somebody pressed."""

    action: str
    """Id of the button: `stop`, `remove`."""
    value: str
    message: str
    """Platform id of the message that holds the button."""


class Message(Frozen):
    """What came in; the payload of a queued run."""

    key: str
    """Id of the run it asks for; a second arrival of the key starts nothing."""
    kind: Literal["ask", "file", "command", "click"]
    """`ask`: addressed to us. `file`: only files, for the KB. `command`: a chat command."""
    place: Place
    author: Person
    id: str = ""
    """The platform's message id (reactions go there); empty for slash commands."""
    text: str = ""
    """Our own mention removed, entities decoded, never more than `MAX_TEXT` characters."""
    attachments: tuple[Attachment, ...] = ()
    command: str = ""
    """For `command`: ask, kb, help, stop, ...; the rest of the line is `text`."""
    click: Click | None = None
    mentions: tuple[str, ...] = ()
    """Ids of people mentioned, us excluded."""
    sent_at: float = 0.0
    """Unix seconds."""
    cut: int = 0
    """How many characters were cut off `text`."""


MAX_TEXT = 20_000
"""Longest question taken (Slack itself cuts at 40,000 characters). The rest is cut and said."""
