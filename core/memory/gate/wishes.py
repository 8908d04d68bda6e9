"""What a person wishes of the memory itself: remember this, forget that, keep nothing of this."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.memory.gate import clauses, kinds, topics, words
from core.memory.record import Layer, Memory

_LAYERS: tuple[tuple[Layer, re.Pattern[str]], ...] = (
    (
        "preference",
        re.compile(r"\b(?:preferences?|likes|tastes?|wishes)\b|偏好|喜好|习惯|口味", re.I),
    ),
    ("context", re.compile(r"\bprojects?\b|项目|进度|背景", re.I)),
    ("experience", re.compile(r"\b(?:lessons?|experiences?)\b|经验|教训", re.I)),
)
_TEXT_OF_THE_WISH = re.compile(
    r"\b(?:that|my|i|the|about|prefer(?:ences?)?|everything|anything|what|said|like|love)\b"
    r"|我|喜欢|的|偏好|关于|记忆|那条|这条|说过|之前|全部|所有|喜好|习惯|都",
    re.I,
)
LEAST_SHARED = 0.3


def keeps_nothing(text: str) -> bool:
    """`don't remember this conversation`, 下面的话别记."""
    return words.says("OFF", text) is not None


def remembered(text: str) -> str:
    """What is to be remembered, of `remember …`; an empty text if nothing is."""
    bare = clauses.own_words(text).strip()
    for sentence in re.split(r"(?<=[.!?。！？])\s*|\n", bare):
        sentence = clauses.trimmed(sentence)
        if not sentence:
            continue
        found = words.says("REMEMBER", sentence)
        if found and found["what"].strip(" …"):
            return found["what"].strip()
        if words.says("REMEMBER_BARE", sentence):
            return re.sub(r"^(?:please )?\w+\s+", "", sentence, count=1, flags=re.I)
        after = words.says("REMEMBER_AFTER", sentence)
        if after and sentence[: after.start()].strip():
            return sentence[: after.start()].strip("，, ")
    return ""


def to_forget(text: str, known: Sequence[Memory], owner: str) -> list[Memory] | None:
    """The memories of `owner` that a wish names; None if the text is no such wish."""
    for sentence in re.split(r"(?<=[.!?。！？])\s*|\n|(?<=[,，])\s*", clauses.own_words(text)):
        bare = clauses.trimmed(sentence)
        if bare.endswith(("?", "？")) and not re.match(r"(?:can|could) you|能", bare, re.I):
            continue
        found = words.says("FORGET", bare.rstrip("?？")) if bare else None
        if found is None:
            continue
        groups = found.groupdict()
        what = (groups.get("what") or groups.get("what2") or "").strip()
        whole = words.says("ALL_OF_IT", what, words.tongue(bare))
        if not whole and words.says("FORGET_NOTHING", what, words.tongue(bare)):
            continue
        mine = [memory for memory in known if memory.owner == owner]
        return named_in(what, mine, everything=whole is not None)
    return None


def named_in(what: str, mine: Sequence[Memory], *, everything: bool = False) -> list[Memory]:
    """Of some memories, those that a few words name: by layer, attribute, kind or words."""
    layer = next((layer for layer, pattern in _LAYERS if pattern.search(what)), None)
    rest = _TEXT_OF_THE_WISH.sub(" ", what).strip()
    meant = words.content(rest)
    members = kinds.members(what)
    sides = set(topics.topics_of(what))
    if everything and not (meant and sides):
        return [memory for memory in mine if layer is None or memory.layer == layer]
    found = [
        memory
        for memory in mine
        if (layer is None or memory.layer == layer)
        and (
            any(member in memory.text.lower() for member in members)
            or sides & set(topics.topics_of(memory.text))
            or words.overlap(words.content(memory.text), meant) >= LEAST_SHARED
        )
    ]
    if not found and layer is not None and not meant:
        return [memory for memory in mine if memory.layer == layer]
    return found
