"""A scripted OpenAI-compatible server on loopback, with the faults that real ones have.

    server = ModelServer()
    await server.start()
    server.script(text("Hello."), status(500), cut(text("Hel")), call("search", query="leave"))

Each request takes the next answer; when the script is at its end `forever` answers, the same each
time or a function of the request. All requests are kept in `server.requests`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

Chunk = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    deltas: tuple[Chunk, ...] = ()
    """`delta` objects of a stream, as they are."""
    finish: str | None = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    error: str = "scripted"
    cut: bool = False
    """Break the connection after the deltas, without an end."""
    silent: bool = False
    """Stay open and send nothing after the deltas."""
    delay_s: float = 0.0
    """Before each chunk."""
    usage: bool = True
    body: str = ""
    """Sent as it is, instead of all that."""


Thinking = Callable[[dict[str, Any]], Answer]
"""The body of a request -> its answer."""


def text(words: str, size: int = 5) -> Answer:
    """An answer in pieces of `size` characters."""
    pieces = [words[at : at + size] for at in range(0, len(words), size)]
    return Answer(tuple({"content": piece} for piece in pieces))


def call(name: str, call_id: str = "call_a", /, **arguments: Any) -> Answer:
    """One tool call, its arguments cut into small pieces."""
    return raw_call(name, json.dumps(arguments, ensure_ascii=False), call_id)


def raw_call(name: str, raw: str, call_id: str = "call_a", index: int = 0) -> Answer:
    """One tool call with arguments as they are, broken or not."""
    first = {"index": index, "id": call_id, "type": "function"}
    deltas: list[Chunk] = [{"tool_calls": [first | {"function": {"name": name, "arguments": ""}}]}]
    for at in range(0, len(raw), 4):
        piece = {"index": index, "function": {"arguments": raw[at : at + 4]}}
        deltas.append({"tool_calls": [piece]})
    return Answer(tuple(deltas), finish="tool_calls")


def calls(*pieces: Chunk) -> Answer:
    """Tool call deltas of any odd shape, one chunk each."""
    return Answer(tuple({"tool_calls": [piece]} for piece in pieces), finish="tool_calls")


def parallel(*answers: Answer) -> Answer:
    """Calls with an index of their own each, interleaved piece by piece."""
    streams = [list(answer.deltas) for answer in answers]
    mixed: list[Chunk] = []
    while any(streams):
        mixed += [stream.pop(0) for stream in streams if stream]
    return Answer(tuple(mixed), finish="tool_calls")


def status(code: int, *, retry_after: str = "", error: str = "scripted") -> Answer:
    """An HTTP error."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    return Answer(status=code, headers=headers, error=error)


def raw_stream(*lines: str) -> Answer:
    """A stream of server-sent lines as they are."""
    body = "".join(f"data: {line}\n\n" for line in lines)
    return Answer(body=body, headers={"Content-Type": "text/event-stream"})


def page(html: str) -> Answer:
    """A web page with status 200, as a login wall sends it."""
    return Answer(body=html, headers={"Content-Type": "text/html"})


def cut(answer: Answer) -> Answer:
    """The same, with a connection that breaks before the end."""
    return replace(answer, cut=True)


def silent(answer: Answer) -> Answer:
    """The same, and then nothing more."""
    return replace(answer, silent=True)


@dataclass
class ModelServer:
    """Listens on a free loopback port between `start` and `stop`."""

    answers: list[Answer] = field(default_factory=list[Answer])
    forever: Answer | Thinking | None = None
    """Given when the script is at its end."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    """The Authorization header of each request."""
    dropped: int = 0
    """Requests whose client went away before the answer was whole."""
    _runner: web.AppRunner | None = None
    _port: int = 0
    _gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def script(self, *answers: Answer, forever: Answer | Thinking | None = None) -> None:
        """Forget all that was, and give these answers from now on."""
        self.answers = list(answers)
        self.forever = forever
        self.requests.clear()
        self.keys.clear()
        self.dropped = 0
        self._gone.clear()

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        # handler_cancellation: a client that goes away must be seen, it is what Stop does.
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def client_gone(self) -> None:
        """Wait until a client went away before its answer was whole."""
        await asyncio.wait_for(self._gone.wait(), 5)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        answer = self.answers.pop(0) if self.answers else self.forever
        if callable(answer):
            answer = answer(body)
        if answer is None:
            return _error(500, f"request {len(self.requests)} came, the script is at its end", {})
        if answer.status != 200:
            return _error(answer.status, answer.error, answer.headers)
        if answer.body:
            return web.Response(text=answer.body, content_type=answer.headers["Content-Type"])
        if not body.get("stream"):
            return web.json_response(whole(answer))
        try:
            return await self._stream(request, body, answer)
        except (asyncio.CancelledError, ConnectionError):
            self.dropped += 1
            self._gone.set()
            raise

    async def _stream(
        self, request: web.Request, body: dict[str, Any], answer: Answer
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for delta in answer.deltas:
            await asyncio.sleep(answer.delay_s)
            await _send(response, [_choice(delta, None)])
        if answer.silent:
            await asyncio.Event().wait()
        if answer.cut:
            assert request.transport
            request.transport.close()
            return response
        await _send(response, [_choice({}, answer.finish)])
        if answer.usage and body.get("stream_options", {}).get("include_usage"):
            await _send(response, [], usage=USAGE)
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def whole(answer: Answer) -> dict[str, Any]:
    """The answer without a stream; made by merging by index, which is enough for our scripts."""
    content = "".join(delta.get("content") or "" for delta in answer.deltas)
    merged: dict[int, dict[str, Any]] = {}
    for delta in answer.deltas:
        for piece in delta.get("tool_calls", ()):
            made = merged.setdefault(
                piece["index"],
                {"id": piece.get("id"), "type": "function", "function": {"arguments": ""}},
            )
            function = piece.get("function", {})
            made["function"]["name"] = function.get("name") or made["function"].get("name")
            made["function"]["arguments"] += function.get("arguments", "")
    message: dict[str, Any] = {"role": "assistant", "content": content or None}
    if merged:
        message["tool_calls"] = list(merged.values())
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    return _envelope("chat.completion") | {"choices": [choice], "usage": USAGE}


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": "scripted"}


def _choice(delta: Chunk, finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


async def _send(
    response: web.StreamResponse, choices: Sequence[dict[str, Any]], **more: Any
) -> None:
    chunk = _envelope("chat.completion.chunk") | {"choices": list(choices)} | more
    await response.write(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode())


def _error(code: int, message: str, headers: dict[str, str]) -> web.Response:
    body = {"error": {"message": message, "type": "scripted", "code": code}}
    return web.json_response(body, status=code, headers=headers)
