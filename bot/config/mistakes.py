"""One line for each mistake: the name as the operator wrote it, then what is wrong."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError
from pydantic_settings import SettingsError

from bot.config.config import Config
from bot.config.files import TOML
from core.errors import WrongConfig


def missing_keys(config: Config) -> list[str]:
    """A line about each variable that an entry of `models` names and that is not set."""
    lines: list[str] = []
    for spec in config.models:
        try:
            config.asked(spec.name)
        except WrongConfig as error:
            lines.append(error.detail)
    return lines


def unknown_keys(path: Path) -> list[str]:
    """One line per top-level key of the file that means nothing. WrongConfig if it is no TOML."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise WrongConfig(f"{path}: {error}") from error
    known = {name for name, field in Config.model_fields.items() if not field.alias}
    return [
        f"{path}: {key} is not a setting; known are {', '.join(sorted(known))}"
        for key in held
        if key not in known
    ]


def missing_pair(config: Config) -> list[str]:
    """Slack needs both tokens; a line about the missing one, or nothing."""
    if config.slack_bot_token and not config.slack_app_token:
        return ["SLACK_APP_TOKEN: missing beside SLACK_BOT_TOKEN (Socket Mode; begins with xapp-)"]
    if config.slack_app_token and not config.slack_bot_token:
        return ["SLACK_BOT_TOKEN: missing beside SLACK_APP_TOKEN (begins with xoxb-)"]
    return []


def missing_sender(config: Config) -> list[str]:
    """Mails need an address to come from; a line about the missing one, or nothing."""
    if config.smtp_url is None or config.mail.sender:
        return []
    if "@" in unquote(urlsplit(config.smtp_url.get_secret_value()).username or ""):
        return []
    return [f"{TOML}: mail.sender: missing; the address that mails come from"]


def unreadable(error: SettingsError) -> str:
    """The line about a variable whose value should be JSON and is not. No values."""
    told = re.search(r'field "(\w+)"', str(error))
    name = f"THREADMATE_{told[1].upper()}" if told else "THREADMATE_*"
    return f"{name}: JSON is needed here, and this is none; or set it in {TOML}"


def mistakes_of(error: ValidationError) -> list[str]:
    """One line per mistake: the name as the operator wrote it, then what is wrong. No values."""
    lines: list[str] = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"])
        if str(item["loc"][0]) in Config.model_fields:
            # A variable is found by its name; a setting of the file needs the file's.
            name = f"{TOML}: {name}"
        lines.append(f"{name}: {item['msg'].removeprefix('Value error, ')}")
    return lines
