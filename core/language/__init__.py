"""The language of a text: the majority script of what its writer said in words of their own."""

from __future__ import annotations

import re

from core.messages import Language, Person

_NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)"  # fenced code
    r"|`[^`\n]*`"
    r"|(?:https?|ftp)://\S+|www\.\S+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # mail addresses
    r"|<[@#!][^>\s]*>|@[\w.\-]+"  # mentions
    r"|[\w\-]+\.[A-Za-z][A-Za-z0-9]{1,4}(?![A-Za-z0-9])"  # file names
    r"|[\w\-./\\]*[/\\][\w\-./\\]+",  # paths
    re.DOTALL | re.ASCII,
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"\n]*\"")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_']*")
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？：:\n])\s*$")

HAN_OF_A_WORD = 1.6
"""Chinese characters that say about as much as one English word (mean length of a Chinese word)."""


def language_of(text: str) -> Language | None:
    """`zh` or `en`, or None when nothing in `text` tells (a number, a link, a name).

    Code, links, mentions, file names and names do not count, and quotations only when nothing
    else is there: whoever asks to translate “你好” asks in the language round it.
    """
    bare = _NOT_WORDS.sub(" ", text)
    return _majority(_QUOTED.sub(" ", bare)) or _majority(bare)


def answer_language(question: str, person: Person, fallback: Language) -> Language:
    """The language to answer `person` in: of the question, else the person's, else `fallback`."""
    return language_of(question) or person.language or fallback


def _majority(text: str) -> Language | None:
    han = len(_HAN.findall(text)) / HAN_OF_A_WORD
    latin = sum(1 for word in _WORD.finditer(text) if _is_own_word(word, text))
    if not han and not latin:
        return None
    # Equal shares read as Chinese: English terms stand in Chinese sentences, hardly the reverse.
    return "zh" if han >= latin else "en"


def _is_own_word(word: re.Match[str], text: str) -> bool:
    """False for names and identifiers: capitals inside a sentence, digits, underscores."""
    found = word.group()
    if not found.isalpha() and "'" not in found:
        return False
    if found[1:] != found[1:].lower():
        return False
    if found[0].islower() or found == "I":
        return True
    return bool(_SENTENCE_START.search(text[: word.start()]))
