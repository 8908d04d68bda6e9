"""Every sentence that a person can see, zh and en, one catalogue.

Each module of this room holds `TEXTS: dict[str, tuple[str, str]]`: key -> (zh, en), with
`str.format` fields. Numbers, names and dates are passed in; nothing is glued together elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, cast

from core.errors import ThreadmateError

if TYPE_CHECKING:
    # Not at run time: the practice server speaks to people and has no use for pydantic.
    from core.messages import Language

LANGUAGES: tuple[Language, Language] = ("zh", "en")


@cache
def catalogue() -> dict[str, tuple[str, str]]:
    """All sentences; a key that stands twice is a bug of ours and raises ValueError."""
    found: dict[str, tuple[str, str]] = {}
    for module in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{module.name}"
        texts = cast(dict[str, tuple[str, str]], importlib.import_module(name).TEXTS)
        for key, pair in texts.items():
            if key in found:
                raise ValueError(f"text {key!r} stands twice in the catalogue")
            found[key] = pair
    return found


def say(key: str, language: Language, **values: object) -> str:
    """The sentence `key` in `language`; KeyError for an unknown key or a missing value."""
    zh, en = catalogue()[key]
    return (zh if language == "zh" else en).format(**values)


def told(error: ThreadmateError, language: Language) -> str:
    """The error's sentence for people; the general one if its values do not fill it."""
    try:
        return say(error.key, language, **error.values)
    except (KeyError, IndexError):
        return say("error.unknown", language)


def both(key: str, **values: object) -> tuple[str, str]:
    """The sentence in zh and en."""
    return say(key, "zh", **values), say(key, "en", **values)
