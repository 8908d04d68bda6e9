"""Payloads as Slack sends them, made small."""

from __future__ import annotations

from typing import Any

from bot.slack.events import Us

US = Us(team="T1", user="U0BOT", bot="B0BOT")
ME = "<@U0BOT>"
Json = dict[str, Any]


def event(kind: str = "message", *, team: str = "T1", **fields: Any) -> Json:
    inner: Json = {
        "type": kind,
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "ts": "1700.000100",
        "text": "",
        **fields,
    }
    return {"type": "event_callback", "team_id": team, "event_id": "Ev1", "event": inner}


def file(name: str = "policy.pdf", **fields: Any) -> Json:
    return {
        "id": "F1",
        "name": name,
        "size": 1200,
        "mimetype": "application/pdf",
        "url_private_download": "https://files.slack.com/files-pri/T1-F1/download/policy.pdf",
        **fields,
    }


def edit(before: str, after: str, **inside: Any) -> Json:
    message = {"type": "message", "user": "U1", "ts": "1700.000100", "text": after, **inside}
    return event(
        subtype="message_changed",
        user=None,
        ts="1700.000900",
        message=message,
        previous_message={**message, "text": before},
    )


def slash(command: str = "/ask", text: str = "", **fields: Any) -> Json:
    return {
        "command": command,
        "text": text,
        "team_id": "T1",
        "channel_id": "C1",
        "channel_name": "handbook",
        "user_id": "U1",
        "trigger_id": "13.26.ab",
        "response_url": "https://hooks.slack.com/commands/T1/1/x",
        **fields,
    }


def click(action: str = "remove:3", **fields: Any) -> Json:
    return {
        "type": "block_actions",
        "user": {"id": "U1", "team_id": "T1"},
        "team": {"id": "T1"},
        "trigger_id": "13.26.cd",
        "channel": {"id": "C1"},
        "container": {"message_ts": "1700.000300", "channel_id": "C1", "thread_ts": "1700.000100"},
        "message": {"ts": "1700.000300", "thread_ts": "1700.000100", "text": "kept"},
        "actions": [{"action_id": action, "value": "d42", "action_ts": "1701.5"}],
        **fields,
    }
