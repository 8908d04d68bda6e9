"""Discord's documented limits, and what of an outgoing body is beyond them.

Each check gives lines `place: what is wrong`; none for a good body. Lengths are UTF-16 units: the
documents do not say what they count, and these are never fewer than characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bot.playground.rows import Json

CONTENT = 2_000
EMBEDS = 10
EMBED_TITLE = 256
EMBED_TEXT = 4_096
EMBED_FIELDS = 25
EMBED_FIELD_NAME = 256
EMBED_FIELD_TEXT = 1_024
EMBED_FOOTER = 2_048
EMBED_AUTHOR = 256
EMBEDS_TOTAL = 6_000
ROWS = 5
ROW_BUTTONS = 5
COMPONENTS_V2 = 40
TEXT_V2 = 4_000
CUSTOM_ID = 100
BUTTON_LABEL = 80
BUTTON_URL = 512
PLACEHOLDER = 150
SELECT_OPTIONS = 25
NONCE = 25
MENTIONED = 100
FILES = 10
FILE_BYTES = 10 * 2**20
"""Per file, without boosts."""
THREAD_NAME = 100
ARCHIVE_MINUTES = (60, 1_440, 4_320, 10_080)
APPLIED_TAGS = 5
WEBHOOK_NAME = 80
WEBHOOKS = 15
"""Of one channel."""
MODAL_TITLE = 45
CHOICES = 25

V2 = 1 << 15
EPHEMERAL = 1 << 6
SUPPRESS_EMBEDS = 1 << 2
LINK_BUTTON, PREMIUM_BUTTON = 5, 6
ROW, BUTTON, TEXT_DISPLAY = 1, 2, 10
SELECTS = (3, 5, 6, 7, 8)


def units(text: str) -> int:
    """UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def too_long(place: str, text: Any, longest: int, shortest: int = 0) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"{place}: must be a string"
    elif not shortest <= units(text) <= longest:
        yield f"{place}: must be between {shortest} and {longest} in length, is {units(text)}"


def message_faults(body: Json) -> list[str]:
    """What is wrong with a message to be posted or edited."""
    return [*_message_faults(body)]


def _message_faults(body: Json) -> Iterator[str]:
    if body.get("content") is not None:
        yield from too_long("content", body["content"], CONTENT)
    v2 = bool(int(body.get("flags") or 0) & V2)
    if v2 and (body.get("content") or body.get("embeds")):
        yield "flags: content and embeds cannot be used with components V2"
    yield from _embed_faults(body.get("embeds") or [])
    yield from _component_faults(body.get("components") or [], v2)
    if body.get("nonce") is not None:
        yield from too_long("nonce", str(body["nonce"]), NONCE)
    if body.get("username") is not None:
        yield from name_faults("username", body["username"])
    if len(body.get("attachments") or []) > FILES:
        yield f"attachments: must be {FILES} or fewer in length"
    if body.get("allowed_mentions") is not None:
        yield from _allowed_faults(body["allowed_mentions"])


def _embed_faults(embeds: Sequence[Json]) -> Iterator[str]:
    if len(embeds) > EMBEDS:
        yield f"embeds: must be {EMBEDS} or fewer in length"
    total = 0
    for number, embed in enumerate(embeds):
        for place, text, longest in _embed_texts(embed):
            total += units(str(text or ""))
            if text is not None:
                yield from too_long(f"embeds.{number}.{place}", text, longest)
        if len(embed.get("fields") or []) > EMBED_FIELDS:
            yield f"embeds.{number}.fields: must be {EMBED_FIELDS} or fewer in length"
    if total > EMBEDS_TOTAL:
        yield f"embeds: all embeds together exceed {EMBEDS_TOTAL}, are {total}"


def _embed_texts(embed: Json) -> Iterator[tuple[str, Any, int]]:
    yield "title", embed.get("title"), EMBED_TITLE
    yield "description", embed.get("description"), EMBED_TEXT
    yield "footer.text", (embed.get("footer") or {}).get("text"), EMBED_FOOTER
    yield "author.name", (embed.get("author") or {}).get("name"), EMBED_AUTHOR
    for at, field in enumerate(embed.get("fields") or []):
        yield f"fields.{at}.name", field.get("name"), EMBED_FIELD_NAME
        yield f"fields.{at}.value", field.get("value"), EMBED_FIELD_TEXT


