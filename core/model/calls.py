"""Deltas of a stream -> one whole reply. Pure.

Providers cut tool calls in many ways: parallel calls interleaved by index, every call under index
0, ids repeated or missing, whole calls in one piece. The slot rule that reads them all: a piece
opens a new call if its id is new under its index, or if it has a name and the open call's
arguments are a whole object already. Names replace, arguments append.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from core.events import Usage
from core.model.protocol import CallDelta, Delta, Reply, ToolCall
from core.model.tokens import weight

REPLY_CHARACTERS = 400_000
"""A model that repeats itself without end is cut here: the reply goes into journal and memory."""
MOST_CALLS = 128
"""Of one reply, for the same reason: every piece is held against all calls before it."""


@dataclass
class _Slot:
    index: int | None
    id: str
    name: str = ""
    arguments: str = ""

    @property
    def whole(self) -> bool:
        """True if the arguments so far are a whole JSON object: no prefix of one is."""
        if not self.arguments.rstrip().endswith("}"):
            return False  # Asked for every piece, of which megabytes may come.
        try:
            return isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            return False

    def same_as(self, other: _Slot) -> bool:
        """True for a call that was sent once more."""
        mine = (self.id, self.name, self.arguments.strip())
        return mine == (other.id, other.name, other.arguments.strip())


@dataclass
class Assembler:
    """Takes deltas in order of arrival; `reply()` may be asked at any time."""

    text: str = ""
    finish: str = ""
    """Empty until the model said why it ended."""
    usage: Usage = Usage()
    size: int = 0
    """Characters of text and arguments so far."""
    tokens: float = 0.0
    """The same as an estimate of tokens."""
    overfull: bool = False
    """True once more than MOST_CALLS calls came; what follows them is not taken."""
    _half: str = ""
    """First half of a character that the server cut in two."""
    _slots: list[_Slot] = field(default_factory=list[_Slot])

    @property
    def endless(self) -> bool:
        """True if more came than any answer has."""
        return self.overfull or self.size > REPLY_CHARACTERS

    def add(self, delta: Delta) -> str:
        """Take one delta; what it adds to the text, in whole characters."""
        text = self._half + delta.text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = paired(text.removesuffix(self._half))
        self.text += text
        for part in (text, *(piece.arguments for piece in delta.calls)):
            self.size += len(part)
            self.tokens += weight(part)
        for piece in delta.calls:
            self._add_piece(piece)
        self.finish = delta.finish or self.finish
        # Some providers send running totals with every chunk: the last one counts.
        self.usage = delta.usage or self.usage
        return text

    def reply(self) -> Reply:
        """All that came so far, as one reply; calls get the ids that they lack."""
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for slot in _settled(self._slots):
            call_id = slot.id
            while not call_id or call_id in taken:
                call_id = f"call_{len(taken) + 1}" if not call_id else f"{call_id}_"
            taken.add(call_id)
            name, arguments = paired(slot.name), paired(slot.arguments.strip())
            calls.append(ToolCall(id=call_id, name=name, arguments=arguments))
        finish = self.finish or "stop"
        return Reply(
            text=self.text + paired(self._half), calls=tuple(calls), finish=finish, usage=self.usage
        )

    def _add_piece(self, piece: CallDelta) -> None:
        if self.overfull:
            return
        slot = self._slot_of(piece)
        if slot is None:
            self.overfull = len(self._slots) == MOST_CALLS
            if self.overfull:
                return
            slot = _Slot(piece.index, piece.id or "")
            self._slots.append(slot)
        slot.id = slot.id or piece.id or ""
        slot.name = piece.name or slot.name
        slot.arguments += piece.arguments

    def _slot_of(self, piece: CallDelta) -> _Slot | None:
        """The call that `piece` belongs to; None if it opens a new one."""
        known = [slot for slot in self._slots if piece.index in (None, slot.index)]
        if piece.id:
            same = [slot for slot in known if slot.id == piece.id]
            # A call that was opened without an id may get it late.
            late = [slot for slot in known[-1:] if not slot.id and not slot.whole]
            known = same or late
        elif not piece.name and not known:
            # Arguments under an index that nothing was opened for: they go on with the last call.
            known = self._slots
        if not known:
            return None
        again = bool(piece.name) and bool(piece.arguments.strip() or not piece.id)
        return None if again and known[-1].whole else known[-1]


def paired(text: str) -> str:
    """`text` with halves of characters put together; a half without its other one cannot be
    stored or sent, and becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_reply(deltas: Iterable[Delta]) -> Reply:
    """The reply that a whole stream of deltas makes."""
    assembler = Assembler()
    for delta in deltas:
        assembler.add(delta)
    return assembler.reply()


def deltas_of(reply: Reply, size: int = 40) -> list[Delta]:
    """A whole reply cut into the deltas of a stream, `size` characters of text each."""
    pieces = [reply.text[at : at + size] for at in range(0, len(reply.text), size)]
    calls = tuple(
        CallDelta(index=index, id=call.id, name=call.name, arguments=call.arguments)
        for index, call in enumerate(reply.calls)
    )
    deltas = [Delta(text=piece) for piece in pieces]
    if calls:
        deltas.append(Delta(calls=calls))
    return [*deltas, Delta(finish=reply.finish, usage=reply.usage)]


def _settled(slots: list[_Slot]) -> list[_Slot]:
    """The calls that were meant.

    Some servers send a call once in pieces and once more whole, under the same id; some give every
    piece an id of its own; some open calls that they never fill.
    """
    kept: list[_Slot] = []
    for slot in slots:
        before = [other for other in kept if other.index == slot.index]
        if not slot.name and before:
            before[-1].arguments += slot.arguments
        elif any(slot.id and slot.same_as(other) for other in kept):
            continue
        elif slot.name or slot.arguments.strip():
            kept.append(replace(slot))
    return kept
