"""One call of the Web API: its parameters, however they were sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.playground.limits import SlackError
from bot.playground.rows import Json
from bot.playground.workspace import Workspace


@dataclass
class Call:
    """`method` is Slack's name (`chat.postMessage`); `params` of query, form and JSON together."""

    method: str
    params: Json
    token: str
    files: dict[str, web.FileField] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return self.params.get(name) not in (None, "")

    def text(self, name: str, default: str = "") -> str:
        value = self.params.get(name)
        return default if value is None else str(value)

    def need(self, name: str, error: str = "invalid_arguments") -> str:
        if not self.has(name):
            raise SlackError(error, response_metadata={"messages": [f"missing: {name}"]})
        return self.text(name)

    def number(self, name: str, default: int) -> int:
        try:
            return int(self.text(name) or default)
        except ValueError:
            raise SlackError("invalid_arguments") from None

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in ("true", "1")

    def data(self, name: str, error: str = "invalid_arguments") -> Any:
        """A list or object: given as such in JSON bodies, as JSON text in forms and queries."""
        value = self.params.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise SlackError(error) from None


Method = Callable[[Workspace, Call], Json]


async def read_call(request: web.Request, method: str) -> Call:
    """Raises `SlackError` for a body that cannot be read."""
    params: Json = dict(request.query)
    files: dict[str, web.FileField] = {}
    if request.content_type == "application/json":
        params |= _object(await request.text())
    elif request.body_exists:
        for key, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[key] = value
            else:
                params[key] = value
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        token = str(params.pop("token", ""))
    return Call(method, params, token.strip(), files)


def _object(text: str) -> Json:
    try:
        body = json.loads(text or "{}")
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(body, dict):
        raise SlackError("json_not_object")
    return body