def _component_faults(components: Sequence[Json], v2: bool) -> Iterator[str]:
    every = [*walk(components)]
    ids = [c["custom_id"] for c in every if c.get("custom_id") is not None]
    if len(ids) != len(set(ids)):
        yield "components: custom_id must be unique in a message"
    if v2:
        if len(every) > COMPONENTS_V2:
            yield f"components: {COMPONENTS_V2} at most, are {len(every)}"
        texts = sum(units(str(c.get("content", ""))) for c in every if c["type"] == TEXT_DISPLAY)
        if texts > TEXT_V2:
            yield f"components: text of {texts}, {TEXT_V2} at most"
    elif len(components) > ROWS or any(c.get("type") != ROW for c in components):
        yield f"components: {ROWS} action rows at most, and nothing else"
    for at, component in enumerate(every):
        yield from _one_component(f"components.{at}", component)


def _one_component(place: str, component: Json) -> Iterator[str]:
    kind = component.get("type")
    if kind == ROW:
        inner = component.get("components") or []
        wide = any(c.get("type") in SELECTS for c in inner)
        if not 1 <= len(inner) <= (1 if wide else ROW_BUTTONS):
            yield f"{place}.components: must be between 1 and {ROW_BUTTONS} in length"
    elif kind == BUTTON:
        yield from _button_faults(place, component)
    elif kind in SELECTS:
        yield from too_long(f"{place}.custom_id", component.get("custom_id"), CUSTOM_ID, 1)
        yield from too_long(f"{place}.placeholder", component.get("placeholder", ""), PLACEHOLDER)
        if len(component.get("options") or []) > SELECT_OPTIONS:
            yield f"{place}.options: must be {SELECT_OPTIONS} or fewer in length"


def _button_faults(place: str, button: Json) -> Iterator[str]:
    if button.get("label") is not None:
        yield from too_long(f"{place}.label", button["label"], BUTTON_LABEL)
    elif not button.get("emoji"):
        yield f"{place}: a label or an emoji is required"
    if button.get("style") == LINK_BUTTON:
        yield from too_long(f"{place}.url", button.get("url"), BUTTON_URL, 1)
    elif button.get("style") != PREMIUM_BUTTON:
        yield from too_long(f"{place}.custom_id", button.get("custom_id"), CUSTOM_ID, 1)
    if button.get("style") not in range(1, 7):
        yield f"{place}.style: must be 1 to 6"


def walk(components: Sequence[Json]) -> Iterator[Json]:
    """Every component of a message, those inside others after their container."""
    for component in components:
        yield component
        yield from walk(component.get("components") or [])
        if isinstance(component.get("accessory"), dict):
            yield component["accessory"]


def _allowed_faults(allowed: Json) -> Iterator[str]:
    parse = allowed.get("parse") or []
    if not set(parse) <= {"roles", "users", "everyone"}:
        yield "allowed_mentions.parse: must be among roles, users, everyone"
    for kind in ("users", "roles"):
        if kind in parse and allowed.get(kind):
            yield f"allowed_mentions.parse: {kind} excludes the list of {kind}"
        if len(allowed.get(kind) or []) > MENTIONED:
            yield f"allowed_mentions.{kind}: must be {MENTIONED} or fewer in length"


def name_faults(place: str, name: Any) -> Iterator[str]:
    """Names of webhooks; Discord forbids two words in them."""
    yield from too_long(place, name, WEBHOOK_NAME, 1)
    for word in ("clyde", "discord"):
        if isinstance(name, str) and word in name.lower():
            yield f"{place}: cannot contain {word}"


def thread_faults(body: Json) -> list[str]:
    faults = [*too_long("name", body.get("name"), THREAD_NAME, 1)]
    minutes = body.get("auto_archive_duration")
    if minutes is not None and minutes not in ARCHIVE_MINUTES:
        faults.append(f"auto_archive_duration: must be one of {ARCHIVE_MINUTES}")
    if len(body.get("applied_tags") or []) > APPLIED_TAGS:
        faults.append(f"applied_tags: must be {APPLIED_TAGS} or fewer in length")
    return faults


