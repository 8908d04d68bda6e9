"""Posts out: what Slack shows, and what becomes of its refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.platform import Button, Draft, Speaker
from bot.slack import people as people_room
from bot.slack.adapter import SlackAdapter
from bot.slack.manifest import BOT_SCOPES
from bot.slack.people import language_of
from core.errors import TryLater, Undeliverable, UnknownOutcome
from core.messages import Person
from core.store.sqlite import SqliteStore
from core.texts import say
from tests.bot.slack.conftest import HANDBOOK, LIN, ME, NORA, RANDOM, Rig, config

MARK = "slack:T0PRACTICE:C0HANDBOOK:1.1#post:answer:1"


async def posted(rig: Rig, draft: Draft, mark: str = MARK) -> tuple[str, dict[str, Any]]:
    root = rig.server.say(HANDBOOK, LIN, "root")
    place = rig.place(root)
    message = await rig.adapter.post(place, draft, mark)
    return message, rig.server.from_bot(HANDBOOK, root)[-1]


async def test_a_post_stands_in_its_thread_with_its_blocks_and_its_mark(rig: Rig) -> None:
    message, shown = await posted(rig, Draft(text="**15** days", footer="[1] policy.pdf · p. 3"))
    assert message == rig.place(shown["ts"]).thread
    assert [block["type"] for block in shown["blocks"]] == ["markdown", "context"]
    assert shown["metadata"]["event_payload"]["mark"] == MARK


async def test_a_post_is_found_again_by_its_mark_in_a_long_thread(rig: Rig) -> None:
    root = rig.server.say(HANDBOOK, LIN, "root")
    for number in range(230):
        rig.server.say(HANDBOOK, NORA, f"chatter {number}", thread=root)
    mark = f"slack:T0PRACTICE:{HANDBOOK}:{root}#post:plan"
    message = await rig.adapter.post(rig.place(root), Draft(text="plan"), mark)
    assert await rig.adapter.find(rig.place(root), mark) == message
    assert await rig.adapter.find(rig.place(root), "another#post:plan") is None


async def test_an_edit_of_fifteen_hundred_chinese_characters_is_shown_whole(rig: Rig) -> None:
    message, _ = await posted(rig, Draft(text="…"))
    text = "假" * 1_500
    await rig.adapter.edit(rig.place(), message, Draft(text=text))
    shown = rig.server.messages(HANDBOOK)[-1]
    assert shown["blocks"][0]["text"] == text


async def test_an_edit_takes_the_stop_button_away(rig: Rig) -> None:
    stop = Button(action="stop", label="Stop", value="run")
    message, _ = await posted(rig, Draft(text="working", buttons=(stop,)))
    await rig.adapter.edit(rig.place(), message, Draft(text="done"))
    assert [block["type"] for block in rig.server.messages(HANDBOOK)[-1]["blocks"]] == ["markdown"]


async def test_blocks_that_slack_refuses_are_sent_again_as_text_in_full(rig: Rig) -> None:
    rig.faults.error("chat.postMessage", "msg_blocks_too_long")
    text = "a < b & c\n" * 900
    _, shown = await posted(rig, Draft(text=text, footer="[1] policy.pdf"))
    assert "blocks" not in shown
    assert shown["text"].count("a &lt; b &amp; c") == 900
    assert shown["text"].endswith("[1] policy.pdf")


async def test_a_long_edit_whose_blocks_are_refused_says_that_it_cannot_be_shown(
    rig: Rig,
) -> None:
    message, _ = await posted(rig, Draft(text="…"))
    rig.faults.error("chat.update", "msg_too_long", times=2)
    with pytest.raises(Undeliverable):
        await rig.adapter.edit(rig.place(), message, Draft(text="假" * 1_500))


async def test_a_rate_limit_tells_how_long_to_wait(rig: Rig) -> None:
    rig.faults.rate_limit("chat.postMessage", retry_after=7)
    with pytest.raises(TryLater) as caught:
        await posted(rig, Draft(text="x"))
    assert caught.value.seconds == 7
    rig.faults.rate_limit("chat.update", retry_after=3)
    with pytest.raises(TryLater) as caught:
        await rig.adapter.edit(rig.place(), "slack:T/C/1.1", Draft(text="x"))
    assert caught.value.seconds == 3


async def test_a_post_whose_answer_is_lost_is_of_unknown_outcome_and_found_later(
    rig: Rig,
) -> None:
    rig.faults.cut_after("chat.postMessage")
    root = rig.server.say(HANDBOOK, LIN, "root")
    with pytest.raises(UnknownOutcome):
        await rig.adapter.post(rig.place(root), Draft(text="once"), MARK)
    assert rig.calls("chat.postMessage") == 1
    found = await rig.adapter.find(rig.place(root), MARK)
    assert found == rig.place(rig.server.from_bot(HANDBOOK, root)[0]["ts"]).thread


async def test_a_failure_of_slack_itself_after_a_post_leaves_the_outcome_open(rig: Rig) -> None:
    rig.faults.server_error("chat.postMessage", 502)
    with pytest.raises(UnknownOutcome):
        await posted(rig, Draft(text="x"))


async def test_an_edit_or_a_sign_may_simply_be_tried_again(rig: Rig) -> None:
    message, _ = await posted(rig, Draft(text="x"))
    for method in ("chat.update", "reactions.add", "chat.delete"):
        rig.faults.cut_before(method)
    with pytest.raises(TryLater):
        await rig.adapter.edit(rig.place(), message, Draft(text="y"))
    with pytest.raises(TryLater):
        await rig.adapter.react(rig.place(), message, "seen", True)
    with pytest.raises(TryLater):
        await rig.adapter.delete(rig.place(), message)


async def test_a_slack_that_nobody_answers_at_was_not_told_anything(
    rig: Rig, store: SqliteStore
) -> None:
    await rig.adapter.stop()
    lonely = SlackAdapter(config(rig.server), store, rig.inbox)
    await lonely.open()
    try:
        await rig.server.stop()
        with pytest.raises((TryLater, UnknownOutcome)):
            await lonely.post(rig.place("1.1"), Draft(text="x"), MARK)
    finally:
        await lonely.close()


@pytest.mark.parametrize(
    "name",
    ["channel_not_found", "is_archived", "not_in_channel", "account_inactive", "brand_new_error"],
)
async def test_a_place_that_is_closed_to_us_is_undeliverable(rig: Rig, name: str) -> None:
    rig.faults.error("chat.postMessage", name)
    with pytest.raises(Undeliverable) as caught:
        await posted(rig, Draft(text="x"))
    assert caught.value.detail == name


async def test_a_scope_that_is_missing_is_named(rig: Rig) -> None:
    rig.server.scopes = {"channels:history"}
    with pytest.raises(Undeliverable, match="chat:write"):
        await posted(rig, Draft(text="x"))


async def test_signs_may_be_put_and_taken_twice(rig: Rig) -> None:
    ts = rig.server.say(HANDBOOK, LIN, "hi")
    message = rig.place(ts).thread
    for on in (True, True):
        await rig.adapter.react(rig.place(ts), message, "seen", on)
    assert [r["name"] for r in rig.server.messages(HANDBOOK)[-1]["reactions"]] == ["eyes"]
    for on in (False, False):
        await rig.adapter.react(rig.place(ts), message, "seen", on)
    assert not rig.server.messages(HANDBOOK)[-1].get("reactions")


async def test_a_sign_on_a_deleted_message_or_on_none_is_no_error(rig: Rig) -> None:
    ts = rig.server.say(HANDBOOK, LIN, "hi")
    rig.server.delete(HANDBOOK, ts)
    await rig.adapter.react(rig.place(ts), rig.place(ts).thread, "done", True)
    calls = rig.calls("reactions.add")
    await rig.adapter.react(rig.place(ts), "", "seen", True)
    assert rig.calls("reactions.add") == calls


async def test_deleting_twice_is_no_error(rig: Rig) -> None:
    message, _ = await posted(rig, Draft(text="x"))
    assert rig.server.from_bot(HANDBOOK)
    await rig.adapter.delete(rig.place(), message)
    await rig.adapter.delete(rig.place(), message)
    assert not rig.server.from_bot(HANDBOOK)


async def test_a_whisper_is_seen_by_one_person_in_the_thread(rig: Rig) -> None:
    root = rig.server.say(HANDBOOK, LIN, "root")
    person = f"slack:T0PRACTICE/{NORA}"
    await rig.adapter.whisper(rig.place(root), person, Draft(text="2 ahead of you"))
    (whisper,) = rig.server.whispers
    assert (whisper["user"], whisper["message"]["thread_ts"]) == (NORA, root)


async def test_a_link_leads_to_the_message_in_its_thread(rig: Rig) -> None:
    link = rig.adapter.link(rig.place("1700.000100"), rig.place("1700.000300").thread)
    assert link.endswith(f"/archives/{HANDBOOK}/p1700000300?thread_ts=1700.000100&cid={HANDBOOK}")
    assert link.startswith(rig.adapter.account.url)


# People


async def test_a_profile_tells_name_language_and_time_zone_and_is_kept(rig: Rig) -> None:
    person = await rig.adapter.person(f"slack:T0PRACTICE/{LIN}")
    assert (person.name, person.language, person.time_zone) == ("林悦", "zh", "Asia/Shanghai")
    await rig.adapter.person(f"slack:T0PRACTICE/{LIN}")
    assert rig.calls("users.info") == 1


async def test_a_burst_of_messages_asks_for_a_profile_once_even_if_it_cannot_be_had(
    rig: Rig,
) -> None:
    rig.faults.error("users.info", "user_not_found", times=None)
    person = f"slack:T0PRACTICE/{NORA}"
    found = await asyncio.gather(*(rig.adapter.person(person) for _ in range(5)))
    await rig.adapter.person(person)
    assert all(one == Person(id=person) for one in found)
    assert rig.calls("users.info") == 1


async def test_a_profile_that_cannot_be_had_leaves_the_id(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_room, "WAIT_S", 0.05)
    rig.faults.slow("users.info", 0.5)
    person = await rig.adapter.person(f"slack:T0PRACTICE/{NORA}")
    assert person == Person(id=f"slack:T0PRACTICE/{NORA}")


async def test_a_read_waits_out_a_rate_limit_by_itself(rig: Rig) -> None:
    rig.faults.rate_limit("users.info", retry_after=0)
    person = await rig.adapter.person(f"slack:T0PRACTICE/{NORA}")
    assert person.name == "Nora Ellis"


def test_locales_become_languages() -> None:
    assert [language_of(name) for name in ("zh-CN", "zh-TW", "en-GB", "de-DE", "")] == [
        "zh",
        "zh",
        "en",
        None,
        None,
    ]


# Threads of slash commands


async def test_the_first_answer_to_a_command_quotes_the_line_as_the_root(rig: Rig) -> None:
    rig.server.command(HANDBOOK, LIN, "/ask", "年假几天？ <!channel>")
    (message,) = await rig.taken()
    first = await rig.adapter.post(message.place, Draft(text="plan"), f"{message.key}#post:plan")
    second = await rig.adapter.post(message.place, Draft(text="15 天"), f"{message.key}#post:1")
    root, plan, answer = rig.server.from_bot(HANDBOOK)
    assert root["blocks"][0]["text"].startswith(f"<@{LIN}>\n> /ask 年假几天？")
    assert "<!channel>" not in str(root)
    assert plan["thread_ts"] == answer["thread_ts"] == root["ts"]
    assert await rig.adapter.find(message.place, f"{message.key}#post:plan") == first
    assert await rig.adapter.find(message.place, f"{message.key}#post:1") == second


async def test_a_reply_to_a_commands_answer_belongs_to_the_commands_thread(rig: Rig) -> None:
    rig.server.command(HANDBOOK, LIN, "/ask", "how many days?")
    (message,) = await rig.taken()
    await rig.adapter.post(message.place, Draft(text="15"), f"{message.key}#post:1")
    root = rig.server.from_bot(HANDBOOK)[0]["ts"]
    rig.inbox.threads.add(message.place.thread)
    rig.server.say(HANDBOOK, LIN, "stop", thread=root)
    _, reply = await rig.taken(2)
    assert reply.place.thread == message.place.thread
    rig.server.say(HANDBOOK, NORA, f"{ME} and me?", thread=root)
    assert (await rig.taken(3))[2].place.thread == message.place.thread


async def test_the_stop_button_of_a_commands_plan_belongs_to_the_commands_thread(
    rig: Rig,
) -> None:
    rig.server.command(HANDBOOK, LIN, "/ask", "how many days?")
    (message,) = await rig.taken()
    stop = Button(action="stop", label="Stop", value=message.key)
    draft = Draft(text="searching", buttons=(stop,))
    plan = await rig.adapter.post(message.place, draft, f"{message.key}#post:plan")
    rig.server.click(HANDBOOK, plan.rsplit("/", 1)[-1], "stop:0", LIN)
    _, click = await rig.taken(2)
    assert click.place.thread == message.place.thread
    assert click.click is not None
    assert (click.click.action, click.click.value) == ("stop", message.key)


async def test_a_commands_root_is_not_posted_twice_after_a_crash(
    rig: Rig, store: SqliteStore
) -> None:
    rig.server.command(HANDBOOK, LIN, "/ask", "how many days?")
    (message,) = await rig.taken()
    rig.faults.cut_after("chat.postMessage")
    with pytest.raises(UnknownOutcome):
        await rig.adapter.post(message.place, Draft(text="15"), f"{message.key}#post:1")
    again = SlackAdapter(config(rig.server), store)
    await again.open()
    try:
        assert await again.find(message.place, f"{message.key}#post:1") is None
        await again.post(message.place, Draft(text="15"), f"{message.key}#post:1")
    finally:
        await again.close()
    root, answer = rig.server.from_bot(HANDBOOK)
    assert answer["thread_ts"] == root["ts"]


async def test_posts_side_by_side_into_a_commands_thread_open_one_root(rig: Rig) -> None:
    rig.server.command(HANDBOOK, LIN, "/kb", "list")
    (message,) = await rig.taken()
    drafts = [rig.adapter.post(message.place, Draft(text=str(n)), f"k#{n}") for n in range(3)]
    await asyncio.gather(*drafts)
    assert len({m.get("thread_ts", m["ts"]) for m in rig.server.from_bot(HANDBOOK)}) == 1


async def test_a_command_where_we_are_not_a_member_is_answered_to_its_person(rig: Rig) -> None:
    rig.server.command(RANDOM, LIN, "/ask", "年假几天？")
    (message,) = await rig.taken()
    rig.faults.error("chat.postMessage", "not_in_channel")
    with pytest.raises(Undeliverable):
        await rig.adapter.post(message.place, Draft(text="15"), f"{message.key}#post:1")
    await rig.server.wait_for(lambda: rig.server.whispers)
    assert rig.server.whispers[0]["message"]["text"] == say("slack.not_here", "zh")


RESEARCHER = Speaker(name="研究员", avatar="🔎")


async def test_a_teammate_speaks_under_its_own_name_and_face(rig: Rig) -> None:
    message, shown = await posted(rig, Draft(text="found it", speaker=RESEARCHER))
    assert shown["username"] == "研究员"
    assert shown["icons"] == {"emoji": ":mag_right:"}
    await rig.adapter.edit(rig.place(), message, Draft(text="found both", speaker=RESEARCHER))
    edited = rig.server.messages(HANDBOOK)[-1]
    assert edited["username"] == "研究员"
    assert edited["blocks"][0]["text"] == "found both"


@pytest.mark.parametrize(
    ("avatar", "icons"),
    [
        ("https://faces.example/a.png", {"image_48": "https://faces.example/a.png"}),
        (":owl:", {"emoji": ":owl:"}),
        ("✍️", {"emoji": ":writing_hand:"}),
        ("🫧", None),
        ("", None),
    ],
)
async def test_a_face_is_an_address_a_name_or_an_emoji_that_slack_has(
    rig: Rig, avatar: str, icons: object
) -> None:
    speaker = Speaker(name="owl", avatar=avatar)
    _, shown = await posted(rig, Draft(text="hoo", speaker=speaker))
    assert shown.get("icons") == icons


async def test_without_the_scope_the_name_stands_in_front_and_slack_is_asked_once(
    rig: Rig,
) -> None:
    rig.server.scopes = {*BOT_SCOPES} - {"chat:write.customize"}
    message, shown = await posted(rig, Draft(text="found it", speaker=RESEARCHER))
    assert "username" not in shown
    assert shown["blocks"][0]["text"] == "**研究员**\n\nfound it"
    await rig.adapter.edit(rig.place(), message, Draft(text="found both", speaker=RESEARCHER))
    edited = rig.server.messages(HANDBOOK)[-1]
    assert edited["blocks"][0]["text"] == "**研究员**\n\nfound both"
    asked = len(rig.server.requests)
    await posted(rig, Draft(text="again", speaker=RESEARCHER))
    sent = [call for call in rig.server.requests[asked:] if call.method == "chat.postMessage"]
    assert len(sent) == 1
    _, plain = await posted(rig, Draft(text="ours"))
    assert plain["blocks"][0]["text"] == "ours"
