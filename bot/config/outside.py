"""Where the services are that tools use: web search, weather, mail."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from core.tools.outside import FORECAST, GEOCODING


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
