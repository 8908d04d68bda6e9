"""Request: everything one run needs, assembled before it starts; the first step of the journal."""

from __future__ import annotations

from core.messages import Frozen, Language, Person, Place


class TeammateCard(Frozen):
    """The persona that answers."""

    name: str = "threadmate"
    avatar: str = ""
    role: str = ""
    """Role text; a section of the prompt."""


class Picks(Frozen):
    """What the asker picked by hand (`/ask mode: tools: kb:`). A pick may only narrow."""

    mode: str | None = None
    tools: tuple[str, ...] | None = None
    kb: tuple[str, ...] | None = None
    """Names of KBs; an empty tuple means none (`kb: none`)."""


class Turn(Frozen):
    """One question and its answer, earlier in this thread."""

    person: str
    """Display name."""
    question: str
    answer: str


class Request(Frozen):
    """Everything one run needs; nothing of it is decided again when the run is resumed."""

    run: str
    place: Place
    asker: Person
    question: str
    cut: int = 0
    """Characters of the question that were cut off."""
    language: Language
    """Of the answer: majority script of the question, then the person's setting."""
    time_zone: str
    """IANA name: platform profile, then channel, then config."""
    now: float
    """Unix seconds when the request was assembled; a resumed run keeps it."""
    teammate: TeammateCard = TeammateCard()
    audience: tuple[str, ...]
    """Scopes that may be read in this place."""
    kbs: tuple[int, ...] = ()
    """Ids of the KBs in scope, already narrowed by the picks."""
    tools: tuple[str, ...] = ()
    """Names of the tools that this run may use."""
    picks: Picks = Picks()
    history: tuple[Turn, ...] = ()
    documents_only: bool = False
    model: str | None = None
    """litellm name; None is no-key mode."""
