"""litellm behind our protocol; the only place that imports it.

The import takes seconds and 190 MiB, so it happens late and in a thread. Its proxy and its stream
builder are never used: the one has a record of holes, the other merges parallel calls.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from types import ModuleType
from typing import Any

from pydantic import SecretStr

from core.errors import ContextTooLong, ModelDown, ModelError, ModelRefused
from core.events import Usage
from core.model.calls import deltas_of
from core.model.protocol import CallDelta, Delta, ModelMessage, ModelRequest, Reply, ToolCall

log = logging.getLogger(__name__)

IDLE_S = 60.0
"""Longest silence inside a stream."""
FIRST_S = 120.0
"""Longest wait for the first piece: a local model reads a long prompt before it writes."""
WHOLE_S = 300.0
"""Longest wait for an answer that is not streamed."""


class LitellmModel:
    """Any model that litellm knows, or any OpenAI-compatible server (`api_base`)."""

    def __init__(
        self,
        name: str,
        api_base: str | None = None,
        api_key: SecretStr | None = None,
        *,
        idle_s: float = IDLE_S,
        first_s: float = FIRST_S,
    ) -> None:
        self.name = name
        self._api_base = api_base
        self._api_key = api_key
        self._idle_s = idle_s
        self._first_s = first_s
        self._usage_wanted = True
        self._loading = asyncio.Lock()
        self._module: ModuleType | None = None

    async def warm(self) -> None:
        """Import litellm in a thread; done once."""
        await self._litellm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of one answer. Raises ModelDown, ModelRefused, ContextTooLong."""
        try:
            litellm = await self._litellm()
            deltas = self._streamed(litellm, request) if request.stream else None
            async with aclosing(deltas or self._whole(litellm, request)) as pieces:
                async for delta in pieces:
                    yield delta
        except (ModelError, GeneratorExit):
            raise
        except TimeoutError as error:
            raise ModelDown(f"{self.name}: silent for too long") from error
        except Exception as error:  # The adapter's border: litellm raises what its providers raise.
            raise self._translated(error) from error

    async def close(self) -> None:
        """Close litellm's clients and its logging task."""
        if self._module is None:
            return
        from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

        await GLOBAL_LOGGING_WORKER.stop(discard_pending=True)
        await self._module.close_litellm_async_clients()
        self._module.in_memory_llm_clients_cache.flush_cache()
        # What it dropped closes itself in tasks of its own: they end here, not after the loop.
        await asyncio.sleep(0)

    async def _litellm(self) -> ModuleType:
        async with self._loading:
            if self._module is None:
                self._module = await asyncio.to_thread(_import)
            return self._module

    async def _streamed(self, litellm: ModuleType, request: ModelRequest) -> AsyncGenerator[Delta]:
        values = self._values(litellm, request) | {"stream": True}
        if self._usage_wanted:
            values["stream_options"] = {"include_usage": True}
        async with asyncio.timeout(self._first_s):
            answer = await self._opened(litellm, values)
        async with aclosing(answer):
            wait = self._first_s
            ended = False
            while (chunk := await _next(answer, wait)) is not None:
                delta = delta_of(chunk)
                ended = ended or delta.finish is not None
                wait = self._idle_s
                yield delta
        if not ended:
            raise ModelDown(f"{self.name}: the stream ended before the answer did")

    async def _opened(self, litellm: ModuleType, values: dict[str, Any]) -> Any:
        try:
            return await litellm.acompletion(**values)
        except litellm.BadRequestError as error:
            if "stream_options" not in str(error) or "stream_options" not in values:
                raise
            # Older compatible servers know no usage in streams.
            self._usage_wanted = False
            values = {name: value for name, value in values.items() if name != "stream_options"}
            return await litellm.acompletion(**values)

    async def _whole(self, litellm: ModuleType, request: ModelRequest) -> AsyncGenerator[Delta]:
        async with asyncio.timeout(WHOLE_S):
            answer = await litellm.acompletion(**self._values(litellm, request), stream=False)
        for delta in deltas_of(_reply(answer)):
            yield delta

    def _values(self, litellm: ModuleType, request: ModelRequest) -> dict[str, Any]:
        values: dict[str, Any] = {
            "model": self._route(litellm),
            "messages": [_message(message) for message in request.messages],
            # Ours is the only retry loop: two of them multiply.
            "max_retries": 0,
            "timeout": WHOLE_S,
        }
        if request.tools:
            values["tools"] = [
                {"type": "function", "function": tool.model_dump()} for tool in request.tools
            ]
        if request.max_tokens:
            values["max_tokens"] = request.max_tokens
        if self._api_base:
            values["api_base"] = self._api_base
        if self._api_key:
            values["api_key"] = self._api_key.get_secret_value()
        elif self._api_base:
            # The client insists on a key; servers of one's own do not.
            values["api_key"] = "none"
        return values

    def _route(self, litellm: ModuleType) -> str:
        """The name as litellm needs it: behind an address of one's own, names are free."""
        provider = self.name.partition("/")[0] if "/" in self.name else ""
        known = {getattr(each, "value", each) for each in litellm.provider_list}
        if self._api_base and provider not in known:
            return f"openai/{self.name}"
        return self.name

    def _translated(self, error: Exception) -> ModelError:
        """litellm's error as ours. Its text stays in the log: providers put keys into it."""
        # A lost connection is status 500 to litellm.
        lost = "connection error" in str(error).lower()
        status = None if lost else getattr(error, "status_code", None)
        kind = "no connection" if lost else type(error).__name__
        log.warning("model %s: %s, status %s", self.name, kind, status)
        detail = f"{self.name}: " + (f"HTTP {status}" if status else kind)
        if "ContextWindow" in kind or _says_too_long(error, status):
            return ContextTooLong(detail)
        refused = isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 429)
        if refused:
            return ModelRefused(detail)
        return ModelDown(detail, retry_after=_retry_after(error))


