"""The shell as a place: who asks, in which channel, in which language; output and complaints."""

from __future__ import annotations

import getpass
import json
import os
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from bot.config import load
from bot.logs import log_to_stderr
from core.errors import ThreadmateError, WrongConfig, WrongUse
from core.messages import Language, Message, Person, Place
from core.scope import audience
from core.texts import told

if TYPE_CHECKING:
    from bot.app import Rooms

PLATFORM = "local"
DEFAULT_CHANNEL = "shell"


def language() -> Language:
    """Of the command line's own sentences: the shell's locale."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def place(channel: str) -> Place:
    """The channel by its full id (`slack:T1/C2`), or a local one by its plain name."""
    name = channel.strip()
    if not is_name(name):
        raise WrongUse(key="cli.no_name", option="--channel", value=ascii(channel))
    if ":" not in name:
        name = f"{PLATFORM}:{name}"
    workspace = name.partition("/")[0] if "/" in name else PLATFORM
    return Place(
        platform=name.partition(":")[0],
        workspace=workspace,
        channel=name,
        thread=f"{name}/{uuid.uuid4().hex}",
    )


def person(name: str | None) -> Person:
    """Who asks: `--as`, else the user of this machine."""
    who = name or _user()
    if not is_name(who):
        raise WrongUse(key="cli.no_name", option="--as", value=ascii(who))
    ident = who if ":" in who else f"{PLATFORM}:{who}"
    return Person(id=ident, name=who.rpartition(":")[2])


def is_name(text: str) -> bool:
    """False for what cannot be kept as text: control characters, bytes that are no UTF-8."""
    return bool(text.strip()) and not any(
        ord(letter) < 32 or "\ud800" <= letter <= "\udfff" for letter in text
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return "me"


def message(text: str, where: Place, who: Person) -> Message:
    """A question from the shell."""
    return Message(
        key=f"{PLATFORM}:{uuid.uuid4().hex}",
        kind="ask",
        place=where,
        author=who,
        text=text,
        sent_at=time.time(),
    )


@asynccontextmanager
async def opened() -> AsyncGenerator[Rooms]:
    """The rooms of core for one command, with a log that is quiet unless something is wrong."""
    from bot.app import rooms

    config = load()
    log_to_stderr("WARNING", config.secrets)
    async with rooms(config) as core:
        yield core


async def kbs_of(core: Rooms, channel: str) -> list[int]:
    """The KBs that are read in a channel."""
    where = place(channel)
    readers = audience("", where.channel, where.workspace)
    return [kb.id for kb in await core.library.kbs(readers)]


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object and nothing else on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Text for people; control characters cannot play with the terminal."""
    clean = "".join(c for c in text if c in "\n\t" or (ord(c) >= 32 and not 0x7F <= ord(c) <= 0x9F))
    sys.stdout.write(clean + "\n")


def complain(error: ThreadmateError) -> None:
    """The error's sentence on standard error."""
    # What is wrong with the use or the configuration is often a sentence by itself.
    own = isinstance(error, WrongConfig | WrongUse) and error.key == type(error).key
    text = error.detail if own else told(error, language())
    sys.stderr.write("".join(f"threadmate: {line}\n" for line in text.splitlines()))
