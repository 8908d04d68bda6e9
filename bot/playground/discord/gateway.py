"""The gateway: sockets, sessions, heartbeats, resuming.

A session outlives its socket: what happens meanwhile is kept with its number, and a RESUME gets
all of it. After an op 9 that is not resumable the session is gone, and so is what it missed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from bot.playground.discord.events import PRIVILEGED
from bot.playground.discord.guild import GUILD
from bot.playground.rows import Json

log = logging.getLogger(__name__)

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT = 0, 1, 2, 6, 7
REQUEST_MEMBERS, INVALID, HELLO, ACK = 8, 9, 10, 11
QUIET_OPS = (3, 4, 31)
"""Presence, voice state, soundboard: taken and not answered."""

HEARTBEAT_MS = 41_250
SENDS = 120
"""Discord: a socket may send 120 events in 60 seconds."""
KEPT_EVENTS = 20_000
IDENTIFIES = 1_000
"""Discord: a day's identifies; after them the token is reset."""
ALL_INTENTS = (1 << 26) - 1

View = Callable[["Session"], "Json | None"]
"""The event's data as a session may see it; None: not at all."""
DeliveryHook = Callable[[str, Json], int]
"""How often an event is sent now: 1, or 2 for a duplicate."""


@dataclass(eq=False)
class Socket:
    """One open connection."""

    ws: web.WebSocketResponse
    transport: asyncio.Transport | None
    out: asyncio.Queue[str | int] = field(default_factory=asyncio.Queue)
    """Frames; a number closes the socket with that code."""
    session: Session | None = None
    sent: deque[float] = field(default_factory=deque)
    hears: bool = True
    """False: heartbeats are read and not acknowledged."""

    def send(self, op: int, data: Any = None, event: str | None = None, s: int | None = None):
        self.out.put_nowait(json.dumps({"op": op, "d": data, "s": s, "t": event}))

    def close(self, code: int) -> None:
        self.out.put_nowait(code)

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


@dataclass(eq=False)
class Session:
    """One identified session."""

    id: str
    intents: int
    shard: tuple[int, int]
    number: int = 0
    kept: deque[tuple[int, str, Json]] = field(default_factory=lambda: deque(maxlen=KEPT_EVENTS))
    socket: Socket | None = None

    def has(self, bit: int) -> bool:
        return bool(self.intents >> bit & 1)

    def sees(self, guild: str | None) -> bool:
        """Whether events of the guild (None: of direct messages) come to this shard."""
        number, count = self.shard
        return ((int(guild) >> 22) % count if guild else 0) == number

    def dispatch(self, event: str, data: Json) -> None:
        self.number += 1
        self.kept.append((self.number, event, data))
        if self.socket is not None:
            self.socket.send(DISPATCH, data, event, self.number)


