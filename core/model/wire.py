"""Our messages in OpenAI's shape, and what comes back in ours. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.events import Usage
from core.messages import Language
from core.model.protocol import CallDelta, Delta, ModelMessage, Reply, ToolCall
from core.request import Picture
from core.texts import say


def delta_of(chunk: Any) -> Delta:
    """One chunk of a stream."""
    usage = usage_of(getattr(chunk, "usage", None))
    if not chunk.choices:
        return Delta(usage=usage)
    choice = chunk.choices[0]
    calls = tuple(
        CallDelta(
            index=getattr(call, "index", None),
            id=call.id or None,
            name=(call.function.name if call.function else None) or None,
            arguments=_text(call.function.arguments if call.function else ""),
        )
        for call in getattr(choice.delta, "tool_calls", None) or ()
    )
    text = choice.delta.content or ""
    return Delta(text=text, calls=calls, finish=choice.finish_reason, usage=usage)


def reply_of(answer: Any) -> Reply:
    """An answer that was not streamed."""
    choice = answer.choices[0]
    calls = tuple(
        ToolCall(
            id=call.id or f"call_{number}",
            name=call.function.name or "",
            arguments=_text(call.function.arguments),
        )
        for number, call in enumerate(choice.message.tool_calls or (), 1)
    )
    return Reply(
        text=choice.message.content or "",
        calls=calls,
        finish=choice.finish_reason or "stop",
        usage=usage_of(getattr(answer, "usage", None)) or Usage(),
    )


def usage_of(usage: Any) -> Usage | None:
    """What was used, without its price; None if it was not told."""
    if usage is None or not getattr(usage, "prompt_tokens", None):
        return None
    return Usage(
        requests=1,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=getattr(usage, "completion_tokens", 0) or 0,
    )


def message_of(
    message: ModelMessage, pictures: Mapping[str, str], language: Language
) -> dict[str, Any]:
    """One message. `pictures` are the addresses, by path, of those that the model can see; others
    are named in words, so that the answer can say so."""
    unseen = [picture for picture in message.pictures if picture.path not in pictures]
    words = [say("model.picture", language, name=name_of(picture)) for picture in unseen]
    text = "\n\n".join(part for part in (message.text, *words) if part)
    out: dict[str, Any] = {"role": message.role, "content": text}
    seen = [pictures[each.path] for each in message.pictures if each.path in pictures]
    if seen:
        images = [{"type": "image_url", "image_url": {"url": url}} for url in seen]
        out["content"] = [{"type": "text", "text": text}, *images]
    if message.calls:
        out["content"] = text or None
        out["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        out["tool_call_id"] = message.call_id
    return out


def name_of(picture: Picture) -> str:
    """The picture's file name."""
    return picture.path.replace("\\", "/").rpartition("/")[2]


def _text(arguments: Any) -> str:
    """Arguments as text: some servers send the object itself."""
    if isinstance(arguments, str) or arguments is None:
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)
