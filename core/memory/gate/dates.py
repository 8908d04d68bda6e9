"""Dates as people say them -> absolute ones, counted from the day of the message. zh and en.

A weekday is the coming one (today included); *next Friday* and 下周三 are in the week that begins
next Monday. What is meant as a stretch (a week, a month) is named by its first day or its month.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@dataclass(frozen=True, slots=True)
class Dated:
    """A text with its dates resolved, and the last day that it speaks of."""

    text: str
    last: date | None = None
    """None if no date stands in the text."""
    found: bool = False

    def expires(self, zone: tzinfo) -> float | None:
        """Unix seconds of the end of the last day."""
        if self.last is None:
            return None
        return datetime.combine(self.last + timedelta(days=1), time(), zone).timestamp()


DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = tuple(name.lower() for name in calendar.month_name if name)
COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九十")} | {"两": 2, "〇": 0}

_DAY = "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_N = "[0-9]{1,3}|an?|one|two|three|four|five|six"
_ZN = "[0-9]{1,2}|[一二三四五六七八九十两]{1,3}"

Resolve = Callable[[re.Match[str], date], tuple[str, date]]
"""A match and the day of the message -> how it reads, and its last day."""


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name; UTC for a name that is not known."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def day_of(at: float, zone: tzinfo) -> date:
    return datetime.fromtimestamp(at, zone).date()


def resolve(text: str, today: date) -> Dated:
    """`text` with every date in it absolute."""
    last: date | None = None
    found = False
    for pattern, read in _RULES:

        def put(match: re.Match[str], read: Resolve = read) -> str:
            nonlocal last, found
            try:
                said, day = read(match, today)
            except (ValueError, OverflowError):
                return match.group()  # 31 February, month 13: no date.
            found = True
            last = day if last is None else max(last, day)
            return said

        text = pattern.sub(put, text)
    return Dated(text, last, found)


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text.lower() in COUNTS:
        return COUNTS[text.lower()]
    tens, ten, ones = text.partition("十")
    if not ten:
        return DIGITS[text[-1]]
    return (DIGITS[tens] if tens else 1) * 10 + (DIGITS[ones] if ones else 0)


def _monday(today: date, weeks: int = 0) -> date:
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)


def _coming(weekday: int, today: date) -> date:
    return today + timedelta(days=(weekday - today.weekday()) % 7)


def _weekday(name: str) -> int:
    return next(at for at, day in enumerate(DAYS) if day.startswith(name.lower()[:3]))


def _month_of(name: str) -> int:
    return next(at for at, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _shifted(today: date, months: int) -> date:
    """The first day of a month before or after this one."""
    at = today.year * 12 + today.month - 1 + months
    return date(at // 12, at % 12 + 1, 1)


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _day(day: date, before: str = "") -> tuple[str, date]:
    return f"{before}{day.isoformat()}", day


def _week(monday: date, zh: bool) -> tuple[str, date]:
    said = f"{monday.isoformat()} 起的一周" if zh else f"in the week of {monday.isoformat()}"
    return said, monday + timedelta(days=6)


def _month(first: date, zh: bool) -> tuple[str, date]:
    said = f"{first.year} 年 {first.month} 月" if zh else f"in {first:%Y-%m}"
    return said, _month_end(first)


def _near(month: int, day: int, today: date, year: str | None = None) -> date:
    """A day without a year: this year's, or next year's if that is months ago."""
    if year:
        return date(int(year), month, day)
    this = date(today.year, month, day)
    return this if (today - this).days < 90 else date(today.year + 1, month, day)


def _in_month(day: int, today: date) -> date:
    """`the 14th`: of this month, or of the next if it is over."""
    first = today.replace(day=1)
    return (first if day >= today.day else _shifted(today, 1)).replace(day=day)


def _ago_or_in(match: re.Match[str], today: date, sign: int) -> tuple[str, date]:
    count, unit = _number(match["n"]) * sign, match["unit"].lower()
    if unit.startswith("day") or unit in ("天", "日"):
        return _day(today + timedelta(days=count))
    if unit.startswith("week") or unit in ("周", "星期"):
        return _day(today + timedelta(weeks=count))
    zh = not unit.isascii()
    first = _shifted(today, count if unit.startswith("month") or unit == "月" else count * 12)
    return _month(first, zh)


SHIFT_EN = {"last": -1, "this": 0, "next": 1}
SHIFT_ZH = {
    "上上": -2,
    "上": -1,
    "这": 0,
    "本": 0,
    "这个": 0,
    "下": 1,
    "下个": 1,
    "上个": -1,
    "下下": 2,
}
NEAR_EN = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
NEAR_ZH = {"大前天": -3, "前天": -2, "昨天": -1, "今天": 0, "明天": 1, "后天": 2, "大后天": 3}
ZH_DAYS = "一二三四五六日天末"


def _zh_weekday(sign: str) -> int:
    return {"天": 6, "末": 5}.get(sign, ZH_DAYS.index(sign))


def _en_shift(match: re.Match[str], today: date) -> tuple[str, date]:
    shift, what = SHIFT_EN[match["shift"].lower()], match["what"].lower()
    if what == "week":
        return _week(_monday(today, shift), zh=False)
    if what == "month":
        return _month(_shifted(today, shift), zh=False)
    if what == "year":
        return f"in {today.year + shift}", date(today.year + shift, 12, 31)
    if what == "quarter":
        first, last = _quarter(today, shift)
        return f"in {first.year} Q{first.month // 3 + 1}", last
    if what == "weekend":
        return _day(_monday(today, shift) + timedelta(days=5), "the weekend of ")
    weekday = _weekday(what)
    if shift == 0:
        return _day(_coming(weekday, today))
    return _day(_monday(today, shift) + timedelta(days=weekday))


def _zh_week(match: re.Match[str], today: date) -> tuple[str, date]:
    shift, sign = SHIFT_ZH[match["shift"]], match["day"]
    if not sign:
        return _week(_monday(today, shift), zh=True)
    return _day(_monday(today, shift) + timedelta(days=_zh_weekday(sign)))


def _zh_month(match: re.Match[str], today: date) -> tuple[str, date]:
    first = _shifted(today, SHIFT_ZH[match["shift"]])
    if match["end"]:
        return _day(_month_end(first))
    if match["day"]:
        return _day(first.replace(day=_number(match["day"])))
    return _month(first, zh=True)


def _quarter(today: date, shift: int) -> tuple[date, date]:
    """The first and the last day of a quarter."""
    first = _shifted(today, -((today.month - 1) % 3) + 3 * shift)
    return first, _month_end(_shifted(first, 2))


def _zh_quarter(match: re.Match[str], today: date) -> tuple[str, date]:
    first, last = _quarter(today, SHIFT_ZH[match["shift"]])
    return f"{first.year} 年第 {first.month // 3 + 1} 季度", last


def _zh_year(match: re.Match[str], today: date) -> tuple[str, date]:
    year = today.year + {"去年": -1, "今年": 0, "明年": 1, "后年": 2}[match["year"]]
    return f"{year} 年", date(year, 12, 31)


def _rule(pattern: str, read: Resolve) -> tuple[re.Pattern[str], Resolve]:
    return re.compile(pattern, re.I), read


_RULES: tuple[tuple[re.Pattern[str], Resolve], ...] = (
    # A date that is whole already stays, but counts.
    _rule(
        r"(?<!\d)(?P<y>20\d\d)-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)",
        lambda m, _: _day(date(int(m["y"]), int(m["m"]), int(m["d"]))),
    ),
    _rule(
        rf"(?:(?P<y>20\d\d)\s?年\s?)?(?P<m>{_ZN})\s?月\s?(?P<d>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})\s?[日号號]",
        lambda m, t: _day(_near(_number(m["m"]), _number(m["d"]), t, m["y"])),
    ),
    _rule(
        rf"(?<![年\d])(?P<m>{_ZN})\s?月底",
        lambda m, t: _day(_month_end(_near(_number(m["m"]), 1, t))),
    ),
    _rule(
        rf"(?P<shift>这个|本|下个|上个|下|上)月(?:(?P<end>底|末)|的?(?P<day>{_ZN})[日号])?",
        _zh_month,
    ),
    _rule(
        r"(?P<shift>上上|下下|上|这|本|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末]?)",
        _zh_week,
    ),
    _rule(
        r"(?<![每上下这本一两二三四五六七八九十几数\d])(?:周|星期|礼拜)(?P<day>[一二三四五六日])(?![到至]周?[一二三四五六日])",
        lambda m, t: _day(_coming(_zh_weekday(m["day"]), t)),
    ),
    _rule(
        r"(?<![一-龥])月底|(?<=[一-龥])(?<![月个每这本下上])月底",
        lambda _, t: _day(_month_end(t)),
    ),
    _rule(r"(?P<shift>上|这|本|下)个?季度", _zh_quarter),
    _rule(
        rf"(?<![个年\d一二三四五六七八九十])(?<!年 )(?P<m>{_ZN})\s?月(?:份)?(?![\d一二三四五六七八九十底日号前后亮饼薪票卡内里])",
        lambda m, t: _month(_near(_number(m["m"]), 1, t), zh=True),
    ),
    _rule(r"年底", lambda _, t: _day(date(t.year, 12, 31))),
    _rule(
        r"大前天|大后天|前天|昨天|今天|明天|后天",
        lambda m, t: _day(t + timedelta(days=NEAR_ZH[m[0]])),
    ),
    _rule(r"(?P<year>去年|今年|明年|后年)(?!级)", _zh_year),
    _rule(
        rf"(?P<n>{_ZN})\s?个?(?P<unit>天|周|星期|月|年)(?:以|之)?后",
        lambda m, t: _ago_or_in(m, t, 1),
    ),
    _rule(
        rf"(?P<n>{_ZN})\s?个?(?P<unit>天|周|星期|月|年)(?:以|之)?前",
        lambda m, t: _ago_or_in(m, t, -1),
    ),
    _rule(
        r"(?<![月\d一二三四五六七八九十.第])(?P<d>[0-9]{1,2})\s?[号日](?=[上下开截发交出回到前之起结评放面来去搬，,。 ]|$)",
        lambda m, t: _day(_in_month(int(m["d"]), t)),
    ),
    _rule(
        rf"\b(?P<m>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>20\d\d))?\b(?!:)",
        lambda m, t: _day(_near(_month_of(m["m"]), int(m["d"]), t, m["y"])),
    ),
    _rule(
        rf"\b(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_MONTH})\b(?:,?\s+(?P<y>20\d\d))?",
        lambda m, t: _day(_near(_month_of(m["m"]), int(m["d"]), t, m["y"])),
    ),
    _rule(r"\bthe day after tomorrow\b", lambda _, t: _day(t + timedelta(days=2))),
    _rule(
        r"\b(?:the\s+)?end of (?:the|this) month\b|\bmonth[- ]end\b",
        lambda _, t: _day(_month_end(t)),
    ),
    _rule(r"\b(?:the\s+)?end of next month\b", lambda _, t: _day(_month_end(_shifted(t, 1)))),
    _rule(
        r"\b(?:the\s+)?end of (?:the|this) year\b|\byear[- ]end\b",
        lambda _, t: _day(date(t.year, 12, 31)),
    ),
    _rule(
        r"\b(?:the\s+)?end of (?:the|this) week\b",
        lambda _, t: _day(_monday(t) + timedelta(days=4)),
    ),
    _rule(r"\b(?:the\s+)?end of next week\b", lambda _, t: _day(_monday(t, 1) + timedelta(days=4))),
    _rule(
        rf"\b(?P<shift>last|this|next)\s+(?P<what>week|weekend|month|quarter|year|{_DAY})\b(?!-)",
        _en_shift,
    ),
    _rule(
        r"\b(yesterday|today|tonight|tomorrow)\b",
        lambda m, t: _day(t + timedelta(days=NEAR_EN[m[1].lower()])),
    ),
    _rule(
        rf"\bin\s+(?P<n>{_N})\s+(?P<unit>days?|weeks?|months?|years?)(?:'?\s+time)?\b",
        lambda m, t: _ago_or_in(m, t, 1),
    ),
    _rule(
        rf"\b(?P<n>{_N})\s+(?P<unit>days?|weeks?|months?|years?)\s+ago\b",
        lambda m, t: _ago_or_in(m, t, -1),
    ),
    _rule(
        rf"\b(?P<before>(?:until|till|by|on|this coming|is|to|before|from|through|for|due|ends|starts|since|after)\s+)(?P<d>{_DAY})\b(?!s\b)",
        lambda m, t: _day(_coming(_weekday(m["d"]), t), m["before"]),
    ),
    _rule(
        r"\b(?P<before>(?:until|till|by|on|is|to|before|from|through)\s+)the\s+(?P<d>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?!of\b)[a-z])",
        lambda m, t: _day(_in_month(int(m["d"]), t), m["before"]),
    ),
    _rule(
        rf"\b(?P<before>for|in|during|until|by|through)\s+(?P<m>{_MONTH})\b(?:\s+(?P<y>20\d\d))?",
        lambda m, t: _named_month(m, t),
    ),
)


def _named_month(match: re.Match[str], today: date) -> tuple[str, date]:
    number = _month_of(match["m"])
    year = int(match["y"]) if match["y"] else today.year + (number < today.month - 3)
    first = date(year, number, 1)
    return f"{match['before']} {match['m']} {year}", _month_end(first)
