"""Models. This file stays light: a provider's library is imported only when it is used."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from core.model.protocol import Model

SCRIPTED = "scripted:"


def make_model(name: str, api_base: str | None = None, api_key: SecretStr | None = None) -> Model:
    """The model of a name: `scripted:PATH.json`, or a name that litellm knows.

    Raises WrongConfig for a script that cannot be read. Nothing heavy is imported before
    `LitellmModel.warm` or the first call.
    """
    if name.startswith(SCRIPTED):
        from core.model.scripted import FileModel

        return FileModel(Path(name.removeprefix(SCRIPTED)))
    from core.model.litellm import LitellmModel

    return LitellmModel(name, api_base, api_key)
