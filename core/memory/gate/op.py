"""What the gate looks at, and what it decides: turns in, operations out. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.memory.record import Layer, State
from core.messages import Frozen, Language


class Spoken(Frozen):
    """One turn of a conversation."""

    by: Literal["person", "bot", "tool"] = "person"
    """Only what a person said is ever remembered."""
    person: str = ""
    """Platform id of whoever said it."""
    name: str = ""
    text: str
    message: str = ""
    """Platform id of the message."""
    at: float
    """Unix seconds; relative dates are counted from here."""


class Op(Frozen):
    """One change of the memories of one person."""

    op: Literal["add", "update", "delete"]
    owner: str
    target: str = ""
    """Id of the memory that ends; empty for `add`."""
    layer: Layer = "context"
    text: str = ""
    """In the speaker's language, dates resolved, no secret."""
    language: Language = "en"
    attribute: str = ""
    value: str = ""
    form: bool = False
    state: State = ""
    channel: bool = False
    """Everybody in the channel may see it; else its owner alone."""
    expires_at: float | None = None
    message: str = ""
    at: float = 0.0
    origin: Literal["said", "run"] = "said"


@dataclass(frozen=True, slots=True)
class Sign:
    """A turn of phrase that marks something worth keeping, with a sentence that shows it."""

    layer: Layer
    pattern: str
    example: str
    change: bool = False
    """It tells that something is not as it was."""
    whole: bool = False
    """What stands before it in the sentence belongs to it."""
