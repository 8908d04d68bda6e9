"""What a teammate may use of what its place offers. A card narrows, it never adds."""

from __future__ import annotations

import re

from core.messages import Language
from core.request import OWN_KB, Reach, Request, TeammateCard, Wishes
from core.texts import say

_PART = re.compile(r"^[ \t]*<!--[ \t]*(zh|en)[ \t]*-->[ \t]*$", re.MULTILINE)
"""Begins the part of a role that is for one language."""


NO_WISHES = Wishes()


def within(
    picked: tuple[str, ...] | None, allowed: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """The picked tools among the allowed ones; None on either side is all."""
    if picked is None or allowed is None:
        return picked if allowed is None else allowed
    return tuple(name for name in picked if name in allowed)


def reach_of(request: Request) -> Reach:
    """What any teammate may use in the request's place."""
    return request.reach or Reach(kbs=tuple((kb, "") for kb in request.kbs))


def kbs_for(card: TeammateCard, kbs: tuple[tuple[int, str], ...]) -> tuple[int, ...]:
    """Ids of the KBs that the card names, in its order; all of them where it names none."""
    if card.knowledge is None:
        return tuple(kb for kb, _ in kbs)
    named: list[int] = []
    for wanted in (name.strip().casefold() for name in card.knowledge):
        own = wanted in OWN_KB
        named += [kb for kb, name in kbs if name.casefold() == wanted or (own and not name)]
    return tuple(dict.fromkeys(named))


def style_of(card: TeammateCard, language: Language, wishes: Wishes = NO_WISHES) -> str:
    """How the teammate writes for somebody with these wishes, as words for the prompt."""
    verbosity = wishes.verbosity or card.verbosity
    length = say(f"teammates.verbosity.{verbosity}", language) if verbosity else ""
    return "\n".join(part for part in (wishes.style or card.style, length) if part)


def role_in(role: str, language: Language) -> str:
    """The role in a language: what stands before the parts, and the part of that language.

    The whole text where it has no parts; the other language's part where its own is missing.
    """
    head, *rest = _PART.split(role)
    parts = dict(zip(rest[::2], rest[1::2], strict=True))
    if not parts:
        return role
    part = parts.get(language) or next(iter(parts.values()))
    return "\n\n".join(text.strip() for text in (head, part) if text.strip())


def as_teammate(request: Request, card: TeammateCard, tools: tuple[str, ...]) -> Request:
    """The request as another teammate works it: its role, knowledge and way to write.

    `tools` are the names that its card, the channel and the picks leave over.
    """
    reach = reach_of(request)
    wishes = request.wishes
    language = wishes.language or card.language or request.language
    style = style_of(card, language, wishes)
    old = style_of(request.teammate, request.language, wishes)
    rest = request.style.removeprefix(old).strip() if old else request.style
    return request.model_copy(
        update={
            "teammate": card.model_copy(update={"role": role_in(card.role, language)}),
            "team": _others(request, card),
            "language": language,
            "tools": tools,
            "kbs": kbs_for(card, reach.kbs),
            "style": "\n".join(part for part in (style, rest) if part),
            "reach": reach,
        }
    )


def _others(request: Request, card: TeammateCard) -> tuple[TeammateCard, ...]:
    everyone = (request.teammate, *request.team)
    return tuple(other for other in everyone if other.name != card.name)
