"""Our ids of Slack's things: `slack:T1`, `slack:T1/C2`, `slack:T1/C2/1700.1`, `slack:T1/U3`.

A message's id has the shape of a thread's, because a thread is its root message. A slash command
has no message yet: its thread is `slack:T1/C2/cmd:TRIGGER` until (and after) its root is posted;
`roots.py` knows which message that is.
"""

from __future__ import annotations

NAME = "slack"
COMMAND_THREAD = "cmd:"
DIRECT = "D"
"""Slack: ids of one-to-one conversations begin with D."""


def workspace_id(team: str) -> str:
    return f"{NAME}:{team}"


def person_id(team: str, user: str) -> str:
    return f"{NAME}:{team}/{user}"


def channel_id(team: str, channel: str) -> str:
    return f"{NAME}:{team}/{channel}"


def message_id(team: str, channel: str, ts: str) -> str:
    return f"{NAME}:{team}/{channel}/{ts}"


def command_thread(team: str, channel: str, trigger: str) -> str:
    return f"{NAME}:{team}/{channel}/{COMMAND_THREAD}{trigger}"


def message_key(team: str, channel: str, ts: str) -> str:
    """The key of the run that a message asks for."""
    return f"{NAME}:{team}:{channel}:{ts}"


def trigger_key(team: str, trigger: str) -> str:
    """The key of the run that a slash command or a click asks for."""
    return f"{NAME}:{team}:{trigger}"


def raw(identifier: str) -> str:
    """Slack's own id: the last part of ours (`C2`, `U3`, `1700.1`)."""
    return identifier.rsplit("/", 1)[-1]


def is_command_thread(thread: str) -> bool:
    return raw(thread).startswith(COMMAND_THREAD)


def sent_at(ts: str) -> float:
    """Unix seconds of a message's `ts`; 0 if it holds none."""
    try:
        return float(ts)
    except ValueError:
        return 0.0
