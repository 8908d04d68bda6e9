"""Corrections: `no, I meant Munich`, 不是缓存，是时钟. What was said is put right, not kept beside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.memory.gate import words
from core.memory.record import Memory

_NAME = r"[\w.'+#/:\- ]{1,40}?"
_FORMS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:i mean|i meant|make that|it'?s actually|it is actually|should (?:be|say|have been)|correction:?|it'?s|it was|read)\s+(?:to say )?(?:in |to )?(?P<new>{_NAME})\s*(?:,|—|-)?\s*(?:not|instead of|rather than) (?:in )?(?P<old>{_NAME})[.!]*$",
        rf"\b(?:it'?s |that'?s |it was |i meant )?not (?:in )?(?P<old>{_NAME})\s*(?:,|—|;|but)\s*(?:but |it'?s |it is |it was |i meant |rather )?(?:in )?(?P<new>{_NAME})[.!]*$",
        rf"^(?:no|nope|sorry|wait|oops|actually|correction|my bad|my mistake|scratch that|ah no)\b[\s,:.—-]*(?:(?:wait|sorry|no|actually)[\s,:.—-]+)*(?:i meant|i mean|make that|it'?s actually|it'?s|it is|it should be|should be|that should be)\s+(?:in |to say )?(?P<new>{_NAME})[.!]*$",
        r"不是(?P<old>[^，。,]{1,16}?)(?:了)?[，,、 ]*(?:而)?(?:应该|其实)?是(?P<new>[^，。,]{1,30})",
        r"是(?P<new>[^，。,不]{1,16})[，,]?(?:而)?不是(?P<old>[^，。,]{1,16})",
        r"(?:说错|不对|搞错|弄错|记错|写错|更正|纠正|口误|打错)了?(?:一下)?[，,：: ]*(?:应该|其实)?(?:是|改成|为)(?P<new>[^，。,]{1,30})",
    )
)


def corrected(text: str, known: Sequence[Memory], owner: str) -> tuple[Memory, str] | None:
    """The memory that a sentence puts right, and how it reads then."""
    mine = sorted(
        (memory for memory in known if memory.owner == owner), key=lambda one: -one.observed_at
    )
    for sentence in re.split(r"(?<=[.!?。！？])\s*|\n", text):
        if sentence.rstrip().endswith(("?", "？")) or not words.says("CORRECTED", sentence.strip()):
            continue
        for form in _FORMS:
            found = form.search(sentence.strip())
            if found is None:
                continue
            new, old = found["new"].strip(), (found.groupdict().get("old") or "").strip()
            old = re.sub(r"(?:问题|原因|的)$", "", old)
            for memory in mine:
                text_now = _put_right(memory.text, old, new)
                if text_now and (old or len(mine) == 1):
                    return memory, text_now
    return None


def _put_right(text: str, old: str, new: str) -> str:
    """`text` with the new thing in the place of the old one, or an empty text."""
    if old and old.casefold() not in text.casefold():
        return ""
    label = re.match(r"(.{2,24}?(?:原因|是|为|:|：)\s*(?:是|：|:)?\s*)(.+)$", text)
    if (
        label
        and (not old or old.casefold() in label[2].casefold())
        and re.search(r"[:：]", label[1])
    ):
        return label[1] + new
    if old:
        return re.sub(re.escape(old), lambda _: new, text, count=1, flags=re.I)
    # Only the new thing was said: it takes the place of the last name or date.
    names = list(
        re.finditer(r"\d{4}-\d\d-\d\d|(?<!^)\b[A-Z][\w'-]+|(?<=[在到叫是])[一-龥]{2,6}$", text)
    )
    if not names:
        return ""
    last = names[-1]
    return text[: last.start()] + new + text[last.end() :]
