"""Slash commands, clicks, and the addresses through which the app answers them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.limits import SlackError, check_blocks
from bot.playground.methods_chat import with_ids
from bot.playground.rows import Json
from bot.playground.workspace import APP, BOT, BOT_USER, TEAM, Workspace

RESPONSE_USES = 5
RESPONSE_S = 30 * 60
"""Slack: a response_url works five times within thirty minutes."""
TRIGGER_S = 3.0
"""Slack: a trigger_id opens a view within three seconds."""


@dataclass
class Response:
    """What a response_url stands for."""

    channel: str
    user: str
    message: str
    """ts of the clicked message; empty for commands."""
    thread: str
    until: float
    uses: int = 0


class Interactions:
    """Makes the payloads and remembers what was handed out with them."""

    def __init__(self, ws: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        self._ws = ws
        self._clock = clock
        self._responses: dict[str, Response] = {}
        self._triggers: dict[str, float] = {}

    def command(self, channel: str, user: str, command: str, text: str) -> Json:
        row = self._ws.channels[channel]
        return {
            **self._head(user),
            "team_domain": "practice",
            "channel_id": channel,
            "channel_name": "directmessage" if "im" in row else row["name"],
            "user_id": user,
            "user_name": self._ws.person(user)["name"],
            "command": command,
            "text": text,
            "is_enterprise_install": "false",
            "response_url": self._response_url(channel, user, "", ""),
        }

    def click(self, channel: str, ts: str, user: str, action: str, shown: Json) -> Json:
        """`shown` is the message (also an ephemeral one) as the person sees it."""
        block, element = _button(shown, action)
        who = self._ws.person(user)
        container = {
            "type": "message",
            "message_ts": ts,
            "channel_id": channel,
            "is_ephemeral": bool(shown.get("is_ephemeral")),
        }
        thread = str(shown.get("thread_ts") or "")
        if thread:
            container["thread_ts"] = thread
        pressed = {k: v for k, v in element.items() if k not in ("confirm", "accessibility_label")}
        return {
            **self._head(user),
            "type": "block_actions",
            "user": {"id": user, "username": who["name"], "name": who["name"], "team_id": TEAM},
            "team": {"id": TEAM, "domain": "practice"},
            "enterprise": None,
            "is_enterprise_install": False,
            "channel": {
                "id": channel,
                "name": self._ws.channels[channel]["name"] or "directmessage",
            },
            "container": container,
            "message": shown,
            "state": {"values": {}},
            "response_url": self._response_url(channel, user, ts, thread),
            "actions": [
                {**pressed, "block_id": block["block_id"], "action_ts": f"{time.time():.6f}"}
            ],
        }

    def use_trigger(self, trigger: str) -> None:
        until = self._triggers.pop(trigger, None)
        if until is None:
            raise SlackError("invalid_trigger_id")
        if self._clock() > until:
            raise SlackError("expired_trigger_id")

    def respond(self, key: str, body: Json) -> None:
        """What the app sent to a response_url; raises `SlackError` if it no longer works."""
        response = self._responses.get(key)
        if response is None or self._clock() > response.until:
            raise SlackError("expired_url")
        if response.uses >= RESPONSE_USES:
            raise SlackError("used_url")
        response.uses += 1
        self.answer(response, body)

    def answer_directly(self, payload: Json, body: Json) -> None:
        """What the app sent along with an acknowledgement."""
        key = str(payload["response_url"]).rpartition("/")[2]
        self.answer(self._responses[key], body)

    def answer(self, to: Response, body: Json) -> None:
        ws = self._ws
        if body.get("delete_original") and to.message:
            ws.remove(to.channel, to.message)
            return
        fields: Json = {"text": str(body.get("text") or "")}
        if body.get("blocks"):
            fields["blocks"] = with_ids(check_blocks(body["blocks"]))
        if not fields["text"] and "blocks" not in fields:
            raise SlackError("no_text")
        if body.get("replace_original") and to.message:
            ws.change(to.channel, to.message, {"blocks": None, **fields})
            return
        identity = {"bot_id": BOT, "app_id": APP}
        thread = body.get("thread_ts") or (to.thread or None)
        if body.get("response_type") == "in_channel":
            text = fields.pop("text")
            ws.post(to.channel, BOT_USER, text, thread_ts=thread, **identity, **fields)
            return
        if thread:
            fields["thread_ts"] = thread
        ws.whisper(to.channel, to.user, {**fields, "user": BOT_USER, **identity})

    def _head(self, user: str) -> Json:
        self._ws.person(user)
        trigger = f"{int(time.time() * 1000)}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        now = self._clock()
        # Late ones are kept for a while, so that they are called expired and not unknown.
        self._triggers = {t: end for t, end in self._triggers.items() if end > now - RESPONSE_S}
        self._triggers[trigger] = now + TRIGGER_S
        return {"token": "practice", "team_id": TEAM, "api_app_id": APP, "trigger_id": trigger}

    def _response_url(self, channel: str, user: str, message: str, thread: str) -> str:
        now = self._clock()
        self._responses = {k: r for k, r in self._responses.items() if r.until > now}
        key = secrets.token_urlsafe(16)
        until = now + RESPONSE_S
        self._responses[key] = Response(channel, user, message, thread, until)
        return f"{self._ws.base_url}/response/{key}"


def _button(message: Json, action: str) -> tuple[Json, Json]:
    for block in message.get("blocks", ()):
        for element in [*block.get("elements", ()), block.get("accessory") or {}]:
            if element.get("action_id") == action:
                return block, element
    raise SlackError("action_not_found")
