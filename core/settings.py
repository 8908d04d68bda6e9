"""Settings: the merged values of one request, each traceable to the layer that set it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError, field_validator

from core.errors import WrongConfig
from core.language.zones import is_zone, resolve_zone
from core.messages import Frozen, Language, Place


class Settings(Frozen):
    """What a channel can change. Lists replace each other, they are never joined."""

    language: Language = "en"
    """Where neither the question nor the person's profile tells one."""
    time_zone: str | None = None
    """IANA name or a city; None leaves it to the process's configuration."""
    ingest: Literal["auto", "mention", "off"] = "auto"
    """Which dropped documents become knowledge."""
    listen: bool = False
    """Log messages that are not addressed to us: not in this release."""
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
    approvers: tuple[str, ...] = ()
    """Ids of people who allow calls with effects, beside the admins; empty: the asker does."""

    @field_validator("listen")
    @classmethod
    def _not_yet(cls, listen: bool) -> bool:
        # Taken and not kept, it would be a promise about a channel's privacy that nobody checks.
        if listen:
            raise ValueError("listening comes in a later release; off is all there is")
        return listen

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is None or is_zone(name):
            return name
        zone = resolve_zone(name)
        if zone is None:
            raise ValueError(f"{name!r} is no time zone; write one like Asia/Shanghai")
        return zone


@dataclass(frozen=True)
class Merged:
    """Settings and, for each value that is not the built-in default, the layer that set it."""

    settings: Settings
    origin: Mapping[str, str] = field(default_factory=dict[str, str])

    def layer(self, name: str) -> str:
        """`built-in`, or the name of the layer that set the value `name`."""
        return self.origin.get(name, "built-in")


def merge(*layers: tuple[str, Mapping[str, Any]]) -> Merged:
    """Merge named layers, later ones over earlier ones; a value None changes nothing.

    Raises WrongConfig, naming layer and value, when a layer holds what cannot be.
    """
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for name, layer in layers:
        given = {key: value for key, value in layer.items() if value is not None}
        _check(name, given)
        values |= given
        origin |= dict.fromkeys(given, name)
    return Merged(Settings.model_validate(values), origin)


def _check(layer: str, values: Mapping[str, Any]) -> None:
    try:
        Settings.model_validate(values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{layer}.{'.'.join(str(part) for part in found['loc'])}: {found['msg']}"
            for found in error.errors()
        )
        raise WrongConfig(wrong) from error


@dataclass(frozen=True)
class SettingsBook:
    """Defaults of the whole installation, and what single channels change."""

    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By the channel's prefixed id (`slack:T1/C2`) or its last part (`C2`)."""

    def merged(self, place: Place) -> Merged:
        """The settings of a place, with their layers."""
        short = place.channel.rpartition("/")[2]
        return merge(
            ("defaults", self.defaults),
            (f"channels.{short}", self.channels.get(short, {})),
            (f"channels.{place.channel}", self.channels.get(place.channel, {})),
        )

    def of(self, place: Place) -> Settings:
        """The settings of a place."""
        return self.merged(place).settings

    def check(self) -> None:
        """Raise WrongConfig if any layer holds what cannot be; for the start of the process."""
        merge(("defaults", self.defaults))
        for channel, values in self.channels.items():
            merge((f"channels.{channel}", values))
