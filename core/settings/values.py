"""Settings: what can be different from channel to channel and from person to person."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from core.language.zones import is_zone, resolve_zone
from core.messages import Frozen, Language
from core.rights import Right, Rights
from core.settings.variables import VARIABLES, unknown_variable

LONGEST_STYLE = 300


class Settings(Frozen):
    """The values of one place and person. Lists replace each other, they are never joined."""

    language: Language = "en"
    """Where neither the question nor the person's profile tells one."""
    time_zone: str | None = None
    """IANA name or a city; None leaves it to the process's configuration."""
    style: str = Field("", max_length=LONGEST_STYLE)
    """How answers read, in words for the model; variables of `core.settings.variables` in it."""
    verbosity: Literal["", "short", "normal", "long"] = ""
    ingest: Literal["auto", "mention", "off"] = "auto"
    """Which dropped documents become knowledge."""
    listen: bool = False
    """Log what people say to each other here; edits and deletions are followed."""
    respond: Literal["asked", "all"] = "asked"
    """`all`: every message of the channel is a question, where the platform lets us read it."""
    web: Literal["when_asked", "on", "off"] = "when_asked"
    documents_only: bool = False
    """Never answer from the model's own knowledge."""
    steps: Literal["card", "replies"] = "card"
    mode: Literal["auto", "chat", "tool", "rag", "react", "loop"] = "auto"
    """A fixed mode for the channel; `auto` leaves it to the rules."""
    teammate: str = "generalist"
    """Who answers where nobody is named; a name that nobody has leaves it to the bot itself."""
    effects: tuple[str, ...] = ("write_document", "send_email")
    """Tools with effects that teammates may use here, if their own tools line names them."""
    kbs: tuple[str, ...] | None = None
    """Names of shared KBs that are read beside the channel's own; None means all of them."""
    hosts: tuple[str, ...] = ()
    """Hosts that links in answers may name."""
    admins: tuple[str, ...] = ()
    """Ids of people who may change what others own."""
    rights: Rights = Rights()
    """Who may do what here."""
    model: Literal["usual", "cheap"] = "usual"
    """`cheap`: the installation's `cheap_model` answers."""
    tools: tuple[str, ...] | None = None
    """Names of the tools that may be used here; None: all that a teammate has."""
    cache: bool = True
    """Answer again what was answered before, while the documents are the same."""
    feedback: bool = False
    """Buttons under answers: helpful or not."""

    @field_validator("style")
    @classmethod
    def _known_variables(cls, style: str) -> str:
        found = unknown_variable(style)
        if found is not None:
            known = ", ".join(VARIABLES)
            raise ValueError(f"there is no variable {{{{{found[0]}}}}}; known are {known}")
        return style

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is None or is_zone(name):
            return name
        zone = resolve_zone(name)
        if zone is None:
            raise ValueError(f"{name!r} is no time zone; write one like Asia/Shanghai")
        return zone

    @property
    def everyone_with(self) -> Rights:
        """The rights, with the installation's admins among their admins."""
        admins = (*self.rights.admin, *self.admins)
        return self.rights.model_copy(update={"admin": tuple(dict.fromkeys(admins))})

    def may(self, person: str, right: Right, *, asker: str = "") -> bool:
        """True if `person` has the right here; `asker` asked for the run that it is about."""
        return person in self.admins or self.rights.may(person, right, asker=asker)

    def who_may(self, right: Right, *, asker: str = "") -> tuple[str, ...]:
        """Ids of the people to turn to."""
        return self.everyone_with.who(right, asker=asker)
