"""Commands and buttons in the page's words."""

from __future__ import annotations

from bot.playground.discord.limits import MESSAGE_MENU, SLASH, walk
from bot.playground.rows import Json

STYLES = {1: "primary", 3: "primary", 4: "danger"}
CHINESE = "zh-CN"


def offered(command: Json, chinese: bool) -> Json:
    """A command as the page offers it; parts of a command are commands of their own there."""
    shown: Json = {
        "name": command["name"],
        "label": _word(command, "name", chinese),
        "note": _word(command, "description", chinese),
        "menu": command["type"] == MESSAGE_MENU,
    }
    within = [o for o in command["options"] if o["type"] == 1]
    if command["type"] == SLASH and within:
        shown["parts"] = [
            offered({**part, "type": SLASH, "options": part.get("options") or []}, chinese)
            for part in within
        ]
    shown["options"] = [
        {
            "name": o["name"],
            "label": _word(o, "name", chinese),
            "note": _word(o, "description", chinese),
            "required": bool(o.get("required")),
            "file": o["type"] == 11,
            "choices": [
                {"value": c["value"], "label": _word(c, "name", chinese)}
                for c in o.get("choices") or []
            ],
        }
        for o in command["options"]
        if o["type"] not in (1, 2)
    ]
    return shown


def _word(thing: Json, field: str, chinese: bool) -> str:
    own = (thing.get(f"{field}_localizations") or {}).get(CHINESE) if chinese else None
    return str(own or thing.get(field) or "")


def parts(row: Json) -> list[Json]:
    """The buttons of a message as rows; texts of newer components as well."""
    shown: list[Json] = []
    for component in row["components"]:
        inside = [c for c in walk([component]) if c["type"] == 2]
        texts = [c["content"] for c in walk([component]) if c["type"] == 10]
        shown += [{"type": "markdown", "text": text} for text in texts]
        if inside:
            shown.append({"type": "actions", "elements": [_button(c) for c in inside]})
    return shown


def _button(component: Json) -> Json:
    emoji = (component.get("emoji") or {}).get("name") or ""
    label = f"{emoji} {component.get('label') or ''}".strip()
    return {
        "type": "button",
        "text": {"type": "plain_text", "text": label},
        "action_id": component.get("custom_id", ""),
        "style": STYLES.get(component["style"], ""),
        "url": component.get("url"),
        "disabled": bool(component.get("disabled")),
    }
