"""Servers on loopback that stand for the outside: a search engine, Open-Meteo, a mail server."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

CITIES: dict[str, dict[str, Any]] = {
    "北京": {"name": "北京", "latitude": 39.9, "longitude": 116.4, "country": "中国"},
    "Paris": {
        "name": "Paris",
        "latitude": 48.85,
        "longitude": 2.35,
        "country": "France",
        "admin1": "Île-de-France",
    },
}
DAYS = ("2026-11-29", "2026-11-30", "2026-12-01")


@dataclass
class Web:
    """A web server with any answers, and what it was asked."""

    answers: dict[str, Callable[[web.Request], web.StreamResponse]]
    asked: list[web.Request] = field(default_factory=list[web.Request])
    origin: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        made = self.answers.get(request.path)
        return web.Response(status=404) if made is None else made(request)


@asynccontextmanager
async def serving(
    answers: dict[str, Callable[[web.Request], web.StreamResponse]],
) -> AsyncGenerator[Web]:
    """A server on loopback while the block runs."""
    held = Web(answers)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", held.answer)
    server = TestServer(app)
    await server.start_server()
    held.origin = f"http://127.0.0.1:{server.port}"
    try:
        yield held
    finally:
        await server.close()


def geocoding(request: web.Request) -> web.Response:
    """As Open-Meteo: no `results` where nothing is found."""
    found = CITIES.get(request.query["name"])
    return web.json_response({"results": [found]} if found else {"generationtime_ms": 0.5})


def forecast(request: web.Request) -> web.Response:
    """Three days of weather at most; the third has no figures yet."""
    days = int(request.query["forecast_days"])
    return web.json_response(
        {
            "current": {"time": "2026-11-29T20:00", "temperature_2m": 3.4, "weather_code": 71},
            "daily": {
                "time": list(DAYS[:days]),
                "weather_code": [61, 0, None][:days],
                "temperature_2m_max": [8.0, 10.5, None][:days],
                "temperature_2m_min": [-1.0, 2.0, None][:days],
                "precipitation_probability_max": [80, 0, None][:days],
                "wind_speed_10m_max": [12.3, 20.0, None][:days],
            },
        }
    )


@dataclass
class MailServer:
    """A mail server on loopback, and what it took."""

    port: int = 0
    refuse: str = ""
    """Answer to a recipient instead of taking the mail: `550 no such user`."""
    users: dict[str, str] = field(default_factory=dict[str, str])
    mails: list[EmailMessage] = field(default_factory=list[EmailMessage])
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])

    async def handle_RCPT(
        self, server: SMTP, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if self.refuse:
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.envelopes.append((envelope.mail_from, envelope.rcpt_tos))
        return "250 OK"

    def authenticate(self, server: Any, session: Any, envelope: Any, kind: str, data: Any) -> Any:
        assert isinstance(data, LoginPassword)
        known = self.users.get(data.login.decode()) == data.password.decode()
        return AuthResult(success=known, handled=False)


@asynccontextmanager
async def mail_server(users: dict[str, str] | None = None) -> AsyncGenerator[MailServer]:
    """A mail server while the block runs; with `users` it wants a login."""
    held = MailServer(users=users or {})
    options: dict[str, Any] = {"enable_SMTPUTF8": True, "hostname": "mail.test"}
    if users:
        options |= {
            "authenticator": held.authenticate,
            "auth_required": True,
            "auth_require_tls": False,
        }
    # On the test's own loop: the library's controller knows no free port and needs a thread.
    loop = asyncio.get_running_loop()
    lines: list[SMTP] = []

    def line() -> SMTP:
        with warnings.catch_warnings():
            # That a login without TLS is unsafe; it never leaves this machine.
            warnings.simplefilter("ignore", UserWarning)
            lines.append(SMTP(held, loop=loop, **options))
        return lines[-1]

    server = await loop.create_server(line, "127.0.0.1", 0)
    held.port = server.sockets[0].getsockname()[1]
    try:
        yield held
    finally:
        server.close()
        for each in lines:
            if each.transport is not None:
                each.transport.close()
        await server.wait_closed()
        # One turn, in which closed lines end their tasks.
        await asyncio.sleep(0)
