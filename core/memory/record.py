"""A memory: one thing that a person said about themselves or their work, and where they said it."""

from __future__ import annotations

from typing import Literal

from core.messages import Frozen, Language, Place
from core.scope import channel_scope, person_scope, workspace_scope

Layer = Literal["identity", "preference", "context", "experience"]
LAYERS: tuple[Layer, ...] = ("identity", "preference", "context", "experience")
PINNED: tuple[Layer, ...] = ("identity", "preference")
"""Given with every question: a preference shares no words with what it is about to shape."""

Status = Literal["active", "superseded", "forgotten"]
State = Literal["", "exploring", "active", "blocked", "completed"]


class Memory(Frozen):
    """One remembered thing. Never holds a secret; never comes from a file, page, tool or model."""

    id: str
    owner: str
    """Id of the person who said it."""
    scope: str
    """Who may see it: the owner alone, everybody in the channel where it was said, or all."""
    layer: Layer
    text: str
    """One sentence in the speaker's language, names verbatim, dates resolved."""
    language: Language
    subject: str = ""
    """What it is about: the owner's id for themselves, else a name as it was said."""
    attribute: str = ""
    """Which side of it (`home`, `editor`, `coffee`): the same subject and attribute supersede."""
    value: str = ""
    """The bare value, where there is one (`杭州`): fills a tool's parameter of the same name."""
    form: bool = False
    """About how answers read (language, tone, length): obeyed everywhere, quoted nowhere."""
    status: Status = "active"
    state: State = ""
    """Of a `context`."""
    origin: Literal["said", "run"] = "said"
    """`run`: a conclusion that code drew from a run's own events."""
    channel: str
    """Where it was said."""
    direct: bool
    """It was said in a conversation with us alone."""
    message: str = ""
    """Platform id of the message it comes from."""
    link: str = ""
    run: str = ""
    observed_at: float
    """Unix seconds."""
    expires_at: float | None = None
    ended_at: float | None = None
    """When it was superseded."""
    replaced_by: str = ""
    uses: int = 0
    used_at: float | None = None


class Seat(Frozen):
    """Who asks, and where: what decides which memories may be seen."""

    person: str
    channel: str
    workspace: str
    direct: bool

    @classmethod
    def of(cls, person: str, place: Place) -> Seat:
        return cls(
            person=person, channel=place.channel, workspace=place.workspace, direct=place.direct
        )

    @property
    def scopes(self) -> dict[str, str]:
        """The scopes that a statement compares with."""
        return {
            "mine": person_scope(self.person),
            "here": channel_scope(self.channel),
            "workspace": workspace_scope(self.workspace),
        }
