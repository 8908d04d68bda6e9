"""Update, supersede or insert: a fact against what is known of the same person. Pure.

Same subject and same attribute decide, never nearness alone: "I also write Go" ends nothing, and
what repeats a memory changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.memory.gate import topics, words
from core.memory.gate.facts import Fact, state_of
from core.memory.record import PINNED, Memory

SAME_TOPIC = 0.3
"""Share of a memory's words that a fact must hold to be about the same thing."""
REFINED = 0.5

_CLAUSE = re.compile(r"[,，;；、]\s*")


def is_repeated(fact: Fact, known: Sequence[Memory]) -> bool:
    """True if a memory says all that the fact says."""
    said = words.content(fact.text)
    for memory in known:
        if memory.owner != fact.said.person:
            continue
        held = words.content(memory.text)
        same = words.denies(memory.text) == words.denies(fact.text)
        if fact.repeated and (said & held or _shared(fact, memory)):
            return True
        if (
            said
            and said <= held
            and same
            and words.numbers(fact.text) <= words.numbers(memory.text)
        ):
            return True
    return False


def target_of(fact: Fact, known: Sequence[Memory]) -> Memory | None:
    """The memory that the fact puts an end to, if it does."""
    if fact.also and fact.layer != "context":
        return None
    best: tuple[float, float] | None = None
    chosen: Memory | None = None
    for memory in known:
        if memory.owner != fact.said.person or not _same_layer(fact, memory):
            continue
        weight = _weight(fact, memory)
        rank = (weight, memory.observed_at)
        if weight > 0 and (best is None or rank > best):
            best, chosen = rank, memory
    return chosen


def joined(fact: Fact, old: Memory) -> Fact:
    """The fact as it replaces a memory: what the memory says of other attributes is kept."""
    ours = set(fact.topics)
    kept = [
        part
        for part in _CLAUSE.split(old.text)
        if (sides := set(topics.topics_of(part))) and not sides & ours and old.layer in PINNED
    ]
    if not kept or not set(topics.topics_of(old.text)) & ours:
        return fact
    comma = "，" if fact.language == "zh" else ", "
    text = comma.join([*kept, fact.text])
    return replace(fact, text=text, topics=topics.topics_of(text))


def _same_layer(fact: Fact, memory: Memory) -> bool:
    return fact.layer == memory.layer


def _shared(fact: Fact, memory: Memory) -> set[str]:
    return set(fact.topics) & set(topics.topics_of(memory.text))


def _weight(fact: Fact, memory: Memory) -> float:
    """How surely the fact ends the memory; 0: not at all."""
    share = words.overlap(words.content(fact.text), words.content(memory.text))
    shared = _shared(fact, memory)
    if fact.layer == "context":
        return share if _moves_on(fact, memory) and share >= SAME_TOPIC else 0.0
    if fact.layer == "experience":
        return share if share >= 0.7 else 0.0
    flipped = words.denies(fact.text) != words.denies(memory.text)
    if shared & topics.SINGLE and not fact.weak:
        return 2.0 + share
    if shared and (fact.change or fact.weak):
        return 1.5 + share
    if flipped and share >= SAME_TOPIC:
        return 1.0 + share
    if fact.change and share >= SAME_TOPIC:
        return 1.0 + share
    return share if share >= REFINED else 0.0


def _moves_on(fact: Fact, memory: Memory) -> bool:
    """Something under way has another date, another number or another state now."""
    before = memory.state or state_of(memory.text)
    if fact.state != before and (fact.state != "active" or before in ("exploring", "blocked")):
        return True
    if fact.change:
        return True
    new, old = words.numbers(fact.text), words.numbers(memory.text)
    return bool(new) and bool(old) and new != old
