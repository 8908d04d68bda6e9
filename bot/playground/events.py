"""What Slack tells the app about: changes of the workspace as event payloads."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator

from bot.playground.rows import Json
from bot.playground.workspace import APP, BOT_USER, TEAM, Change, Workspace

SUBSCRIBED = frozenset({"message", "app_mention", "member_joined_channel"})
"""Events that are sent unless the server is told otherwise; `file_shared` and `reaction_added`
are known too."""

_MENTION = re.compile(rf"<@{BOT_USER}(\|[^>]*)?>")


def mentions_bot(text: str) -> bool:
    return bool(_MENTION.search(text))


def wrap(event: Json) -> Json:
    """The outer part that every event has."""
    return {
        "token": "practice",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev0{secrets.token_hex(5).upper()}",
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
    }


def events_of(ws: Workspace, change: Change, data: Json) -> Iterator[Json]:
    """The inner events of one change that the bot may see, in Slack's order."""
    channel = str(data.get("channel", ""))
    if BOT_USER not in ws.channels.get(channel, {}).get("members", ()):
        return
    match change:
        case "message":
            yield from _posted(ws, channel, data)
        case "changed":
            yield from _changed(ws, channel, data)
        case "deleted":
            yield _deleted(ws, channel, data)
        case "joined":
            yield _joined(data)
        case "reaction":
            yield _reaction(ws, data)
        case "whisper" | "file":
            return


def kind(ws: Workspace, channel: str) -> str:
    return "im" if "im" in ws.channels[channel] else "channel"


def _posted(ws: Workspace, channel: str, message: Json) -> Iterator[Json]:
    view = ws.view(message)
    where = {"channel": channel, "event_ts": message["ts"]}
    yield {**view, **where, "channel_type": kind(ws, channel)}
    yield from _mention(ws, channel, message, message["ts"])
    for file in message.get("files", ()):
        yield {"type": "file_shared", "file_id": file, "user_id": message["user"], **where}


def _mention(ws: Workspace, channel: str, message: Json, event_ts: str) -> Iterator[Json]:
    """In a channel a mention comes twice, as `message` and as `app_mention`."""
    if message["user"] == BOT_USER or kind(ws, channel) == "im":
        return
    if mentions_bot(message["text"]):
        view = {key: value for key, value in ws.view(message).items() if key != "subtype"}
        yield {**view, "type": "app_mention", "channel": channel, "event_ts": event_ts}


def _changed(ws: Workspace, channel: str, data: Json) -> Iterator[Json]:
    message = data["message"]
    stamp = message["edited"]["ts"]
    yield {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": channel,
        "channel_type": kind(ws, channel),
        "ts": stamp,
        "event_ts": stamp,
        "message": ws.view(message),
        "previous_message": ws.view(data["previous"]),
    }
    yield from _mention(ws, channel, message, stamp)


def _deleted(ws: Workspace, channel: str, data: Json) -> Json:
    stamp = f"{time.time():.6f}"
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": channel,
        "channel_type": kind(ws, channel),
        "ts": stamp,
        "event_ts": stamp,
        "deleted_ts": data["ts"],
        "previous_message": ws.view(data["previous"]),
    }


def _joined(data: Json) -> Json:
    event: Json = {
        "type": "member_joined_channel",
        "user": data["user"],
        "channel": data["channel"],
        "channel_type": "C",
        "team": TEAM,
        "event_ts": f"{time.time():.6f}",
    }
    return {**event, "inviter": data["inviter"]} if data["inviter"] else event


def _reaction(ws: Workspace, data: Json) -> Json:
    return {
        "type": "reaction_added" if data["on"] else "reaction_removed",
        "user": data["user"],
        "reaction": data["name"],
        "item": {"type": "message", "channel": data["channel"], "ts": data["ts"]},
        "item_user": ws.find(data["channel"], data["ts"])["user"],
        "event_ts": f"{time.time():.6f}",
    }


def refreshed(ws: Workspace, payload: Json) -> Json:
    """The payload with its file objects made anew: their addresses hold the server's port."""

    def renew(value: object) -> object:
        if isinstance(value, dict):
            return {
                key: [_file(ws, f) for f in inner] if key == "files" else renew(inner)
                for key, inner in value.items()
            }
        return [renew(inner) for inner in value] if isinstance(value, list) else value

    return {key: renew(value) for key, value in payload.items()}


def _file(ws: Workspace, file: Json) -> Json:
    return ws.file_view(file["id"]) if file.get("id") in ws.files else file
