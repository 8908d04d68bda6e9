"""The Socket Mode connection, watched: a socket that is open but deaf is replaced.

The SDK reconnects by itself after a clean close and after missed pings. It does not when a
WebSocket address is refused (it tries the same one for ever), and a close can wait without end for
a server that does not listen. Both are seen from outside: no sign of life for `deaf_s`, or not
connected for `down_s`. The old socket is closed before a new one is opened: Slack allows ten.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from core.errors import PlatformError, TryLater, WrongConfig

log = logging.getLogger(__name__)

Handler = Callable[[SocketModeClient, SocketModeRequest], Awaitable[None]]
NewAddress = Callable[[], Awaitable[str]]

DEAF_S = 45.0
"""No pong and no envelope for this long: the socket is deaf. Longer than the SDK's own four missed
pings, so that the two do not fight."""
DOWN_S = 2.0
"""Not connected for this long: the SDK does not come back by itself."""
PING_S = 5.0
LOOK_S = 0.5
CLOSE_S = 3.0
"""A close waits this long for the other side."""
CONNECT_S = 15.0
LONGEST_PAUSE_S = 30.0


@dataclass
class Socket:
    """One Socket Mode connection; `handler` gets every envelope and acknowledges it."""

    web: AsyncWebClient
    app_token: str
    address: NewAddress
    handler: Handler
    deaf_s: float = DEAF_S
    down_s: float = DOWN_S
    ping_s: float = PING_S
    look_s: float = LOOK_S
    clock: Callable[[], float] = time.monotonic
    renewed: int = 0
    """How often a deaf or lost socket was replaced."""
    _client: SocketModeClient | None = None
    _watch: asyncio.Task[None] | None = None
    _heard_at: float = 0.0
    _up_at: float = 0.0
    _pong: float | None = field(default=None, repr=False)

    async def open(self) -> None:
        """Connect; WrongConfig if Slack refuses the app token, TryLater if it is not there."""
        await self._connect()
        self._watch = asyncio.create_task(self._keep_alive(), name="slack socket watch")

    async def close(self) -> None:
        """Close within a few seconds, whatever the other side does."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        await self._shut()

    async def connected(self) -> bool:
        """For readiness: the socket is open and answers."""
        return self._client is not None and await self._client.is_connected()

    async def _connect(self) -> None:
        address = await self.address()
        client = SocketModeClient(
            app_token=self.app_token, web_client=self.web, ping_interval=self.ping_s, logger=log
        )
        client.wss_uri = address
        client.socket_mode_request_listeners.append(self.handler)  # pyright: ignore[reportArgumentType]
        client.on_message_listeners.append(self._hear)
        self._client, self._pong = client, None
        self._heard_at = self._up_at = self.clock()
        try:
            async with asyncio.timeout(CONNECT_S):
                await client.connect()
        except TimeoutError as error:
            await self._shut()
            raise TryLater("no Slack socket") from error
        except BaseException:
            await self._shut()
            raise

    async def _hear(self, message: aiohttp.WSMessage) -> None:
        del message
        self._heard_at = self.clock()

    async def _keep_alive(self) -> None:
        pause = self.look_s
        while True:
            await asyncio.sleep(pause)
            why = await self._trouble()
            if why is None and self._client is not None:
                pause = self.look_s
                continue
            log.warning("the Slack socket is %s; opening another one", why or "gone")
            pause = self.look_s if await self._renew() else min(pause * 2, LONGEST_PAUSE_S)

    async def _trouble(self) -> str | None:
        client, now = self._client, self.clock()
        if client is None:
            return "gone"
        if client.last_ping_pong_time != self._pong:
            self._pong, self._heard_at = client.last_ping_pong_time, now
        if await client.is_connected():
            self._up_at = now
        if now - self._heard_at > self.deaf_s:
            return "deaf"
        return "down" if now - self._up_at > self.down_s else None

    async def _renew(self) -> bool:
        await self._shut()
        try:
            await self._connect()
        except (PlatformError, WrongConfig, aiohttp.ClientError, OSError) as error:
            log.warning("no Slack socket yet: %s", error)
            return False
        except Exception:
            # The adapter's border: a watch that ended would leave the bot deaf for good.
            log.exception("no Slack socket yet")
            return False
        self.renewed += 1
        return True

    async def _shut(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        # The SDK's own close waits for the server first and cancels its tasks afterwards; with a
        # deaf server the tasks would live on.
        client.closed = True
        client.auto_reconnect_enabled = False
        tasks: list[Any] = [
            client.message_processor,
            client.current_session_monitor,
            client.message_receiver,
        ]
        alive = [task for task in tasks if task is not None]
        for task in alive:
            task.cancel()
        await asyncio.gather(*alive, return_exceptions=True)
        if client.current_session is not None:
            with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError):
                async with asyncio.timeout(CLOSE_S):
                    await client.current_session.close()
        await client.aiohttp_client_session.close()
