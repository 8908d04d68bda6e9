"""What comes in: from the practice Discord to the inbox."""

from __future__ import annotations

import pytest

from bot.discord import ids
from bot.playground.discord import PracticeDiscord
from bot.playground.discord.seed import LIN, NORA, OMAR
from core.store.sqlite import SqliteStore
from tests.bot.discord.conftest import Kept, Rig, adapter_on, idle


async def test_a_mention_in_a_channel_asks_and_its_thread_is_named_by_the_message(rig: Rig):
    number = rig.practice.say("handbook", NORA, "@Threadmate how many days of leave?")
    (message,) = await rig.taken()
    assert message.key == f"discord:{number}"
    assert message.kind == "ask"
    assert message.text == "how many days of leave?"
    assert message.place == rig.place("handbook", number)
    assert message.author.name == "Nora Ellis"


async def test_a_direct_message_is_one_conversation_and_needs_no_mention(rig: Rig):
    rig.practice.dm(LIN, "年假有几天？")
    rig.practice.dm(LIN, "病假呢？")
    first, second = await rig.taken(2)
    assert first.place == second.place
    assert first.place.direct
    assert ids.raw(first.place.thread) == ids.raw(first.place.channel)


async def test_a_reply_to_us_with_a_ping_is_for_us(rig: Rig):
    channel = rig.practice.place("random")
    said = await rig.say(rig.place("random"), "Hello.", "x#post:1")
    rig.practice.say("random", NORA, "and tomorrow?", reply_to=ids.raw(said))
    (message,) = await rig.taken()
    assert message.text == "and tomorrow?"
    assert ids.raw(message.place.channel) == channel


async def test_chatter_our_own_posts_and_other_bots_start_nothing(rig: Rig):
    rig.practice.say("random", NORA, "good morning everybody")
    await rig.say(rig.place("random"), "@Threadmate hello", "x#post:1")
    await rig.quiet()
    assert rig.inbox.all == []


async def test_an_edit_that_adds_a_mention_asks_once_and_one_that_does_not_asks_nothing(rig: Rig):
    number = rig.practice.say("random", NORA, "how many days?")
    rig.practice.edit(number, "how many days of leave?")
    await rig.quiet()
    assert rig.inbox.all == []
    rig.practice.edit(number, "@Threadmate how many days of leave?")
    await rig.taken()
    rig.practice.edit(number, "@Threadmate how many days of leave in all?")
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["how many days of leave?"]
    assert rig.inbox.edits == [f"discord:{number}"] * 2


async def test_a_deletion_is_told_with_the_place_that_it_was_in(rig: Rig):
    number = rig.practice.say("random", NORA, "secret")
    rig.practice.delete(number)
    await rig.quiet()
    ((place, message),) = rig.gone
    assert place == rig.place("random", number)
    assert ids.raw(message) == number


async def test_an_untagged_reply_in_an_active_thread_is_for_us_and_one_to_another_is_not(rig: Rig):
    number = rig.practice.say("handbook", NORA, "@Threadmate hello")
    await rig.taken()
    rig.practice.open_thread(NORA, number, "hello")
    rig.inbox.threads.add(rig.place("handbook", number).thread)
    rig.practice.say(number, NORA, "and sick leave?")
    rig.practice.say(number, NORA, f"<@{LIN}> what do you think?")
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["hello", "and sick leave?"]


async def test_a_mention_in_a_human_thread_brings_the_first_message_from_the_parent_channel(
    rig: Rig,
):
    number = rig.practice.say(
        "random", LIN, "周五的发布要推迟吗？", [("plan.md", b"# Plan\n\nFriday.")]
    )
    rig.practice.open_thread(OMAR, number, "release")
    rig.practice.say(number, NORA, "@Threadmate take a look")
    (message,) = [one for one in await rig.taken(2) if one.kind == "ask"]
    assert message.text == "> 林悦:\n> 周五的发布要推迟吗？\n\ntake a look"
    assert [file.name for file in message.attachments] == ["plan.md"]
    assert message.place == rig.place("random", number)


async def test_a_mention_in_a_forum_post_brings_its_first_message_from_the_thread(rig: Rig):
    thread = rig.practice.forum_post("questions", LIN, "请假", "五年以上几天？")
    rig.practice.say(thread, NORA, "@Threadmate please answer")
    (message,) = await rig.taken()
    assert message.text == "> 林悦:\n> 五年以上几天？\n\nplease answer"
    assert message.place == rig.place("questions", thread)


