"""Config: the process's own, from the environment, `.env` and `threadmate.toml`; read once.

Order, first wins: environment, `NAME_FILE` (a file that holds the value), `.env`,
`threadmate.toml`, defaults. All mistakes are told at once (exit code 78).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError

from bot.config.config import Config, known_zone
from bot.config.files import TOML, ValueFiles, data_folder, value_of
from bot.config.limits import LimitsConfig, PlanConfig, QuotaConfig
from bot.config.mistakes import (
    missing_keys,
    missing_pair,
    missing_sender,
    mistakes_of,
    unknown_keys,
    unreadable,
)
from bot.config.outside import MailConfig, WeatherConfig, WebConfig, web_address
from core.errors import WrongConfig

__all__ = [
    "TOML",
    "Config",
    "LimitsConfig",
    "MailConfig",
    "PlanConfig",
    "QuotaConfig",
    "ValueFiles",
    "WeatherConfig",
    "WebConfig",
    "data_folder",
    "known_zone",
    "load",
    "value_of",
    "web_address",
]


def load(**given: Any) -> Config:
    """The configuration. Raises WrongConfig with every mistake, one a line."""
    wrong = unknown_keys(Path(TOML))
    try:
        config = Config(**given)
    except ValidationError as error:
        raise WrongConfig("\n".join(wrong + mistakes_of(error))) from error
    except SettingsError as error:
        raise WrongConfig("\n".join([*wrong, unreadable(error)])) from error
    except (OSError, UnicodeDecodeError) as error:
        raise WrongConfig("\n".join([*wrong, f".env: {error}"])) from error
    wrong += missing_pair(config) + missing_sender(config) + missing_keys(config)
    try:
        config.book.check()
    except WrongConfig as error:
        wrong.append(f"{TOML}: {error.detail}")
    if wrong:
        raise WrongConfig("\n".join(wrong))
    return config
