"""The bytes of files: uploads, and downloads behind a token as on Slack."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from bot.playground.rows import Json
from bot.playground.workspace import Workspace

CHUNK = 256 * 1024

LOGIN_PAGE = (
    "<!DOCTYPE html><html><head><title>Sign in | Practice</title></head>"
    '<body><form method="post"><label>Email <input name="email"></label>'
    "<button>Sign in</button></form></body></html>"
)
"""Slack answers a download without the right to it with its sign-in page, status 200."""


async def receive(ws: Workspace, request: web.Request) -> web.Response:
    """The address that files.getUploadURLExternal gave: raw bytes, or a form with one file."""
    file = request.match_info["file"]
    if file not in ws.files or ws.files[file]["ready"]:
        return web.Response(status=404, text="no such upload")
    if request.content_type == "multipart/form-data":
        part = await (await request.multipart()).next()
        if part is None or not hasattr(part, "read_chunk"):
            return web.Response(status=400, text="no file in the form")
        size = await store(ws.blob(file), part.read_chunk)  # pyright: ignore[reportAttributeAccessIssue]
    else:
        size = await store(ws.blob(file), request.content.read)
    ws.filled(file, size)
    return web.Response(text=f"OK - {size}")


async def store(path: Path, read: Callable[[int], Awaitable[bytes]]) -> int:
    """Write what `read(size)` gives until it gives nothing; the number of bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("wb") as out:
        while chunk := await read(CHUNK):
            size += len(chunk)
            await asyncio.to_thread(out.write, chunk)
    return size


def send(row: Json | None, blob: Path) -> web.StreamResponse:
    """The bytes of a file; never shown by a browser as a page of this origin."""
    if row is None or not row["ready"]:
        return web.Response(status=404, text="not found")
    headers = {
        "Content-Type": row["mimetype"],
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(row['name'], safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox",
    }
    return web.FileResponse(blob, headers=headers)


def sign_in() -> web.Response:
    return web.Response(text=LOGIN_PAGE, content_type="text/html")
