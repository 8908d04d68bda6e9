"""The files that values come from, and the data folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic_settings import PydanticBaseSettingsSource

from core.errors import WrongConfig

TOML = "threadmate.toml"


class ValueFiles(PydanticBaseSettingsSource):
    """`NAME_FILE`: the path of a file whose content is the value of NAME."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        name = field.alias or field_name
        path = os.environ.get(f"{name}_FILE")
        if not path:
            return None, name, False
        try:
            return Path(path).read_text(encoding="utf-8").strip(), name, False
        except (OSError, UnicodeDecodeError) as error:
            raise WrongConfig(f"{name}_FILE: {error}") from error

    def __call__(self) -> dict[str, Any]:
        found = [
            self.get_field_value(field, name)
            for name, field in self.settings_cls.model_fields.items()
            if field.alias
        ]
        return {name: value for value, name, _ in found if value is not None}


def value_of(name: str) -> str:
    """The value of a variable that the configuration names. WrongConfig if it is not set."""
    value = os.environ.get(name) or dotenv_values(".env").get(name)
    path = os.environ.get(f"{name}_FILE")
    try:
        value = value or (Path(path).read_text(encoding="utf-8").strip() if path else None)
    except (OSError, UnicodeDecodeError) as error:
        raise WrongConfig(f"{name}_FILE: {error}") from error
    if not value:
        raise WrongConfig(f"{name}: not set; {TOML} names it as the key of a model")
    return value


def data_folder(path: Path) -> Path:
    """The data folder, made at need and private to its owner; WrongConfig if it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise WrongConfig(f"THREADMATE_DATA: {path} cannot be a data folder: {error}") from error
    return path
