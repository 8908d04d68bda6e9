"""Our ids of Discord's things: `discord:G1`, `discord:G1/C2/T3`, `discord:user/U4`.

A thread's id is that of the message it hangs on (Discord gives both the same number); it stands
under the parent channel. A message's id stands under where it lives, which may be a thread. A
direct conversation is one thread: `discord:@me/C2/C2`. A slash command has no message yet: its
thread is `discord:G1/C2/cmd:INTERACTION` for good; `origins.py` knows which message came of it.
"""

from __future__ import annotations

NAME = "discord"
DIRECT = "@me"
"""Stands for the server of a direct conversation, as in Discord's own links."""
COMMAND_THREAD = "cmd:"
EPOCH_MS = 1_420_070_400_000
"""Discord: snowflakes count milliseconds from the first second of 2015."""


def workspace_id(guild: str) -> str:
    return f"{NAME}:{guild or DIRECT}"


def channel_id(guild: str, channel: str) -> str:
    return f"{workspace_id(guild)}/{channel}"


def message_id(guild: str, where: str, message: str) -> str:
    """`where` is the channel or the thread that the message stands in."""
    return f"{workspace_id(guild)}/{where}/{message}"


def thread_id(guild: str, parent: str, thread: str) -> str:
    return f"{workspace_id(guild)}/{parent}/{thread}"


def command_thread(guild: str, channel: str, interaction: str) -> str:
    return f"{workspace_id(guild)}/{channel}/{COMMAND_THREAD}{interaction}"


def person_id(user: str) -> str:
    """People are the same in every server."""
    return f"{NAME}:user/{user}"


def run_key(snowflake: str) -> str:
    """The key of the run that a message or an interaction asks for."""
    return f"{NAME}:{snowflake}"


def raw(identifier: str) -> str:
    """Discord's own id: the last part of ours."""
    return identifier.rsplit("/", 1)[-1]


def where_of(message: str) -> str:
    """The channel or thread that a message of ours or theirs stands in."""
    return message.split("/")[-2]


def guild_of(identifier: str) -> str:
    """Discord's id of the server, or an empty text for a direct conversation."""
    guild = identifier.partition(":")[2].partition("/")[0]
    return "" if guild == DIRECT else guild


def is_command_thread(thread: str) -> bool:
    return raw(thread).startswith(COMMAND_THREAD)


def sent_at(snowflake: str) -> float:
    """Unix seconds at which a snowflake was made; 0 if it is none."""
    return ((int(snowflake) >> 22) + EPOCH_MS) / 1000 if snowflake.isdecimal() else 0.0


def snowflake_at(seconds: float) -> str:
    """The smallest snowflake of a moment: for asking what came after it."""
    return str(max(0, int(seconds * 1000) - EPOCH_MS) << 22)