def modal_faults(data: Json) -> list[str]:
    faults = [*too_long("data.title", data.get("title"), MODAL_TITLE, 1)]
    faults += too_long("data.custom_id", data.get("custom_id"), CUSTOM_ID, 1)
    if not 1 <= len(data.get("components") or []) <= ROWS:
        faults.append(f"data.components: must be between 1 and {ROWS} in length")
    return faults


# Commands

SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
COMMANDS = {SLASH: 100, USER_MENU: 15, MESSAGE_MENU: 15}
COMMAND_CHARS = 8_000
COMMAND_NAME = 32
COMMAND_TEXT = 100
OPTIONS = 25
CREATES_A_DAY = 200
_SLASH_NAME = re.compile(r"[-_'\w]{1,32}")
"""Discord's rule is letters and numbers of any script, Devanagari and Thai marks, - _ '."""
NESTING = (1, 2)


def command_faults(commands: Sequence[Json]) -> list[str]:
    faults: list[str] = []
    for kind, most in COMMANDS.items():
        if sum(int(c.get("type") or SLASH) == kind for c in commands) > most:
            faults.append(f"commands: {most} of type {kind} at most")
    names = [(int(c.get("type") or SLASH), c.get("name")) for c in commands]
    if len(names) != len(set(names)):
        faults.append("commands: names must be unique")
    for at, command in enumerate(commands):
        slash = int(command.get("type") or SLASH) == SLASH
        faults += _named_faults(str(at), command, slash)
        faults += _option_faults(str(at), command.get("options") or [])
        if slash and command_chars(command) > COMMAND_CHARS:
            faults.append(f"{at}: {COMMAND_CHARS} characters at most")
    return faults


def _named_faults(place: str, thing: Json, slash: bool) -> Iterator[str]:
    names = {"name": thing.get("name"), **_localised(thing, "name")}
    for at, name in names.items():
        yield from too_long(f"{place}.{at}", name, COMMAND_NAME, 1)
        if slash and not (_SLASH_NAME.fullmatch(str(name)) and str(name) == str(name).lower()):
            yield f"{place}.{at}: {name!r} is no name for a command"
    if slash:
        texts = {"description": thing.get("description"), **_localised(thing, "description")}
        for at, text in texts.items():
            yield from too_long(f"{place}.{at}", text, COMMAND_TEXT, 1)


def _localised(thing: Json, field: str) -> dict[str, Any]:
    held: Json = thing.get(f"{field}_localizations") or {}
    unknown = {f"{field}_localizations.{k}": None for k in held if k not in LOCALES}
    return {f"{field}_localizations.{k}": v for k, v in held.items()} | unknown


def _option_faults(place: str, options: Sequence[Json]) -> Iterator[str]:
    if len(options) > OPTIONS:
        yield f"{place}.options: {OPTIONS} at most"
    needed = [bool(o.get("required")) for o in options if o.get("type") not in NESTING]
    if needed != sorted(needed, reverse=True):
        yield f"{place}.options: required ones come first"
    for at, option in enumerate(options):
        inner = f"{place}.options.{at}"
        yield from _named_faults(inner, option, True)
        yield from _option_faults(inner, option.get("options") or [])
        if len(option.get("choices") or []) > CHOICES:
            yield f"{inner}.choices: {CHOICES} at most"
        for number, choice in enumerate(option.get("choices") or []):
            yield from too_long(f"{inner}.choices.{number}.name", choice.get("name"), 100, 1)


def command_chars(thing: Json) -> int:
    """Names, descriptions and choices of a command and all within, the longest localisation."""
    own = sum(
        max([units(str(thing.get(field) or "")), *map(units, _localised_texts(thing, field))])
        for field in ("name", "description")
    )
    choices = sum(
        units(str(c.get("name", ""))) + units(str(c.get("value", "")))
        for c in thing.get("choices") or []
    )
    return own + choices + sum(map(command_chars, thing.get("options") or []))


def _localised_texts(thing: Json, field: str) -> list[str]:
    return [str(text) for text in (thing.get(f"{field}_localizations") or {}).values()]


LOCALES = frozenset(
    (
        *("id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu"),
        *("nl", "no", "pl", "pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru"),
        *("uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko"),
    )
)
