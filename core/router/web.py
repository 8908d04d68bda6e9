"""Rules of the router for the tools that reach outside: the weather and the web."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.router.rule import Arguments, Rule, any_of

_NUMBERS = {character: number for number, character in enumerate("零一二三四五六七八九十")} | {
    "两": 2
}
MOST_DAYS = 7

_DAY_ZH = (
    r"(?:今天|今日|今晚|明天|明日|明晚|后天|大后天|现在|当前|目前|最近|这周|本周|这个?周末|周末"
    r"|(?:未来|接下来|今后|这)[一两二三四五六七\d]{1,2}天)"
)
_CITY_ZH = r"(?P<city>(?:(?![会要])[\u4e00-\u9fff]){2,8}?|[A-Za-z][A-Za-z .'\-]{1,30}?)"
_DAYS_ZH = rf"(?P<a>{_DAY_ZH})?{_CITY_ZH}?市?的?(?P<b>{_DAY_ZH})?的?"
_DAY_EN = (
    r"(?:today|tonight|now|right now|tomorrow|this week|this weekend|the day after tomorrow"
    r"|(?:for |over )?the next (?:\d|two|three|four|five|six|seven) days)"
)
_CITY_EN = r"(?P<city>[A-Za-z\u4e00-\u9fff][\w .'\-]{1,40}?)"

_NO_CITY = re.compile(
    r"的|我|你|他|她|它|咱|哪|谁|所在|这|那|什么|公司|附近|当地|本地|外面|家里|老家|男友|女友"
    r"|朋友|文档|规定|怎么|\b(?:my|your|his|her|our|their|the|this|that|here|there|where|home|it"
    r"|what|how|is|was|office)\b",
    re.IGNORECASE,
)
"""A place that only the asker knows, or no place at all: then this is no single tool's work."""


def _weather(groups: Mapping[str, str | None]) -> Arguments | None:
    city = (groups.get("city") or "").strip(" .'-")
    if city and (_NO_CITY.search(city) or re.fullmatch(_DAY_ZH, city)):
        return None
    days = max(_days(groups.get(name) or "") for name in ("a", "b", "c", "d"))
    return ({"city": city} if city else {}) | ({"days": days} if days > 1 else {})


def _days(words: str) -> int:
    """How many days from today on the words reach; 1 for none."""
    words = words.lower()
    if "after tomorrow" in words or words == "后天":
        return 3
    if words == "大后天":
        return 4
    if "tomorrow" in words or words.startswith("明"):
        return 2
    if "week" in words or "周" in words:
        return MOST_DAYS
    if not words.endswith(("天", "days")):
        return 1
    english = ("one", "two", "three", "four", "five", "six", "seven")
    for number, word in enumerate(english, 1):
        if word in words:
            return number
    digit = next((c for c in words if c.isdigit() or c in _NUMBERS), "1")
    return min(MOST_DAYS, max(1, int(digit) if digit.isdigit() else _NUMBERS[digit]))


def _query(groups: Mapping[str, str | None]) -> Arguments | None:
    words = next((value for value in groups.values() if value), "")
    words = words.strip().strip("\"“”'‘’「」`：:").strip()
    return {"query": words} if words else None


