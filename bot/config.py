"""Config: the process's own, from the environment, `.env` and `threadmate.toml`; read once.

Order, first wins: environment, `NAME_FILE` (a file that holds the value), `.env`,
`threadmate.toml`, defaults. All mistakes are told at once (exit code 78).
"""

from __future__ import annotations

import os
import re
import tomllib
import zoneinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

from dotenv import dotenv_values
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from core.errors import WrongConfig
from core.messages import Language
from core.model import ModelSpec
from core.quota import KINDS, Amount, Kind
from core.rights import Rights
from core.settings import SettingsBook
from core.tools.outside import FORECAST, GEOCODING, Outside

TOML = "threadmate.toml"


class LimitsConfig(BaseModel):
    """Checked before they are spent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rounds: int = Field(10, ge=1, le=50)
    """Model calls of one run's loop."""
    requests: int = Field(50, ge=1, le=500)
    """Model calls of one run, those of its sub-agents included."""
    tool_calls: int = Field(40, ge=1, le=500)
    """Tool calls of one run."""
    seconds: float = Field(600, ge=5, le=7200)
    """Time of one run."""
    tokens: int = Field(200_000, ge=1000)
    """Input and output tokens of one run."""
    usd: float = Field(0, ge=0)
    """Money of one run, in US dollars, where the model's price is known; 0 is no limit."""
    file_mb: int = Field(50, ge=1, le=50)
    """Largest file taken, in MiB; the reader takes no larger one."""
    parse_seconds: float = Field(60, ge=1, le=600)
    """Time that reading one file may take."""
    parse_mb: int = Field(1024, ge=256)
    """Memory of the child process that reads files, in MiB."""
    runs: int = Field(150, ge=1, le=1000)
    """Runs worked at the same time."""
    approval_hours: float = Field(24, gt=0, le=720)
    """How long a run waits for a click or an answer; later ones are told to ask anew."""
    drain_seconds: float = Field(20, ge=0, le=600)
    """On SIGTERM: how long running work may finish; the rest goes on at the next start."""


class PlanConfig(BaseModel):
    """How plans are worked; the same names as in `core.context.PlanKnobs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nodes: int = Field(20, ge=1, le=20)
    """Most nodes of one plan."""
    parallel: int = Field(4, ge=1, le=16)
    """Nodes at work at the same time."""
    racing: bool = True
    """False: all members of a race group run, and all results are kept."""
    grace_s: float = Field(0.3, ge=0, le=10)
    """How long a hit in the documents is waited for after one from the web: it is preferred."""
    node_s: float = Field(120, ge=1, le=3600)
    """Longest time of one node."""
    retries: int = Field(1, ge=0, le=5)
    """Of a node that only reads or is idempotent."""
    replans: int = Field(1, ge=0, le=3)
    """New plans after nodes failed."""
    result_chars: int = Field(6_000, ge=200, le=24_000)
    """What the answer and dependent nodes get of one result; the whole is kept."""


class QuotaConfig(BaseModel):
    """What may be used a day, in the time zone of the person or channel; 0 is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    person: int = Field(0, ge=0)
    """Questions of one person."""
    channel: int = Field(0, ge=0)
    """Questions in one channel."""
    workspace: int = Field(0, ge=0)
    """Questions in one workspace."""
    person_tokens: int = Field(0, ge=0)
    """Tokens of one person, in and out."""
    channel_tokens: int = Field(0, ge=0)
    workspace_tokens: int = Field(0, ge=0)
    person_usd: float = Field(0, ge=0)
    """Money of one person, in US dollars, where the model's price is known."""
    channel_usd: float = Field(0, ge=0)
    workspace_usd: float = Field(0, ge=0)


