"""The gate by rules: turns and what is known -> operations. No model, no store, no clock.

Only a person's own turns count. The rules would rather miss something than keep what was never
meant to be kept: what is missed can be said again, what was kept wrongly comes up for months.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import tzinfo

from core.memory.gate import correct, decide, topics, wishes, words
from core.memory.gate.clauses import Clause, clauses_of
from core.memory.gate.dates import day_of, resolve
from core.memory.gate.facts import Fact, facts_of, is_personal, layer_of, state_of
from core.memory.gate.op import Op, Spoken
from core.memory.gate.private import is_private
from core.memory.gate.vetoes import MOCKING
from core.memory.record import Layer, Memory
from core.scope import person_scope

_TAKEN_BACK = re.compile(
    r"\b(?:just kidding|jk|kidding|only joking|i was joking)\b|开玩笑的?|逗你的?|说着玩", re.I
)


def gate(
    turns: Sequence[Spoken], known: Sequence[Memory], zone: tzinfo, *, direct: bool
) -> list[Op]:
    """What to add, update and delete after `turns`, in their order."""
    look = _Look(list(known), zone, direct)
    for person in dict.fromkeys(turn.person for turn in turns if turn.by == "person"):
        own = [turn for turn in turns if turn.by == "person" and turn.person == person]
        if any(wishes.keeps_nothing(turn.text) for turn in own):
            continue
        for at, turn in enumerate(own):
            if at + 1 < len(own) and _TAKEN_BACK.search(own[at + 1].text):
                continue
            look.at(turn)
    return look.ops


class _Look:
    """One look over some turns; what it adds is known to the turns that come later."""

    def __init__(self, known: list[Memory], zone: tzinfo, direct: bool) -> None:
        self._known = known
        self._zone = zone
        self._direct = direct
        self.ops: list[Op] = []

    def at(self, turn: Spoken) -> None:
        forgotten = wishes.to_forget(turn.text, self._known, turn.person)
        if forgotten is not None:
            for memory in forgotten:
                self._end(Op(op="delete", owner=turn.person, target=memory.id, layer=memory.layer))
            return
        fixed = correct.corrected(turn.text, self._known, turn.person)
        if fixed is not None and not is_private(turn.text):
            self._put_right(turn, *fixed)
            return
        found = facts_of(turn, self._zone, direct=self._direct)
        found = self._asked(turn) or found or self._renewed(turn)
        for fact in found:
            self._take(fact)

    def _take(self, fact: Fact) -> None:
        if decide.is_repeated(fact, self._known):
            return
        target = decide.target_of(fact, self._known)
        if target is None and not fact.weak:
            self._add(_op(fact))
        elif target is not None:
            whole = decide.joined(fact, target)
            self._replace(
                target, _op(whole).model_copy(update={"op": "update", "target": target.id})
            )

    def _asked(self, turn: Spoken) -> list[Fact]:
        """What `remember …` asks for, whatever it is; its layer by its signs, else by its shape."""
        what = wishes.remembered(turn.text)
        if not what or is_private(turn.text) or is_private(what) or MOCKING.search(turn.text):
            return []
        inner = facts_of(turn.model_copy(update={"text": what}), self._zone, direct=self._direct)
        if inner:
            return inner
        dated = resolve(what, day_of(turn.at, self._zone))
        text = dated.text.strip(" .。!！，,")
        if len(words.content(text)) < 1 or text.endswith(("?", "？")) or _is_errand(text):
            return []
        layer = _shape(text, dated.found)
        language = words.tongue(text)
        return [
            Fact(
                layer,
                text,
                turn,
                language,
                topics=topics.topics_of(text),
                change=words.says("CHANGED", text) is not None,
                also=words.says("ALSO", text) is not None,
                channel=not self._direct
                and layer in ("context", "experience")
                and not is_personal(text),
                state=state_of(text) if layer == "context" else "",
                expires_at=dated.expires(self._zone) if layer == "context" else None,
            )
        ]

    def _renewed(self, turn: Spoken) -> list[Fact]:
        """A wish about form without a word that makes it last, where such a one is known."""
        parts = clauses_of(turn.text)
        mine = [memory for memory in self._known if memory.owner == turn.person]
        sides = set(topics.topics_of(" , ".join(part.text for part in parts))) & topics.FORMS
        held = {side for memory in mine for side in topics.topics_of(memory.text)}
        if not sides & held or any(_unfit(part) for part in parts):
            return []
        language = words.tongue(turn.text)
        text = ("，" if language == "zh" else ", ").join(part.text for part in parts)
        repeated = words.says("REPEATED", turn.text) is not None
        return [
            Fact(
                "preference",
                text,
                turn,
                language,
                topics=topics.topics_of(text),
                weak=True,
                repeated=repeated,
            )
        ]

    def _put_right(self, turn: Spoken, old: Memory, text: str) -> None:
        language = old.language
        op = Op(
            op="update",
            owner=turn.person,
            target=old.id,
            layer=old.layer,
            text=resolve(text, day_of(turn.at, self._zone)).text,
            language=language,
            attribute=old.attribute,
            value=topics.value_of(text)[1],
            form=old.form,
            state=old.state,
            channel=not old.scope.startswith("person:"),
            expires_at=old.expires_at,
            message=turn.message,
            at=turn.at,
        )
        self._replace(old, op)

    def _add(self, op: Op) -> None:
        self.ops.append(op)
        self._known.append(_memory(op, f"new:{len(self.ops)}"))

    def _replace(self, old: Memory, op: Op) -> None:
        number = old.id.removeprefix("new:")
        self._known = [memory for memory in self._known if memory.id != old.id]
        if number != old.id:
            # Said a moment ago and not kept yet: it is only said better now.
            at = int(number) - 1
            first = self.ops[at]
            self.ops[at] = op.model_copy(update={"op": first.op, "target": first.target})
        else:
            self.ops.append(op)
            number = str(len(self.ops))
        self._known.append(_memory(op, f"new:{number}"))

    def _end(self, op: Op) -> None:
        self.ops.append(op)
        self._known = [memory for memory in self._known if memory.id != op.target]


def _unfit(part: Clause) -> bool:
    return (
        bool(part.vetoed)
        or re.search(
            r"\b(?:it|this|that)\b|^(?:make|put|turn|write|draft|translate|show|create)\b|这|那|帮我|[?？]",
            part.text,
            re.I,
        )
        is not None
        or words.says("TASK", part.text) is not None
    )


def _is_errand(text: str) -> bool:
    """`remember to call Bo tomorrow` is a reminder, not a memory."""
    return (
        re.match(
            r"(?:to|about|when|how|where|what|if|me\b)\b|去|要?(?:买|打电话|寄|取|带|交|发)|提醒",
            text,
            re.I,
        )
        is not None
    )


def _shape(text: str, dated: bool) -> Layer:
    if layer_of(text) is not None:
        found = layer_of(text)
        assert found is not None
        return found.layer
    if dated:
        return "context"
    if re.match(r"i\b|i'|my\b|我", text, re.I):
        return "identity"
    if re.match(
        r"(?:always|never|don'?t|do not|use|avoid|keep|no|only|answer|write|call)\b|别|不要|用|要|只|叫|回答|先",
        text,
        re.I,
    ):
        return "preference"
    return "context"


def _op(fact: Fact) -> Op:
    attribute, value = topics.value_of(fact.text)
    return Op(
        op="add",
        owner=fact.said.person,
        layer=fact.layer,
        text=fact.text,
        language=fact.language,
        attribute=attribute or (fact.topics[0] if fact.topics else ""),
        value=value,
        form=fact.form,
        state=fact.state,
        channel=fact.channel,
        expires_at=fact.expires_at,
        message=fact.said.message,
        at=fact.said.at,
    )


def _memory(op: Op, name: str) -> Memory:
    """An operation as the memory that it will be, so that later turns see it."""
    return Memory(
        id=name,
        owner=op.owner,
        scope=person_scope(op.owner),
        layer=op.layer,
        text=op.text,
        language=op.language,
        attribute=op.attribute,
        value=op.value,
        form=op.form,
        state=op.state,
        channel="",
        direct=True,
        message=op.message,
        observed_at=op.at,
    )
