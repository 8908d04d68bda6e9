"""Rights: who may do what in a place. By platform ids, looked at in the moment of use.

They stand in one place, `threadmate.toml`: `[rights]` for all channels, `[channels."ID".rights]`
for one. A list replaces the wider one as a whole.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import field_validator, model_validator

from core.messages import Frozen

Right = Literal["chat", "tools", "ingest", "approve", "admin"]
RIGHTS: tuple[Right, ...] = get_args(Right)

EVERYBODY = "everybody"
ASKER = "asker"
WORDS = (EVERYBODY, ASKER)


class Rights(Frozen):
    """Who may do what: ids of people, and the words `everybody` and `asker`. Admins may all."""

    chat: tuple[str, ...] = (EVERYBODY,)
    """Ask and get an answer."""
    tools: tuple[str, ...] = (EVERYBODY,)
    """Let a run use tools that change something."""
    ingest: tuple[str, ...] = (EVERYBODY,)
    """Bring documents."""
    approve: tuple[str, ...] = (ASKER,)
    """Allow a call that waits for a click; `asker` is whoever asked for the run."""
    admin: tuple[str, ...] = ()
    """All of these, and change what others own; beside the installation's `admins`."""

    @field_validator("chat", "tools", "ingest", "approve", "admin")
    @classmethod
    def _known(cls, people: tuple[str, ...]) -> tuple[str, ...]:
        for one in people:
            # A display name would be given to whoever takes it.
            if one not in WORDS and (":" not in one or any(sign.isspace() for sign in one)):
                known = ", ".join(WORDS)
                raise ValueError(f"{one!r} is no id like slack:T1/U2 and none of {known}")
        return people

    @model_validator(mode="after")
    def _asker_approves_only(self) -> Rights:
        for right in RIGHTS:
            if right != "approve" and ASKER in self.held(right):
                raise ValueError(f"{right}: {ASKER} has a meaning in approve only")
        return self

    def held(self, right: Right) -> tuple[str, ...]:
        """The list of a right as it is written."""
        people: tuple[str, ...] = getattr(self, right)
        return people

    def may(self, person: str, right: Right, *, asker: str = "") -> bool:
        """True if `person` has the right; `asker` asked for the run that it is about."""
        if any(one in self.admin for one in (person, EVERYBODY)):
            return True
        people = self.held(right)
        return (
            person in people or EVERYBODY in people or (ASKER in people and person == asker != "")
        )

    def who(self, right: Right, *, asker: str = "") -> tuple[str, ...]:
        """Ids of the people to turn to: those who have the right, else the admins."""
        named = [asker if one == ASKER else one for one in self.held(right)]
        people = dict.fromkeys(one for one in named if one and one not in WORDS)
        return tuple(people) or tuple(one for one in self.admin if one not in WORDS)
