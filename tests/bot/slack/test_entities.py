"""Slack's marked-up text becomes what the person typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.entities import decode, escape, mentioned, opens_with

NAMES = {"U2": "林悦"}


def plain(text: str) -> str:
    return decode(text, "U0BOT", lambda user: NAMES.get(user, ""))


@pytest.mark.parametrize(
    ("marked", "typed"),
    [
        ("<@U0BOT> how many days?", "how many days?"),
        ("<@U0BOT>，请假几天？", "请假几天？"),
        ("hey <@U0BOT> how many?", "hey how many?"),
        ("你好<@U0BOT|threadmate>请问", "你好请问"),
        ("ask <@U2> and <@U3>", "ask @林悦 and @U3"),
        ("see <#C9|general> and <#C8>", "see #general and #C8"),
        ("a &lt; b &amp; c &gt; d", "a < b & c > d"),
        ("&amp;lt; stays an escape", "&lt; stays an escape"),
        ("<https://example.com/a?x=1&amp;y=2>", "https://example.com/a?x=1&y=2"),
        ("<https://example.com/p|the page>", "the page (https://example.com/p)"),
        ("read <http://README.md|README.md>", "read README.md"),
        ("mail <mailto:a@b.example|a@b.example>", "mail a@b.example"),
        ("<!here> <!channel|@channel> look", "@here @channel look"),
        ("<!subteam^S1|@eng> look", "@eng look"),
        ("<!date^1700^{date}|14 Nov>", "14 Nov"),
        ("<@U0BOT>", ""),
    ],
)
def test_marks_read_as_they_were_typed(marked: str, typed: str) -> None:
    assert plain(marked) == typed


@settings(max_examples=80)
@given(st.text(max_size=60))
def test_whatever_is_typed_survives_slacks_escapes(text: str) -> None:
    assert plain(escape(text)) == text.strip()


def test_people_are_mentioned_once_each_in_order() -> None:
    assert mentioned("<@U3> <@U2|lin> <@U3> <#C1> <!here>") == ("U3", "U2")


def test_the_one_a_text_opens_with_is_found() -> None:
    assert opens_with("  <@U3> yes") == "U3"
    assert opens_with("yes <@U3>") == ""
