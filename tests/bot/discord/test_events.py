"""Discord's messages to ours, pure."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord import events, ids, marks
from bot.discord.channels import Channel
from bot.discord.events import Nothing, Ours, Reply, Us

US = Us(user="9", application="8")
ROOM = Channel("20", "10", kind=0)
THREAD = Channel("30", "10", kind=11, parent="20")
DIRECT = Channel("40", kind=1)


def said(content: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "id": "100",
        "channel_id": "20",
        "type": 0,
        "author": {"id": "1", "username": "lin", "global_name": "林悦"},
        "member": {"nick": "Lin"},
        "content": content,
        **fields,
    }


def ours(data: dict[str, Any], channel: Channel = ROOM, **more: Any) -> Any:
    outcome = events.translate(data, channel, US, **more)
    assert isinstance(outcome, Ours), outcome
    return outcome.message


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("<@9> how many?", "how many?"),
        ("<@!9>，年假有几天？", "年假有几天？"),
        ("ask <@9> about <@1> in <#20>", "ask about @林 in #general"),
        ("<@9> <:smile:1> <a:dance:2> </ask:3>", ":smile: :dance: /ask"),
        ("<@9> until <t:0:R>", "until 1970-01-01 00:00 UTC"),
        ("<@9>\n\n    code", "code"),
    ],
)  # fmt: skip
def test_what_was_typed_is_readable_and_our_mention_is_gone(typed: str, text: str):
    data = said(
        typed,
        mentions=[{"id": "1", "global_name": "林"}],
        mention_channels=[{"id": "20", "name": "general"}],
    )
    assert ours(data).text == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (said("hi", author={"id": "9", "bot": True}), "our own message"),
        (said("<@9> hi", webhook_id="7", application_id="8"), "our own webhook"),
        (said("<@9> hi", author={"id": "5", "bot": True}), "another bot"),
        (said("<@9> hi", webhook_id="7", author={"id": "7"}), "another bot"),
        (said("<@9>", type=7), "a message of type 7"),
        (said("", type=21), "a message of type 21"),
        (said("hello all"), "nobody asked us"),
        (said(""), "no content that we may see"),
    ],
)
def test_what_is_not_for_us_ends_here(data: dict[str, Any], reason: str):
    assert events.translate(data, ROOM, US) == Nothing(reason)


def test_a_bot_that_is_allowed_may_ask():
    us = Us("9", "8", frozenset({"5"}))
    outcome = events.translate(said("<@9> hi", author={"id": "5", "bot": True}), ROOM, us)
    assert isinstance(outcome, Ours)


@pytest.mark.parametrize(
    ("channel", "thread", "direct"),
    [
        (ROOM, "discord:10/20/100", False),
        (THREAD, "discord:10/20/30", False),
        (DIRECT, "discord:@me/40/40", True),
    ],
)
def test_where_an_answer_goes(channel: Channel, thread: str, direct: bool):
    place = ours(said("<@9> hi", channel_id=channel.id), channel).place
    assert (place.thread, place.direct) == (thread, direct)


def test_an_untagged_reply_in_a_thread_is_decided_by_the_adapter():
    outcome = events.translate(said("and then?"), THREAD, US)
    assert isinstance(outcome, Reply) and not outcome.to_another
    outcome = events.translate(said("<@1> and then?"), THREAD, US)
    assert isinstance(outcome, Reply) and outcome.to_another
    other = {"id": "99", "author": {"id": "1"}}
    outcome = events.translate(said("yes", referenced_message=other), THREAD, US)
    assert isinstance(outcome, Reply) and outcome.to_another


def test_a_reply_to_a_teammate_of_ours_is_for_us():
    teammate = {"id": "99", "author": {"id": "7", "bot": True}, "application_id": "8"}
    assert ours(said("really?", referenced_message=teammate)).text == "really?"


@pytest.mark.parametrize(
    ("text", "channel", "asks"),
    [
        ("<@9> hi", ROOM, True),
        ("hi", ROOM, False),
        ("<@9> hi", DIRECT, False),
        ("hi", DIRECT, False),
    ],
)
def test_an_edit_keeps_the_key_so_that_a_question_is_asked_once(
    text: str, channel: Channel, asks: bool
):
    outcome = events.translate(said(text), channel, US, edited=True)
    assert isinstance(outcome, events.Edited)
    assert (outcome.message.key, outcome.asks) == ("discord:100", asks)


def test_a_file_alone_has_a_key_of_its_own_so_that_its_words_may_still_become_a_question():
    file = {"id": "50", "filename": "a.md", "size": 3, "url": "https://cdn.discordapp.com/a"}
    assert ours(said("", attachments=[file])).key == "discord:100:file"
    message = ours(said("<@9>", attachments=[file]))
    assert (message.kind, message.key) == ("file", "discord:100")


@pytest.mark.parametrize("mime", ["", "text/plain; charset=utf-8"])
def test_a_file_whose_type_is_missing_or_has_more_to_it_is_taken(mime: str):
    file = {"id": "50", "filename": "a.txt", "size": 3, "url": "u", "content_type": mime}
    (held,) = ours(said("<@9> read", attachments=[file])).attachments
    assert held.mime == mime.partition(";")[0]


def test_commands_may_be_typed_with_a_bang():
    message = ours(said("<@9> !kb list"))
    assert (message.kind, message.command, message.text) == ("command", "kb", "list")
    message = ours(said("！知识库 搜索 年假"), DIRECT)
    assert (message.command, message.text) == ("kb", "搜索 年假")


def test_a_forward_without_words_is_read():
    forward = {"message": {"content": "停机两小时", "attachments": []}}
    data = said("", message_reference={"type": 1, "message_id": "5"}, message_snapshots=[forward])
    assert ours(data, DIRECT).text == "> 停机两小时"
    assert events.answered(data) == ""


def test_ids_go_there_and_back():
    message = ids.message_id("10", "30", "100")
    assert (ids.guild_of(message), ids.where_of(message), ids.raw(message)) == ("10", "30", "100")
    assert ids.guild_of(ids.channel_id("", "40")) == ""
    assert abs(ids.sent_at(ids.snowflake_at(1_790_000_000.5)) - 1_790_000_000.5) < 0.001
    assert ids.sent_at("none") == 0.0


def test_a_mention_within_words_is_no_opening():
    assert marks.opens_with("  <@!7> hi") == "7"
    assert marks.opens_with("hi <@7>") == ""
