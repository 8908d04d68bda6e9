"""The merge: layers of values, later ones over earlier ones, each value traceable.

Style, language, length and the like: the last layer wins. What a run may use only becomes narrower:
a later layer cannot open what an earlier one has closed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from core.errors import WrongConfig
from core.settings.values import Settings

BUILT_IN = "built-in"
"""The layer of values that nobody set. It narrows nothing: nobody decided it."""


@dataclass(frozen=True)
class Merged:
    """Settings and, for each value that is not the built-in default, the layer that set it."""

    settings: Settings
    origin: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> layer; those of rights are `rights.chat`, …"""
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Name -> layers that wanted more than they could have."""

    def layer(self, name: str) -> str:
        """`built-in`, or the name of the layer that set the value `name`."""
        return self.origin.get(name, BUILT_IN)


def _ranked(*order: object) -> Callable[[Any, Any], Any]:
    """The narrower of two values; the narrowest stands first in `order`."""
    return lambda old, new: min(old, new, key=order.index)


def _fewer(old: Collection[str], new: Collection[str]) -> tuple[str, ...]:
    return tuple(one for one in new if one in old)


def _fixed(old: str, new: str) -> str:
    """A mode that was fixed stays."""
    return new if old == "auto" else old


NARROWING: dict[str, Callable[[Any, Any], Any]] = {
    "web": _ranked("off", "when_asked", "on"),
    "respond": _ranked("asked", "all"),
    "model": _ranked("cheap", "usual"),
    "mode": _fixed,
    "tools": _fewer,
    "effects": _fewer,
    "kbs": _fewer,
}
"""How a later layer's value meets an earlier one's, where it may only narrow."""


def merge(*layers: tuple[str, Mapping[str, Any]]) -> Merged:
    """Merge named layers, later ones over earlier ones; a value None changes nothing.

    Raises WrongConfig, naming layer and value, when a layer holds what cannot be.
    """
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    refused: dict[str, tuple[str, ...]] = {}
    for name, layer in layers:
        given = {key: value for key, value in layer.items() if value is not None}
        if not given:
            continue
        parsed = _checked(name, given)
        for key, raw in given.items():
            if key == "rights":
                values[key] = {**values.get(key, {}), **raw}
                origin |= {f"rights.{right}": name for right in raw}
                continue
            wanted = getattr(parsed, key)
            value = met(key, values[key], wanted) if key in values else wanted
            if value != wanted:
                refused[key] = (*refused.get(key, ()), name)
            if key not in values or value != values[key] or key not in NARROWING:
                values[key], origin[key] = value, name
    return Merged(Settings.model_validate(values), origin, refused)


def met(key: str, old: Any, new: Any) -> Any:
    """What a later layer's value `new` comes to over `old`."""
    narrower = NARROWING.get(key)
    return new if narrower is None or old is None else narrower(old, new)


def _checked(layer: str, values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{layer}.{'.'.join(str(part) for part in found['loc'])}: {found['msg']}"
            for found in error.errors()
        )
        raise WrongConfig(wrong) from error
