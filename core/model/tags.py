"""Tools for models that have none: cards in the system text, calls and results in tags.

The model writes `<tool_use>{"name": …, "arguments": {…}}</tool_use>`; results come back to it as
`<tool_use_result>`. Our own tags inside of questions and results are escaped: a document cannot
speak as a tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from core.messages import Language
from core.model.calls import MOST_CALLS, REPLY_CHARACTERS
from core.model.dialects import Called, CutCall, Piece, Reader
from core.model.history import joined
from core.model.protocol import (
    CallDelta,
    Delta,
    Model,
    ModelMessage,
    ModelRequest,
    ToolCall,
    ToolSchema,
)
from core.model.tags_texts import TEXTS

HIDDEN_CALL = "<tool_use></tool_use>"
"""Stands in a text for a call that may not be done: nobody sees it, and it counts as leaked."""
_OURS = re.compile(r"<(?=/?\s*tool_use)", re.IGNORECASE)
_LAST_SECTION = "\n\n[User Memory]\n"
"""Stays last in the system text."""


class TagsModel:
    """Any model, without its own way to call tools."""

    def __init__(self, inner: Model) -> None:
        self.name = inner.name
        self._inner = inner

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of one answer; calls in its text come as calls. Raises as the inner model."""
        inner = self._inner.stream(in_tags(request))
        async with aclosing(called(inner, request.tools) if request.tools else inner) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self) -> None:
        """Load what the inner model needs."""
        await warm(self._inner)

    async def close(self) -> None:
        await self._inner.close()


async def warm(model: Model) -> None:
    """Load what a model needs before its first answer, if it needs something."""
    load = getattr(model, "warm", None)
    if load is not None:
        await load()


def in_tags(request: ModelRequest) -> ModelRequest:
    """The request with tools, calls and results as text. Pure."""
    messages: list[ModelMessage] = []
    names: dict[str, str] = {}
    for message in request.messages:
        names |= {call.id: call.name for call in message.calls}
        made = _as_text(message, names)
        if messages and made.role == "user" == messages[-1].role:
            made = joined(messages.pop(), made)
        messages.append(made)
    if request.tools:
        messages = _with_section(messages, section(request.tools, request.language))
    return request.model_copy(update={"messages": tuple(messages), "tools": ()})


def section(tools: Sequence[ToolSchema], language: Language) -> str:
    """The section of the system text that tells which tools there are and how to call one."""
    cards = "\n".join(json.dumps(tool.model_dump(), ensure_ascii=False) for tool in tools)
    return TEXTS[language].format(example=_example(tools), cards=cards)


async def called(
    deltas: AsyncGenerator[Delta], tools: Sequence[ToolSchema]
) -> AsyncGenerator[Delta]:
    """A stream with the calls that its text holds as calls, behind the text.

    If the model also called natively, the server has read the same text already: what is written
    is only hidden then.
    """
    reader = Reader({tool.name: tool.parameters for tool in tools})
    made: list[CallDelta] = []
    native = False
    size = 0
    last = Delta()
    async with aclosing(deltas):
        async for delta in deltas:
            native = native or bool(delta.calls)
            size += len(delta.text)
            text = _taken(reader.feed(delta.text), made)
            if delta.finish or delta.usage:
                last = Delta(finish=delta.finish or last.finish, usage=delta.usage or last.usage)
            if text or delta.calls:
                yield Delta(text=text, calls=delta.calls)
            if reader.made_up and made:
                # What follows builds on a result that does not exist.
                last = last.model_copy(update={"finish": "tool_calls"})
                break
            if size > REPLY_CHARACTERS or len(made) > MOST_CALLS:
                # Nobody else sees how much it is: what may be a call is held back.
                last = last.model_copy(update={"finish": "length"})
                break
    text = _taken(reader.close(), made)
    if native or not made:
        yield last.model_copy(update={"text": text})
        return
    finish = "tool_calls" if last.finish in (None, "stop") else last.finish
    yield Delta(text=text, calls=tuple(made))
    yield last.model_copy(update={"finish": finish if last.finish else None})


def _taken(pieces: Sequence[Piece], made: list[CallDelta]) -> str:
    """The text of some pieces; their calls are put into `made`.

    A call that was read and may not be done goes on as well: the tools answer it with what is
    wrong. One that was cut off does not: nobody knows what it would have become.
    """
    texts: list[str] = []
    for piece in pieces:
        match piece:
            case Called(call):
                made.append(_delta(call.name, call.arguments, len(made)))
            case CutCall(name=name, raw=raw, why="broken" | "unknown") if name:
                made.append(_delta(name, raw, len(made)))
            case CutCall():
                texts.append(HIDDEN_CALL)
            case _:
                texts.append(piece.text)
    return "".join(texts)


def _delta(name: str, arguments: str, number: int) -> CallDelta:
    return CallDelta(
        index=number, id=f"written_{number + 1}", name=name, arguments=arguments.strip() or "{}"
    )


def _example(tools: Sequence[ToolSchema]) -> str:
    """One call of the first tool, its required arguments named."""
    tool = tools[0]
    properties = tool.parameters.get("properties", {})
    required = tool.parameters.get("required") or list(properties)[:1]
    arguments = {name: _sample(properties.get(name, {})) for name in required}
    call = {"name": tool.name, "arguments": arguments}
    return f"<tool_use>{json.dumps(call, ensure_ascii=False)}</tool_use>"


def _sample(schema: dict[str, object]) -> object:
    """A value of the right type that nobody takes for a real one."""
    samples: dict[object, object] = {"integer": 1, "number": 1, "boolean": True, "array": ["…"]}
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed:
        return allowed[0]
    kind = schema.get("type")
    return samples.get(kind, {} if kind == "object" else "…")


def _as_text(message: ModelMessage, names: dict[str, str]) -> ModelMessage:
    if message.role == "tool":
        name = names.get(message.call_id, "")
        text = f'<tool_use_result name="{name}">\n{_escaped(message.text)}\n</tool_use_result>'
        return ModelMessage(role="user", text=text)
    if message.role == "user":
        return message.model_copy(update={"text": _escaped(message.text)})
    if not message.calls:
        return message
    calls = [_written(call) for call in message.calls]
    return ModelMessage(role="assistant", text="\n".join([message.text, *calls]).strip())


def _written(call: ToolCall) -> str:
    held = {"name": call.name, "arguments": _object(call.arguments)}
    return f"<tool_use>{json.dumps(held, ensure_ascii=False)}</tool_use>"


def _object(arguments: str) -> object:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _escaped(text: str) -> str:
    return _OURS.sub("&lt;", text)


def _with_section(messages: list[ModelMessage], text: str) -> list[ModelMessage]:
    """The section in the system text, before what stays last in it."""
    if not messages or messages[0].role != "system":
        return [ModelMessage(role="system", text=text), *messages]
    head, mark, tail = messages[0].text.partition(_LAST_SECTION)
    system = messages[0].model_copy(update={"text": f"{head}\n\n{text}{mark}{tail}"})
    return [system, *messages[1:]]