class WebConfig(BaseModel):
    """Where the tool `search_web` searches; whether it may is the setting `web` of a channel."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: Literal["ddgs", "searxng", "api", "off"] = "ddgs"
    """`ddgs` needs no account; `searxng` a server of yours; `api` any that answers with JSON."""
    url: str = ""
    """SearXNG: its address. API: the address with {query}; {limit}, {language}, {key} at will."""
    key_header: str = ""
    """API: the header that carries THREADMATE_WEB_KEY, e.g. X-Subscription-Token."""

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        return web_address(url)

    @model_validator(mode="after")
    def _complete(self) -> WebConfig:
        if self.provider in ("searxng", "api") and not self.url:
            raise ValueError(f"the provider {self.provider} needs a url")
        if self.provider == "api" and "{query}" not in self.url:
            raise ValueError("the url of an api needs {query} where the words go")
        return self


class WeatherConfig(BaseModel):
    """Where the tool `get_weather` asks; empty addresses take the tool away."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    geocoding_url: str = GEOCODING
    """Open-Meteo's, or a server of the same kind."""
    forecast_url: str = FORECAST

    @field_validator("geocoding_url", "forecast_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        return web_address(url)


class MailConfig(BaseModel):
    """How the tool `send_email` sends; the server is THREADMATE_SMTP_URL."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sender: str = ""
    """Address that mails come from; unset: the user of the server's address."""


def web_address(url: str) -> str:
    """`url`, if it is one or empty; else ValueError."""
    if url and not url.startswith(("http://", "https://")):
        raise ValueError("an address that begins with http:// or https:// is needed")
    return url


class Config(BaseSettings):
    """The process's configuration. Make one with `load()`."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_file_encoding="utf-8",
        # Without it the shell's own LANGUAGE would be taken for ours.
        env_prefix="THREADMATE_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    data: Path = Field(Path("data"), alias="THREADMATE_DATA")
    """The data folder: everything that is kept."""
    model: str | None = Field(None, alias="THREADMATE_MODEL")
    """litellm name of the model; unset: no-key mode (search and quotes)."""
    api_base: str | None = Field(None, alias="THREADMATE_API_BASE")
    """Address of an OpenAI-compatible server."""
    api_key: SecretStr | None = Field(None, alias="THREADMATE_API_KEY")
    """Key for it; or the provider's own variable."""
    database_url: SecretStr | None = Field(None, alias="THREADMATE_DATABASE_URL")
    """PostgreSQL; this release keeps everything in SQLite."""
    smtp_url: SecretStr | None = Field(None, alias="THREADMATE_SMTP_URL")
    """Mail server for the tool `send_email`: smtp://user:password@host:587; unset: no such tool."""
    web_key: SecretStr | None = Field(None, alias="THREADMATE_WEB_KEY")
    """Key of the search API in [web]."""
    slack_bot_token: SecretStr | None = Field(None, alias="SLACK_BOT_TOKEN")
    slack_app_token: SecretStr | None = Field(None, alias="SLACK_APP_TOKEN")
    slack_api_url: str = Field("https://slack.com/api/", alias="SLACK_API_URL")
    discord_token: SecretStr | None = Field(None, alias="DISCORD_TOKEN")
    discord_api_url: str = Field("https://discord.com/api/v10", alias="DISCORD_API_URL")
    discord_gateway_url: str | None = Field(None, alias="DISCORD_GATEWAY_URL")
    """Unset: as the API tells."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", alias="THREADMATE_LOG_LEVEL"
    )

    language: Language = "en"
    """For people and channels that show none of their own."""
    time_zone: str = "UTC"
    """IANA name, for people and channels that show none."""
    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Hosts that any answer may link to."""
    tools: Annotated[tuple[str, ...], NoDecode] = ()
    """Python modules whose `@tool` functions join the toolbox."""
    admins: Annotated[tuple[str, ...], NoDecode] = ()
    """Platform ids (slack:T1/U2): may remove others' documents and stop others' runs."""
    bots: Annotated[tuple[str, ...], NoDecode] = ()
    """Platform ids of bots that may ask; nobody by default, since two bots answer each other."""
    cheap_model: str | None = None
    """litellm name of the model that answers from 80 % of a quota on, and where it is chosen."""
    quota: QuotaConfig = QuotaConfig()  # pyright: ignore[reportCallIssue]
    rights: Rights = Rights()
    """Who may do what; a channel's own: `[channels."slack:T1/C2".rights]`."""
    defaults: dict[str, Any] = Field(default_factory=dict[str, Any])
    """`core.settings.Settings` for every channel."""
    channels: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    """By channel id: `[channels."slack:T1/C2"]`."""
    models: tuple[ModelSpec, ...] = ()
    """How models are asked: THREADMATE_MODEL, then those that stand in when it fails."""
    limits: LimitsConfig = LimitsConfig()  # pyright: ignore[reportCallIssue]
    plan: PlanConfig = PlanConfig()  # pyright: ignore[reportCallIssue]
    web: WebConfig = WebConfig()
    weather: WeatherConfig = WeatherConfig()
    mail: MailConfig = MailConfig()

    @model_validator(mode="before")
    @classmethod
    def _first_model(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Without THREADMATE_MODEL the first of `models` is the one."""
        listed: Any = values.get("models")
        named = values.get("THREADMATE_MODEL") or values.get("model")
        if named or not isinstance(listed, list | tuple) or not listed:
            return values
        first: Any = listed[0]
        name = first.get("name") if isinstance(first, dict) else None
        return {**values, "THREADMATE_MODEL": name}

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        return known_zone(name)

    @field_validator("hosts", "admins", "bots", "tools", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part for part in value.replace(",", " ").split() if part)
        return value

    @field_validator("slack_api_url", "discord_api_url", "api_base")
    @classmethod
    def _is_address(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("an address that begins with http:// or https:// is needed")
        return url

    @field_validator("smtp_url")
    @classmethod
    def _is_mail_server(cls, url: SecretStr | None) -> SecretStr | None:
        parts = urlsplit(url.get_secret_value()) if url is not None else None
        if parts is not None and (parts.scheme not in ("smtp", "smtps") or not parts.hostname):
            raise ValueError("an address like smtp://user:password@host:587 is needed")
        return url

    @field_validator("discord_gateway_url")
    @classmethod
    def _is_socket(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("ws://", "wss://")):
            raise ValueError("an address that begins with ws:// or wss:// is needed")
        return url

    @field_validator("discord_token")
    @classmethod
    def _no_prefix(cls, token: SecretStr | None) -> SecretStr | None:
        """`Bot ` in front is how the header looks; the token is what comes after it."""
        held = token.get_secret_value().strip().removeprefix("Bot ").strip() if token else ""
        if token is not None and (not held or any(sign.isspace() for sign in held)):
            raise ValueError("this is no bot token; copy it from the developer portal's Bot page")
        return SecretStr(held) if held else None

    @field_validator("slack_bot_token", "slack_app_token")
    @classmethod
    def _right_token(cls, token: SecretStr | None, info: Any) -> SecretStr | None:
        prefix = "xoxb-" if info.field_name == "slack_bot_token" else "xapp-"
        if token is not None and not token.get_secret_value().startswith(prefix):
            raise ValueError(f"this is another kind of token; the right one begins with {prefix}")
        return token

    @field_validator("database_url")
    @classmethod
    def _only_sqlite(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            raise ValueError("PostgreSQL comes in a later release; unset it to use data/ (SQLite)")
        return url

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del file_secret_settings
        toml = TomlConfigSettingsSource(settings_cls, Path(TOML))
        files = ValueFiles(settings_cls)
        return init_settings, env_settings, files, dotenv_settings, toml

    @property
    def book(self) -> SettingsBook:
        """Settings of every channel; `book.check()` raises WrongConfig for what cannot be."""
        own: dict[str, Any] = {
            "language": self.language,
            "hosts": self.hosts,
            "admins": self.admins,
            "rights": self.rights.model_dump(exclude_unset=True) or None,
        }
        return SettingsBook(defaults=own | self.defaults, channels=self.channels)

    @property
    def quotas(self) -> dict[Kind, Amount]:
        """What each may use a day."""
        held = self.quota.model_dump()
        return {
            kind: Amount(
                requests=held[kind], tokens=held[f"{kind}_tokens"], usd=held[f"{kind}_usd"]
            )
            for kind in KINDS
        }

    @property
    def has_slack(self) -> bool:
        return self.slack_bot_token is not None and self.slack_app_token is not None

    @property
    def has_discord(self) -> bool:
        return self.discord_token is not None

    def bots_of(self, platform: str) -> frozenset[str]:
        """The platform's own ids of the bots that may ask there."""
        start = f"{platform}:"
        return frozenset(one.rsplit("/", 1)[-1] for one in self.bots if one.startswith(start))

    @property
    def outside(self) -> Outside:
        """Where the services are that built-in tools use."""
        return Outside(
            **self.web.model_dump(),
            **self.weather.model_dump(),
            **self.mail.model_dump(),
            web_key=self.web_key,
            smtp_url=self.smtp_url,
        )

    def asked(self, name: str) -> tuple[ModelSpec, SecretStr | None]:
        """How a model is asked, and its key.

        One of the installation's provider (the part before `/`) that has neither address nor key of
        its own is asked at the installation's, with its key; others find theirs in the environment.
        """
        made = next((each for each in self.models if each.name == name), None)
        made = made or ModelSpec.model_validate({"name": name})
        key = SecretStr(value_of(made.key)) if made.key else None
        main = self.model or ""
        same = name.partition("/")[0] == main.partition("/")[0]
        if name == main or (same and made.api_base is None and key is None):
            address = made.api_base or self.api_base
            return made.model_copy(update={"api_base": address}), key or self.api_key
        return made, key

    @property
    def asked_models(self) -> list[tuple[ModelSpec, SecretStr | None]]:
        """The model of the installation and those that stand in for it, in order; none: no key."""
        others = [each.name for each in self.models if each.name != self.model]
        return [self.asked(name) for name in (self.model, *others) if name] if self.model else []

    @property
    def secrets(self) -> list[str]:
        """Every secret in clear, for the redaction of logs."""
        held = (
            *(self.api_key, self.database_url, self.slack_bot_token, self.slack_app_token),
            *(self.smtp_url, self.web_key, self.discord_token),
        )
        found = [secret.get_secret_value() for secret in held if secret is not None]
        found += [value_of(each.key) for each in self.models if each.key]
        if self.smtp_url is not None:
            # A library may tell the password without the address that it stands in.
            password = urlsplit(self.smtp_url.get_secret_value()).password or ""
            found += [text for text in (password, unquote(password)) if text]
        return found


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


def known_zone(name: str) -> str:
    """`name`, if the time zone database knows it; else ValueError."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no time zone is called {name!r}; e.g. Asia/Shanghai") from error
    return name


def load(**given: Any) -> Config:
    """The configuration. Raises WrongConfig with every mistake, one a line."""
    wrong = unknown_keys(Path(TOML))
    try:
        config = Config(**given)
    except ValidationError as error:
        raise WrongConfig("\n".join(wrong + mistakes(error))) from error
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


def mistakes(error: ValidationError) -> list[str]:
    """One line per mistake: the name as the operator wrote it, then what is wrong. No values."""
    lines: list[str] = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"])
        if str(item["loc"][0]) in Config.model_fields:
            # A variable is found by its name; a setting of the file needs the file's.
            name = f"{TOML}: {name}"
        lines.append(f"{name}: {item['msg'].removeprefix('Value error, ')}")
    return lines


def data_folder(path: Path) -> Path:
    """The data folder, made at need and private to its owner; WrongConfig if it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise WrongConfig(f"THREADMATE_DATA: {path} cannot be a data folder: {error}") from error
    return path
