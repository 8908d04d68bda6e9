"""Numbers with their nouns, and the one rule for one and many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.texts import say

if TYPE_CHECKING:
    # Not at run time, as in the room itself.
    from core.messages import Language

TEXTS: dict[str, tuple[str, str]] = {
    "count.days": ("{n} 天", "{n} days"),
    "count.days.one": ("{n} 天", "{n} day"),
    "count.documents": ("{n} 个文档", "{n} documents"),
    "count.documents.one": ("{n} 个文档", "{n} document"),
    "count.files": ("{n} 个文件", "{n} files"),
    "count.files.one": ("{n} 个文件", "{n} file"),
    "count.pages": ("{n} 页", "{n} pages"),
    "count.pages.one": ("{n} 页", "{n} page"),
    "count.webpages": ("{n} 个网页", "{n} web pages"),
    "count.webpages.one": ("{n} 个网页", "{n} web page"),
    "count.parts": ("{n} 处", "{n} parts"),
    "count.parts.one": ("{n} 处", "{n} part"),
    "count.passages": ("{n} 段", "{n} passages"),
    "count.passages.one": ("{n} 段", "{n} passage"),
    "count.places": ("{n} 处", "{n} places"),
    "count.places.one": ("{n} 处", "{n} place"),
    "count.steps": ("{n} 步", "{n} steps"),
    "count.steps.one": ("{n} 步", "{n} step"),
    "count.versions": ("{n} 个版本", "{n} versions"),
    "count.versions.one": ("{n} 个版本", "{n} version"),
}


def counted(noun: str, n: int, language: Language) -> str:
    """`1 document`, `2,000 documents`; `noun` is a key of the catalogue under `count.`"""
    return say(f"count.{noun}.one" if n == 1 else f"count.{noun}", language, n=f"{n:,}")


def megabytes(size: int) -> str:
    """`50`, `50.1`: bytes in MiB, rounded up, so that what is over a limit never reads as on it."""
    return f"{math.ceil(size / 2**20 * 10) / 10:g}"
