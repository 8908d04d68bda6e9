"""English stems after M. F. Porter, "An algorithm for suffix stripping" (1980), steps 1 to 5."""

from __future__ import annotations

import re
from functools import lru_cache

_VOWEL = re.compile(r"[aeiou]|(?<=[^aeiou])y")
_SHORT_END = re.compile(r"[^aeiou][aeiouy][^aeiouwxy]$")
_PLAIN = re.compile(r"[a-z]{3,}")

STEP_2 = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("bli", "ble"),
    ("eli", "e"),
)
STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate"),
    *("iti", "ous", "ive", "ize", "ion", "al", "er", "ic", "ou"),
)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case English word; anything else comes back as it is."""
    if not _PLAIN.fullmatch(word):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _swap(word, STEP_2)
    word = _swap(word, STEP_3)
    return _tidy(_strip(word))


def _shape(word: str) -> str:
    """`c` and `v` for each letter; y after a consonant counts as a vowel."""
    shape: list[str] = []
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and bool(shape) and shape[-1] == "c")
        shape.append("v" if vowel else "c")
    return "".join(shape)


def _measure(word: str) -> int:
    """Porter's m: how many times a vowel run is followed by a consonant run."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return _VOWEL.search(word) is not None


def _plural(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for end in ("ed", "ing"):
        if word.endswith(end) and _has_vowel(word[: -len(end)]):
            return _mend(word[: -len(end)])
    return word


def _mend(word: str) -> str:
    """What is left after -ed or -ing, made a word again: hop(p), siz(e), fil(e)."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    doubled = len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeiou"
    if doubled:
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _SHORT_END.search(word) else word


def _swap(word: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for end, new in pairs:
        if word.endswith(end):
            base = word[: -len(end)]
            return base + new if _measure(base) > 0 else word
    return word


def _strip(word: str) -> str:
    for end in STEP_4:
        if word.endswith(end):
            base = word[: -len(end)]
            whole = _measure(base) > 1 and (end != "ion" or base.endswith(("s", "t")))
            return base if whole else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        base, size = word[:-1], _measure(word[:-1])
        if size > 1 or (size == 1 and not _SHORT_END.search(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
