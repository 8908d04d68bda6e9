"""The outbound filter: the one way out for every text, on each post and on each edit.

Text from models, files and tools is data: it calls no crowd, links nowhere that was not named,
shows no image, hides nothing, tells no credential and talks no machine language. The harmless part
leaves unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.platform import Button, Draft
from bot.text.hosts import Allowed
from bot.text.invisible import without_invisible
from bot.text.leaks import OPENING, without_machine_talk
from bot.text.links import Links
from bot.text.mentions import Mentions
from bot.text.regions import CodeMap
from bot.text.shadow import Edit, Shadow, apply, shadow
from core.redact import without_credentials

MOST_ROUNDS = 6
"""A removal can bring parts together that are dangerous only then; text that is still not settled
after this many rounds was made to defeat the filter, and loses every sign that could do harm."""

_HTML = re.compile(
    r"<(?P<whole>script|style)\b.*?</(?P=whole)\s*>|<!--.*?(?:-->|\Z)"
    r"|</?(?:a|img|image|picture|iframe|script|style|video|audio|source|track|embed|object|link"
    r"|meta|base|form|input|button|svg|math|body|html|frame|frameset)(?=[\s/>])[^<>]*(?:>|\Z)",
    re.I | re.S,
)
_HARM = str.maketrans({sign: " " for sign in "<>@[]!\\&"} | {":": "：", "/": "／", "`": "'"})


def clean(draft: Draft, platform: str) -> Draft:
    """`draft` with text, footer and buttons made safe to post on `platform`.

    Links stay if their host is in `draft.hosts`, mentions if the person is in `draft.people`.
    Button values go nowhere but back to us, and stay. Cleaning twice changes nothing more.
    """
    del platform  # The strictest reading of all platforms holds for each: texts travel.
    allowed = Allowed.of(draft.hosts)

    def safe(text: str) -> str:
        return clean_text(text, allowed, draft.people)

    buttons = tuple(_button(button, safe) for button in draft.buttons)
    text = safe(draft.text)
    if draft.text.strip() and not text.strip():
        text = "…"
    return draft.model_copy(update={"text": text, "footer": safe(draft.footer), "buttons": buttons})


def _button(button: Button, safe: Callable[[str], str]) -> Button:
    return button.model_copy(update={"label": safe(button.label), "confirm": safe(button.confirm)})


def clean_text(text: str, allowed: Allowed, people: Sequence[str]) -> str:
    """One text made safe; see `clean`."""
    passes: tuple[Callable[[Shadow, CodeMap], list[Edit]], ...] = (
        _html,
        lambda read, code: list(Mentions(read, code, people).edits()),
        lambda read, code: Links(read, code, allowed).marked(),
        lambda read, code: Links(read, code, allowed).plain(),
    )
    for _ in range(MOST_ROUNDS):
        before = text
        text = without_credentials(without_machine_talk(without_invisible(text)))
        text = _passed(text, passes)
        if text == before:
            return text
    return text.translate(_HARM)


def _passed(text: str, passes: Sequence[Callable[[Shadow, CodeMap], list[Edit]]]) -> str:
    read, code = shadow(text), CodeMap.of(text)
    for edits_of in passes:
        edits = edits_of(read, code)
        if edits:
            text = apply(text, edits)
            read, code = shadow(text), CodeMap.of(text)
    return text


def _html(read: Shadow, code: CodeMap) -> list[Edit]:
    found = ((read.original(m.start()), read.original(m.end())) for m in _HTML.finditer(read.text))
    return [Edit(start, end, "") for start, end in found if code.at(start) is None]


WINDOW = 800
"""Characters at the end of a text where something unfinished is looked for."""

MOST_CUTS = 30

_LABEL = r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*"
_OPEN_ENDS = (
    re.compile(r"[^\s\u3000-\u303f\u3400-\u9fff\uff01\uff0c\uff1b\uff1f]+[。｡]?\Z"),  # a word
    re.compile(rf"{_LABEL}\Z"),
    re.compile(rf"{_LABEL}\](?:\((?:[^()\n]|\([^()\n]*\))*|\[[^\[\]\n]*|:[ \t]*\n?)?\Z"),  # a link
    re.compile(r"[<＜&@][^<>\n]{0,400}\Z"),  # a tag, a mention, an entity
    re.compile(r"</?[A-Za-z!][\w-]*\s[^<>]{0,400}\Z"),  # a tag over several lines
    re.compile(r"\\\Z"),
    re.compile(r"(?<!`)`{1,2}(?!`)[^`\n]*\Z"),  # a code span
    re.compile(r"\x1b[^\n]{0,64}\Z"),
)


def hold_back(text: str) -> str:
    """The part of a text still being written that may be shown already.

    Cut off is an end that could yet become a link, a mention, a tag or machine talk: whatever
    follows, the part that was shown held nothing that the whole text would not show.
    """
    text = without_invisible(text)
    if OPENING.search(text):
        text = without_machine_talk(text)
    while text:
        # By windows, and with few cuts in each: a text that only opens would take for ever.
        start = max(0, len(text) - WINDOW)
        kept = _closed_part(text[start:])
        if kept:
            return text[:start] + kept
        text = text[:start]
    return text


def _closed_part(text: str) -> str:
    for _ in range(MOST_CUTS):
        cut = min((m.start() for m in (end.search(text) for end in _OPEN_ENDS) if m), default=None)
        if cut is None:
            return text
        text = text[:cut]
    return ""
