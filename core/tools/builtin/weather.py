"""get_weather: the weather of a city, today and the next days."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from core.messages import Language
from core.texts import catalogue, say
from core.tools.definition import tool
from core.tools.services import City, Day, Forecast
from core.tools.tool import ToolResult
from core.tools.toolbox import Bound


def _has_weather(bound: Bound) -> bool:
    return bound.services.weather is not None


@tool(
    title="tool.weather.title",
    timeout_s=25.0,
    cacheable=False,
    keywords=("天气", "气温", "下雨", "下雪", "weather", "forecast", "rain", "temperature"),
    when=_has_weather,
)
async def get_weather(
    bound: Bound,
    city: Annotated[str, Field(min_length=1, max_length=80)],
    days: Annotated[int, Field(ge=1, le=7)] = 1,
) -> ToolResult:
    """The weather of a city now and in the next days: sky, temperatures, chance of rain, wind. It
    needs a city; if none was named and none is known of the person, take ask_person.

    city: Name of a city in Chinese or English: `北京`, `Paris`.
    days: How many days from today on: 1 is today, 2 is today and tomorrow.
    """
    weather = bound.services.weather
    assert weather is not None  # `when` saw to it.
    language = bound.request.language
    found = await weather.forecast(city, days, language)
    lines = told(found, language)
    return ToolResult(
        text="\n".join(lines),
        summary=lines[-1] if len(found.days) == 1 else lines[0],
        details={"sentence": "\n".join(lines), "forecast": found.model_dump(mode="json")},
    )


def told(found: Forecast, language: Language) -> list[str]:
    """The forecast in lines: the city as it stands now, then one line a day."""
    values = {"city": _name(found.city, language)}
    if found.temperature is None or found.code is None:
        head = say("tool.weather.head", language, **values)
    else:
        now = f"{found.temperature:g}"
        sky = _sky(found.code, language)
        head = say("tool.weather.now", language, temperature=now, sky=sky, **values)
    return [head, *(_day(day, language) for day in found.days)]


def _day(day: Day, language: Language) -> str:
    line = say(
        "tool.weather.day",
        language,
        date=day.date,
        sky=_sky(day.code, language),
        low=f"{day.low:g}",
        high=f"{day.high:g}",
    )
    if day.rain is not None:
        line += say("tool.weather.rain", language, rain=day.rain)
    if day.wind is not None:
        line += say("tool.weather.wind", language, wind=f"{day.wind:g}")
    return line


def _sky(code: int, language: Language) -> str:
    key = f"weather.code.{code}"
    return say(key if key in catalogue() else "weather.code.unknown", language)


def _name(city: City, language: Language) -> str:
    """City, region and country, each once."""
    parts = dict.fromkeys(part for part in (city.name, city.region, city.country) if part)
    return say("tool.comma", language).join(parts)
