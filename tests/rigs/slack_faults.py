"""Faults for the practice Slack: what the real one does on its bad days, on the server's hooks.

`SlackFaults(server)` takes over the server's hooks; each method arms one fault, for the next call
of a method (or every one, with `times=None`). Nothing here is random: tests and benches choose.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from bot.playground.call import Call
from bot.playground.rows import Json
from bot.playground.server import Cut, PracticeServer
from bot.playground.sockets import Envelope

Before = Callable[[Call], Awaitable[web.StreamResponse | None]]


@dataclass
class _Fault:
    method: str
    """Slack's name, or `*` for every call."""
    act: Before
    times: int | None
    after: bool = False


class SlackFaults:
    def __init__(self, server: PracticeServer) -> None:
        self.server = server
        self.fired: list[str] = []
        """Methods (and `delivery`) that a fault has hit, in order."""
        self._faults: list[_Fault] = []
        self._deliveries: list[int] = []
        server.before_request = self._before
        server.after_request = self._after
        server.hub.before_delivery = self._delivery

    def clear(self) -> None:
        self._faults.clear()
        self._deliveries.clear()

    # The Web API

    def rate_limit(self, method: str, retry_after: int = 1, times: int | None = 1) -> None:
        """429 with Retry-After; the call is not worked."""

        async def act(call: Call) -> web.StreamResponse:
            body = {"ok": False, "error": "ratelimited"}
            headers = {"Retry-After": str(retry_after)}
            return web.json_response(body, status=429, headers=headers)

        self._arm(method, act, times)

    def server_error(self, method: str, status: int = 500, times: int | None = 1) -> None:
        """A 5xx with a page that is no JSON; the call is not worked."""

        async def act(call: Call) -> web.StreamResponse:
            return web.Response(status=status, text="<html>our bad</html>")

        self._arm(method, act, times)

    def error(self, method: str, name: str, times: int | None = 1) -> None:
        """`{"ok": false, "error": name}`; the call is not worked."""

        async def act(call: Call) -> web.StreamResponse:
            return web.json_response({"ok": False, "error": name})

        self._arm(method, act, times)

    def slow(self, method: str, seconds: float, times: int | None = 1) -> None:
        """The call is worked after `seconds`."""

        async def act(call: Call) -> None:
            await asyncio.sleep(seconds)

        self._arm(method, act, times)

    def cut_before(self, method: str, times: int | None = 1) -> None:
        """The connection breaks and the call was not worked."""
        self._arm(method, _cut, times)

    def cut_after(self, method: str, times: int | None = 1) -> None:
        """The connection breaks although the call was worked: its outcome is unknown."""
        self._arm(method, _cut, times, after=True)

    def hold_after(self, method: str, release: asyncio.Event, times: int | None = 1) -> None:
        """Worked, and answered only when `release` is set."""

        async def act(call: Call) -> None:
            await release.wait()

        self._arm(method, act, times, after=True)

    def call_after(self, method: str, act: Callable[[Call], None], times: int | None = 1) -> None:
        """Run `act` when a call was worked and not yet answered: where a kill hurts most."""

        async def run(call: Call) -> None:
            act(call)

        self._arm(method, run, times, after=True)

    # Deliveries

    def duplicate(self, deliveries: int = 1) -> None:
        """The next deliveries arrive twice on the socket."""
        self._deliveries += [2] * deliveries

    def lose(self, deliveries: int = 1) -> None:
        """The next deliveries never arrive; Slack tries them again after its three seconds."""
        self._deliveries += [0] * deliveries

    def deliver(self, deliveries: int = 1) -> None:
        """Let the next deliveries through, so that a fault hits a later one."""
        self._deliveries += [1] * deliveries

    def deaf(self) -> None:
        """The sockets stay open but the server neither reads acknowledgements nor pings."""
        for connection in self.server.hub.connections:
            connection.hears.clear()

    def drop_sockets(self) -> None:
        """Every socket breaks without a closing word."""
        self.server.hub.drop_all()

    async def refresh_sockets(self) -> None:
        """Slack's `disconnect` with `refresh_requested`."""
        await self.server.hub.refresh()

    def retry_quickly(self, ack_s: float = 0.2) -> None:
        """Retries after fractions of a second instead of Slack's minutes."""
        self.server.hub.ack_s = ack_s
        self.server.hub.retry_pauses = (0.0, ack_s, ack_s)

    def again(self, payload: Json, attempt: int = 1, reason: str = "timeout") -> Envelope:
        """Deliver a known event once more, as a retry."""
        return self.server.hub.redeliver("events_api", payload, attempt, reason)

    # Within

    def _arm(self, method: str, act: Before, times: int | None, after: bool = False) -> None:
        self._faults.append(_Fault(method, act, times, after))

    async def _before(self, call: Call) -> web.StreamResponse | None:
        return await self._fire(call, after=False)

    async def _after(self, call: Call, answer: Json) -> web.StreamResponse | None:
        return await self._fire(call, after=True)

    async def _fire(self, call: Call, after: bool) -> web.StreamResponse | None:
        for fault in self._faults:
            if fault.after != after or fault.method not in ("*", call.method):
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._faults.remove(fault)
            self.fired.append(call.method)
            return await fault.act(call)
        return None

    async def _delivery(self, envelope: Envelope) -> int:
        if not self._deliveries:
            return 1
        self.fired.append("delivery")
        return self._deliveries.pop(0)


async def _cut(call: Call) -> None:
    raise Cut
