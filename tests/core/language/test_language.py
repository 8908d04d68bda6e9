"""The language of a text and the zone of a place."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.language import answer_language, language_of
from core.language.zones import CITIES, is_zone, resolve_zone
from core.messages import Person


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("帮我 summarize 一下请假 policy", "zh"),
        ("年假 policy", "zh"),
        ("VPN 怎么连", "zh"),
        ("找 ECONNREFUSED", "zh"),
        ("请问 PTO 的 carry over 规则", "zh"),
        ("what does 年假 mean", "en"),
        ("How do I open 年度报告.pdf?", "en"),
        ("Translate “你好世界，再见” into English", "en"),
        ("把 “good luck everybody” 翻译成中文", "zh"),
        ("看看这段 `SELECT name FROM people WHERE id = 1` 为什么慢", "zh"),
        ("why is this slow: ```中文注释 中文注释 中文注释```", "en"),
        ("see https://example.com/文档/中文 please", "en"),
        ("@小王 what do you think", "en"),
        ("你好", "zh"),
        ("Hello", "en"),
    ],
)
def test_the_language_is_that_of_the_writers_own_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "12345", "https://x.y/z", "`年假`", "PTO?", "🎉", "a.pdf"])
def test_a_text_without_own_words_tells_no_language(text: str) -> None:
    assert language_of(text) is None


def test_then_the_person_decides_and_then_the_channel() -> None:
    assert answer_language("PTO?", Person(id="u", language="zh"), "en") == "zh"
    assert answer_language("PTO?", Person(id="u"), "en") == "en"
    assert answer_language("你好", Person(id="u", language="en"), "en") == "zh"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_at_most_one_of_two_languages(text: str) -> None:
    assert language_of(text) in ("zh", "en", None)


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Asia/Tokyo", "Asia/Tokyo"),
        ("asia/tokyo", "Asia/Tokyo"),
        ("Tokyo", "Asia/Tokyo"),
        ("东京", "Asia/Tokyo"),
        ("北京时间", "Asia/Shanghai"),
        ("纽约市", "America/New_York"),
        ("new york", "America/New_York"),
        ("Kathmandu", "Asia/Kathmandu"),
        ("UTC+8", "Etc/GMT-8"),
        ("gmt-3", "Etc/GMT+3"),
        ("UTC", "UTC"),
    ],
)
def test_a_place_has_its_zone(name: str, zone: str) -> None:
    assert resolve_zone(name) == zone


@pytest.mark.parametrize("name", ["", "Narnia", "上班", "UTC+20", "../../etc/passwd", "delivery"])
def test_what_is_no_place_has_no_zone(name: str) -> None:
    assert resolve_zone(name) is None


def test_every_zone_of_the_table_exists() -> None:
    for zone in CITIES:
        assert ZoneInfo(zone).key == zone


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_a_resolved_zone_always_exists(name: str) -> None:
    zone = resolve_zone(name)
    assert zone is None or is_zone(zone)
    assert is_zone(name) in (True, False)