async def test_a_forum_post_that_mentions_us_is_answered_in_its_own_thread(rig: Rig):
    thread = rig.practice.forum_post("questions", LIN, "请假", "@Threadmate 五年以上几天？")
    (message,) = await rig.taken()
    assert message.text == "五年以上几天？"
    assert message.place == rig.place("questions", thread)


async def test_a_question_that_replies_to_somebody_brings_what_it_replies_to(rig: Rig):
    number = rig.practice.say("random", LIN, "明天放假。")
    rig.practice.say("random", NORA, "@Threadmate is that true?", reply_to=number, ping=False)
    (message,) = await rig.taken()
    assert message.text == "> 林悦:\n> 明天放假。\n\nis that true?"


async def test_a_forwarded_message_is_read_from_its_snapshot(rig: Rig):
    number = rig.practice.say("random", LIN, "周五停机两小时。", [("计划.md", b"# x\n\ny")])
    await rig.taken()
    channel = rig.practice.direct(NORA)
    rig.practice.forward(channel, NORA, number)
    message = (await rig.taken(2))[-1]
    assert message.text == "> 周五停机两小时。"
    assert [file.name for file in message.attachments] == ["计划.md"]


async def test_every_attachment_comes_with_the_text_whatever_its_kind(rig: Rig):
    files = [("a.md", b"# A"), ("big.bin", b"0" * 100), ("tool.exe", b"MZ")]
    rig.practice.say("random", NORA, "@Threadmate keep these", files)
    (message,) = await rig.taken()
    assert message.text == "keep these"
    assert [file.name for file in message.attachments] == ["a.md", "big.bin", "tool.exe"]


async def test_a_file_without_a_mention_is_for_the_knowledge_where_we_may_see_it(rig: Rig):
    rig.practice.say("random", NORA, "", [("a.md", b"# A")])
    (message,) = await rig.taken()
    assert message.kind == "file"
    assert message.key.endswith(":file")


async def test_a_long_paste_that_came_in_parts_is_one_question(rig: Rig):
    first = "@Threadmate " + "a" * 1_985
    number = rig.practice.say("random", NORA, first)
    rig.practice.say("random", NORA, "b" * 600)
    (message,) = await rig.taken()
    await rig.quiet()
    assert [one.key for one in rig.inbox.all] == [f"discord:{number}"]
    assert message.text == "a" * 1_985 + "\n" + "b" * 600


async def test_a_short_question_is_not_held_up_for_a_next_part(rig: Rig):
    rig.adapter.bursts.wait_s = 3_600.0
    rig.practice.say("random", NORA, "@Threadmate short")
    rig.practice.say("random", NORA, "not for you")
    (message,) = await rig.taken()
    assert message.text == "short"


async def test_a_paste_that_became_a_file_is_words_again(rig: Rig):
    text = "word " * 600
    rig.practice.say("random", NORA, "@Threadmate sum this up", [("message.txt", text.encode())])
    (message,) = await rig.taken()
    assert message.text == f"sum this up\n\n{text.strip()}"
    assert message.attachments == ()


async def test_a_mention_of_the_role_that_the_server_made_for_us_asks(rig: Rig):
    rig.adapter.us = type(rig.adapter.us)(
        rig.adapter.us.user, rig.adapter.us.application, roles=frozenset({"1100000000000000031"})
    )
    rig.practice.say("random", NORA, "<@&1100000000000000031> hello there")
    (message,) = await rig.taken()
    assert message.text == "hello there"


async def test_a_direct_message_is_answered_whatever_channels_are_set_to(rig: Rig):
    rig.adapter.free = lambda place: False
    rig.practice.dm(NORA, "hello")
    (message,) = await rig.taken()
    assert message.place.direct


async def test_in_a_channel_where_all_is_answered_no_mention_is_needed(rig: Rig):
    rig.adapter.free = lambda place: place.channel == rig.place("random").channel
    rig.practice.say("random", NORA, "how many days?")
    rig.practice.say("handbook", NORA, "not here")
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["how many days?"]


