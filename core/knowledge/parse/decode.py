"""Bytes of a text file to text: mark, declared, UTF-8, then the likeliest East Asian encoding."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32 before UTF-16: its little-endian mark begins with UTF-16's."""

DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.I)
SAMPLE = 65_536
SURE = 0.75
"""Share of everyday characters above which an encoding is taken without asking further."""

SHORT = 64
"""Bytes: below this, statistics say little and the first of `EAST_ASIAN` that fits is taken."""

WORD = 20
"""Bytes: no Korean word is longer on average."""


def decode(data: bytes, declared: bool = False) -> str:
    """The text of `data`. `declared` looks for an HTML or XML charset declaration first.

    Never raises: what fits no encoding comes back with U+FFFD, which the quality gate counts.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if encoding := bare_utf16(data):
        return data.decode(encoding, "replace")
    if (text := as_utf8(data)) is not None:
        return text
    if declared and (text := as_declared(data)) is not None:
        return text
    encoding = guess(data)
    return data.decode(encoding, "replace")


def as_utf8(data: bytes) -> str | None:
    """UTF-8, also with a rare broken byte (a file cut inside a character)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        broken = text.count("\ufffd")
        wide = sum(1 for char in text if char > "\u007f") - broken
        return text if broken * 50 <= wide else None


def as_declared(data: bytes) -> str | None:
    found = DECLARED.search(data[:2048])
    if not found:
        return None
    name = found.group(1).decode("ascii").lower()
    # Browsers read gb2312 as its superset too.
    name = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}.get(name, name)
    try:
        return data.decode(codecs.lookup(name).name)
    except (LookupError, UnicodeError):
        return None


def bare_utf16(data: bytes) -> str:
    """UTF-16 without a mark: every other byte of its ASCII characters is NUL."""
    sample = data[:SAMPLE]
    half = len(sample) // 2
    if half < 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.4 and odd < half * 0.05 else ""


def guess(data: bytes) -> str:
    """The encoding whose reading has most everyday characters; charset-normalizer if in doubt."""
    sample = data[:SAMPLE]
    scores = {name: everyday(sample, name, common) for name, common in EAST_ASIAN.items()}
    best = max(scores, key=lambda name: scores[name])
    rivals = sorted(scores.values())
    if scores["cp949"] >= SURE and sample.count(b" ") * WORD > len(sample):
        # Korean syllables are everyday Chinese characters as well, but Chinese has no spaces.
        return "cp949"
    if scores[best] >= SURE and (rivals[-1] - rivals[-2] > 0.05 or len(sample) < SHORT):
        return best
    return arbiter(sample, best if scores[best] >= SURE else "cp1252")


def arbiter(sample: bytes, otherwise: str) -> str:
    from charset_normalizer import from_bytes

    match = from_bytes(sample, cp_isolation=[*EAST_ASIAN, *OTHERS]).best()
    return match.encoding if match else otherwise


def everyday(sample: bytes, encoding: str, common: Callable[[int, int], bool]) -> float:
    """Share of the wide characters of `sample` that are everyday ones in `encoding`."""
    try:
        # The sample may end inside a character.
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return 0.0
    wide = good = 0
    for char in text:
        if char > "\u007f":
            raw = char.encode(encoding)
            wide += 1
            good += len(raw) == 2 and common(raw[0], raw[1])
            # Private use and half-width katakana: signs of a wrong reading.
            wide += 3 * ("\ue000" <= char <= "\uf8ff" or "\uff61" <= char <= "\uff9f")
    return good / wide if wide else 0.0


def common_gb(lead: int, trail: int) -> bool:
    """GB2312: punctuation, full-width forms, kana and the 3,755 characters of level 1."""
    return trail >= 0xA1 and (lead in (0xA1, 0xA3) or 0xB0 <= lead <= 0xD7)


def common_big5(lead: int, trail: int) -> bool:
    """Big5: punctuation and the 5,401 frequently used characters."""
    return 0xA1 <= lead <= 0xA3 or 0xA4 <= lead <= 0xC6


def common_sjis(lead: int, trail: int) -> bool:
    """JIS X 0208: punctuation, kana and the 2,965 kanji of level 1."""
    return lead in (0x81, 0x82, 0x83) or 0x88 <= lead <= 0x97


def common_kr(lead: int, trail: int) -> bool:
    """KS X 1001: punctuation and the 2,350 Hangul syllables."""
    return trail >= 0xA1 and (lead in (0xA1, 0xA3) or 0xB0 <= lead <= 0xC8)


OTHERS = (
    "cp1252", "cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1258",
    "cp874", "euc_jp",
)  # fmt: skip
"""What files of other scripts come in. Old DOS and Macintosh tables look likely far too often."""

EAST_ASIAN: dict[str, Callable[[int, int], bool]] = {
    "gb18030": common_gb,
    "big5hkscs": common_big5,
    "cp932": common_sjis,
    "cp949": common_kr,
}
