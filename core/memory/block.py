"""The `[User Memory]` block: pinned layers within a budget, then what was found. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from core.memory.recall import FLOOR, Found
from core.memory.record import PINNED, Memory, Seat
from core.messages import Frozen, Language
from core.model.tokens import tokens_of
from core.texts import say

PINNED_TOKENS = 500
FOUND_TOKENS = 500
MOST_FOUND = 6
LONGEST = 300
"""Characters of one memory in the block."""


class Recalled(Frozen):
    """What a request is given of the memories."""

    block: str = ""
    """Lines with dates; empty if there is nothing to say."""
    style: str = ""
    """How the asker wants answers to read; obeyed, never quoted."""
    known: dict[str, str] = {}
    """Values by attribute, for parameters of tools."""
    ids: tuple[str, ...] = ()
    """Memories that were given."""


def worded(found: Sequence[Found], seat: Seat, language: Language) -> Recalled:
    """Word the memories that may be seen from a seat.

    Pinned layers go in by date, others by rank and above the floor. What is about the form of
    answers only shapes them: it stands in `style` and never in the block.
    """
    own = [one.memory for one in found if one.memory.owner == seat.person]
    form = _newest(memory for memory in own if memory.form)
    pinned = _newest(memory for memory in own if memory.layer in PINNED and not memory.form)
    others = [
        one.memory
        for one in found
        if one.score >= FLOOR
        and (one.memory.layer not in PINNED or one.memory.owner != seat.person)
    ]
    lines: list[str] = []
    ids = [memory.id for memory in form]
    for memories, budget in ((pinned, PINNED_TOKENS), (others[:MOST_FOUND], FOUND_TOKENS)):
        for memory in memories:
            line = _line(memory, seat, language)
            budget -= tokens_of(line)
            if budget < 0:
                break
            lines.append(line)
            ids.append(memory.id)
    return Recalled(
        block="\n".join(lines),
        style="; ".join(_flat(memory.text) for memory in form),
        known={m.attribute: m.value for m in reversed(pinned) if m.attribute and m.value},
        ids=tuple(ids),
    )


def _newest(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: -memory.observed_at)


def _line(memory: Memory, seat: Seat, language: Language) -> str:
    day = datetime.fromtimestamp(memory.observed_at, UTC).strftime("%Y-%m-%d")
    layer = say(f"memory.layer.{memory.layer}", language)
    state = f" ({say(f'memory.state.{memory.state}', language)})" if memory.state else ""
    who = "" if memory.owner == seat.person else say("memory.by_another", language) + " "
    return f"- {day} {layer}{state}: {who}{_flat(memory.text)}"


def _flat(text: str) -> str:
    """On one line and short: a line break in it could pass for a section of the prompt."""
    return " ".join(text.split())[:LONGEST]
