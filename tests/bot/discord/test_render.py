"""Drafts as Discord's bodies, pure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord import render
from bot.platform import Button, Draft, Speaker
from bot.playground.discord.limits import message_faults
from bot.text.fit import fit

PIECES = st.sampled_from(
    ["a", "word ", "`code`", "```\n", "~~~\n", "**", "# ", "- ", "\n", "\n\n", "。", "字" * 40,
     "x" * 300, "👨\u200d👩" * 9, "e\u0301" * 20, "| a | b |\n", "|---|---|\n", "---\n"]
)  # fmt: skip
TEXT = st.lists(PIECES, max_size=30).map("".join)


@given(TEXT, TEXT, st.integers(0, 30), st.text(max_size=90))
@settings(max_examples=80, deadline=None)
def test_every_body_is_within_discords_limits(text: str, footer: str, count: int, name: str):
    buttons = tuple(Button(action="stop", label=text, value=footer) for _ in range(count))
    draft = Draft(
        text=text, footer=footer, buttons=buttons, people=("discord:user/1",),
        speaker=Speaker(name=name),
    )  # fmt: skip
    body = render.body(draft, name=True)
    assert message_faults(body) == []
    assert body["content"]
    assert body["allowed_mentions"]["parse"] == []
    assert render.units(body["content"]) <= 2_000
    assert len(render.username(Speaker(name=name))) <= 80


@given(TEXT)
@settings(max_examples=80, deadline=None)
def test_a_text_that_fits_loses_nothing_but_rules_and_small_headings(text: str):
    for part in fit(text, render.LIMITS):
        shown = render.body(Draft(text=part))["content"]
        kept = [sign for sign in part if sign not in " \n#*-_~`"]
        assert [sign for sign in shown if sign not in " \n#*-_~`―\u200b"] == kept


def test_small_print_is_small_and_links_have_no_previews():
    body = render.body(Draft(text="Ten days.", footer="[1] a.md · p. 1\n✓ Searched"))
    assert body["content"] == "Ten days.\n-# [1] a.md · p. 1\n-# ✓ Searched"
    assert body["flags"] == render.NO_EMBEDS


def test_small_print_that_does_not_fit_stands_in_a_box_and_is_whole():
    footer = "\n".join(f"[{n}] " + "源" * 60 for n in range(9))
    body = render.body(Draft(text="x" * 1_700, footer=footer))
    assert body["content"] == "x" * 1_700
    assert body["embeds"] == [{"description": footer}]
    assert body["flags"] == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("#### Small", "**Small**"),
        ("## Big", "## Big"),
        ("a\n\n---\n\nb", "a\n\n―――\n\nb"),
        ("```\n#### code\n---\n```", "```\n#### code\n---\n```"),
        ("~~~py\nx = 1\n~~~", "```py\nx = 1\n```"),
        ("~~~\n```\n~~~", "~~~\n```\n~~~"),
        ("a ~~~ b", "a ~~~ b"),
    ],
)
def test_markdown_as_discord_shows_it(text: str, shown: str):
    assert render.shown(text) == shown


@pytest.mark.parametrize(
    ("speaker", "name"),
    [
        (Speaker(name="Researcher", avatar="🔎"), "🔎 Researcher"),
        (Speaker(name="写手", avatar="https://x.example/a.png"), "写手"),
        (Speaker(name="Discord Dan"), ""),
        (Speaker(name="Clyde"), ""),
        (Speaker(name="n" * 81), ""),
    ],
)
def test_a_webhooks_name_is_one_that_discord_takes(speaker: Speaker, name: str):
    assert render.username(speaker) == name


@given(st.text(max_size=40), st.text(max_size=40), st.integers(0, 99), st.booleans())
def test_a_buttons_id_is_read_as_it_was_made(action: str, value: str, number: int, asks: bool):
    action = "".join(sign for sign in action if sign not in "|:?^") or "stop"
    pressed = render.read_custom_id(render.custom_id(action, value, number, asks=asks, held="12"))
    assert pressed == render.Pressed(action, value, asks, "12")


def test_a_threads_name_is_the_question_without_marks_and_fits():
    assert render.thread_name("**年假**有几天？\n\n> quoted", "Question") == "年假 有几天？ quoted"
    assert render.thread_name("`` ``", "Question") == "Question"
    assert render.units(render.thread_name("👨\u200d👩" * 200, "Question")) <= 100
