"""The book: all layers of an installation, and what comes of them in a place for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.messages import Place
from core.request import Request
from core.rights import Right
from core.settings.merge import Merged, merge
from core.settings.values import Settings
from core.texts import say

CHANNEL, PERSON = "channel", "person"
"""Layers that are kept in the store: what a channel's admins set there, what a person set."""

TEAMMATE = "teammate"

MOST_NAMED = 5
"""People that a refusal names."""

OF_PERSON = ("language", "style", "verbosity", "time_zone", "web", "model")
"""What people set for themselves; all else is their channel's."""


@dataclass
class Kept:
    """Values from the store as they were last read; `core.settings.kept` keeps them fresh."""

    channels: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    people: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    revision: int = 0


@dataclass(frozen=True)
class SettingsBook:
    """Defaults of the whole installation, what single channels change, and what is kept."""

    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By the channel's prefixed id (`slack:T1/C2`) or its last part (`C2`)."""
    kept: Kept = field(default_factory=Kept)

    def merged(
        self, place: Place, person: str = "", teammate: Mapping[str, Any] | None = None
    ) -> Merged:
        """The settings of a place with their layers: defaults < teammate < channel < person.

        `teammate` are the values of the card that answers. What the file says of a channel comes
        before what its admins set there.
        """
        defaults, *channels = self._file(place)
        return merge(
            defaults,
            (TEAMMATE, teammate or {}),
            *channels,
            (CHANNEL, self.kept.channels.get(place.channel, {})),
            (PERSON, self.kept.people.get(person, {})),
        )

    def tried(self, place: Place, layer: str, values: Mapping[str, Any]) -> Merged:
        """The settings of a place if `values` stood in a kept layer, and no later one was there."""
        kept = {} if layer == CHANNEL else self.kept.channels.get(place.channel, {})
        return merge(*self._file(place), (CHANNEL, kept), (layer, values))

    def _file(self, place: Place) -> list[tuple[str, Mapping[str, Any]]]:
        """The layers of the configuration."""
        short = place.channel.rpartition("/")[2]
        return [
            ("defaults", self.defaults),
            (f"channels.{short}", self.channels.get(short, {})),
            (f"channels.{place.channel}", self.channels.get(place.channel, {})),
        ]

    def of(self, place: Place, person: str = "") -> Settings:
        """The settings of a place, for a person."""
        return self.merged(place, person).settings

    def may(self, person: str, right: Right, place: Place, *, asker: str = "") -> bool:
        """True if `person` has a right in a place, now."""
        return self.of(place).may(person, right, asker=asker)

    def forbids(self, request: Request) -> str:
        """Why the asker of a request may not use tools with effects, now; empty if they may."""
        settings, language = self.of(request.place), request.language
        if settings.may(request.asker.id, "tools"):
            return ""
        people = [f"<@{one.rsplit('/', 1)[-1]}>" for one in settings.who_may("tools")]
        named = ("、" if language == "zh" else ", ").join(people[:MOST_NAMED])
        return say("rights.refused.tools", language, people=named or say("rights.nobody", language))

    def check(self) -> None:
        """Raise WrongConfig if any layer holds what cannot be; for the start of the process."""
        merge(("defaults", self.defaults))
        for channel, values in self.channels.items():
            merge((f"channels.{channel}", values))
