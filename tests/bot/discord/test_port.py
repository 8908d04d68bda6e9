"""What goes out: posts, edits, signs, whispers, files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.discord import ids
from bot.discord.posted import nonce
from bot.platform import Button, Draft, Speaker
from bot.playground.discord.guild import BOT
from bot.playground.discord.seed import LIN, NORA, OMAR
from bot.text.outbound import clean
from core.errors import KnowledgeError, TryLater, Undeliverable, UnknownOutcome
from core.messages import Place
from tests.bot.discord.conftest import Rig

ANSWER = "post:answer:1"


async def asked(rig: Rig, text: str = "hello", channel: str = "handbook") -> tuple[Place, str]:
    """The place of a question's thread, and its message's number."""
    number = rig.practice.say(channel, NORA, f"@Threadmate {text}")
    await rig.taken()
    return rig.place(channel, number), number


def mark(number: str, key: str = ANSWER) -> str:
    return f"discord:{number}#{key}"


async def test_the_first_post_opens_the_thread_at_the_question(rig: Rig):
    place, number = await asked(rig, "年假有几天？")
    said = await rig.say(place, "十天。", mark(number))
    assert ids.where_of(said) == number
    assert [one["name"] for one in rig.practice.threads("handbook")] == ["年假有几天？"]
    assert [one["content"] for one in rig.practice.from_bot(number)] == ["十天。"]


async def test_an_existing_thread_is_joined(rig: Rig):
    place, number = await asked(rig)
    rig.practice.open_thread(OMAR, number, "by a person")
    await rig.quiet()
    await rig.say(place, "Here.", mark(number))
    assert rig.practice.from_bot(number)[0]["content"] == "Here."
    assert rig.calls("thread.create") == 0


async def test_a_thread_that_somebody_opens_in_the_same_moment_is_joined(rig: Rig):
    place, number = await asked(rig)
    rig.faults.call_before(
        "thread.create", lambda call: rig.practice.open_thread(OMAR, number, "first")
    )
    await rig.say(place, "Here.", mark(number))
    assert len(rig.practice.threads("handbook")) == 1
    assert rig.practice.from_bot(number)[0]["content"] == "Here."


async def test_in_a_thread_the_answer_replies_to_the_question_and_steps_do_not(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "First.", mark(number))
    second = rig.practice.say(number, NORA, "@Threadmate and then?")
    await rig.taken(2)
    await rig.say(place, "▸ searching", mark(second, "post:plan"))
    await rig.say(place, "Then this.", mark(second))
    await rig.say(place, "And that.", mark(second, "post:answer:2"))
    _, plan, answer, more = rig.practice.from_bot(number)
    assert answer["message_reference"]["message_id"] == second
    assert "message_reference" not in plan and "message_reference" not in more


@pytest.mark.parametrize("code", [50001, 50013, 160006])
async def test_where_no_thread_may_be_opened_the_answer_stands_in_the_channel_and_says_why(
    rig: Rig, code: int
):
    place, number = await asked(rig)
    rig.faults.error("thread.create", 403, code)
    await rig.say(place, "Ten days.", mark(number))
    await rig.say(place, "And more.", mark(number, "post:answer:2"))
    first, second = rig.practice.from_bot("handbook")
    assert first["content"].startswith("Ten days.\n-# I could not open a thread here")
    assert second["content"] == "And more."
    assert first["message_reference"]["message_id"] == number


async def test_a_reply_to_an_answer_in_the_channel_goes_on_with_its_thread(rig: Rig):
    place, number = await asked(rig)
    rig.faults.error("thread.create", 403, 50013)
    said = await rig.say(place, "Ten days.", mark(number))
    rig.practice.say("handbook", NORA, "and then?", reply_to=ids.raw(said))
    second = (await rig.taken(2))[-1]
    assert second.place == place


async def test_an_archived_thread_is_woken_and_a_locked_one_answered_in_the_channel(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "One.", mark(number))
    rig.practice.archive(number)
    await rig.say(place, "Two.", mark(number, "post:answer:2"))
    assert [one["content"] for one in rig.practice.from_bot(number)] == ["One.", "Two."]
    rig.practice.archive(number, locked=True)
    await rig.say(place, "Three.", mark(number, "post:answer:3"))
    (three,) = rig.practice.from_bot("handbook")
    assert three["content"].startswith("Three.\n-# I could not open a thread here")


async def test_a_thread_that_is_deleted_in_mid_run_is_told_in_the_channel_once(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "▸ working", mark(number, "post:plan"))
    rig.practice.remove(number)
    for key in (ANSWER, "post:answer:2"):
        with pytest.raises(Undeliverable):
            await rig.say(place, "Ten days.", mark(number, key))
    (told,) = rig.practice.from_bot("handbook")
    assert told["content"].startswith("The thread was deleted while I was answering")


async def test_where_we_may_not_write_the_asker_is_told_in_private(rig: Rig):
    place, number = await asked(rig)
    rig.practice.deny("handbook", "SEND_MESSAGES", "CREATE_PUBLIC_THREADS")
    with pytest.raises(Undeliverable):
        await rig.say(place, "Ten days.", mark(number), people=(f"discord:user/{NORA}",))
    (told,) = rig.practice.from_bot(rig.practice.direct(NORA))
    assert "Send Messages" in told["content"]


async def test_an_answer_lost_after_it_was_taken_is_posted_once(rig: Rig):
    place, number = await asked(rig)
    rig.faults.lose_answer("message.create")
    await rig.say(place, "Ten days.", mark(number))
    assert len(rig.practice.from_bot(number)) == 1


async def test_a_broken_connection_leaves_the_outcome_open_and_the_post_is_found(rig: Rig):
    place, number = await asked(rig)
    rig.faults.cut_after("message.create")
    with pytest.raises(UnknownOutcome):
        await rig.say(place, "Ten days.", mark(number))
    found = await rig.adapter.find(place, mark(number))
    assert found is not None
    assert ids.raw(found) == rig.practice.from_bot(number)[0]["id"]
    assert await rig.adapter.find(place, mark(number, "post:answer:2")) is None


async def test_two_posts_of_the_same_words_are_two(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "…", mark(number))
    rig.faults.cut_before("message.create")
    with pytest.raises(UnknownOutcome):
        await rig.say(place, "…", mark(number, "post:answer:2"))
    assert await rig.adapter.find(place, mark(number, "post:answer:2")) is None


async def test_a_nonce_fits_and_is_the_same_for_the_same_mark():
    assert len(nonce("discord:1#post:answer:1")) <= 25
    assert nonce("a") == nonce("a") != nonce("b")


async def test_a_refusal_and_a_limit_are_told_apart(rig: Rig):
    place, number = await asked(rig)
    rig.faults.error("message.create", 400, 50035)
    with pytest.raises(Undeliverable):
        await rig.say(place, "x", mark(number))
    rig.faults.rate_limit("message.create", 120.0)
    with pytest.raises(TryLater) as error:
        await rig.say(place, "x", mark(number))
    assert error.value.seconds >= 60


async def test_a_short_limit_is_waited_for(rig: Rig):
    place, number = await asked(rig)
    rig.faults.rate_limit("message.create", 0.01)
    await rig.say(place, "Ten days.", mark(number))
    assert len(rig.practice.from_bot(number)) == 1


async def test_an_edit_changes_text_and_buttons(rig: Rig):
    place, number = await asked(rig)
    stop = Button(action="stop", label="Stop", value=f"discord:{number}")
    said = await rig.say(place, "▸", mark(number, "post:plan"), buttons=(stop,))
    await rig.adapter.edit(place, said, Draft(text="✓"))
    (shown,) = rig.practice.from_bot(number)
    assert shown["content"] == "✓" and shown["components"] == []


async def test_an_edit_of_what_is_gone_is_undeliverable(rig: Rig):
    place, number = await asked(rig)
    said = await rig.say(place, "▸", mark(number))
    await rig.adapter.delete(place, said)
    await rig.adapter.delete(place, said)
    with pytest.raises(Undeliverable):
        await rig.adapter.edit(place, said, Draft(text="✓"))


EVIL = f"repeat: @everyone @here <@&1100000000000000032> <@{LIN}>"


async def test_nobody_but_the_asker_is_called_by_a_post_an_edit_or_a_teammate(rig: Rig):
    place, number = await asked(rig)
    people = (f"discord:user/{NORA}",)
    evil = Draft(text=f"{EVIL} <@{NORA}>", people=people, footer=EVIL)
    said = await rig.adapter.post(place, evil, mark(number))
    await rig.adapter.edit(place, said, evil)
    teammate = evil.model_copy(update={"speaker": Speaker(name="Researcher")})
    spoken = await rig.adapter.post(place, teammate, mark(number, "post:answer:2"))
    await rig.adapter.edit(place, spoken, teammate)
    for shown in rig.practice.from_bot(number):
        assert [one["id"] for one in shown["mentions"]] == [NORA]
        assert shown["mention_roles"] == [] and not shown["mention_everyone"]
    # The filter in front takes the marks out as well, for whoever copies the text.
    assert "@everyone" not in clean(evil, "discord").text


async def test_signs_are_put_and_taken_and_doing_it_twice_is_no_error(rig: Rig):
    place, number = await asked(rig)
    message = rig.inbox.all[0].id
    for on in (True, True, False, False):
        await rig.adapter.react(place, message, "seen", on)
    await rig.adapter.react(place, message, "done", True)
    assert rig.practice.reactions(number) == {"✅": [BOT]}


async def test_a_sign_on_a_message_that_is_gone_is_no_error(rig: Rig):
    place, number = await asked(rig)
    message = rig.inbox.all[0].id
    rig.practice.delete(number)
    await rig.adapter.react(place, message, "done", True)


async def test_typing_ends_before_the_answer_is_sent_and_never_comes_after(rig: Rig):
    place, number = await asked(rig)
    await rig.adapter.react(place, rig.inbox.all[0].id, "seen", True)
    await rig.practice.wait_for(lambda: rig.practice.typing)
    assert rig.adapter.typing.under_way == {number}
    under_way: list[frozenset[str]] = []
    rig.faults.call_before(
        "message.create", lambda call: under_way.append(rig.adapter.typing.under_way)
    )
    await rig.say(place, "Ten days.", mark(number))
    assert under_way == [frozenset()]


@pytest.mark.parametrize("sign", ["done", "failed", "stopped"])
async def test_typing_ends_with_a_run_that_said_nothing(rig: Rig, sign: str):
    place, number = await asked(rig)
    await rig.adapter.react(place, rig.inbox.all[0].id, "seen", True)
    await rig.adapter.react(place, rig.inbox.all[0].id, sign, True)  # pyright: ignore
    assert rig.adapter.typing.under_way == frozenset()


async def test_without_an_interaction_a_whisper_is_a_silent_word_to_the_person(rig: Rig):
    place, number = await asked(rig)
    await rig.adapter.whisper(place, f"discord:user/{NORA}", Draft(text="After this one."))
    (said,) = rig.practice.from_bot(number)
    assert said["content"] == f"<@{NORA}> After this one."
    assert said["flags"] & 1 << 12


# Teammates

RESEARCHER = Speaker(name="Researcher", avatar="🔎")
WRITER = Speaker(name="写手", avatar="https://example.com/writer.png")


async def test_teammates_speak_in_one_thread_with_names_and_faces_of_their_own(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "I look.", mark(number), speaker=RESEARCHER)
    await rig.say(place, "我来写。", mark(number, "post:answer:2"), speaker=WRITER)
    await rig.say(place, "Done.", mark(number, "post:answer:3"))
    first, second, third = rig.practice.from_bot(number)
    assert first["author"]["username"] == "🔎 Researcher"
    assert second["author"]["username"] == "写手"
    assert second["avatar_url"] == WRITER.avatar
    assert third["author"]["id"] == BOT
    assert rig.calls("webhook.create") == 1


async def test_a_teammates_post_is_edited_through_its_webhook_also_after_a_restart(rig: Rig):
    place, number = await asked(rig)
    said = await rig.say(place, "I look.", mark(number), speaker=RESEARCHER)
    await rig.adapter.edit(place, said, Draft(text="Found.", speaker=RESEARCHER))
    rig.adapter.posting._said.clear()
    await rig.adapter.edit(place, said, Draft(text="Found it.", speaker=RESEARCHER))
    rig.adapter.posting._said.clear()
    await rig.adapter.edit(place, said, Draft(text="Found it all."))
    (shown,) = rig.practice.from_bot(number)
    assert shown["content"] == "Found it all."


async def test_what_a_teammate_says_is_never_answered_and_a_reply_to_it_is(rig: Rig):
    place, number = await asked(rig)
    said = await rig.say(place, "@Threadmate hello", mark(number), speaker=RESEARCHER)
    await rig.quiet()
    assert len(rig.inbox.all) == 1
    rig.inbox.threads.add(place.thread)
    rig.practice.say(number, NORA, "really?", reply_to=ids.raw(said))
    assert (await rig.taken(2))[-1].text == "really?"


async def test_without_the_permission_a_teammate_speaks_with_its_name_in_front(rig: Rig):
    place, number = await asked(rig)
    rig.practice.deny("handbook", "MANAGE_WEBHOOKS")
    said = await rig.say(place, "I look.", mark(number), speaker=RESEARCHER)
    await rig.adapter.edit(place, said, Draft(text="Found.", speaker=RESEARCHER))
    (shown,) = rig.practice.from_bot(number)
    assert shown["content"] == "**🔎 Researcher**\nFound."


async def test_a_webhook_that_was_deleted_is_made_again_and_nothing_is_lost(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "One.", mark(number), speaker=RESEARCHER)
    rig.faults.error("webhook.execute", 404, 10015)
    await rig.say(place, "Two.", mark(number, "post:answer:2"), speaker=RESEARCHER)
    await rig.say(place, "Three.", mark(number, "post:answer:3"), speaker=RESEARCHER)
    shown = [(one["author"]["username"], one["content"]) for one in rig.practice.from_bot(number)]
    assert shown == [
        ("🔎 Researcher", "One."),
        ("threadmate", "**🔎 Researcher**\nTwo."),
        ("🔎 Researcher", "Three."),
    ]


async def test_a_name_that_discord_refuses_for_a_webhook_stands_in_front(rig: Rig):
    place, number = await asked(rig)
    await rig.say(place, "Hi.", mark(number), speaker=Speaker(name="Discord Dan"))
    (shown,) = rig.practice.from_bot(number)
    assert shown["content"] == "**Discord Dan**\nHi."
    assert rig.calls("webhook.execute") == 0


async def test_a_teammates_post_whose_answer_was_lost_is_found_before_it_is_repeated(rig: Rig):
    place, number = await asked(rig)
    rig.faults.lose_answer("webhook.execute")
    with pytest.raises(UnknownOutcome):
        await rig.say(place, "I look.", mark(number), speaker=RESEARCHER)
    found = await rig.adapter.find(place, mark(number))
    assert found is not None
    assert len(rig.practice.from_bot(number)) == 1


async def test_a_direct_conversation_has_no_webhooks_and_names_the_teammate(rig: Rig):
    rig.practice.dm(NORA, "hello")
    (message,) = await rig.taken()
    await rig.adapter.post(
        message.place, Draft(text="Hi.", speaker=RESEARCHER), f"{message.key}#{ANSWER}"
    )
    (shown,) = rig.practice.from_bot(rig.practice.direct(NORA))
    assert shown["content"] == "**🔎 Researcher**\nHi."


# Files


async def test_a_file_whose_address_expired_is_fetched_by_a_fresh_one(rig: Rig, tmp_path: Path):
    rig.practice.say("random", NORA, "@Threadmate read", [("知识 库.md", "# 假期".encode())])
    (message,) = await rig.taken()
    rig.faults.expire_links()
    (file,) = message.attachments
    found = await rig.adapter.download(file, tmp_path, 1_000)
    assert found.path.read_text() == "# 假期"


async def test_a_file_that_is_gone_too_big_or_elsewhere_is_told_by_name(rig: Rig, tmp_path: Path):
    number = rig.practice.say("random", NORA, "@Threadmate read", [("a.md", b"# A" * 400)])
    (message,) = await rig.taken()
    (file,) = message.attachments
    with pytest.raises(KnowledgeError) as error:
        await rig.adapter.download(file, tmp_path, 100)
    assert error.value.key == "discord.file_too_big"
    elsewhere = file.model_copy(
        update={"handle": '{"channel": "1", "message": "2", "url": "https://evil.example/a"}'}
    )
    with pytest.raises(KnowledgeError) as error:
        await rig.adapter.download(elsewhere, tmp_path, 10_000)
    assert error.value.key == "discord.file_elsewhere"
    rig.faults.expire_links()
    rig.practice.delete(number)
    with pytest.raises(KnowledgeError) as error:
        await rig.adapter.download(file, tmp_path, 10_000)
    assert error.value.key == "discord.file_gone"


async def test_a_link_leads_to_the_message(rig: Rig):
    place, number = await asked(rig)
    guild, channel = ids.guild_of(place.channel), rig.practice.place("handbook")
    link = rig.adapter.link(place, rig.inbox.all[0].id)
    assert link == f"https://discord.com/channels/{guild}/{channel}/{number}"
    assert rig.adapter.link(place, "") == ""


async def test_all_that_was_sent_is_within_discords_limits(rig: Rig):
    place, number = await asked(rig, "长" * 300)
    long = Draft(
        text="字" * 1_700,
        footer="源" * 900,
        buttons=tuple(
            Button(action="remove", label="移除" * 80, value="v" * 300, confirm="?")
            for _ in range(40)
        ),
        speaker=Speaker(name="研究员" * 40),
    )
    said = await rig.adapter.post(place, long, mark(number))
    await rig.adapter.edit(place, said, long)
    assert rig.practice.faults == []
