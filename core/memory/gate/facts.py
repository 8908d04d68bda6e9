"""Facts: what of a person's turn is worth keeping, per layer. Nothing is compared here yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from core.memory.gate import dates, topics, words
from core.memory.gate.clauses import Clause, clauses_of
from core.memory.gate.op import Sign, Spoken
from core.memory.gate.private import is_private
from core.memory.gate.vetoes import STANDING
from core.memory.record import Layer, State
from core.messages import Language

ORDER: tuple[Layer, ...] = ("experience", "identity", "preference", "context")
"""Which layer has the first word about a clause: the more telling signs come first."""

LEAST_EXPERIENCE = 3
"""Words that a conclusion must have: `that worked!` concludes nothing."""

PROJECT_S = 180 * 86_400.0
"""What is under way without a date is forgotten half a year after it was last spoken of."""

_BESIDE = re.compile(
    r"^(?:(?:so|and|please|then) )*(?:book|order|send|write|draft|make|find|show|tell|give|get|look|check|go|can|could"
    r"|will|would|do|let|help|call|remind|translate|summari[sz]e|what|how|any|set|open|create|search|run|start"
    r"|try|fix|add|plan|prepare|schedule|put|use)\b|^(?:帮|给我|请|麻烦|订|查|看看|看下|你|能|可以|有没有|推荐|怎么|写|发|翻译|算|找|搜|安排|提醒)",
    re.I,
)
"""Begins what is asked for beside a fact."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a person said and that may be kept."""

    layer: Layer
    text: str
    said: Spoken
    language: Language
    topics: tuple[str, ...] = ()
    change: bool = False
    also: bool = False
    repeated: bool = False
    weak: bool = False
    """Kept only if it renews a memory that is there: a wish without a word that makes it last."""
    channel: bool = False
    state: State = ""
    expires_at: float | None = None

    @property
    def form(self) -> bool:
        return self.layer == "preference" and any(one in topics.FORMS for one in self.topics)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A clause with what was found in it."""

    clause: Clause
    dated: dates.Dated
    layer: Layer | None = None
    sign: Sign | None = None
    rule: bool = False


def facts_of(said: Spoken, zone: tzinfo, *, direct: bool) -> list[Fact]:
    """The facts of a turn, in order."""
    today = dates.day_of(said.at, zone)
    pieces = _whole([_piece(clause, today, direct) for clause in clauses_of(said.text)])
    found: list[Fact] = []
    for group in _groups(pieces):
        fact = _fact(group, said, zone, direct)
        if fact is not None:
            found.append(fact)
    return found


def layer_of(text: str) -> Sign | None:
    """The sign that marks a clause, of the first layer that has one."""
    table = words.signs(words.tongue(text))
    for layer in ORDER:
        for sign in table:
            if sign.layer == layer and words.compiled(sign.pattern).search(text):
                return sign
    return None


def _piece(clause: Clause, today: dates.date, direct: bool) -> _Piece:
    dated = dates.resolve(clause.text, today)
    if clause.vetoed or is_private(clause.text):
        return _Piece(replace(clause, vetoed=clause.vetoed or "secret"), dated)
    if not direct and words.says("RULE", clause.text):
        return _Piece(clause, dated, "context", None, rule=True)
    sign = layer_of(dated.text) or layer_of(clause.text)
    if sign is not None and words.says("TASK", clause.text) and not STANDING.search(clause.text):
        return _Piece(replace(clause, vetoed="task"), dated)
    return _Piece(clause, dated, sign.layer if sign else None, sign)


def _whole(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Where no clause tells anything by itself, its sentence may."""
    kept: list[_Piece] = []
    for number in dict.fromkeys(piece.clause.sentence for piece in pieces):
        own = [piece for piece in pieces if piece.clause.sentence == number]
        if len(own) == 1 or any(one.layer or one.clause.vetoed for one in own):
            kept += own
            continue
        comma = "，" if words.tongue(own[0].clause.text) == "zh" else ", "
        text = comma.join(one.dated.text for one in own)
        sign = layer_of(text)
        if sign is None:
            kept += own
            continue
        last = max((one.dated.last for one in own if one.dated.last), default=None)
        clause = Clause(comma.join(one.clause.text for one in own), number)
        kept.append(_Piece(clause, dates.Dated(text, last), sign.layer, sign))
    return kept


