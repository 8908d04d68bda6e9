"""Socket Mode: connections, envelopes, acknowledgements, retries."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from bot.playground.rows import Json, Rows

log = logging.getLogger(__name__)

ACK_S = 3.0
"""Slack waits three seconds for an acknowledgement."""
RETRY_PAUSES_S = (0.0, 60.0, 300.0)
"""Slack tries an event again at once, after a minute and after five."""
MAX_CONNECTIONS = 10
"""Slack: at most ten sockets of one app."""

EnvelopeKind = Literal["events_api", "slash_commands", "interactive"]


@dataclass
class Envelope:
    """One thing for the app to acknowledge."""

    id: str
    kind: EnvelopeKind
    payload: Json
    attempt: int = 0
    reason: str = ""
    answer: Json | None = None
    """What the app sent along with its acknowledgement."""
    failed: str = ""
    """Slack's word for why nobody will deliver it any more: `dispatch_failed`, ..."""
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def acked(self) -> bool:
        return self.heard.is_set()

    async def done(self) -> bool:
        """Wait until it is acknowledged (True) or given up (False)."""
        await self.over.wait()
        return self.acked

    def ack(self, answer: Json | None) -> None:
        if not self.acked:
            self.answer = answer
            self.heard.set()

    def wire(self) -> str:
        frame: Json = {
            "envelope_id": self.id,
            "type": self.kind,
            "payload": self.payload,
            "accepts_response_payload": self.kind != "events_api",
        }
        if self.kind == "events_api":
            frame["retry_attempt"] = self.attempt
            frame["retry_reason"] = self.reason
        return json.dumps(frame)


@dataclass(eq=False)
class Connection:
    """One open socket of the app."""

    ws: web.WebSocketResponse
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    leaving: bool = False
    """A refresh was asked for: no new envelope goes here."""
    hears: asyncio.Event = field(default_factory=asyncio.Event)
    """Cleared, the server neither reads acknowledgements nor answers pings."""
    transport: asyncio.BaseTransport | None = None


DeliveryHook = Callable[[Envelope], Awaitable[int]]
"""How often to send this envelope now: 0 (not at all, as if it got lost), 1, 2 (a duplicate)."""


