"""The gate by a model: asked once for a stretch of a conversation; every answer checked by code.

The model only proposes. Who owns a memory, whether its source is a person's own turn, whose memory
it touches, secrets, languages and dates are decided here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import aclosing
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, get_args

from core.memory.gate import topics, wishes, words
from core.memory.gate.dates import day_of, resolve
from core.memory.gate.facts import is_personal, state_of
from core.memory.gate.op import Op, Spoken
from core.memory.gate.private import is_private
from core.memory.gate.prompt import Asked, asked
from core.memory.record import LAYERS, Memory, State
from core.messages import Language
from core.model.protocol import Model
from core.model.repair import read_json
from core.redact import MASK, redact

log = logging.getLogger(__name__)

LONGEST = 300
"""Characters of a memory."""
MOST_OPS = 20
_ADDRESS = re.compile(r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


async def model_gate(
    model: Model,
    turns: Sequence[Spoken],
    known: Sequence[Memory],
    zone: tzinfo,
    language: Language,
    *,
    direct: bool,
) -> list[Op]:
    """What a model would change, as far as it holds up. Raises ModelError if it cannot be asked."""
    clean = [
        turn.model_copy(update={"text": redact(turn.text)})
        for turn in turns
        if not _kept_out(turn, turns)
    ]
    if not any(turn.by == "person" for turn in clean):
        return []
    question = asked(clean, known, language, zone)
    parts: list[str] = []
    async with aclosing(model.stream(question.request)) as deltas:
        async for delta in deltas:
            parts.append(delta.text)
    return proposed("".join(parts), question, zone, direct=direct)


def proposed(text: str, question: Asked, zone: tzinfo, *, direct: bool) -> list[Op]:
    """The operations of an answer that hold up."""
    read = read_json(text)
    value: Any = read.value
    rows: Any = value.get("ops") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        log.info("the memory gate's answer could not be read: %s", "; ".join(read.errors))
        return []
    ops: list[Op] = []
    touched: set[str] = set()
    for row in rows[:MOST_OPS]:
        op = checked(row, question, zone, direct=direct) if isinstance(row, dict) else None
        if op is None or (op.target and op.target in touched):
            continue
        touched.add(op.target)
        ops.append(op)
    return ops


def checked(row: dict[str, Any], question: Asked, zone: tzinfo, *, direct: bool) -> Op | None:
    """One proposal as an operation, or None if it does not hold up."""
    turn = question.turns.get(str(row.get("turn")))
    kind = row.get("op")
    if turn is None or turn.by != "person" or kind not in ("add", "update", "delete"):
        return None
    target = question.memories.get(str(row.get("target"))) if kind != "add" else None
    if kind != "add" and (target is None or target.owner != turn.person):
        return None
    if kind == "delete" and target is not None:
        return Op(op="delete", owner=turn.person, target=target.id, layer=target.layer, at=turn.at)
    layer = row.get("layer")
    text = resolve(" ".join(str(row.get("text") or "").split()), day_of(turn.at, zone)).text
    if layer not in LAYERS or not _holds_up(text, turn, target, question):
        return None
    state = row.get("state")
    shared = row.get("scope") == "channel" and not direct and layer in ("context", "experience")
    return Op(
        op="update" if target is not None else "add",
        owner=turn.person,
        target=target.id if target is not None else "",
        layer=layer,
        text=text,
        language=words.tongue(text),
        attribute=_word(row.get("attribute")) or next(iter(topics.topics_of(text)), ""),
        value=_word(row.get("value")) if _word(row.get("value")) in text else "",
        form=layer == "preference"
        and (row.get("about_answers") is True or bool(set(topics.topics_of(text)) & topics.FORMS)),
        state=_state(layer, state, text),
        channel=shared and not is_personal(text),
        expires_at=_expiry(row.get("expires"), turn, zone) if layer == "context" else None,
        message=turn.message,
        at=turn.at,
    )


def _holds_up(text: str, turn: Spoken, target: Memory | None, question: Asked) -> bool:
    """The text is short, no secret, in the speaker's language and made of their own words."""
    if not text or len(text) > LONGEST or MASK in text or is_private(text):
        return False
    said = " ".join(
        t.text for t in question.turns.values() if t.by == "person" and t.person == turn.person
    )
    if re.search(r"[一-鿿]", said) is None and words.tongue(text) == "zh":
        return False
    if words.tongue(turn.text) == "zh" and words.tongue(text) == "en" and " " in text:
        return False
    if any(address not in said for address in _ADDRESS.findall(text)):
        return False
    own = words.content(f"{said} {target.text if target else ''}") | words.numbers(said)
    return bool((words.content(text) | words.numbers(text)) & own)


def _kept_out(turn: Spoken, turns: Sequence[Spoken]) -> bool:
    """Its author wants nothing of this conversation kept."""
    return turn.by == "person" and any(
        other.by == "person" and other.person == turn.person and wishes.keeps_nothing(other.text)
        for other in turns
    )


def _state(layer: str, state: Any, text: str) -> State:
    if layer != "context":
        return ""
    return state if state in get_args(State) and state else state_of(text)


def _word(value: Any) -> str:
    return " ".join(value.split())[:40] if isinstance(value, str) else ""


def _expiry(value: Any, turn: Spoken, zone: tzinfo) -> float | None:
    try:
        day = date.fromisoformat(str(value))
    except ValueError:
        return None
    ends = datetime.combine(day + timedelta(days=1), time(), zone).timestamp()
    return ends if ends > turn.at else None
