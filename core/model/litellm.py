"""litellm behind our protocol; the only place that imports it.

The import takes seconds and 190 MiB, so it happens late and in a thread. Its proxy and its stream
builder are never used: the one has a record of holes, the other merges parallel calls.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import SecretStr

from core.errors import ContextTooLong, ModelDown, ModelError, ModelRefused, ToolsRefused
from core.events import Usage
from core.model.calls import deltas_of
from core.model.protocol import Delta, ModelRequest
from core.model.wire import delta_of, message_of, reply_of
from core.request import Picture

log = logging.getLogger(__name__)

IDLE_S = 60.0
"""Longest silence inside a stream."""
FIRST_S = 120.0
"""Longest wait for the first piece: a local model reads a long prompt before it writes."""
WHOLE_S = 300.0
"""Longest wait for an answer that is not streamed."""
PICTURE_BYTES = 5_000_000
"""Anthropic takes no larger picture; others take more."""
_ABOUT_TOOLS = re.compile(r"\btools?\b|tool[_ ]choice|function[_ ]call", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"support|unrecogni[sz]ed|unknown|not (?:allowed|permitted|available)|unexpected|extra"
    r"|requires? |--jinja|enable",
    re.IGNORECASE,
)


class LitellmModel:
    """Any model that litellm knows, or any OpenAI-compatible server (`api_base`)."""

    def __init__(
        self,
        name: str,
        api_base: str | None = None,
        api_key: SecretStr | None = None,
        *,
        streams: bool = True,
        sees: bool | None = None,
        idle_s: float = IDLE_S,
        first_s: float = FIRST_S,
    ) -> None:
        """`streams=False` always asks for whole answers. `sees` says whether the model can look at
        pictures; None leaves it to litellm's table, where servers of one's own are not in."""
        self.name = name
        self._streams = streams
        self._sees = sees
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
        """Deltas of one answer. Raises ModelDown, ModelRefused, ToolsRefused, ContextTooLong."""
        try:
            litellm = await self._litellm()
            self._check_tools(litellm, request)
            streamed = request.stream and self._streams
            deltas = self._streamed if streamed else self._whole
            async with aclosing(deltas(litellm, request)) as pieces:
                async for delta in pieces:
                    yield delta
        except (ModelError, GeneratorExit):
            raise
        except TimeoutError as error:
            raise ModelDown(f"{self.name}: silent for too long") from error
        except Exception as error:  # The adapter's border: litellm raises what its providers raise.
            raise self._translated(error, request) from error

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
        values = await self._values(litellm, request) | {"stream": True}
        if self._usage_wanted:
            values["stream_options"] = {"include_usage": True}
        async with asyncio.timeout(self._first_s):
            answer = await self._opened(litellm, values)
        async with aclosing(answer):
            wait = self._first_s
            ended = False
            while (chunk := await _next(answer, wait)) is not None:
                delta = self._priced(litellm, delta_of(chunk))
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
            values = await self._values(litellm, request)
            answer = await litellm.acompletion(**values, stream=False)
        for delta in deltas_of(reply_of(answer)):
            yield self._priced(litellm, delta)

    async def _values(self, litellm: ModuleType, request: ModelRequest) -> dict[str, Any]:
        pictures = await self._pictures(litellm, request)
        values: dict[str, Any] = {
            "model": self._route(litellm),
            "messages": [
                message_of(message, pictures, request.language) for message in request.messages
            ],
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

    def _check_tools(self, litellm: ModuleType, request: ModelRequest) -> None:
        """Raise ToolsRefused where litellm would leave the tools out without a word."""
        if not request.tools:
            return
        taken = litellm.get_supported_openai_params(model=self._route(litellm))
        if taken is not None and "tools" not in taken:
            raise ToolsRefused(f"{self.name}: no tools")

    async def _pictures(self, litellm: ModuleType, request: ModelRequest) -> dict[str, str]:
        """Addresses, by path, of the pictures that this model can see; none if it cannot."""
        wanted = [picture for message in request.messages for picture in message.pictures]
        sees = self._sees
        if wanted and sees is None:
            sees = bool(litellm.supports_vision(model=self._route(litellm)))
        if not wanted or not sees:
            return {}
        read = await asyncio.to_thread(lambda: {each.path: _address(each) for each in wanted})
        return {path: address for path, address in read.items() if address}

    def _priced(self, litellm: ModuleType, delta: Delta) -> Delta:
        """The delta with what its usage costs, where the price is known."""
        if delta.usage is None:
            return delta
        usd = self._usd(litellm, delta.usage)
        usage = delta.usage.model_copy(update={"usd": usd})
        return delta.model_copy(update={"usage": usage})

    def _usd(self, litellm: ModuleType, usage: Usage) -> float:
        try:
            prices = litellm.cost_per_token(
                model=self._route(litellm),
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens,
            )
        except Exception:  # noqa: BLE001  (the adapter's border: most servers of one's own have no price)
            return 0.0
        return float(sum(prices))

    def _route(self, litellm: ModuleType) -> str:
        """The name as litellm needs it: behind an address of one's own, names are free."""
        provider = self.name.partition("/")[0] if "/" in self.name else ""
        known = {getattr(each, "value", each) for each in litellm.provider_list}
        if self._api_base and provider not in known:
            return f"openai/{self.name}"
        return self.name

    def _translated(self, error: Exception, request: ModelRequest) -> ModelError:
        """litellm's error as ours. Its text stays in the log: providers put keys into it."""
        # A lost connection is status 500 to litellm.
        lost = "connection error" in str(error).lower()
        status = None if lost else getattr(error, "status_code", None)
        kind = "no connection" if lost else type(error).__name__
        log.warning("model %s: %s, status %s", self.name, kind, status)
        detail = f"{self.name}: " + (f"HTTP {status}" if status else kind)
        if "ContextWindow" in kind or _says_too_long(error, status):
            return ContextTooLong(detail)
        if request.tools and _refuses_tools(error, status):
            return ToolsRefused(detail)
        refused = isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 429)
        if refused:
            return ModelRefused(detail)
        return ModelDown(detail, retry_after=_retry_after(error))


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


def _refuses_tools(error: Exception, status: object) -> bool:
    """True if a server says that it takes no tools. llama.cpp says so with a 500."""
    said = str(error)
    return (
        status in (400, 404, 422, 500, 501)
        # A history that it does not like names the ids of calls; that is another matter.
        and "tool_call_id" not in said
        and _ABOUT_TOOLS.search(said) is not None
        and _NOT_TAKEN.search(said) is not None
    )


def _address(picture: Picture) -> str:
    """A picture as a data address; empty if it cannot be given."""
    path = Path(picture.path)
    try:
        if not picture.mime.startswith("image/") or path.stat().st_size > PICTURE_BYTES:
            return ""
        return f"data:{picture.mime};base64,{base64.b64encode(path.read_bytes()).decode()}"
    except OSError as error:
        log.warning("a picture cannot be read: %s", error.strerror)
        return ""


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
