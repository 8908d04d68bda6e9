"""A teammate among the settings: its layer, and the variables in its texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from core.messages import Language, Person, Place
from core.request import TeammateCard, Wishes
from core.settings import BUILT_IN, PERSON, TEAMMATE, Merged, filled
from core.teammates.card import AUTO

LANGUAGE_NAMES: dict[Language, str] = {"zh": "中文", "en": "English"}


def layer_of(card: TeammateCard) -> dict[str, Any]:
    """The card's values as a layer of the settings; what it does not say is left out."""
    return {
        "language": card.language,
        "style": card.style or None,
        "verbosity": card.verbosity or None,
        "mode": None if card.mode == AUTO else card.mode,
    }


def wishes_of(merged: Merged) -> Wishes:
    """What of the settings goes before the cards: all that no card said."""
    settings = merged.settings

    def said(name: str) -> bool:
        return merged.layer(name) not in (TEAMMATE, BUILT_IN)

    return Wishes(
        # Elsewhere the language is only for questions that show none.
        language=settings.language if merged.layer("language") == PERSON else None,
        style=settings.style if said("style") else "",
        verbosity=settings.verbosity if said("verbosity") else "",
    )


@dataclass(frozen=True)
class Texts:
    """Fills the variables of one request."""

    asker: Person
    place: Place
    language: Language
    time_zone: str
    now: float

    def in_card(self, card: TeammateCard, role: str) -> TeammateCard:
        """The card with `role`, variables filled in its texts."""
        values = self._values(card)
        style = filled(card.style, values)
        return card.model_copy(update={"role": filled(role, values), "style": style})

    def in_wishes(self, wishes: Wishes, card: TeammateCard, merged: Merged) -> Wishes:
        """The channel's style, filled; a person's own words are data, and stay as they are."""
        if merged.layer("style") == PERSON:
            return wishes
        style = filled(wishes.style, self._values(card))
        return wishes.model_copy(update={"style": style})

    def _values(self, card: TeammateCard) -> dict[str, str]:
        local = datetime.fromtimestamp(self.now, ZoneInfo(self.time_zone))
        return {
            "nickname": self.asker.name or self.asker.id.rsplit("/", 1)[-1],
            "time": local.strftime("%Y-%m-%d %H:%M"),
            "timezone": self.time_zone,
            "channel": self.place.channel.rsplit("/", 1)[-1],
            "workspace": self.place.workspace.partition(":")[2] or self.place.workspace,
            "teammate": card.name,
            "language": LANGUAGE_NAMES[self.language],
        }