def _groups(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Pieces that make one memory each, in their order."""
    groups: list[list[_Piece]] = []
    waiting: list[_Piece] = []
    for at, piece in enumerate(pieces):
        if at and piece.clause.sentence != pieces[at - 1].clause.sentence:
            waiting = []
        if piece.clause.vetoed:
            waiting = []
            continue
        if piece.layer is None:
            home = groups[-1] if groups else None
            if home and home[-1].clause.sentence == piece.clause.sentence and _goes_along(piece):
                home.append(piece)
            elif _goes_along(piece):
                waiting.append(piece)
            continue
        lead = waiting if piece.sign is not None and piece.sign.whole else []
        waiting = []
        home = _home(groups, piece)
        if home is not None:
            home.append(piece)
        else:
            groups.append([*lead, piece])
    return groups


def _home(groups: list[list[_Piece]], piece: _Piece) -> list[_Piece] | None:
    """The group that a piece belongs to, if there is one already."""
    for group in reversed(groups):
        first = next(one for one in group if one.layer)
        if first.layer != piece.layer:
            continue
        same = group[-1].clause.sentence == piece.clause.sentence
        if piece.layer == "identity":
            return group
        if piece.layer == "preference":
            ours, theirs = _topics(group), topics.topics_of(piece.dated.text)
            if set(ours) & set(theirs) or (same and (not theirs or not ours) and not _likes(piece)):
                return group
            continue
        if same or piece.layer == "experience":
            return group
    return None


def _likes(piece: _Piece) -> bool:
    """`and I like …`: another liking is another memory."""
    return (
        re.match(
            r"i (?:also |really )?(?:like|love|prefer|hate|enjoy|want)\b|我(?:也|还)?(?:喜欢|爱|讨厌)",
            piece.clause.text,
            re.I,
        )
        is not None
    )


def _topics(group: Sequence[_Piece]) -> tuple[str, ...]:
    return topics.topics_of(" , ".join(one.dated.text for one in group))


def _goes_along(piece: _Piece) -> bool:
    """An unmarked clause that belongs to its neighbour, and asks for nothing."""
    return _BESIDE.search(piece.clause.text) is None


def _fact(group: Sequence[_Piece], said: Spoken, zone: tzinfo, direct: bool) -> Fact | None:
    marked = next(one for one in group if one.layer is not None)
    layer = marked.layer or "context"
    language = words.tongue(marked.clause.text)
    text = ("，" if language == "zh" else ", ").join(one.dated.text for one in group)
    if layer == "experience" and len(words.content(text)) < LEAST_EXPERIENCE:
        return None
    whole = " ".join(one.clause.text for one in group)
    last = max((one.dated.last for one in group if one.dated.last), default=None)
    state = state_of(text) if layer == "context" else ""
    return Fact(
        layer,
        text,
        said,
        language,
        topics=topics.topics_of(text),
        change=any(one.sign is not None and one.sign.change for one in group)
        or words.says("CHANGED", whole) is not None,
        also=words.says("ALSO", whole) is not None,
        repeated=words.says("REPEATED", said.text) is not None,
        channel=not direct and layer in ("context", "experience") and not is_personal(text),
        state=state,
        expires_at=_expiry(layer, state, dates.Dated(text, last), said, zone),
    )


def state_of(text: str) -> State:
    """How far something is that a person is busy with."""
    if words.says("STOPPED", text) or words.says("DONE", text):
        return "completed"
    if words.says("BLOCKED", text):
        return "blocked"
    return "exploring" if words.says("EXPLORED", text) else "active"


def _expiry(
    layer: Layer, state: State, dated: dates.Dated, said: Spoken, zone: tzinfo
) -> float | None:
    if layer != "context":
        return None
    ends = dated.expires(zone)
    if ends is not None and ends > said.at and state != "completed":
        return ends
    return said.at + PROJECT_S


_PERSONAL = re.compile(
    r"\b(?:allerg|pregnan|diagnos|surgery|therapy|depress|anxiety|cancer|hiv|salary|divorc|medication|doctor|hospital"
    r"|my (?:wife|husband|kid|son|daughter|health|pay|bonus))|过敏|怀孕|体检|手术|抑郁|焦虑|癌|工资|薪|奖金|离婚|吃药|住院|病|身体",
    re.I,
)


def is_personal(text: str) -> bool:
    """Health, money and family: for their owner alone, wherever they were said."""
    return _PERSONAL.search(text) is not None
