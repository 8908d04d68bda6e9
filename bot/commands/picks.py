"""Picks before a question: `/ask mode: rag tools: a,b kb: none How many …`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.text.markdown import escaped
from core.errors import WrongUse
from core.request import Picks
from core.router import MODES
from core.tools.builtin import BUILTIN

PICKS = {
    "mode": "mode", "模式": "mode", "tools": "tools", "tool": "tools", "工具": "tools",
    "kb": "kb", "知识库": "kb", "teammate": "teammate", "同事": "teammate",
}  # fmt: skip
EXAMPLES = {"mode": "rag", "tools": "get_time", "kb": "none", "teammate": "researcher"}
NO_KB = frozenset({"none", "no", "off", "无", "不用"})
_PICK = re.compile(rf"\s*({'|'.join(PICKS)})\s*[:：=]\s*", re.I)
_VALUE = re.compile(r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」|([^\s\"“「,，、;；:：]+)")
_JOINED = re.compile(r"\s*[,、]\s*")


def picks_of(text: str, tools: Sequence[str] = BUILTIN.names) -> tuple[str, Picks]:
    """The question and the picks before it: `mode: rag tools: a,b kb: none How many …`.

    Picks stand in any order at the start, with Chinese or English signs; names with spaces are
    quoted. `tools` are the names of those there are. Raises WrongUse for a pick that is empty or
    whose value cannot be.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    while (found := _PICK.match(text)) is not None:
        pick = PICKS[found[1].casefold()]
        values, text = _values(pick, text[found.end() :], tools)
        if not values:
            example = EXAMPLES[pick]
            raise WrongUse(pick, key="command.pick_empty", pick=pick, example=example)
        chosen[pick] = values
    mode = chosen.get("mode", (None,))[0]
    if mode is not None:
        _check("mode", mode.casefold(), ("auto", *MODES))
    for tool in chosen.get("tools", ()):
        _check("tools", tool, tools)
    kb = chosen.get("kb")
    if kb is not None and len(kb) == 1 and kb[0].casefold() in NO_KB:
        kb = ()
    picks = Picks(
        mode=mode.casefold() if mode else None,
        tools=chosen.get("tools"),
        kb=kb,
        teammate=chosen.get("teammate", (None,))[0],
    )
    return text.strip(), picks


def _values(pick: str, text: str, tools: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The values of a pick, and what comes after them.

    `,` and `、` join values. `，` and `；` end them: behind these the question itself may stand. A
    mode is one value, and what is no tool's name is none.
    """
    values: list[str] = []
    while (found := _VALUE.match(text)) is not None and _PICK.match(text) is None:
        value = next(part for part in found.groups() if part is not None).strip()
        if pick == "tools" and values and value not in tools:
            break
        values.append(value)
        text = text[found.end() :]
        joined = _JOINED.match(text)
        if joined is None or pick in ("mode", "teammate"):
            break
        text = text[joined.end() :]
    return tuple(value for value in values if value), re.sub(r"\A[\s,，;；、]+", "", text)


def _check(pick: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        shown = ", ".join(known)
        raise WrongUse(
            value, key="command.pick_unknown", pick=pick, value=escaped(value[:40]), known=shown
        )
