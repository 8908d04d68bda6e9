from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.names import MAX_NAME, name_key, shown_name


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("../../etc/cron.d/x", "x"),
        ("..\\..\\windows\\x.txt", "x.txt"),
        ("....//....//x", "x"),
        ("a／b＼c.txt", "c.txt"),
        ("report.pdf\0.exe", "report.pdf.exe"),
        ("报告\u202etxt.exe", "报告txt.exe"),
        (".env", ".env"),
        ("..", "file"),
        ("", "file"),
        ("a/", "a"),
        ("2026年第三季度 报告 (终版).pdf", "2026年第三季度 报告 (终版).pdf"),
        ("v1..2 notes.txt", "v1..2 notes.txt"),
    ],
)
def test_a_name_is_shown_without_what_is_not_a_name(given_name: str, shown: str) -> None:
    assert shown_name(given_name) == shown


def test_a_long_name_keeps_its_extension() -> None:
    shown = shown_name("报" * 500 + ".docx")
    assert len(shown) == MAX_NAME
    assert shown.endswith("….docx")


def test_case_and_width_make_no_other_name() -> None:
    assert name_key("Ｒeport.PDF") == name_key("report.pdf")
    assert name_key("report2.pdf") != name_key("report.pdf")


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_name_becomes_a_short_one_without_hidden_signs(name: str) -> None:
    shown = shown_name(name)
    assert 0 < len(shown) <= MAX_NAME
    assert shown_name(shown) == shown
    assert not set(shown) & set("/\\\n\r\t\0")
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in shown)
