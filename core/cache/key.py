"""The key of an answer: all that it depends on. Pure."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping

from core.request import Request

LONGEST = 400
"""Longer questions carry material of their own, and are hardly asked again."""

_PERSONAL = re.compile(
    r"我(?!们|司|国|方)|本人|自己|俺|咱(?!们)|\b(?:i|me|my|mine|myself|i'm|i've|i'd|i'll)\b",
    re.IGNORECASE,
)
"""`我们` and `our` are the team's, and the same for all who read the channel."""

_TIMELY = re.compile(
    r"今天|今日|今晚|今早|今年|明天|明日|明年|后天|昨天|昨日|前天|去年|现在|目前|当前|此刻|刚才|刚刚|最近|最新|近期"
    r"|上午|下午|(?:这|本|上|下|当)(?:个|一)?(?:周|星期|礼拜|月|季|年|会儿)|几点|多久前|还剩|倒计时|随机|再来|重新"
    r"|\b(?:today|tonight|tomorrow|yesterday|now|current(?:ly)?|latest|newest|recent(?:ly)?"
    r"|just now|nowadays|at the moment|so far|yet|again|ago|random|anew"
    r"|(?:this|last|next) (?:week|month|year|quarter|morning|afternoon|evening|night"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_GAPS = re.compile(r"(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])")


def cacheable(request: Request) -> bool:
    """True if anybody who asks this here, at any time, should get the same answer.

    Only the first question of a thread: later ones lean on what was said before.
    """
    question = request.question
    return (
        request.cache
        and not request.history
        and not request.memory
        and not request.known
        and not request.pictures
        and not request.named
        and not request.cut
        and bool(request.kbs)
        and 0 < len(question) <= LONGEST
        and not _PERSONAL.search(question)
        and not _TIMELY.search(question)
    )


def normalised(question: str) -> str:
    """The question without what makes no difference: width, case, gaps, signs at its ends."""
    text = " ".join(unicodedata.normalize("NFKC", question).casefold().split())
    return _EDGES.sub("", _GAPS.sub("", text))


def key_of(request: Request, revisions: Mapping[int, int], tools: str) -> str:
    """The key of the request's answer.

    `revisions` are those of its KBs: every change of a document or its vectors makes another one.
    `tools` names the state of the toolbox.
    """
    card, picks = request.teammate, request.picks
    held = [
        # The role with its variables filled: one that names the asker is for them alone.
        (card.name, card.version, card.role, card.model, card.mode),
        request.model,
        request.cheap,
        request.language,
        normalised(request.question),
        sorted(request.audience),
        sorted(revisions.items()),
        (sorted(request.tools), tools),
        (request.documents_only, request.web, request.style),
        (picks.mode, picks.tools, picks.kb),
        [(other.name, other.version) for other in request.team],
    ]
    return hashlib.sha256(json.dumps(held, ensure_ascii=False).encode()).hexdigest()
