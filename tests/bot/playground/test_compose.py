"""What people type, on Slack's wire."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.playground.compose import split_command, wire
from bot.playground.seed import seed
from bot.playground.workspace import Workspace


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    workspace = Workspace(Path(tmp_path_factory.mktemp("practice")))
    workspace.open()
    seed(workspace, samples=False)
    yield workspace
    workspace.close()


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("@Threadmate 年假", "<@U0THREADMATE> 年假"),
        ("@Threadmate年假有几天", "<@U0THREADMATE>年假有几天"),
        ("@threadmate hi @林悦", "<@U0THREADMATE> hi <@U0LIN>"),
        ("see #handbook", "see <#C0HANDBOOK|handbook>"),
        ("@here", "<!here>"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("see https://a.example/x?y=1&z=2.", "see <https://a.example/x?y=1&amp;z=2>."),
        ("看https://a.example/x，谢谢", "看<https://a.example/x>，谢谢"),
        ("`@Threadmate <x>`", "`@Threadmate &lt;x&gt;`"),
        ("```\n@here https://a.example\n```", "```\n@here https://a.example\n```"),
        ("@nobody", "@nobody"),
    ],
)
def test_names_links_and_signs_become_slacks(ws: Workspace, typed: str, sent: str) -> None:
    assert wire(typed, ws) == sent


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab @#<>&`/:.，é年hts\n"), max_size=40))
def test_no_typed_sign_opens_markup_and_nothing_gets_lost(ws: Workspace, typed: str) -> None:
    sent = wire(typed, ws)
    plain = re.sub(r"<(https?://[^<>]+)>", r"\1", sent)
    assert "<" not in plain and ">" not in plain
    assert html.unescape(plain) == typed


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("/ask 年假有几天", ("/ask", "年假有几天")),
        ("/help", ("/help", "")),
        ("/kb search a\nb", ("/kb", "search a\nb")),
        ("  /help ", ("/help", "")),
        ("/Users/me", None),
        ("/etc/passwd is a path", None),
        ("a /ask", None),
        ("//", None),
    ],
)
def test_slash_commands_are_told_from_text(typed: str, command: tuple[str, str] | None) -> None:
    assert split_command(typed) == command
