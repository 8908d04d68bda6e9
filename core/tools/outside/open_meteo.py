"""Weather from Open-Meteo: no account, no key. https://open-meteo.com/en/docs"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from core.errors import ToolFailed
from core.http import GuardedClient
from core.messages import Language
from core.tools.outside import FORECAST, GEOCODING
from core.tools.outside.fetch import json_of
from core.tools.services import City, Day, Forecast

DAILY = (
    "weather_code",
    "temperature_2m_max",
    "temperature_2m_min",
    "precipitation_probability_max",
    "wind_speed_10m_max",
)
_ENDING = re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:市|省|县|区|特别行政区)$")


class _Place(BaseModel):
    name: str
    latitude: float
    longitude: float
    country: str = ""
    admin1: str = ""


class _Now(BaseModel):
    temperature_2m: float | None = None
    weather_code: int | None = None


class _Daily(BaseModel):
    time: list[str]
    weather_code: list[int | None]
    temperature_2m_max: list[float | None]
    temperature_2m_min: list[float | None]
    precipitation_probability_max: list[int | None] = []
    wind_speed_10m_max: list[float | None] = []


class OpenMeteo:
    """Finds a city by its name in Chinese or English, then its forecast."""

    def __init__(
        self, client: GuardedClient, geocoding: str = GEOCODING, forecast: str = FORECAST
    ) -> None:
        self._client = client
        self._geocoding = geocoding
        self._forecast = forecast

    async def forecast(self, city: str, days: int, language: Language) -> Forecast:
        """The weather of `days` days from today. Raises ToolFailed for a city nobody knows."""
        place = await self._place(city, language)
        query = {
            "latitude": place.latitude,
            "longitude": place.longitude,
            "current": "temperature_2m,weather_code",
            "daily": ",".join(DAILY),
            "timezone": "auto",
            "forecast_days": days,
        }
        answer = await json_of(self._client, _with(self._forecast, query))
        try:
            now = _Now.model_validate(answer.get("current") or {})
            daily = _Daily.model_validate(answer["daily"])
        except (ValidationError, KeyError, AttributeError):
            raise ToolFailed(key="tool.weather.unreadable") from None
        return Forecast(
            city=place, temperature=now.temperature_2m, code=now.weather_code, days=_days(daily)
        )

    async def _place(self, city: str, language: Language) -> City:
        plain = " ".join(city.split())
        for name in dict.fromkeys((plain, _ENDING.sub("", plain))):
            query = {"name": name, "count": 1, "language": language, "format": "json"}
            answer: Any = await json_of(self._client, _with(self._geocoding, query))
            found = answer.get("results") if isinstance(answer, dict) else None
            if found:
                return _city(found[0])
        raise ToolFailed(key="tool.weather.unknown", city=plain)


def _city(found: Any) -> City:
    try:
        place = _Place.model_validate(found)
    except ValidationError:
        raise ToolFailed(key="tool.weather.unreadable") from None
    return City(
        name=place.name,
        region=place.admin1,
        country=place.country,
        latitude=place.latitude,
        longitude=place.longitude,
    )


def _days(daily: _Daily) -> tuple[Day, ...]:
    """The days that have figures; the last ones may be missing."""
    days: list[Day] = []
    rows = zip(
        daily.time,
        daily.weather_code,
        daily.temperature_2m_max,
        daily.temperature_2m_min,
        strict=False,
    )
    for place, (date, code, high, low) in enumerate(rows):
        if code is None or high is None or low is None:
            continue
        rain = _at(daily.precipitation_probability_max, place)
        wind = _at(daily.wind_speed_10m_max, place)
        days.append(Day(date=date, code=code, high=high, low=low, rain=rain, wind=wind))
    if not days:
        raise ToolFailed(key="tool.weather.unreadable")
    return tuple(days)


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _with(address: str, query: dict[str, Any]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"
