"""What a person has to decide before a call may run, and what they decided."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from core.context import NeedsPerson, RunContext
from core.events import Decision, Need, Notice
from core.tools.tool import Arguments, Tool

CHANGES = ("write_shared", "external")
"""Effects that need the right to tools; what only concerns the thread itself does not."""
FORBIDDEN = "the asker has no right to tools that change something; say who has, and go on without"
"""For the model."""

log = logging.getLogger(__name__)


def must_be_allowed(tool: Tool, arguments: Arguments, heard: Sequence[str]) -> bool:
    """True if a person must allow this call; a rule that breaks allows nothing by itself.

    `heard` is all that the asker wrote (`RunContext.heard`).
    """
    try:
        wanted = tool.needs_approval
        if not (wanted if isinstance(wanted, bool) else wanted(arguments)):
            return False
        if tool.unless_written is None:
            return True
        texts = tool.unless_written(arguments)
    except Exception:  # The tool's border: its bug must not let a call through.
        log.exception("the approval rule of tool %s broke", tool.name)
        return True
    return not texts or not all(written(text, heard) for text in texts)


def written(text: str, heard: Sequence[str]) -> bool:
    """True if `text` stands in what was heard, as a word of its own: `a@b.c` is not in
    `aa@b.cn`."""
    if not text.strip():
        return False
    word = rf"(?<![\w.%+@-]){re.escape(text.strip().casefold())}(?!@|[\w%+-]|\.\w)"
    return any(re.search(word, line.casefold(), re.ASCII) for line in heard)


async def no_right(ctx: RunContext, tool: Tool) -> str:
    """Why the asker may not use a tool with effects, in a sentence for them; empty if they may.

    Looked at right before the call: a right that was taken meanwhile is gone.
    """
    why = ctx.forbids(ctx.request) if ctx.forbids and tool.effect in CHANGES else ""
    if why:
        await ctx.emit("", Notice(key="rights.refused.tools", text=why))
    return why


def approval(key: str, title: str, tool: Tool, arguments: Arguments) -> Need:
    """What is asked about one exact call."""
    return Need(id=key, what="approval", tool=tool.name, title=title, arguments=plain(arguments))


def plain(arguments: Arguments) -> dict[str, Any]:
    """Arguments as JSON has them: what is shown, hashed and kept."""
    return arguments.model_dump(mode="json")


async def decision_of(ctx: RunContext, need: Need) -> Decision:
    """What a person said to `need`. Raises NeedsPerson if nobody said anything to exactly that.

    A decision about other arguments is good for nothing: it leads to a need with an id of its own,
    for a step of the journal is written once.
    """
    number, wanted = 1, need
    while True:
        decision = await ctx.journal.kept(f"{wanted.id}:decision", Decision)
        if decision is None:
            raise NeedsPerson(wanted)
        if decision.digest == wanted.digest:
            return decision
        number += 1
        wanted = need.model_copy(update={"id": f"{need.id}:again:{number}"})


def asked_by(error: NeedsPerson, key: str, arguments: Arguments) -> Need | None:
    """The one question that the tool itself asks, now with the id of its call.

    None if the needs are those of a sub-agent, which have ids already.
    """
    if len(error.needs) != 1 or error.needs[0].id:
        return None
    return error.needs[0].model_copy(update={"id": key, "arguments": plain(arguments)})


def all_needs(errors: Sequence[NeedsPerson]) -> NeedsPerson:
    """One error with the needs of all."""
    return NeedsPerson(*(need for error in errors for need in error.needs))