class Gateway:
    """All sockets and sessions of the bot."""

    def __init__(self, ready: Callable[[Session], Json], guild: Callable[[], Json]) -> None:
        self.token: Callable[[], str] = lambda: ""
        self.message_content = True
        """The switch on the application's page."""
        self.on_change: Callable[[], None] = lambda: None
        self.before_delivery: DeliveryHook | None = None
        self.members: Callable[[Json], Json] = lambda asked: {}
        self.heartbeat_ms = HEARTBEAT_MS
        self.sockets: list[Socket] = []
        self.sessions: dict[str, Session] = {}
        self.identified = 0
        self.resumed = 0
        self.refused: list[int] = []
        """Codes that sockets were closed with because of what the bot did."""
        self._ready = ready
        self._guild = guild

    @property
    def connected(self) -> bool:
        return any(s.session is not None for s in self.sockets)

    async def stop(self) -> None:
        for socket in list(self.sockets):
            with suppress(ConnectionError, RuntimeError):
                await socket.ws.close(code=1001)

    # What the platform does

    def emit(self, event: str, guild: str | None, view: View) -> None:
        """Tell every session that may see it; also those that are away and may resume."""
        for session in list(self.sessions.values()):
            data = view(session) if session.sees(guild) else None
            if data is None:
                continue
            times = self.before_delivery(event, data) if self.before_delivery else 1
            for _ in range(times):
                session.dispatch(event, data)

    def reconnect(self) -> None:
        """Op 7 on every socket: come back and resume."""
        for socket in self.sockets:
            socket.send(RECONNECT)

    def invalidate(self, resumable: bool) -> None:
        """Op 9 on every socket; not resumable, the sessions and what they hold are gone."""
        for socket in self.sockets:
            socket.send(INVALID, resumable)
            if not resumable and socket.session is not None:
                self._forget(socket.session)

    def forget_sessions(self) -> None:
        """No session can be resumed any more; the sockets are left as they are."""
        self.sessions.clear()

    def drop(self) -> None:
        """Every connection breaks without a closing word."""
        for socket in list(self.sockets):
            socket.abort()

    def close(self, code: int) -> None:
        """Close every socket with a code (Discord: topics/opcodes-and-status-codes)."""
        for socket in self.sockets:
            socket.close(code)

    # Sockets

    async def handle(self, request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse(max_msg_size=16_384, autoping=True)
        await ws.prepare(request)
        transport = request.transport
        socket = Socket(ws, transport if isinstance(transport, asyncio.Transport) else None)
        self.sockets.append(socket)
        writer = asyncio.create_task(self._write(socket), name="gateway-writer")
        socket.send(HELLO, {"heartbeat_interval": self.heartbeat_ms})
        try:
            await self._read(socket)
        finally:
            writer.cancel()
            self.sockets.remove(socket)
            if socket.session is not None and socket.session.socket is socket:
                socket.session.socket = None
            self.on_change()
        return ws

    async def _write(self, socket: Socket) -> None:
        with suppress(ConnectionError, RuntimeError):
            while True:
                frame = await socket.out.get()
                if isinstance(frame, int):
                    await socket.ws.close(code=frame)
                    return
                await socket.ws.send_str(frame)

    async def _read(self, socket: Socket) -> None:
        async for frame in socket.ws:
            if frame.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                return
            try:
                asked = json.loads(frame.data)
                op, data = int(asked["op"]), asked.get("d")
            except (ValueError, KeyError, TypeError):
                self._refuse(socket, 4002)
                continue
            if op != HEARTBEAT and self._too_many(socket):
                self._refuse(socket, 4008)
            else:
                self._act(socket, op, data)

    def _act(self, socket: Socket, op: int, data: Any) -> None:
        if op == HEARTBEAT:
            if socket.hears:
                socket.send(ACK)
        elif op == IDENTIFY:
            self._identify(socket, data)
        elif op == RESUME:
            self._resume(socket, data)
        elif socket.session is None:
            self._refuse(socket, 4003)
        elif op == REQUEST_MEMBERS:
            socket.session.dispatch("GUILD_MEMBERS_CHUNK", self.members(data))
        elif op not in QUIET_OPS:
            self._refuse(socket, 4001)

    def _identify(self, socket: Socket, data: Json) -> None:
        shard = tuple(data.get("shard") or (0, 1))
        wrong = self._wrong_identify(socket, data, shard)
        if wrong:
            return self._refuse(socket, wrong)
        self.identified += 1
        number, count = shard
        session = Session(secrets.token_hex(16), int(data["intents"]), (number, count))
        session.socket, socket.session = socket, session
        self.sessions[session.id] = session
        session.dispatch("READY", self._ready(session))
        if session.sees(GUILD):
            session.dispatch("GUILD_CREATE", self._guild())
        self.on_change()

    def _wrong_identify(self, socket: Socket, data: Json, shard: tuple[int, ...]) -> int:
        """The close code for an IDENTIFY that is not accepted, or 0."""
        intents = int(data.get("intents", -1))
        if socket.session is not None:
            return 4005
        if data.get("token") != self.token() or self.identified >= IDENTIFIES:
            return 4004
        if len(shard) != 2 or not 0 <= shard[0] < shard[1]:
            return 4010
        if not 0 <= intents <= ALL_INTENTS:
            return 4013
        granted = {bit for bit in PRIVILEGED if bit != 15 or self.message_content}
        if any(intents >> bit & 1 for bit in PRIVILEGED - granted):
            return 4014
        return 0

    def _resume(self, socket: Socket, data: Json) -> None:
        if data.get("token") != self.token():
            return self._refuse(socket, 4004)
        session = self.sessions.get(str(data.get("session_id")))
        number = data.get("seq")
        if session is None or not isinstance(number, int):
            return socket.send(INVALID, False)
        if number > session.number:
            self._forget(session)
            return self._refuse(socket, 4007)
        oldest = session.kept[0][0] if session.kept else 1
        if number + 1 < oldest:
            self._forget(session)
            return socket.send(INVALID, False)
        self.resumed += 1
        if session.socket is not None and session.socket is not socket:
            session.socket.session = None
            session.socket.close(4000)
        session.socket, socket.session = socket, session
        for at, event, held in session.kept:
            if at > number:
                socket.send(DISPATCH, held, event, at)
        session.dispatch("RESUMED", {})
        self.on_change()

    def _forget(self, session: Session) -> None:
        self.sessions.pop(session.id, None)

    def _refuse(self, socket: Socket, code: int) -> None:
        self.refused.append(code)
        socket.close(code)

    def _too_many(self, socket: Socket) -> bool:
        now = asyncio.get_running_loop().time()
        socket.sent.append(now)
        while socket.sent[0] < now - 60:
            socket.sent.popleft()
        return len(socket.sent) > SENDS
