"""What built-in tools need of the outside: built once for the process, given to every run.

A service that is None is not set up: the tool that needs it is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.knowledge.documents import Receipt
from core.memory.channel import ChannelLog
from core.messages import Frozen, Language, Place


class WebHit(Frozen):
    """A page that a web search found."""

    title: str
    url: str
    text: str
    """What the search engine shows of it."""


class WebSearch(Protocol):
    async def search(self, query: str, limit: int, language: Language) -> list[WebHit]:
        """The best pages, best first. Raises ToolFailed or WebError with a sentence."""
        ...


class City(Frozen):
    """A place that has weather."""

    name: str
    region: str = ""
    country: str = ""
    latitude: float
    longitude: float


class Day(Frozen):
    """The weather of one day."""

    date: str
    """ISO, in the city's own zone."""
    code: int
    """WMO code 4677, as Open-Meteo gives it."""
    high: float
    """Degrees Celsius."""
    low: float
    rain: int | None = None
    """Probability of precipitation, per cent."""
    wind: float | None = None
    """Strongest wind, km/h."""


class Forecast(Frozen):
    """The weather of a city, from today."""

    city: City
    temperature: float | None = None
    """Now, in degrees Celsius."""
    code: int | None = None
    """WMO code, now."""
    days: tuple[Day, ...]


class Weather(Protocol):
    async def forecast(self, city: str, days: int, language: Language) -> Forecast:
        """Raises ToolFailed if no such city is known, WebError if the service cannot be had."""
        ...


class Mailer(Protocol):
    async def send(self, to: str, subject: str, body: str) -> None:
        """Hand one mail over. Raises ToolFailed with a sentence; then nothing was sent."""
        ...


class DocumentWriter(Protocol):
    """The writing side of `core.knowledge.library.Library`."""

    async def write(
        self,
        *,
        scope: str,
        owner: str,
        name: str,
        text: str,
        link: str = "",
        key: str = "",
        asked_by: str = "",
    ) -> Receipt:
        """Take a text in as a Markdown document of the scope's own KB."""
        ...


_MESSAGE = re.compile(r"[\d.]+")
"""A thread that a slash command began has no root message yet, and nothing to link to."""

LinkTo = Callable[[Place, str], str]
"""A place and a message's id -> a link for people, or an empty text."""


@dataclass(frozen=True)
class Services:
    writer: DocumentWriter | None = None
    web: WebSearch | None = None
    weather: Weather | None = None
    mailer: Mailer | None = None
    log: ChannelLog | None = None
    """What was said, for the channel where it was said."""
    links: Mapping[str, LinkTo] = field(default_factory=dict[str, LinkTo])
    """By platform name; filled by whoever opens the platforms."""

    def link(self, place: Place) -> str:
        """A link to the thread, or an empty text."""
        link = self.links.get(place.platform)
        if link is None or not _MESSAGE.fullmatch(place.thread.rpartition("/")[2]):
            return ""
        return link(place, place.thread)
