"""Time zones by the names people use: IANA keys, cities and countries (zh, en), offsets."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

CITIES: dict[str, str] = {
    "Asia/Shanghai": "北京 上海 中国 广州 深圳 杭州 成都 南京 武汉 西安 重庆 天津 苏州 厦门 青岛"
    "|Beijing|Shanghai|China|Guangzhou|Shenzhen|Hangzhou|Chengdu|Nanjing|Wuhan",
    "Asia/Hong_Kong": "香港|Hong Kong|HK",
    "Asia/Macau": "澳门|Macau|Macao",
    "Asia/Taipei": "台北 台湾 臺北 臺灣|Taipei|Taiwan",
    "Asia/Tokyo": "东京 東京 日本 大阪 京都|Tokyo|Japan|Osaka|Kyoto|JST",
    "Asia/Seoul": "首尔 韩国 釜山|Seoul|South Korea|Korea|KST",
    "Asia/Singapore": "新加坡|Singapore|SGT",
    "Asia/Kuala_Lumpur": "吉隆坡 马来西亚|Kuala Lumpur|Malaysia",
    "Asia/Bangkok": "曼谷 泰国|Bangkok|Thailand",
    "Asia/Ho_Chi_Minh": "胡志明市 越南 河内|Ho Chi Minh City|Saigon|Vietnam|Hanoi",
    "Asia/Jakarta": "雅加达 印尼 印度尼西亚|Jakarta|Indonesia",
    "Asia/Manila": "马尼拉 菲律宾|Manila|Philippines",
    "Asia/Kolkata": "印度 孟买 新德里 德里 班加罗尔"
    "|India|Mumbai|New Delhi|Delhi|Bangalore|Bengaluru|IST",
    "Asia/Dubai": "迪拜 阿联酋|Dubai|UAE|Abu Dhabi",
    "Asia/Riyadh": "利雅得 沙特|Riyadh|Saudi Arabia",
    "Asia/Jerusalem": "耶路撒冷 以色列 特拉维夫|Jerusalem|Israel|Tel Aviv",
    "Europe/Istanbul": "伊斯坦布尔 土耳其|Istanbul|Turkey",
    "Europe/Moscow": "莫斯科 俄罗斯|Moscow|Russia|MSK",
    "Europe/London": "伦敦 英国|London|UK|England|Britain|BST",
    "Europe/Dublin": "都柏林 爱尔兰|Dublin|Ireland",
    "Europe/Paris": "巴黎 法国|Paris|France",
    "Europe/Berlin": "柏林 德国 慕尼黑 法兰克福|Berlin|Germany|Munich|Frankfurt|CET|CEST",
    "Europe/Madrid": "马德里 西班牙 巴塞罗那|Madrid|Spain|Barcelona",
    "Europe/Lisbon": "里斯本 葡萄牙|Lisbon|Portugal",
    "Europe/Rome": "罗马 意大利 米兰|Rome|Italy|Milan",
    "Europe/Zurich": "苏黎世 瑞士 日内瓦|Zurich|Switzerland|Geneva",
    "Europe/Amsterdam": "阿姆斯特丹 荷兰|Amsterdam|Netherlands",
    "Europe/Brussels": "布鲁塞尔 比利时|Brussels|Belgium",
    "Europe/Vienna": "维也纳 奥地利|Vienna|Austria",
    "Europe/Stockholm": "斯德哥尔摩 瑞典|Stockholm|Sweden",
    "Europe/Oslo": "奥斯陆 挪威|Oslo|Norway",
    "Europe/Copenhagen": "哥本哈根 丹麦|Copenhagen|Denmark",
    "Europe/Helsinki": "赫尔辛基 芬兰|Helsinki|Finland",
    "Europe/Warsaw": "华沙 波兰|Warsaw|Poland",
    "Europe/Prague": "布拉格 捷克|Prague|Czechia",
    "Europe/Athens": "雅典 希腊|Athens|Greece",
    "Europe/Kyiv": "基辅 乌克兰|Kyiv|Kiev|Ukraine",
    "Africa/Cairo": "开罗 埃及|Cairo|Egypt",
    "Africa/Johannesburg": "约翰内斯堡 南非|Johannesburg|South Africa|Cape Town",
    "Africa/Lagos": "拉各斯 尼日利亚|Lagos|Nigeria",
    "Africa/Nairobi": "内罗毕 肯尼亚|Nairobi|Kenya",
    "America/New_York": "纽约 华盛顿 波士顿 迈阿密 美东 美国东部"
    "|New York|NYC|Washington|Boston|Miami|Atlanta|EST|EDT",
    "America/Chicago": "芝加哥 休斯顿 达拉斯 奥斯汀|Chicago|Houston|Dallas|Austin|CDT",
    "America/Denver": "丹佛|Denver|MST|MDT",
    "America/Los_Angeles": "洛杉矶 旧金山 西雅图 硅谷 美西 美国西部 圣何塞"
    "|Los Angeles|LA|San Francisco|SF|Seattle|San Jose|San Diego|PST|PDT",
    "America/Toronto": "多伦多 渥太华 蒙特利尔|Toronto|Ottawa|Montreal",
    "America/Vancouver": "温哥华|Vancouver",
    "America/Mexico_City": "墨西哥城 墨西哥|Mexico City|Mexico",
    "America/Sao_Paulo": "圣保罗 巴西 里约|Sao Paulo|São Paulo|Brazil|Rio de Janeiro",
    "America/Argentina/Buenos_Aires": "布宜诺斯艾利斯 阿根廷|Buenos Aires|Argentina",
    "America/Santiago": "圣地亚哥 智利|Santiago|Chile",
    "America/Lima": "利马 秘鲁|Lima|Peru",
    "America/Bogota": "波哥大 哥伦比亚|Bogota|Colombia",
    "Australia/Sydney": "悉尼 堪培拉|Sydney|Canberra|AEST|AEDT",
    "Australia/Melbourne": "墨尔本|Melbourne",
    "Australia/Perth": "珀斯|Perth",
    "Pacific/Auckland": "奥克兰 新西兰|Auckland|New Zealand",
    "Pacific/Honolulu": "檀香山 夏威夷 火奴鲁鲁|Honolulu|Hawaii",
    "UTC": "世界标准时间 格林尼治|UTC|GMT",
}
"""Names per zone: Chinese ones by spaces, then English ones by `|`."""

_OFFSET = re.compile(r"(?:utc|gmt)\s*([+\-－＋])\s*(\d{1,2})(?::00)?$", re.IGNORECASE)
_FURTHEST = {"+": 14, "-": 12}
"""Hours from UTC that a zone can be; `Etc/GMT` keys count the other way round."""


def resolve_zone(name: str) -> str | None:
    """The IANA zone of `name` (`Asia/Tokyo`, `tokyo`, `东京`, `UTC+8`), or None if unknown."""
    wanted = _fold(name)
    offset = _OFFSET.fullmatch(wanted)
    if offset:
        return _fixed(offset)
    return _names().get(wanted) or _places().get(wanted)


def is_zone(name: str) -> bool:
    """True for an IANA zone that this machine knows."""
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


def first_zone(*names: str | None) -> str:
    """The first of the names that is a zone here; UTC if none is."""
    return next((name for name in names if name and is_zone(name)), "UTC")


def _fold(name: str) -> str:
    plain = re.sub(r"[\s_]+", " ", name).strip(" .。,，?？!！'\"“”").casefold()
    return re.sub(r"(?:市|时间|時間)$| time$", "", plain).strip()


def _fixed(offset: re.Match[str]) -> str | None:
    sign = offset[1].replace("＋", "+").replace("－", "-")
    hours = int(offset[2])
    if hours > _FURTHEST[sign]:
        return None
    return "UTC" if hours == 0 else f"Etc/GMT{'-' if sign == '+' else '+'}{hours}"


@cache
def _names() -> dict[str, str]:
    """Our own names, folded."""
    found: dict[str, str] = {}
    for zone, names in CITIES.items():
        chinese, *english = names.split("|")
        for name in (*chinese.split(), *english):
            found[_fold(name)] = zone
    return found


@cache
def _places() -> dict[str, str]:
    """Every IANA key, and the place at its end, folded; big regions win over their aliases."""
    found: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        found.setdefault(_fold(zone), zone)
        region, slash, place = zone.rpartition("/")
        if slash and region.split("/")[0] not in ("Etc", "SystemV", "US", "Canada", "posix"):
            found.setdefault(_fold(place), zone)
    return found