def delta_of(chunk: Any) -> Delta:
    """One chunk of a stream in OpenAI's shape."""
    usage = _usage(getattr(chunk, "usage", None))
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


def _import() -> ModuleType:
    # Before the import: it would fetch a price list and other catalogues from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = True
    # Anthropic wants a tool list when the conversation holds calls, also in our last round.
    litellm.modify_params = True
    # Counting loads tokenizers of 200 MiB; usage is taken when the provider sends it.
    litellm.disable_token_counter = True
    litellm.disable_streaming_logging = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        # Its own handlers write to standard output, which is the shell's JSON, and know no
        # redaction: what it logs goes the way of our own log.
        logging.getLogger(name).handlers.clear()
    return litellm


async def _next(chunks: AsyncIterator[Any], seconds: float) -> Any | None:
    async with asyncio.timeout(seconds):
        return await anext(chunks, None)


def _message(message: ModelMessage) -> dict[str, Any]:
    out: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        out["content"] = message.text or None
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


def _reply(answer: Any) -> Reply:
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
        usage=_usage(getattr(answer, "usage", None)) or Usage(),
    )


def _text(arguments: Any) -> str:
    """Arguments as text: some servers send the object itself."""
    if isinstance(arguments, str) or arguments is None:
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)


def _usage(usage: Any) -> Usage | None:
    if usage is None or not getattr(usage, "prompt_tokens", None):
        return None
    return Usage(
        requests=1,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=getattr(usage, "completion_tokens", 0) or 0,
    )


def _says_too_long(error: Exception, status: object) -> bool:
    said = str(error).lower()
    return status == 400 and any(
        phrase in said
        for phrase in ("context length", "context window", "maximum context", "too many tokens")
    )


def _retry_after(error: Exception) -> float | None:
    """Seconds that the provider asks to wait, if it does."""
    response = getattr(error, "response", None)
    for headers in (
        getattr(response, "headers", None),
        getattr(error, "litellm_response_headers", None),
    ):
        value = headers.get("retry-after") if headers else None
        try:
            return max(0.0, float(value)) if value else None
        except ValueError:
            # A date: we do not trust two clocks to agree; the usual backoff does.
            return None
    return None
