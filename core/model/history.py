"""A conversation that every provider accepts: each call has one result, right behind it. Pure.

A run that was stopped, killed or cut leaves calls without results and results without calls;
providers answer such a history with a 400, and some do so to two messages of one side in a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from core.model.protocol import ModelMessage, ToolCall

NAME_LENGTH = 64
"""OpenAI: a name is `^[a-zA-Z0-9_-]{1,64}$`, also one that the model made up."""
NO_RESULT = "no result: the call was interrupted before it finished"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def repaired(messages: Iterable[ModelMessage]) -> tuple[ModelMessage, ...]:
    """`messages` with dangling calls answered, orphan and second results dropped, and neighbours
    of one side made one message.

    Results follow their calls in the order of the calls. Arguments that are no JSON object become
    `{}`: they are a record here, and some providers parse them. Names are cut to what all take.
    """
    out: list[ModelMessage] = []
    open_calls: dict[str, ModelMessage | None] = {}
    for message in messages:
        if message.role == "tool":
            if message.call_id in open_calls and open_calls[message.call_id] is None:
                open_calls[message.call_id] = message
            continue
        out.extend(_results(open_calls))
        open_calls = {call.id: None for call in message.calls}
        if message.calls:
            message = message.model_copy(update={"calls": _calls(message.calls)})
        if out and _joins(out[-1], message):
            message = joined(out.pop(), message)
        out.append(message)
    out.extend(_results(open_calls))
    return tuple(out)


def without_oldest(messages: Sequence[ModelMessage]) -> tuple[ModelMessage, ...]:
    """The conversation without the older half of its turns, cut between turns only.

    A turn begins with a question. System text and the last turn always stay.
    """
    starts = [at for at, message in enumerate(messages) if message.role == "user"]
    if len(starts) < 2:
        return tuple(messages)
    head = [message for message in messages[: starts[0]] if message.role == "system"]
    return (*head, *messages[starts[(len(starts) + 1) // 2] :])


def _joins(before: ModelMessage, message: ModelMessage) -> bool:
    """True for two messages of one side in a row; calls stay with the text before them."""
    same = before.role == message.role and message.role in ("user", "assistant")
    return same and not before.calls


def joined(before: ModelMessage, message: ModelMessage) -> ModelMessage:
    """Two messages of one side as one."""
    return message.model_copy(
        update={
            "text": "\n\n".join(text for text in (before.text, message.text) if text),
            "pictures": (*before.pictures, *message.pictures),
        }
    )


def _results(open_calls: dict[str, ModelMessage | None]) -> list[ModelMessage]:
    return [
        result or ModelMessage(role="tool", call_id=call_id, text=NO_RESULT)
        for call_id, result in open_calls.items()
    ]


def _calls(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    by_id = {call.id: call for call in calls}
    return tuple(
        call.model_copy(
            update={
                "name": _NOT_IN_NAMES.sub("_", call.name)[:NAME_LENGTH] or "unknown",
                "arguments": call.arguments if _is_object(call.arguments) else "{}",
            }
        )
        for call in by_id.values()
    )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
