"""Drafts become payloads that Slack takes; its limits are checked by the practice server's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platform import Button, Draft
from bot.playground.limits import check_blocks, check_metadata, check_update_text
from bot.slack.render import (
    LIMITS,
    cut_bytes,
    edit_content,
    post_payload,
    without_blocks,
)

texts = st.text(max_size=400) | st.text(alphabet="请假制度 <>&`*_[]()\n", max_size=2_000)
buttons = st.builds(
    Button,
    action=st.sampled_from(["stop", "remove"]),
    label=st.text(min_size=1, max_size=120).filter(lambda text: bool(text.strip())),
    value=st.text(max_size=2_500),
    danger=st.booleans(),
    confirm=st.text(max_size=400),
)
drafts = st.builds(
    Draft,
    text=texts,
    footer=texts,
    buttons=st.lists(buttons, max_size=30).map(tuple),
)


def blocks(payload: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for block in payload.get("blocks", []) if block["type"] == kind]


@settings(max_examples=60)
@given(drafts)
def test_whatever_is_drafted_is_within_slacks_limits(draft: Draft) -> None:
    payload = post_payload(draft, "run#post:answer:1", "1700.1")
    check_blocks(payload.get("blocks", []))
    check_metadata(payload["metadata"])
    assert payload["text"]
    edited = edit_content(draft)
    check_blocks(edited["blocks"])
    if blocks(edited, "markdown"):
        check_update_text(edited["text"])
    check_blocks(without_blocks(draft).get("blocks", []))


@settings(max_examples=60)
@given(st.text(max_size=300), st.integers(10, 400))
def test_a_cut_to_bytes_keeps_characters_whole_and_fits(text: str, limit: int) -> None:
    cut = cut_bytes(text, limit)
    assert len(cut.encode()) <= limit
    assert cut == text or text.startswith(cut.removesuffix("…"))


def test_an_answer_goes_out_as_markdown_with_chinese_bold_as_it_is() -> None:
    payload = post_payload(Draft(text="这是**粗体**文字"), "m", "1700.1")
    assert blocks(payload, "markdown")[0]["text"] == "这是**粗体**文字"
    assert payload["thread_ts"] == "1700.1"


def test_no_post_unfolds_a_preview_of_a_link() -> None:
    payload = post_payload(Draft(text="[1](https://a.example/1) [2](https://a.example/2)"), "m", "")
    assert payload["unfurl_links"] is False
    assert payload["unfurl_media"] is False
    assert "thread_ts" not in payload


def test_a_post_carries_its_mark() -> None:
    metadata = post_payload(Draft(text="x"), "slack:T1:C1:1.1#post:plan", "")["metadata"]
    assert metadata["event_payload"] == {"mark": "slack:T1:C1:1.1#post:plan"}


def test_the_fallback_names_only_people_who_may_be_named() -> None:
    draft = Draft(text="<@U1> ask <@U2> & <!here>", people=("slack:T1/U1",))
    assert post_payload(draft, "m", "")["text"] == ("<@U1> ask &lt;@U2&gt; &amp; &lt;!here&gt;")


def test_a_footer_keeps_file_names_as_they_are() -> None:
    footer = "[1] _my_file_v2*.pdf · p. 3 & 4"
    payload = post_payload(Draft(text="x", footer=footer), "m", "")
    element = blocks(payload, "context")[0]["elements"][0]
    assert element == {"type": "plain_text", "text": footer, "emoji": False}


def test_a_footer_with_a_link_links_and_escapes_the_rest() -> None:
    footer = "[policy <v2>.pdf](https://x.example/p?a=1&b=2) · p. 3 & 4"
    payload = post_payload(Draft(text="x", footer=footer), "m", "")
    assert blocks(payload, "context")[0]["elements"][0] == {
        "type": "mrkdwn",
        "text": "<https://x.example/p?a=1&amp;b=2|policy &lt;v2&gt;.pdf> · p. 3 &amp; 4",
    }


def test_buttons_of_one_kind_have_ids_of_their_own_and_ask_before_they_remove() -> None:
    remove = Button(action="remove", label="移除", value="d1", danger=True, confirm="移除 a.pdf？")
    other = remove.model_copy(update={"value": "d2", "confirm": ""})
    payload = post_payload(Draft(text="x", buttons=(remove, other)), "m", "")
    first, second = blocks(payload, "actions")[0]["elements"]
    assert (first["action_id"], second["action_id"]) == ("remove:0", "remove:1")
    assert first["confirm"]["text"]["text"] == "移除 a.pdf？"
    assert first["confirm"]["style"] == "danger"
    assert first["confirm"]["deny"]["text"] == "不了"
    assert "confirm" not in second


def test_two_hundred_buttons_still_fit_a_message() -> None:
    many = tuple(Button(action="remove", label=f"Remove {n}", value=str(n)) for n in range(200))
    payload = post_payload(Draft(text="200 files", buttons=many), "m", "")
    check_blocks(payload["blocks"])
    assert sum(len(block["elements"]) for block in blocks(payload, "actions")) == 200


@pytest.mark.parametrize("text", ["字" * LIMITS.post_chars, "a" * LIMITS.post_chars])
def test_the_longest_post_that_the_limits_promise_is_shown_whole(text: str) -> None:
    payload = post_payload(Draft(text=text), "m", "")
    check_blocks(payload["blocks"])
    assert blocks(payload, "markdown")[0]["text"] == text


def test_a_long_chinese_edit_is_shown_whole_while_its_fallback_fits_four_thousand_bytes() -> None:
    text = "假" * 1_500
    content = edit_content(Draft(text=text))
    assert blocks(content, "markdown")[0]["text"] == text
    assert len(content["text"].encode()) <= 4_000


def test_text_that_no_block_holds_goes_out_as_plain_text() -> None:
    payload = post_payload(Draft(text="a" * 30_000), "m", "")
    assert "blocks" not in payload
    assert payload["text"] == "a" * 30_000
