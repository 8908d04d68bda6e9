"""Settings as people write them: names and values in Chinese and English. Pure."""

from __future__ import annotations

import re
from typing import Any

from core.errors import WrongUse
from core.messages import Language
from core.settings import Settings
from core.texts import say

NAMES = {
    "language": "language", "语言": "language", "lang": "language",
    "style": "style", "风格": "style", "tone": "style",
    "verbosity": "verbosity", "length": "verbosity", "长短": "verbosity", "篇幅": "verbosity",
    "time_zone": "time_zone", "timezone": "time_zone", "zone": "time_zone", "时区": "time_zone",
    "web": "web", "联网": "web", "网页": "web",
    "model": "model", "模型": "model",
    "mode": "mode", "模式": "mode",
    "teammate": "teammate", "同事": "teammate",
    "respond": "respond", "应答": "respond",
    "listen": "listen", "旁听": "listen",
    "ingest": "ingest", "收文件": "ingest", "入库": "ingest",
    "documents_only": "documents_only", "只用文档": "documents_only",
    "steps": "steps", "步骤": "steps",
    "tools": "tools", "工具": "tools",
    "effects": "effects", "动作": "effects",
    "kbs": "kbs", "知识库": "kbs",
    "cache": "cache", "缓存": "cache",
    "feedback": "feedback", "反馈": "feedback",
}  # fmt: skip
SHOWN = tuple(dict.fromkeys(NAMES.values()))
"""In the order in which they are shown."""

_YES = frozenset({"on", "yes", "true", "1", "开", "打开", "是", "启用"})
_NO = frozenset({"off", "no", "false", "0", "关", "关闭", "否", "停用"})
_DEFAULT = frozenset({"default", "reset", "none", "默认", "恢复", "重置", "清除"})
_WORDS = {
    "language": {
        "中文": "zh", "汉语": "zh", "chinese": "zh", "英文": "en", "英语": "en", "english": "en",
        "auto": None, "自动": None,
    },
    "verbosity": {
        "短": "short", "简短": "short", "brief": "short", "中": "normal", "适中": "normal",
        "长": "long", "详细": "long", "detailed": "long",
    },
    "web": {"开": "on", "打开": "on", "关": "off", "关闭": "off"},
    "model": {"省": "cheap", "便宜": "cheap", "常用": "usual", "通常": "usual"},
    "mode": {"自动": "auto"},
    "respond": {"全部": "all", "所有": "all"},
}  # fmt: skip
_LISTS = frozenset({"tools", "effects", "kbs"})


def name_of(word: str) -> str:
    """The setting that a word names. Raises WrongUse."""
    name = NAMES.get(word.strip().casefold().replace("-", "_"))
    if name is None:
        raise WrongUse(word, key="settings.unknown", word=word[:40], known=", ".join(SHOWN))
    return name


def value_of(name: str, text: str) -> Any:
    """The value as the settings take it; None takes it back. What cannot be is found out later."""
    text = text.strip().strip("\"'“”「」`").strip()
    folded = text.casefold()
    if not text:
        raise WrongUse(name, key="settings.no_value", name=name, known=choices(name))
    if folded in _DEFAULT:
        return None
    words = _WORDS.get(name, {})
    if folded in words:
        return words[folded]
    if Settings.model_fields[name].annotation is bool:
        if folded not in _YES | _NO:
            raise _wrong(name, text)
        return folded in _YES
    if name in _LISTS:
        return [one for one in re.split(r"[,，、\s]+", text) if one]
    return text if name in ("style", "time_zone", "teammate") else folded


def choices(name: str) -> str:
    """What may be written, for a sentence."""
    schema = Settings.model_json_schema()["properties"][name]
    if schema.get("type") == "boolean":
        return "on, off"
    known = [str(one) for one in schema.get("enum", ()) if one]
    return ", ".join(known) or {"time_zone": "Asia/Shanghai", "style": "…"}.get(name, "…")


def _wrong(name: str, text: str) -> WrongUse:
    shown = text[:40]
    return WrongUse(name, key="settings.wrong", name=name, value=shown, known=choices(name))


def wrong_value(name: str, text: str) -> WrongUse:
    """The error for a value that the settings do not take."""
    return _wrong(name, text)


def shown_value(value: Any, language: Language) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return say("settings.on" if value else "settings.off", language)
    if value is None or value == "":
        return say("settings.unset", language)
    if isinstance(value, tuple | list):
        return ", ".join(str(one) for one in value) or say("settings.nothing", language)
    return str(value)
