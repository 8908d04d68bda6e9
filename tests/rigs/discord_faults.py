"""Faults for the practice Discord: what the real one does on a bad day, when a test asks for it.

`DiscordFaults(practice)` takes over the server's hooks; each method arms one fault, for the next
call of a route (or every one, with `times=None`). Routes are named as in `practice.rest.calls`:
`message.create`, `message.edit`, `webhook.execute`, `interaction.callback`, `*` for all. Nothing
here is random: tests and benches choose.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.call import Call
from bot.playground.discord.rest import Cut, rate_limited
from bot.playground.rows import Json

Before = Callable[[Call], Awaitable[web.StreamResponse | None]]


@dataclass
class _Fault:
    route: str
    act: Before
    times: int | None
    after: bool


class DiscordFaults:
    def __init__(self, practice: PracticeDiscord) -> None:
        self.practice = practice
        self.fired: list[str] = []
        """Routes (and `delivery`) that a fault has hit, in order."""
        self._faults: list[_Fault] = []
        self._deliveries: list[int] = []
        practice.rest.before_request = self._before
        practice.rest.after_request = self._after
        practice.gateway.before_delivery = self._delivery

    def clear(self) -> None:
        self._faults.clear()
        self._deliveries.clear()

    # REST

    def rate_limit(
        self,
        route: str,
        retry_after: float = 0.05,
        times: int | None = 1,
        *,
        all_routes: bool = False,
        cloudflare: bool = False,
    ) -> None:
        """429; the call is not worked. `cloudflare`: without Discord's headers and JSON, a ban."""

        async def act(call: Call) -> web.StreamResponse:
            if cloudflare:
                return web.Response(status=429, text="<html>error 1015</html>")
            return rate_limited(retry_after, all_routes=all_routes)

        self._arm(route, act, times)

    def server_error(self, route: str, status: int = 502, times: int | None = 1) -> None:
        """A 5xx with a page that is no JSON; the call is not worked."""
        self._arm(route, _page(status), times)

    def lose_answer(self, route: str, status: int = 502, times: int | None = 1) -> None:
        """The call is worked, and its answer is a 5xx all the same."""
        self._arm(route, _page(status), times, after=True)

    def error(
        self, route: str, status: int, code: int, message: str = "", times: int | None = 1
    ) -> None:
        """One of Discord's errors, `error("message.create", 403, 50013)`; not worked."""

        async def act(call: Call) -> web.StreamResponse:
            body = {"code": code, "message": message or f"error {code}"}
            return web.Response(
                status=status,
                body=json.dumps(body).encode(),
                headers={"Via": "1.1 google", "Content-Type": "application/json"},
            )

        self._arm(route, act, times)

    def slow(self, route: str, seconds: float, times: int | None = 1) -> None:
        """The call is worked after `seconds`."""

        async def act(call: Call) -> None:
            await asyncio.sleep(seconds)

        self._arm(route, act, times)

    def cut_before(self, route: str, times: int | None = 1) -> None:
        """The connection breaks and the call was not worked."""
        self._arm(route, _cut, times)

    def cut_after(self, route: str, times: int | None = 1) -> None:
        """The connection breaks although the call was worked: its outcome is unknown."""
        self._arm(route, _cut, times, after=True)

    def hold_before(self, route: str, release: asyncio.Event, times: int | None = 1) -> None:
        """Worked only when `release` is set."""
        self._arm(route, _wait(release), times)

    def hold_after(self, route: str, release: asyncio.Event, times: int | None = 1) -> None:
        """Worked, and answered only when `release` is set."""
        self._arm(route, _wait(release), times, after=True)

    def call_before(self, route: str, act: Callable[[Call], None], times: int | None = 1) -> None:
        """Run `act` before a call is worked: delete its channel, take a permission."""
        self._arm(route, _run(act), times)

    def call_after(self, route: str, act: Callable[[Call], None], times: int | None = 1) -> None:
        """Run `act` when a call was worked and not yet answered: where a kill hurts most."""
        self._arm(route, _run(act), times, after=True)

    # Tokens, channels, permissions

    def expire_tokens(self) -> None:
        """Every interaction so far is older than its fifteen minutes."""
        self.practice.interactions.expire()

    def expire_links(self) -> None:
        """Every file link that was handed out is dead; a fresh one comes with the message."""
        self.practice.skip(25 * 3600)

    def delete_before(self, route: str, channel: str) -> None:
        """The channel or thread is deleted just before the next call of `route`."""
        self.call_before(route, lambda call: self.practice.remove(channel))

    # Gateway

    def duplicate(self, deliveries: int = 1) -> None:
        """The next events come twice."""
        self._deliveries += [2] * deliveries

    def drop(self) -> None:
        """Every connection breaks without a closing word; sessions can be resumed."""
        self.practice.gateway.drop()

    def reconnect(self) -> None:
        """Op 7."""
        self.practice.gateway.reconnect()

    def invalidate(self, resumable: bool) -> None:
        """Op 9; not resumable, what happens before the next identify is lost."""
        self.practice.gateway.invalidate(resumable)

    def close(self, code: int) -> None:
        """Every connection is closed with one of Discord's codes."""
        self.practice.gateway.close(code)

    def lose_sessions(self) -> None:
        """Connections break, and no session can be resumed."""
        self.practice.gateway.forget_sessions()
        self.practice.gateway.drop()

    def deaf(self) -> None:
        """Connections stay open, and heartbeats are not acknowledged any more."""
        for socket in self.practice.gateway.sockets:
            socket.hears = False

    # Within

    def _arm(self, route: str, act: Before, times: int | None, after: bool = False) -> None:
        self._faults.append(_Fault(route, act, times, after))

    async def _before(self, call: Call) -> web.StreamResponse | None:
        return await self._fire(call, after=False)

    async def _after(self, call: Call, answer: Any) -> web.StreamResponse | None:
        return await self._fire(call, after=True)

    async def _fire(self, call: Call, after: bool) -> web.StreamResponse | None:
        for fault in self._faults:
            if fault.after != after or fault.route not in ("*", call.route):
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._faults.remove(fault)
            self.fired.append(call.route)
            return await fault.act(call)
        return None

    def _delivery(self, event: str, data: Json) -> int:
        if not self._deliveries:
            return 1
        self.fired.append("delivery")
        return self._deliveries.pop(0)


def _page(status: int) -> Before:
    async def act(call: Call) -> web.StreamResponse:
        return web.Response(status=status, text="<html>our bad</html>")

    return act


def _wait(release: asyncio.Event) -> Before:
    async def act(call: Call) -> None:
        await release.wait()

    return act


def _run(work: Callable[[Call], None]) -> Before:
    async def act(call: Call) -> None:
        work(call)

    return act


async def _cut(call: Call) -> None:
    raise Cut
