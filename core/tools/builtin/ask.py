"""ask_person: a fact that only the asker has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.context import NeedsPerson
from core.events import Need
from core.texts import say
from core.tools.definition import tool
from core.tools.toolbox import Bound


@tool(
    title="tool.ask.title",
    cacheable=False,
    pinned=True,
    keywords=("问我", "问一下", "ask me"),
)
async def ask_person(
    bound: Bound,
    question: Annotated[str, Field(min_length=1, max_length=500)],
    expects: Literal["text", "email"] = "text",
) -> str:
    """Asks the person you work for, waits for their next message and gives it back. Take it when a
    fact is missing that only they have: an address, a name, a choice. Ask one thing, and never
    what semantic_search or another tool can find, nor what they said already.

    question: The question in the person's language, one sentence.
    expects: `email` if the answer must hold a mail address, else `text`.
    """
    title = say("tool.ask.title", bound.request.language, question=question)
    raise NeedsPerson(
        # The call's place in the run is filled in by whoever runs it.
        Need(
            id="",
            what="answer",
            tool="ask_person",
            title=title,
            question=question,
            expects=expects,
        )
    )
