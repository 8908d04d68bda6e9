"""What of a model's text may be shown: no calls, no thinking, no special tokens. Pure.

The one reader of calls decides (`core.model.dialects`), so that what is hidden from people and what
is read as a call can never differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.model.dialects import Called, CutCall, Piece, Reader, Thinking, Words, read


@dataclass
class Screen:
    """Takes a text in pieces and gives what may be shown; any cut of a text shows the same.

    `tools` are the names that make JSON without any mark a call. A part that never ended stays
    hidden.
    """

    tools: Collection[str] = ()
    leaked: bool = False
    """True once a tool call was written as text."""
    _reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = Reader(_schemas(self.tools))

    def feed(self, piece: str) -> str:
        """What may be shown after `piece` came."""
        return self._shown(self._reader.feed(piece))

    def flush(self) -> str:
        """What may still be shown at the end of the text."""
        return self._shown(self._reader.close())

    def _shown(self, pieces: Sequence[Piece]) -> str:
        self.leaked = self.leaked or _leaks(pieces)
        return "".join(piece.text for piece in pieces if isinstance(piece, Words))


def visible(text: str, tools: Collection[str] = ()) -> tuple[str, bool]:
    """What of a whole answer may be shown, and whether a tool call was written as text.

    Thinking whose opening mark was in the model's template ends with `</think>`: all before goes.
    """
    pieces = read(text, _schemas(tools))
    ends = [at for at, piece in enumerate(pieces) if _is_end(piece)]
    pieces = pieces[ends[-1] + 1 :] if ends else pieces
    shown = "".join(piece.text for piece in pieces if isinstance(piece, Words))
    return shown.strip(), _leaks(pieces)


def _schemas(tools: Collection[str]) -> Mapping[str, Mapping[str, Any]]:
    return {name: {} for name in tools}


def _leaks(pieces: Sequence[Piece]) -> bool:
    return any(isinstance(piece, Called | CutCall) for piece in pieces)


def _is_end(piece: Piece) -> bool:
    """True for the end of a thinking that had no beginning."""
    return isinstance(piece, Thinking) and piece.text.startswith("</")
