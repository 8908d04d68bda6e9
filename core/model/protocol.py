"""What a model is to us: messages and tools in, a stream of deltas out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Literal, Protocol

from core.events import Usage
from core.messages import Frozen, Language
from core.request import Picture


class ToolCall(Frozen):
    """A call that the model asks for."""

    id: str
    name: str
    arguments: str
    """Raw JSON text as the model wrote it; may be broken."""


class ModelMessage(Frozen):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """For `assistant`."""
    call_id: str = ""
    """For `tool`: the call it answers."""
    pictures: tuple[Picture, ...] = ()
    """For `user`: given to models that can see, named in words to others."""


class ToolSchema(Frozen):
    """A tool's card as the model reads it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of an object."""


class ModelRequest(Frozen):
    """All that one call of a model is given."""

    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int | None = None
    language: Language = "en"
    """Of what we tell the model ourselves."""
    stream: bool = True
    """False: call the model whole and cut its answer into deltas; for streams that break."""


class CallDelta(Frozen):
    """A piece of a tool call as the provider sent it; see `core.model.calls` for the slot rule."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    arguments: str = ""


class Delta(Frozen):
    """A piece of an answer as the provider sent it."""

    text: str = ""
    calls: tuple[CallDelta, ...] = ()
    finish: str | None = None
    usage: Usage | None = None


class Reply(Frozen):
    """A whole answer of the model; what the journal keeps of a model call."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    usage: Usage = Usage()


class Model(Protocol):
    """Errors are `core.errors.ModelError` and its children."""

    name: str

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of one answer. Close the generator (`aclosing`) to cancel the request."""
        ...

    async def close(self) -> None: ...
