"""Markdown: names made safe to stand in it, emphasis that works in Chinese, and plain text."""

from __future__ import annotations

import re
import unicodedata

from bot.text.regions import CodeMap

_SPECIAL = re.compile(r"[\\`*\[\]<>~|]|(?<![^\W_])_|_(?![^\W_])")
_STRONG = re.compile(r"(?<![\\*])(\*\*\*|\*\*|\*)(?![\s*])([^*\n]+?)(?<![\s\\*])\1(?!\*)")
_PLAIN = (
    (re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*\n?", re.M), ""),
    (re.compile(r"!?\[([^\[\]\n]*)\]\(([^()\s]*)[^()\n]*\)"), r"\1 (\2)"),
    (re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$", re.M), r"\1"),
    (re.compile(r"(?<![\\*\w])(\*\*\*|\*\*|\*)(?=[^\s*])(.+?)(?<=[^\s*\\])\1(?!\w)"), r"\2"),
    (re.compile(r"(?<!\w)(__|_)(?=[^\s_])(.+?)(?<=[^\s_])\1(?!\w)"), r"\2"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    (re.compile(r"(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)"), r"\2"),
    (re.compile(r"^([ \t]*)[*+][ \t]+", re.M), r"\1- "),
    (re.compile(r"^\|?[ \t:]*-{3,}[ \t:|-]*\n?", re.M), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def escaped(name: str) -> str:
    """A name (of a file, of a person) that Markdown shows as it is written, on one line."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(name.split()))


def cjk_safe(text: str) -> str:
    """`text` with emphasis that renders although no space stands around it.

    CommonMark closes `**重要：**请` only if no punctuation stands before the marks, or a space
    behind them. The punctuation is moved out of the emphasis: `**重要**：请`. Where that cannot
    be (a quote or bracket opens right inside), a thin space goes between marks and letters.
    """
    if "*" not in text:
        return text
    code = CodeMap.of(text)

    def mended(found: re.Match[str]) -> str:
        if code.at(found.start()) is not None:
            return found.group()
        return _mended(found)

    return _STRONG.sub(mended, text)


def _mended(found: re.Match[str]) -> str:
    text, marks, inner = found.string, found[1], found[2]
    before = text[found.start() - 1] if found.start() else " "
    after = text[found.end()] if found.end() < len(text) else " "
    tail = ""
    if _is_letter(after) and _is_punctuation(inner[-1]):
        kept = re.sub(r"\s*[：:，,。.；;！!？?、]+\Z", "", inner)
        if kept.strip():
            inner, tail = kept, inner[len(kept) :]
    lead = "\u2009" if _is_letter(before) and _is_punctuation(inner[0]) else ""
    gap = "\u2009" if not tail and _is_letter(after) and _is_punctuation(inner[-1]) else ""
    if tail and _is_punctuation(inner[-1]):
        # `**“引用”：**` became `**“引用”**：`, which closes before punctuation as it should.
        gap = ""
    return f"{lead}{marks}{inner}{marks}{tail}{gap}"


def _is_letter(sign: str) -> bool:
    return not sign.isspace() and not _is_punctuation(sign)


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


def plain(text: str) -> str:
    """`text` without Markdown's marks, for notifications, logs and screen readers."""
    for pattern, replacement in _PLAIN:
        text = pattern.sub(replacement, text)
    return text.strip()
