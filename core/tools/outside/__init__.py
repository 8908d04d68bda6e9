"""The services of the outside that built-in tools use; each is built once, from the config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

if TYPE_CHECKING:
    # Not at run time: the config is read for every command, most of which ask no one outside.
    from core.http import GuardedClient
    from core.tools.outside.smtp import Smtp
    from core.tools.services import DocumentWriter, LinkTo, Services, Weather, WebSearch

GEOCODING = "https://geocoding-api.open-meteo.com/v1/search"
FORECAST = "https://api.open-meteo.com/v1/forecast"


@dataclass(frozen=True)
class Outside:
    """Where the services are; what an operator sets, in the words of the config."""

    provider: Literal["ddgs", "searxng", "api", "off"] = "off"
    url: str = ""
    key_header: str = ""
    web_key: SecretStr | None = None
    geocoding_url: str = GEOCODING
    forecast_url: str = FORECAST
    smtp_url: SecretStr | None = None
    sender: str = ""

    @property
    def origins(self) -> tuple[str, ...]:
        """Origins that the operator named: trusted although they may be private addresses."""
        named = (self.url, self.geocoding_url, self.forecast_url)
        parts = [urlsplit(url) for url in named if url]
        return tuple(f"{part.scheme}://{part.netloc.rpartition('@')[2]}" for part in parts)

    def client(self) -> GuardedClient:
        """The client that reaches them; the caller closes it."""
        from core.http import GuardedClient

        return GuardedClient(origins=self.origins)

    def services(
        self,
        client: GuardedClient,
        writer: DocumentWriter | None,
        links: Mapping[str, LinkTo] | None = None,
    ) -> Services:
        """The services that are set up. Raises WrongConfig for a mail server that cannot be."""
        from core.tools.services import Services

        return Services(
            writer=writer,
            web=self._web(client),
            weather=self._weather(client),
            mailer=self.mailer(),
            links=links if links is not None else {},
        )

    def _web(self, client: GuardedClient) -> WebSearch | None:
        from core.tools.outside.search import Ddgs, SearchApi, searxng

        match self.provider:
            case "off":
                return None
            case "ddgs":
                return Ddgs()
            case "searxng":
                return searxng(client, self.url)
            case "api":
                return SearchApi(client, self.url, self.web_key, self.key_header)

    def _weather(self, client: GuardedClient) -> Weather | None:
        if not self.geocoding_url or not self.forecast_url:
            return None
        from core.tools.outside.open_meteo import OpenMeteo

        return OpenMeteo(client, self.geocoding_url, self.forecast_url)

    def mailer(self) -> Smtp | None:
        """What sends mail, if a server is set. Raises WrongConfig for one that cannot be."""
        if self.smtp_url is None:
            return None
        from core.tools.outside.smtp import Smtp

        url = self.smtp_url.get_secret_value()
        return Smtp(url, self.sender or unquote(urlsplit(url).username or ""))
