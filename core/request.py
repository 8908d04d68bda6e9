"""Request: everything one run needs, assembled before it starts; the first step of the journal."""

from __future__ import annotations

from typing import Literal

from core.messages import Frozen, Language, Person, Place


class TeammateCard(Frozen):
    """A persona: the one that answers, or one that can be asked."""

    name: str = "threadmate"
    """As people mention it, without @."""
    aliases: tuple[str, ...] = ()
    """Other names that people mention it by: `研究员`."""
    avatar: str = ""
    """An emoji, or the address of a picture."""
    description: str = ""
    """One line: what it is good at; what planners and people choose by."""
    role: str = ""
    """Role text; a section of the prompt."""
    model: str | None = None
    """litellm name; None is the installation's."""
    tools: tuple[str, ...] | None = None
    """None: every tool that only reads, which `@read` stands for in a list. Tools with effects are
    named one by one."""
    knowledge: tuple[str, ...] | None = None
    """Names of KBs; None is what the channel reads, an empty tuple is none."""
    language: Language | None = None
    style: str = ""
    verbosity: Literal["", "short", "normal", "long"] = ""
    mode: str = "auto"
    max_rounds: int | None = None
    version: str = ""
    """Digest of its file; part of the answer cache's key."""


OWN_KB = frozenset({"channel", "here", "本频道", "这里"})
"""Names by which the channel's own KB, which has none, can be picked."""


class Reach(Frozen):
    """What any teammate may use in a place; its card narrows it further."""

    tools: tuple[str, ...] | None = None
    """Names of tools that may be used here; None: all that a card has."""
    effects: tuple[str, ...] = ()
    """Tools with effects that the channel allows."""
    kbs: tuple[tuple[int, str], ...] = ()
    """Ids and names of KBs, already narrowed by the picks; the channel's own has no name."""


class Picture(Frozen):
    """A picture that came with the question, kept as a file of the run."""

    path: str
    mime: str


class Picks(Frozen):
    """What the asker picked by hand (`/ask mode: tools: kb:`). A pick may only narrow."""

    mode: str | None = None
    tools: tuple[str, ...] | None = None
    kb: tuple[str, ...] | None = None
    """Names of KBs; an empty tuple means none (`kb: none`)."""
    teammate: str | None = None
    """Name of the one that is asked."""


class Turn(Frozen):
    """One question and its answer, earlier in this thread."""

    person: str
    """Display name."""
    by: str = ""
    """Id of the person; empty if it is not known."""
    question: str
    answer: str


class Wishes(Frozen):
    """How a channel or person wants answers to be, whoever speaks; empty leaves it to the card."""

    language: Language | None = None
    style: str = ""
    verbosity: Literal["", "short", "normal", "long"] = ""


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
    team: tuple[TeammateCard, ...] = ()
    """Others that can be asked or switched to here, those named in the question first."""
    named: tuple[str, ...] = ()
    """Names of teammates that the question names, in its order."""
    memory: str = ""
    """The `[User Memory]` block, already worded for the person and place; last in the prompt."""
    remembered: tuple[str, ...] = ()
    """Ids of the memories that it was given."""
    known: dict[str, str] = {}
    """Remembered values that fill tool parameters: `city`."""
    style: str = ""
    """How the person, channel or teammate wants answers to read; words for the prompt."""
    wishes: Wishes = Wishes()
    """Of the channel or person; they go before those of whichever teammate speaks."""
    pictures: tuple[Picture, ...] = ()
    web: Literal["when_asked", "on", "off"] = "when_asked"
    admins: tuple[str, ...] = ()
    """Ids of people who may approve and stop here beside the asker."""
    audience: tuple[str, ...]
    """Scopes that may be read in this place."""
    kbs: tuple[int, ...] = ()
    """Ids of the KBs in scope, already narrowed by the picks."""
    tools: tuple[str, ...] = ()
    """Names of the tools that this run may use."""
    reach: Reach | None = None
    """What another teammate may use here; None: what this one may."""
    picks: Picks = Picks()
    history: tuple[Turn, ...] = ()
    documents_only: bool = False
    model: str | None = None
    """litellm name; None is no-key mode."""
    cheap: bool = False
    """The cheaper model answers, as a channel or person chose."""
    cache: bool = False
    """The answer may be an earlier one, and may be kept for later."""
