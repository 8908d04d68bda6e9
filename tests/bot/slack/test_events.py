"""Payloads become messages, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.events import (
    Command,
    Edited,
    Gone,
    Joined,
    Nothing,
    Ours,
    Outcome,
    Reply,
    Twin,
    spoken,
    translate,
)
from core.messages import MAX_TEXT, Message
from tests.bot.slack.payloads import ME, US, Json, click, edit, event, file, slash

FIELDS = [
    "type",
    "subtype",
    "user",
    "bot_id",
    "text",
    "ts",
    "thread_ts",
    "channel",
    "channel_type",
    "files",
    "message",
    "previous_message",
    "edited",
    "event",
    "actions",
    "container",
    "team_id",
    "trigger_id",
    "command",
    "id",
    "name",
    "size",
    "deleted_ts",
]


def ours(body: Json) -> Message:
    outcome = translate(body, US)
    assert isinstance(outcome, Ours), outcome
    return outcome.message


def outcome(body: Json) -> Outcome:
    return translate(body, US)


def test_a_mention_in_a_channel_is_a_question() -> None:
    message = ours(event(text=f"{ME} how many days? <@U7>"))
    assert message.kind == "ask"
    assert message.key == "slack:T1:C1:1700.000100"
    assert message.text == "how many days? @U7"
    assert message.mentions == ("slack:T1/U7",)
    assert message.author.id == "slack:T1/U1"
    assert message.place.channel == "slack:T1/C1"
    assert message.place.thread == message.id == "slack:T1/C1/1700.000100"
    assert not message.place.direct


def test_app_mention_and_message_of_one_post_have_one_key() -> None:
    mention = outcome(event("app_mention", text=f"{ME} hi"))
    assert isinstance(mention, Twin)
    assert mention.message.key == ours(event(text=f"{ME} hi")).key


def test_a_direct_message_is_a_question_without_a_mention() -> None:
    message = ours(event(channel="D1", channel_type="im", text="how many days?"))
    assert (message.kind, message.place.direct) == ("ask", True)


def test_chatter_in_a_channel_is_nothing_to_us() -> None:
    assert isinstance(outcome(event(text="lunch?")), Nothing)


def test_an_untagged_reply_waits_for_its_thread_to_be_active() -> None:
    reply = outcome(event(text="and for contractors?", thread_ts="1600.1"))
    assert isinstance(reply, Reply)
    assert reply.message.place.thread == "slack:T1/C1/1600.1"
    assert reply.otherwise is None
    assert not reply.to_another


def test_a_reply_that_opens_with_another_person_is_meant_for_them() -> None:
    reply = outcome(event(text="<@U7> what do you think?", thread_ts="1600.1"))
    assert isinstance(reply, Reply)
    assert reply.to_another


def test_a_file_alone_goes_to_the_knowledge_base_with_its_text_empty() -> None:
    message = ours(
        event(subtype="file_share", text="", files=[file(), file("b.docx", id="F2", size=7)])
    )
    assert message.kind == "file"
    assert [(f.id, f.name, f.size) for f in message.attachments] == [
        ("F1", "policy.pdf", 1200),
        ("F2", "b.docx", 7),
    ]
    assert message.attachments[0].handle.startswith("https://files.slack.com/")


def test_a_file_with_a_mention_and_a_question_is_one_question_with_a_file() -> None:
    message = ours(event(subtype="file_share", text=f"{ME} sum it up", files=[file()]))
    assert (message.kind, message.text, len(message.attachments)) == ("ask", "sum it up", 1)


def test_a_file_with_nothing_but_a_mention_is_a_file() -> None:
    assert ours(event(subtype="file_share", text=ME, files=[file()])).kind == "file"


def test_a_file_in_a_thread_that_is_not_ours_still_goes_to_the_knowledge_base() -> None:
    body = event(subtype="file_share", text="fyi", files=[file()], thread_ts="1600.1")
    reply = outcome(body)
    assert isinstance(reply, Reply)
    assert reply.otherwise is not None
    assert reply.otherwise.kind == "file"


def test_a_shared_file_without_addresses_is_kept_for_a_later_lookup() -> None:
    connect = {"id": "F9", "file_access": "check_file_info"}
    message = ours(event(subtype="file_share", text=f"{ME} read", files=[connect]))
    assert message.attachments[0].handle == ""
    assert message.attachments[0].name == "F9"


def test_a_reply_that_is_also_sent_to_the_channel_is_a_reply() -> None:
    body = event(subtype="thread_broadcast", text=f"{ME} now?", thread_ts="1600.1")
    assert ours(body).place.thread == "slack:T1/C1/1600.1"


@pytest.mark.parametrize(
    "fields",
    [
        {"user": "U0BOT", "text": "mine"},
        {"user": None, "bot_id": "B0BOT", "subtype": "bot_message"},
        {"user": "U5", "bot_id": "B5", "text": f"{ME} loop"},
        {"user": None, "bot_id": "B5", "text": f"{ME} workflow"},
        {"user": "USLACKBOT", "text": f"{ME} reminder"},
        {"user": None, "text": f"{ME} nobody"},
        {"subtype": "channel_join", "text": f"{ME} has joined"},
        {"subtype": "channel_topic", "text": f"topic {ME}"},
        {"subtype": "message_replied"},
    ],
)
@pytest.mark.parametrize("kind", ["message", "app_mention"])
def test_ourselves_other_bots_and_slacks_bookkeeping_start_nothing(
    kind: str, fields: dict[str, Any]
) -> None:
    if kind == "app_mention" and "subtype" in fields:
        return
    assert isinstance(outcome(event(kind, **fields)), Nothing)


def test_a_bot_that_the_operator_allows_may_ask() -> None:
    us = replace(US, allowed_bots=frozenset({"B5"}))
    body = event(user=None, bot_id="B5", text=f"{ME} report")
    assert isinstance(translate(body, us), Ours)


def test_in_a_shared_channel_the_outer_team_makes_the_key() -> None:
    body = event(text=f"{ME} hi", user="U9EXT", team="T1", user_team="T9EXT", source_team="T9EXT")
    body["event"]["team"] = "T9EXT"
    message = ours(body)
    assert message.key == "slack:T1:C1:1700.000100"
    assert message.author.id == "slack:T1/U9EXT"


def test_an_org_wide_installation_without_a_team_falls_back_to_our_own() -> None:
    body = event(text=f"{ME} hi")
    body["team_id"] = None
    assert ours(body).place.workspace == "slack:T1"


def test_an_edit_that_adds_a_mention_asks_once() -> None:
    message = ours(edit("how many days?", f"{ME} how many days?"))
    assert message.kind == "ask"
    assert message.key == "slack:T1:C1:1700.000100:mention"
    assert message.id == "slack:T1/C1/1700.000100"
    assert message.key == ours(edit("how many?", f"{ME} how many??")).key


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{ME} how mny?", f"{ME} how many?"),
        (f"{ME} how many?", f"{ME} how many?"),
        (f"{ME} how many?", "never mind"),
        ("lunch?", "dinner?"),
    ],
)
def test_any_other_edit_starts_nothing(before: str, after: str) -> None:
    assert isinstance(outcome(edit(before, after)), Edited if before != after else Nothing)


def test_a_bot_edit_that_adds_a_mention_starts_nothing() -> None:
    assert isinstance(outcome(edit("x", f"{ME} x", bot_id="B5")), Nothing)
    assert isinstance(outcome(edit("x", f"{ME} x", user="U0BOT")), Nothing)


def test_an_app_mention_of_an_edit_leaves_the_word_to_the_edit_itself() -> None:
    body = event("app_mention", text=f"{ME} how many?", edited={"user": "U1", "ts": "1701.1"})
    assert isinstance(outcome(body), Nothing)


def test_an_edit_in_a_direct_conversation_starts_nothing() -> None:
    body = edit("how many?", f"{ME} how many?")
    body["event"] |= {"channel": "D1", "channel_type": "im"}
    assert isinstance(outcome(body), Edited)


def test_a_deletion_names_the_message_and_its_thread() -> None:
    body = event(
        subtype="message_deleted",
        user=None,
        deleted_ts="1700.000200",
        previous_message={"ts": "1700.000200", "thread_ts": "1700.000100", "user": "U1"},
    )
    gone = outcome(body)
    assert isinstance(gone, Gone)
    assert gone.message == "slack:T1/C1/1700.000200"
    assert gone.place.thread == "slack:T1/C1/1700.000100"


def test_a_deleted_root_that_leaves_a_tombstone_is_a_deletion() -> None:
    gone = outcome(edit("x", "This message was deleted.", subtype="tombstone"))
    assert isinstance(gone, Gone)
    assert gone.message == "slack:T1/C1/1700.000100"


@pytest.mark.parametrize(
    ("typed", "command", "rest"),
    [
        ("!ask how many days?", "ask", "how many days?"),
        ("！知识库 列表", "kb", "列表"),
        ("!KB list", "kb", "list"),
        ("!stop", "stop", ""),
        ("! help", "help", ""),
    ],
)
def test_exclamation_commands_in_a_thread_need_no_mention(
    typed: str, command: str, rest: str
) -> None:
    message = ours(event(text=typed, thread_ts="1600.1"))
    assert (message.kind, message.command, message.text) == ("command", command, rest)


def test_exclamation_commands_in_the_channel_itself_need_a_mention() -> None:
    assert isinstance(outcome(event(text="!ask how many?")), Nothing)
    assert ours(event(text=f"{ME} !kb list")).command == "kb"


def test_a_word_that_is_no_command_is_a_question() -> None:
    message = ours(event(text=f"{ME} !important: when?"))
    assert (message.kind, message.text) == ("ask", "!important: when?")


def test_a_slash_command_gets_a_thread_of_its_own_before_any_message_exists() -> None:
    found = outcome(slash("/ask", "mode:rag how many <@U7|nora>?"))
    assert isinstance(found, Command)
    message = found.message
    assert (message.kind, message.command) == ("command", "ask")
    assert message.text == "mode:rag how many @nora?"
    assert message.key == "slack:T1:13.26.ab"
    assert message.place.thread == "slack:T1/C1/cmd:13.26.ab"
    assert message.id == ""
    assert found.line == "/ask mode:rag how many @nora?"


def test_a_slash_command_in_a_direct_conversation_is_direct() -> None:
    found = outcome(slash("/kb", "list", channel_id="D7", channel_name="directmessage"))
    assert isinstance(found, Command)
    assert found.message.place.direct


def test_a_click_names_button_value_and_message() -> None:
    message = ours(click())
    assert message.kind == "click"
    assert message.key == "slack:T1:13.26.cd"
    assert message.click is not None
    assert (message.click.action, message.click.value) == ("remove", "d42")
    assert message.click.message == "slack:T1/C1/1700.000300"
    assert message.place.thread == "slack:T1/C1/1700.000100"


def test_a_click_from_another_company_stays_in_our_workspace() -> None:
    message = ours(click(team={"id": "T9EXT"}, user={"id": "U9", "team_id": "T9EXT"}))
    assert message.place.channel == "slack:T1/C1"


def test_a_click_on_a_root_message_belongs_to_its_own_thread() -> None:
    body = click(message={"ts": "1700.000300"}, container={"message_ts": "1700.000300"})
    assert ours(body).place.thread == "slack:T1/C1/1700.000300"


def test_our_invitation_to_a_channel_is_noticed_and_others_are_not() -> None:
    joined = outcome(event("member_joined_channel", user="U0BOT", event_ts="1700.5"))
    assert isinstance(joined, Joined)
    assert joined.place.channel == "slack:T1/C1"
    assert isinstance(outcome(event("member_joined_channel", user="U1")), Nothing)


def test_a_question_that_is_too_long_is_cut_and_told() -> None:
    message = ours(event(text=f"{ME} " + "字" * 100_000))
    assert len(message.text) == MAX_TEXT
    assert message.cut == 100_000 - MAX_TEXT


def test_payloads_of_other_kinds_are_nothing_to_us() -> None:
    for body in ({"type": "view_submission"}, {}, event("app_home_opened"), slash("/other")):
        assert isinstance(outcome(body), Nothing)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "C1", "U0BOT", ME]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=6,
)


@settings(max_examples=150)
@given(
    st.sampled_from([event(), edit("a", ME), slash(), click(), event("app_mention", text=ME)]),
    st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4),
    st.booleans(),
)
def test_a_payload_of_any_shape_is_read_without_an_error(
    body: Json, odd: Json, inside: bool
) -> None:
    if inside and "event" in body:
        body = {**body, "event": {**body["event"], **odd}}
    else:
        body = {**body, **odd}
    translate(body, US)
    spoken(body, US)


def test_who_spoke_is_known_for_our_own_posts_too() -> None:
    heard = spoken(event(user="U0BOT", bot_id="B0BOT", thread_ts="1600.1"), US)
    assert heard is not None
    assert (heard.thread, heard.author) == ("slack:T1/C1/1600.1", "U0BOT")
    assert spoken(edit("a", "b"), US) is None
