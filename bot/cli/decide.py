"""What a run needs of a person, asked in the terminal; where there is none, said."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from bot.text.invisible import without_invisible
from bot.text.needs import plain_arguments, seen
from core.events import Decision, Need
from core.messages import Language
from core.needs import fits
from core.texts import say

YES = frozenset({"y", "yes", "是", "好", "同意"})


def decisions(
    needs: Sequence[Need], person: str, language: Language, *, ask: bool
) -> list[Decision]:
    """What the person at the terminal says to each need; nothing if nobody is to be asked."""
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        return [_decision(need, person, language) for need in needs]
    for need in needs:
        text = say("cli.needs_person", language, what=need.question or need.title)
        sys.stderr.write(f"threadmate: {text}\n")
    return []


def _decision(need: Need, person: str, language: Language) -> Decision:
    made = Decision(by=person, yes=False, digest=need.digest, at=time.time())
    if need.what == "approval":
        title, exactly = without_invisible(need.title), seen(plain_arguments(need.arguments))
        sys.stderr.write(f"? {title}\n{exactly}\n")
        said = _line(say("cli.go_ahead", language))
        return made.model_copy(update={"yes": said.casefold() in YES})
    said = _line(f"? {without_invisible(need.question)} ")
    while said and not fits(said, need):
        said = _line(f"? {say('cli.an_address', language)} ")
    return made.model_copy(update={"yes": bool(said), "text": said})


def _line(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return sys.stdin.readline().strip()
