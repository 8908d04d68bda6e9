"""URLs through the guarded client, with the row's own name server; nothing leaves the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aiohttp import web

from bench.attacks.row import Row
from core.http import Blocked, GuardedClient, WebError, literal

PUBLIC = "93.184.216.34"
REDIRECT = re.compile(r"redirect:\s*(\S+)\s*->\s*(.+)$", re.S)
EMBEDDED = re.compile(
    r"(?:^|[.-])(\d+)[.-](\d+)[.-](\d+)[.-](\d+)\.(?:[\w-]+\.)*(?:nip|sslip|xip)\.(?:io|name)$"
)
"""Wildcard name servers (nip.io and its like) answer the address that stands in the name."""


class Names:
    """The row's name server. A name that is listed with a name is followed there."""

    def __init__(self, row: Row, otherwise: str = "") -> None:
        self._known = {
            name.lower(): answers for name, answers in row.context.get("dns", {}).items()
        }
        self._otherwise = otherwise

    async def resolve(self, host: str) -> Sequence[str]:
        return self._answers(host, 0)

    def _answers(self, host: str, depth: int) -> list[str]:
        if depth > 5:
            raise OSError("a loop of names")
        if found := EMBEDDED.search(host):
            return [".".join(found.groups())]
        if host in self._known:
            listed = self._known[host]
            answers = [listed] if isinstance(listed, str) else listed
            found_all: list[str] = []
            for answer in answers:
                number = literal(str(answer).split("%")[0]) is not None
                found_all += [str(answer)] if number else self._answers(str(answer), depth + 1)
            return found_all
        if self._otherwise:
            return [self._otherwise]
        raise OSError("no such name")


async def check_url(row: Row) -> str:
    """ "" if the URL is not opened (or, for `expect: allow`, if it is)."""
    if str(row.oracle.get("expect", "block")) != "block":
        return await check_open(row)
    if found := REDIRECT.match(row.text):
        return await check_redirect(row, found.group(2).strip())
    client = GuardedClient(resolve=Names(row).resolve)
    try:
        target = await client.check(row.text)
    except WebError:
        return ""
    return f"would connect to {target.addresses}"


async def check_redirect(row: Row, place: str) -> str:
    """A server that we may open sends us on; the next hop must be refused as such."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": place})

    app = web.Application()
    app.router.add_get("/{tail:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        first = f"http://{host}:{port}"
        async with GuardedClient(origins=[first], resolve=Names(row).resolve) as client:
            await client.get(first + "/", seconds=5)
    except Blocked:
        return ""
    except WebError as error:
        return "" if error.key == "web.unknown_host" else f"refused only by {error.key}"
    finally:
        await runner.cleanup()
    return "the redirect was followed"


async def check_open(row: Row) -> str:
    """ "" if a harmless URL passes the guard."""
    try:
        await GuardedClient(resolve=Names(row, PUBLIC).resolve).check(row.text)
    except WebError as error:
        return f"refused: {error.key}"
    return ""