class WithoutContent:
    """The application's switch for the Message Content intent is off."""

    @pytest.fixture
    async def practice(self):
        practice = PracticeDiscord(rates=0.1, message_content=False)
        await practice.start()
        yield practice
        await practice.stop()


class TestWithoutTheMessageContentIntent(WithoutContent):
    async def test_mention_reply_direct_message_and_menu_are_answered(self, rig: Rig):
        assert not rig.adapter.account.sees_content
        said = await rig.say(rig.place("random"), "Hello.", "x#post:1")
        files = [("a.md", b"# A")]
        rig.practice.say("random", NORA, "@Threadmate one", files)
        rig.practice.say("random", NORA, "two", reply_to=ids.raw(said))
        rig.practice.dm(NORA, "three")
        target = rig.practice.say("random", LIN, "four", [("b.md", b"# B")])
        rig.practice.context_menu(NORA, target, "Ask about this")
        rig.practice.say("random", LIN, "not for you")
        messages = await rig.taken(4)
        await rig.quiet()
        assert sorted(one.text for one in messages) == ["four", "one", "three", "two"]
        assert sorted(file.name for one in messages for file in one.attachments) == ["a.md", "b.md"]
        assert len(rig.inbox.all) == 4


async def test_what_cannot_be_written_is_tried_until_it_can(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    from core.errors import StoreFull

    monkeypatch.setattr("bot.discord.adapter.PAUSE_S", 0.001)
    rig.inbox.refuse, rig.inbox.refusals = StoreFull("disk"), 3
    rig.practice.say("random", NORA, "@Threadmate hello")
    (message,) = await rig.taken()
    assert message.text == "hello"


async def test_an_event_that_cannot_be_taken_does_not_end_the_others(rig: Rig):
    rig.adapter.later(rig.adapter.said({"id": "1", "channel_id": "2"}))
    rig.practice.say("random", NORA, "@Threadmate still here?")
    (message,) = await rig.taken()
    assert message.text == "still here?"


async def test_messages_of_a_stop_are_read_at_the_start_and_each_only_once(
    practice: PracticeDiscord, store: SqliteStore
):
    inbox = Kept()
    adapter = adapter_on(practice, store, inbox)
    await adapter.start()
    practice.say("random", NORA, "@Threadmate before")
    await inbox.until(1)
    await adapter.stop()
    await adapter.close()
    practice.say("random", NORA, "@Threadmate while you were away")
    practice.dm(LIN, "也在私信里")
    for _ in range(5):
        adapter = adapter_on(practice, store, inbox)
        await adapter.start()
        await inbox.until(2)
        await idle(adapter)
        await adapter.stop()
        await adapter.close()
    texts = [message.text for message in inbox.all]
    assert texts == ["before", "while you were away"]
    assert len(inbox.arrivals) == 2


async def test_the_greeting_says_what_is_read_and_is_posted_once_an_invitation(rig: Rig):
    data = {
        "id": ids.guild_of(rig.place("random").channel),
        "joined_at": "2026-01-01T00:00:00",
        "channels": [],
        "system_channel_id": rig.practice.place("random"),
    }
    await rig.adapter.guilds.greet(data, [])
    await rig.adapter.guilds.greet(data, [])
    (greeting,) = rig.practice.from_bot("random")
    assert "@我" in greeting["content"] and "mentions me" in greeting["content"]


async def test_people_who_talk_to_each_other_in_an_active_thread_are_left_alone(rig: Rig):
    number = rig.practice.say("handbook", NORA, "@Threadmate hello")
    await rig.taken()
    rig.practice.open_thread(NORA, number, "hello")
    rig.inbox.threads.add(rig.place("handbook", number).thread)
    await rig.say(rig.place("handbook", number), "Hello.", f"discord:{number}#post:answer:1")
    rig.practice.say(number, NORA, "thanks, and sick leave?")
    rig.practice.say(number, LIN, "五天吧")
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["hello", "thanks, and sick leave?"]


async def test_an_allowed_bot_that_answers_our_answers_is_left_alone_after_a_while(rig: Rig):
    from dataclasses import replace

    rig.adapter.config = replace(rig.adapter.config, allowed_bots=frozenset({OMAR}))
    for number in range(25):
        rig.practice.say("random", OMAR, f"@Threadmate {number}")
    await rig.taken(20)
    await rig.settled()
    assert len(rig.inbox.all) == 20
