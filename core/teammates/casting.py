"""Who speaks in a run: the teammate that was picked, named, is present, or answers by default."""

from __future__ import annotations

from dataclasses import dataclass

from core.request import TeammateCard
from core.teammates.roster import Team

MOST_OTHERS = 12
"""Who can be brought in stands in prompts, one line each; whoever is named comes first."""


@dataclass(frozen=True)
class Cast:
    """Who speaks in a run, and who can be brought in."""

    speaker: TeammateCard
    others: tuple[TeammateCard, ...]
    """Those that were named first, then who was present, then the rest."""
    named: tuple[str, ...]
    """Names that the text addresses, in its order."""
    enters: bool
    """True if the speaker is present in the thread from here on: it was asked by name."""


def cast_of(
    team: Team, text: str, *, picked: TeammateCard | None, present: str, usual: TeammateCard
) -> Cast:
    """Cast a run. `present` may name somebody who is gone; `usual` answers where nobody else does.

    The first named one speaks: `@researcher 查一下，然后 @writer 写成报告`.
    """
    named = team.named(text)
    here = team.get(present) if present else None
    asked = picked or (team.get(named[0]) if named else None)
    speaker = asked or here or usual
    first = [card for name in named if (card := team.get(name)) is not None]
    in_order = [*first, *([here] if here is not None else []), *team.cards]
    others = {card.name: card for card in in_order if card.name != speaker.name}
    enters = asked is not None and asked != here
    return Cast(speaker, tuple(others.values())[:MOST_OTHERS], named, enters)
