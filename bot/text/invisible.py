"""What the eye does not see: control, bidi, zero-width and tag characters leave the text here.

They split words that a filter looks for (`@` + U+200B + `everyone`), turn text round, smuggle data
or paint terminals. Kept: U+200D and variation selectors inside emoji, joiners between letters of
scripts that are written with them, one ideographic variation selector per ideograph.
"""

from __future__ import annotations

import re
import unicodedata

MOST_MARKS = 4
"""Combining marks on one letter; living scripts need no more, piles of them cover other lines."""

_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_MARKS = re.compile(f"({_MARK}{{{MOST_MARKS}}}){_MARK}+")


def without_invisible(text: str) -> str:
    """`text` without characters that hide or disturb; line ends become `\\n`."""
    if text.isascii() and text.isprintable():
        return text
    text = _ANSI.sub("", text)
    text = _BREAKS.sub("\n", text)
    text = _HIDDEN.sub("", text)
    text = _JOINERS.sub(_joiner, text)
    return _MARKS.sub(r"\1", text)


def _joiner(found: re.Match[str]) -> str:
    """What stays of a run of joiners and selectors between the characters around it."""
    text, run = found.string, found.group()
    before = text[found.start() - 1] if found.start() else ""
    after = text[found.end()] if found.end() < len(text) else ""
    if _is_emoji(before) or (before and before in "0123456789#*" and run[0] == "\ufe0f"):
        return _emoji_joiner(run, after)
    if run[0] >= "\U000e0100":
        return run[0] if "\u3400" <= before <= "\u9fff" or before >= "\U00020000" else ""
    if run[0] in "\u200c\u200d" and _joins(before) and _joins(after):
        return run[0]
    return ""


def _emoji_joiner(run: str, after: str) -> str:
    selector = next((sign for sign in run if sign in "\ufe0e\ufe0f"), "")
    return selector + ("\u200d" if "\u200d" in run and _is_emoji(after) else "")


def _is_emoji(sign: str) -> bool:
    return bool(sign) and (unicodedata.category(sign) in ("So", "Sk", "Sm") or sign in "‼⁉〰〽")


def _joins(sign: str) -> bool:
    """True for letters and signs of Arabic and Indic scripts, where joiners change the reading."""
    return "\u0600" <= sign <= "\u08ff" or "\u0900" <= sign <= "\u0dff" or sign in "\u1000\u1780"