WEATHER = Rule(
    "weather",
    "tool",
    any_of(
        rf"(?:查(?:一?下)?|看(?:一?下)?|查询)?{_DAYS_ZH}(?:天气|气温|温度)(?:预报|情况|状况)?"
        r"(?:怎么样|怎样|如何|咋样|好不好|好|是多少|多少度?)?吗?",
        rf"{_DAYS_ZH}(?:会不会|会|要不要|要|有没有|有)?(?:下雨|下雪|刮风|降温|有雨|有雪|雨|雪)"
        r"(?:吗|么|不)?",
        rf"{_DAYS_ZH}(?:多少度|几度|冷不冷|热不热|冷|热)(?:吗)?",
        rf"(?:what(?:'s| is)|how(?:'s| is))(?: the)? (?:weather|temperature|forecast)(?: like)?"
        rf"(?: (?P<a>{_DAY_EN}))?(?: (?:in|for|at) {_CITY_EN})?(?: (?P<b>{_DAY_EN}))?",
        rf"(?:the )?(?:weather|forecast|temperature)(?: forecast)?(?: (?P<a>{_DAY_EN}))?"
        rf"(?: (?:in|for|at) {_CITY_EN})?(?: (?P<b>{_DAY_EN}))?",
        rf"(?P<city>[A-Za-z][A-Za-z.'\-]{{1,20}}(?: [A-Z][a-z]{{1,20}})?)(?:'s)? weather"
        rf"(?: forecast)?(?: (?P<b>{_DAY_EN}))?",
        rf"(?:will it|is it going to) (?:rain|snow)(?: (?P<a>{_DAY_EN}))?"
        rf"(?: in {_CITY_EN})?(?: (?P<b>{_DAY_EN}))?",
        rf"how (?:hot|cold|warm) (?:is it|will it be)(?: (?P<a>{_DAY_EN}))?"
        rf"(?: in {_CITY_EN})?(?: (?P<b>{_DAY_EN}))?",
    ),
    zh=(
        "北京今天天气怎么样",
        "明天上海会下雨吗",
        "查一下杭州的天气",
        "广州未来三天天气",
        "Paris 天气",
        "深圳多少度",
    ),
    en=(
        "weather in Paris",
        "What's the weather like in New York tomorrow?",
        "will it rain in London tomorrow",
        "how cold is it in Oslo?",
        "Berlin weather",
    ),
    tool="get_weather",
    read=_weather,
    needs=("city",),
)
WEATHER_SOMEWHERE = Rule(
    "weather_somewhere",
    "loop",
    any_of(
        rf".{{1,30}}?{_DAY_ZH}?(?:的)?(?:天气|气温)(?:预报|情况)?(?:怎么样|怎样|如何|咋样|好吗)?",
        rf".{{1,30}}?{_DAY_ZH}(?:会不会|会|要)?(?:下雨|下雪|刮风|降温)(?:吗|么|不)?",
        r"(?:what(?:'s| is)|how(?:'s| is)) the weather\b.{0,60}",
        r"(?:will it|is it going to) (?:rain|snow)\b.{0,60}",
    ),
    zh=("我女朋友所在城市今天会下雨吗", "我老家明天天气怎么样"),
    en=("will it rain at my parents' place tomorrow", "what's the weather at our office"),
)
"""The weather of a place that the words do not name: somebody has to find it out first."""
WEB = Rule(
    "web",
    "tool",
    any_of(
        r"(?:上网|联网|在网上|去网上|网上|到网上|用网络)(?:帮我)?(?:搜索|搜|查询|查|找|检索)(?:一?下)?"
        r"(?P<a>.{1,200})",
        r"(?:用)?(?:谷歌|百度|必应|google|bing|baidu)(?:搜索|搜|查|一下)+(?P<b>.{1,200})",
        # Not without `for`: `look up the net profit` and `check the web server` are no search.
        r"(?:search|look|browse|check)(?: on| up)? (?:the )?(?:(?:web|internet|net) (?:for|about)"
        r"|online(?: for| about)?) (?P<c>.{1,200})",
        r"google (?:for )?(?P<d>.{1,200})",
        r"(?:search|look)(?: up| for)? (?P<e>.{1,200}?) (?:on the (?:web|internet)|online)",
    ),
    zh=("上网搜一下今年的诺贝尔物理学奖", "百度一下发票抬头", "网上查查 Rust 1.90 发布说明"),
    en=(
        "search the web for Kubernetes 1.36 release notes",
        "google the capital of Bhutan",
        "look up the EU AI act online",
    ),
    tool="search_web",
    read=_query,
)
