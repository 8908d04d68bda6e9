"""Payloads as they come: made fit to be kept."""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character outside the first plane. JSON may hold one (a text cut inside an emoji); no
database and no encoder takes it, and Slack would deliver the event again until it gave up."""


def whole(value: Any) -> Any:
    """`value`, read from JSON, with each half character replaced, at any depth."""
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case dict():
            return {whole(name): whole(held) for name, held in value.items()}
        case list():
            return [whole(held) for held in value]
        case _:
            return value