class Hub:
    """All sockets of the app; every event is kept on disk until it is acknowledged.

    Slack gives up after the third retry and forgets what nobody was connected for. Here an event
    waits for the next socket, so that what people did while the bot was off is answered later.
    """

    def __init__(self, rows: Rows, retry_pauses: tuple[float, ...] = RETRY_PAUSES_S) -> None:
        self.ack_s = ACK_S
        self.retry_pauses = retry_pauses
        self.before_delivery: DeliveryHook | None = None
        self.prepare: Callable[[Json], Json] = lambda payload: payload
        """Fills in what may have changed since the event was kept (addresses of files)."""
        self.on_change: Callable[[], None] = lambda: None
        self.connections: list[Connection] = []
        self.envelopes: dict[str, Envelope] = {}
        """Not yet over, by id."""
        self.delivered: deque[tuple[str, int]] = deque(maxlen=10_000)
        """(envelope id, attempt) of what was sent last, for tests."""
        self.app_id = ""
        self._rows = rows
        self._tickets: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._opened = asyncio.Condition()
        self._next = 0

    @property
    def connected(self) -> bool:
        return any(not c.leaving for c in self.connections)

    def start(self) -> None:
        """Take up again what was not acknowledged before the last stop."""
        for row, value in list(self._rows.all("envelope").items()):
            self._begin(Envelope(row, "events_api", value))

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in list(self.connections):
            with suppress(ConnectionError):
                await connection.ws.close()

    def ticket(self) -> str | None:
        """A one-time pass for a socket; None if the app has too many already."""
        if len(self.connections) >= MAX_CONNECTIONS:
            return None
        ticket = secrets.token_urlsafe(12)
        self._tickets.add(ticket)
        return ticket

    def emit(self, kind: EnvelopeKind, payload: Json) -> Envelope:
        """Send to one of the app's sockets, with retries if it is an event."""
        envelope = Envelope(secrets.token_hex(16), kind, payload)
        if kind == "events_api":
            self._rows.put("envelope", envelope.id, payload)
        self._begin(envelope)
        return envelope

    def redeliver(self, kind: EnvelopeKind, payload: Json, attempt: int, reason: str) -> Envelope:
        """Deliver a payload that the app knows already, as Slack does when an answer was lost."""
        envelope = Envelope(secrets.token_hex(16), kind, payload, attempt, reason)
        self._begin(envelope)
        return envelope

    async def refresh(self) -> None:
        """Ask every socket to leave, as Slack does every few hours."""
        for connection in list(self.connections):
            connection.leaving = True
            await connection.ws.send_json({"type": "disconnect", "reason": "refresh_requested"})

    def drop_all(self) -> None:
        """Cut every socket without a word."""
        for connection in list(self.connections):
            if isinstance(connection.transport, asyncio.WriteTransport):
                connection.transport.abort()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The socket's address; ends when the app or the server closes it."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.json_response({"ok": False, "error": "invalid_auth"}, status=401)
        self._tickets.discard(ticket)
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        connection = Connection(ws, transport=request.transport)
        connection.hears.set()
        await ws.send_json(self._hello())
        await self._join(connection)
        try:
            await self._listen(connection)
        finally:
            connection.closed.set()
            self.connections.remove(connection)
            self.on_change()
        return ws

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.connections) + 1,
            "connection_info": {"app_id": self.app_id},
            "debug_info": {"host": "practice", "approximate_connection_time": 18_060},
        }

    async def _join(self, connection: Connection) -> None:
        async with self._opened:
            self.connections.append(connection)
            self._opened.notify_all()
        self.on_change()

    async def _listen(self, connection: Connection) -> None:
        while True:
            await connection.hears.wait()
            message = await connection.ws.receive()
            if message.type is not WSMsgType.TEXT:
                return
            frame = _json(message.data)
            envelope = self.envelopes.get(str(frame.get("envelope_id")))
            if envelope is not None:
                payload = frame.get("payload")
                envelope.ack(payload if isinstance(payload, dict) else None)

    def _begin(self, envelope: Envelope) -> None:
        self.envelopes[envelope.id] = envelope
        task = asyncio.create_task(self._work(envelope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, envelope: Envelope) -> None:
        if envelope.kind == "events_api":
            await self._deliver_event(envelope)
        else:
            await self._deliver_once(envelope)
        # A cancelled delivery (the server stops) stays on disk; only the end of one gets here.
        self._rows.drop("envelope", envelope.id)
        self.envelopes.pop(envelope.id, None)
        envelope.over.set()
        self.on_change()

    async def _deliver_event(self, envelope: Envelope) -> None:
        retries = iter(self.retry_pauses)
        while True:
            connection = await self._connection()
            await self._send(connection, envelope)
            outcome = await self._outcome(connection, envelope)
            if outcome == "acked":
                return
            envelope.attempt += 1
            envelope.reason = "timeout"
            if outcome == "closed":
                continue
            pause = next(retries, None)
            if pause is None:
                envelope.failed = "timeout"
                log.warning("the app never acknowledged an event; given up")
                return
            await asyncio.sleep(pause)

    async def _deliver_once(self, envelope: Envelope) -> None:
        """Commands and clicks: the person waits, so there is no second try."""
        connection = self._pick()
        if connection is None:
            envelope.failed = "dispatch_failed"
            return
        await self._send(connection, envelope)
        if await self._outcome(connection, envelope) != "acked":
            envelope.failed = "operation_timeout"

    async def _connection(self) -> Connection:
        async with self._opened:
            while (connection := self._pick()) is None:
                await self._opened.wait()
            return connection

    def _pick(self) -> Connection | None:
        """Slack gives each envelope to one of the sockets, in turn."""
        able = [c for c in self.connections if not c.leaving and not c.closed.is_set()]
        if not able:
            return None
        self._next += 1
        return able[self._next % len(able)]

    async def _send(self, connection: Connection, envelope: Envelope) -> None:
        times = 1 if self.before_delivery is None else await self.before_delivery(envelope)
        envelope.payload = self.prepare(envelope.payload)
        for _ in range(times):
            self.delivered.append((envelope.id, envelope.attempt))
            with suppress(ConnectionError):
                await connection.ws.send_str(envelope.wire())

    async def _outcome(
        self, connection: Connection, envelope: Envelope
    ) -> Literal["acked", "closed", "silent"]:
        acked = asyncio.ensure_future(envelope.heard.wait())
        closed = asyncio.ensure_future(connection.closed.wait())
        try:
            await asyncio.wait(
                (acked, closed), timeout=self.ack_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            acked.cancel()
            closed.cancel()
        if envelope.acked:
            return "acked"
        return "closed" if connection.closed.is_set() else "silent"


def _json(text: str) -> Json:
    try:
        frame = json.loads(text)
    except ValueError:
        return {}
    return frame if isinstance(frame, dict) else {}
