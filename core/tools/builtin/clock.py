"""get_time: date and time of a place."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic import Field

from core.errors import ToolFailed
from core.language.zones import first_zone, resolve_zone
from core.messages import Language
from core.texts import say
from core.tools.tool import Arguments, Tool, ToolResult
from core.tools.toolbox import Bound


class GetTime(Arguments):
    zone: str = Field("", max_length=80)
    """IANA zone (`Asia/Tokyo`), a city (`Tokyo`, `东京`) or an offset (`UTC+8`); empty: the
    asker's own zone."""


def get_time(bound: Bound) -> Tool:
    """The clock, in the asker's zone unless another is named."""
    language = bound.request.language

    async def run(arguments: GetTime) -> ToolResult:
        zone = _zone(arguments.zone, bound.request.time_zone)
        moment = datetime.fromtimestamp(bound.clock(), ZoneInfo(zone))
        told = say(
            "tool.time.sentence",
            language,
            place=arguments.zone.strip(),
            when=spoken_date(moment, language),
            clock=moment.strftime("%H:%M"),
            zone=zone,
        )
        return ToolResult(
            text=f"{told} ({moment.isoformat(timespec='seconds')})",
            summary=moment.strftime("%H:%M") + f" {zone}",
            details={"sentence": told, "zone": zone, "iso": moment.isoformat()},
        )

    return Tool(
        name="get_time",
        description=(
            "The current date, weekday and time of a place. Take it whenever the answer depends on"
            " now or today; never guess the time. It knows nothing of opening hours or meetings:"
            " for those take semantic_search."
        ),
        arguments=GetTime,
        run=run,
        title=lambda arguments: say(
            "tool.time.title", language, zone=arguments.zone.strip() or bound.request.time_zone
        ),
        cacheable=False,
        keywords=("几点", "时间", "今天", "日期", "星期几", "time", "today", "date"),
    )


def spoken_date(moment: datetime, language: Language) -> str:
    """`2026年11月29日（星期日）` or `Sunday, 29 November 2026`."""
    day = say(f"date.weekday.{moment.weekday()}", language)
    month = say(f"date.month.{moment.month}", language)
    return say("date.day", language, y=moment.year, m=month, d=moment.day, weekday=day)


def _zone(wanted: str, own: str) -> str:
    if wanted.strip():
        found = resolve_zone(wanted)
        if found is None:
            raise ToolFailed(wanted, key="tool.time.unknown", zone=wanted.strip())
        return found
    return first_zone(own)
