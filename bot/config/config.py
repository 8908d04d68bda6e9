"""Config itself: every value, with its own checks and what follows from it."""

from __future__ import annotations

import zoneinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from bot.config.files import TOML, ValueFiles, value_of
from bot.config.limits import LimitsConfig, PlanConfig, QuotaConfig
from bot.config.outside import MailConfig, WeatherConfig, WebConfig
from core.messages import Language
from core.model import ModelSpec
from core.quota import KINDS, Amount, Kind
from core.rights import Rights
from core.settings import SettingsBook
from core.tools.outside import Outside


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


def known_zone(name: str) -> str:
    """`name`, if the time zone database knows it; else ValueError."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no time zone is called {name!r}; e.g. Asia/Shanghai") from error
    return name
