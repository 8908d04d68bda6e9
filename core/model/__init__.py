"""Models. This file stays light: a provider's library is imported only when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from core.messages import Frozen
from core.model.protocol import Model

SCRIPTED = "scripted:"

Protocol = Literal["auto", "native", "tags"]
"""How tools are given: natively, and calls written as text are read as well (`auto`); only natively
(`native`); in the system text, for models that have no way of their own (`tags`)."""


class ModelSpec(Frozen):
    """One model and how it is asked; an entry of `[[models]]` in threadmate.toml."""

    name: str = Field(min_length=1)
    """`scripted:PATH.json`, or a name that litellm knows."""
    api_base: str | None = Field(None, pattern="^https?://")
    """Address of an OpenAI-compatible server; unset: the provider's own."""
    key: str = ""
    """Name of the variable that holds its key; unset: the provider's own variable."""
    protocol: Protocol = "auto"
    stream: bool = True
    """False: it is called whole, and its answer cut into the same pieces."""
    vision: bool | None = None
    """Whether it can look at pictures; unset: litellm's table says."""


def make_model(
    name: str,
    api_base: str | None = None,
    api_key: SecretStr | None = None,
    *,
    protocol: Protocol = "auto",
    stream: bool = True,
    vision: bool | None = None,
) -> Model:
    """One model. Nothing heavy is imported before it is warmed or asked.

    Raises WrongConfig for a script that cannot be read.
    """
    from core.model.auto import AutoModel
    from core.model.tags import TagsModel

    model = _plain(name, api_base, api_key, stream, vision)
    if protocol == "native":
        return model
    return TagsModel(model) if protocol == "tags" else AutoModel(model)


def model_of(spec: ModelSpec, api_key: SecretStr | None) -> Model:
    """The model of a spec."""
    return make_model(
        spec.name,
        spec.api_base,
        api_key,
        protocol=spec.protocol,
        stream=spec.stream,
        vision=spec.vision,
    )


def make_models(specs: Sequence[tuple[ModelSpec, SecretStr | None]]) -> Model:
    """The first of some models, with the others behind it for when it fails."""
    from core.model.failover import Failover

    made = [model_of(spec, key) for spec, key in specs]
    return made[0] if len(made) == 1 else Failover(made)


def _plain(
    name: str, api_base: str | None, api_key: SecretStr | None, stream: bool, vision: bool | None
) -> Model:
    if name.startswith(SCRIPTED):
        from core.model.scripted import FileModel

        return FileModel(Path(name.removeprefix(SCRIPTED)))
    from core.model.litellm import LitellmModel

    return LitellmModel(name, api_base, api_key, streams=stream, sees=vision)
