"""One request of the bot: where it goes, what it carries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.playground.discord.errors import DiscordError
from bot.playground.discord.limits import FILE_BYTES
from bot.playground.rows import Json


@dataclass
class Upload:
    """One file of a multipart body."""

    name: str
    data: bytes
    mime: str | None


@dataclass
class Call:
    """A request as the handlers see it."""

    route: str
    """Our short name of the route: `message.create`; faults are armed by it."""
    request: web.Request
    params: dict[str, str]
    body: Any = None
    uploads: dict[int, Upload] = field(default_factory=dict[int, Upload])
    """By the number in `files[n]`."""

    @property
    def query(self) -> dict[str, str]:
        return dict(self.request.query)

    @property
    def fields(self) -> Json:
        """The body as an object; 50109 for anything else."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise DiscordError(400, 50109, "The request body contains invalid JSON.")
        return self.body


async def read(route: str, request: web.Request, params: dict[str, str]) -> Call:
    """The call with its body, JSON or multipart."""
    call = Call(route, request, params)
    if request.content_type.startswith("multipart/"):
        await _read_parts(call)
        return call
    raw = await request.read()
    if raw and request.content_type == "application/json":
        try:
            call.body = json.loads(raw)
        except ValueError as error:
            raise DiscordError(400, 50109, "The request body contains invalid JSON.") from error
    return call


async def _read_parts(call: Call) -> None:
    reader = await call.request.multipart()
    while (part := await reader.next()) is not None:
        name = getattr(part, "name", "") or ""
        data = await part.read()  # pyright: ignore[reportAttributeAccessIssue]
        if name == "payload_json":
            call.body = json.loads(bytes(data))
        elif name.startswith("files["):
            filename = getattr(part, "filename", None) or "file"
            upload = Upload(filename, bytes(data), None)
            call.uploads[int(name[6:-1])] = upload
    for upload in call.uploads.values():
        if len(upload.data) > FILE_BYTES:
            raise DiscordError(413, 40005, "Request entity too large")
