"""Slash commands and context menus, made of the one table of commands, with Chinese names beside.

Registered only when they differ from what was registered last: Discord takes 200 creations a day,
and every registration makes people's clients load the list anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bot.commands import COMMANDS, KB_COMMANDS
from core.router import MODES
from core.store.port import Store, Transaction
from core.texts import both
from core.texts import catalogue as texts

if TYPE_CHECKING:
    # The manifest and the doctor have no use for discord.py.
    from bot.discord.wire import Rest

log = logging.getLogger(__name__)

Payload = dict[str, Any]

SLASH, MENU = 1, 3
SUBCOMMAND, STRING, ATTACHMENT = 1, 3, 11
QUESTION_CHARS = 6_000
"""Discord: a text option's longest value."""
NAME = re.compile(r"[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}")
"""Discord: names of slash commands, lower-case where the script has case."""
CHINESE = ("zh-CN", "zh-TW")
GUILD, DIRECT = 0, 1
"""Discord: contexts that a command is shown in."""

PICKED = {"mode": "模式", "teammate": "同事", "kb": "知识库", "tools": "工具"}
"""Options of `ask` that are the same as words before the question (`mode: rag …`)."""

ASK_ABOUT, ADD = "Ask about this", "Add to knowledge base"
MENUS = {ASK_ABOUT: "询问这条消息", ADD: "加入知识库"}

_KEPT = "SELECT digest FROM discord_commands WHERE application = :application"
_KEEP = (
    "INSERT INTO discord_commands (application, digest, written_at)"
    " VALUES (:application, :digest, :now) ON CONFLICT (application)"
    " DO UPDATE SET digest = excluded.digest, written_at = excluded.written_at"
)


def tree() -> list[Payload]:
    """Every command, as Discord takes them."""
    words = list(dict.fromkeys(COMMANDS.values()))
    return [*(_slash(word) for word in words), *(_menu(name) for name in MENUS)]


def digest(commands: list[Payload]) -> str:
    """Short, for the doctor to show; the same as long as the commands are."""
    data = json.dumps(commands, ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(data.encode(), digest_size=6).hexdigest()


async def register(
    rest: Rest, store: Store, application: str, clock: Callable[[], float] = time.time
) -> bool:
    """Register the commands if they changed, or if Discord has others; True if it was done."""
    commands = tree()
    now, values = digest(commands), {"application": application}
    kept = await store.read(lambda tx: tx.one(_KEPT, values))
    if kept is not None and kept[0] == now:
        there: Any = await rest.call(
            "GET", "/applications/{application_id}/commands", application_id=application
        )
        if names(there or []) == names(commands):
            return False
    # An array is what this route takes; the type of `json` is that of all others.
    body: Any = commands
    await rest.call(
        "PUT", "/applications/{application_id}/commands", json=body, application_id=application
    )
    log.info("%d commands were registered", len(commands))

    def keep(tx: Transaction) -> int:
        return tx.run(_KEEP, {**values, "digest": now, "now": clock()})

    await store.write(keep)
    return True


def names(commands: list[Any]) -> set[tuple[int, str]]:
    return {(int(one.get("type") or SLASH), str(one.get("name"))) for one in commands}


def _slash(word: str) -> Payload:
    options: list[Payload] = []
    match word:
        case "ask":
            options = [
                _option("question", STRING, required=True, max_length=QUESTION_CHARS),
                _option("file", ATTACHMENT),
                *(_pick(name) for name in PICKED),
            ]
        case "kb":
            options = [_kb(name) for name in ("list", "search", "delete", "add")]
        case "help" | "stop":
            pass
        case _:
            options = [_option("text", STRING, max_length=QUESTION_CHARS)]
    made = _named(word, _text_key(word), SLASH, _chinese(word, COMMANDS))
    return made | {"options": options} | _everywhere()


def _kb(name: str) -> Payload:
    options: dict[str, list[Payload]] = {
        "search": [_option("words", STRING, required=True)],
        "delete": [_option("name", STRING, required=True)],
        "add": [_option("file", ATTACHMENT, required=True)],
    }
    chinese = "加入" if name == "add" else _chinese(name, KB_COMMANDS)
    made = _named(name, f"discord.command.{name}", SUBCOMMAND, chinese)
    return made | {"options": options.get(name, [])}


def _pick(name: str) -> Payload:
    made = _option(name, STRING)
    if name == "mode":
        made["choices"] = [{"name": mode, "value": mode} for mode in ("auto", *MODES)]
    return made


def _option(name: str, kind: int, *, required: bool = False, **more: int) -> Payload:
    chinese = {"question": "问题", "file": "文件", "words": "关键词", "name": "文件名"} | PICKED
    made = _named(name, f"discord.option.{name}", kind, chinese.get(name, "内容"))
    return made | {"required": required} | more


def _named(name: str, key: str, kind: int, chinese: str) -> Payload:
    zh, en = both(key)
    made: Payload = {
        "name": name,
        "description": en,
        "description_localizations": dict.fromkeys(CHINESE, zh),
        "type": kind,
    }
    if chinese:
        made["name_localizations"] = dict.fromkeys(CHINESE, chinese)
    return made


def _menu(name: str) -> Payload:
    localized = {"name_localizations": dict.fromkeys(CHINESE, MENUS[name])}
    return {"name": name, "type": MENU} | localized | _everywhere()


def _everywhere() -> Payload:
    return {"integration_types": [0], "contexts": [GUILD, DIRECT]}


def _text_key(word: str) -> str:
    key = f"discord.command.{word}"
    return key if key in texts() else "discord.command.other"


def _chinese(word: str, table: Mapping[str, str]) -> str:
    """The longest Chinese word for a command: it says most."""
    found = [name for name, meant in table.items() if meant == word and not name.isascii()]
    return max(found, key=len, default="")
