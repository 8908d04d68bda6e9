"""Several needs in one message: `What time is it? And how many documents are there?`"""

from __future__ import annotations

import re

from core.router.rule import bare
from core.router.rules import SINGLE

_SENTENCES = re.compile(r"(?<=[?？])\s*|[。;；\n]+")
_CLAUSES = re.compile(
    r"[,，]\s*|(?:并且|以及|还有|同时|顺便|另外|然后)"
    r"|\s+and\s+(?=what|how|when|where|who|which|will|the (?:weather|time)|weather)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]$|(?:吗|呢|什么|多少|哪(?:里|儿|些|个)|谁|几[天个点号])[?？]?$|^(?:what|who|when|where|why|how"
    r"|which)\b",
    re.IGNORECASE,
)
LONGEST = 400
"""A longer message is a story, not a list of needs."""
MOST = 8


def needs_of(question: str) -> tuple[str, ...]:
    """The single needs that a message holds, as its own words; fewer than two mean: just one.

    Two whole questions are two needs; so are two tools' words, or one beside a question. Two
    clauses about one thing (`几点开始，在哪里`) are one need.
    """
    if len(question) > LONGEST:
        return ()
    sentences = [part for part in map(str.strip, _SENTENCES.split(question)) if len(part) > 1]
    whole = [part for part in sentences if part.endswith(("?", "？")) and not _is_chat(part)]
    if len(whole) >= 2:
        return tuple(whole[:MOST])
    clauses = [
        part
        for sentence in sentences
        for part in map(str.strip, _CLAUSES.split(sentence))
        if len(part) > 1
    ]
    tools = {rule for part in clauses if (rule := _tool(part))}
    asked = [part for part in clauses if _tool(part) or _QUESTION.search(part)]
    several = len(tools) >= 2 or (tools and len(asked) >= 2 and len(clauses) == len(asked))
    return tuple(asked[:MOST]) if several else ()


def _tool(part: str) -> str:
    """Id of the rule whose tool's words the part is."""
    text = bare(part)
    return next((rule.id for rule in SINGLE if rule.match(part, text) is not None), "")


def _is_chat(part: str) -> bool:
    return len(bare(part)) < 3 and not _tool(part)
