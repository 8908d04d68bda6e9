"""The REST API as the real client library uses it."""

from __future__ import annotations

import io

import discord
import pytest

from bot.playground.discord import PracticeDiscord
from bot.playground.discord.guild import BOT
from bot.playground.discord.seed import HANDBOOK, LIN, NORA, OMAR, QUESTIONS, RANDOM
from tests.rigs.discord_client import Plain
from tests.rigs.discord_faults import DiscordFaults


def channel(client: Plain, name: str = HANDBOOK) -> discord.TextChannel:
    found = client.get_channel(int(name))
    assert isinstance(found, discord.TextChannel)
    return found


async def test_a_mention_with_a_file_is_heard_and_its_bytes_are_read(
    practice: PracticeDiscord, client: Plain
) -> None:
    practice.say("handbook", NORA, "@Threadmate what is this?", [("知识 库.md", "# 假".encode())])
    heard = await client.hears("what is this?")
    assert [str(user.id) for user in heard.mentions] == [BOT]
    assert heard.attachments[0].filename == "知识 库.md"
    assert (await heard.attachments[0].read()).decode() == "# 假"


async def test_a_thread_has_the_id_of_its_message_and_there_is_only_one(
    practice: PracticeDiscord, client: Plain
) -> None:
    said = practice.say("handbook", NORA, "@Threadmate plan this")
    heard = await client.hears("plan this")
    thread = await heard.create_thread(name="plan this")
    await thread.send("a step")
    assert str(thread.id) == said
    assert [m["content"] for m in practice.from_bot(said)] == ["a step"]
    with pytest.raises(discord.HTTPException) as caught:
        await heard.create_thread(name="again")
    assert caught.value.code == 160004


async def test_the_first_message_of_a_thread_lives_in_the_parent(
    practice: PracticeDiscord, client: Plain
) -> None:
    said = practice.say("handbook", NORA, "the question itself")
    practice.open_thread(OMAR, said, "talk")
    practice.say(said, OMAR, "@Threadmate have a look")
    heard = await client.hears("have a look")
    assert isinstance(heard.channel, discord.Thread) and heard.channel.parent is not None
    texts = [m.content async for m in heard.channel.history(oldest_first=True)]
    starter = await heard.channel.parent.fetch_message(heard.channel.id)
    assert "the question itself" not in texts
    assert starter.content == "the question itself"


async def test_a_forum_post_begins_with_a_message_of_the_threads_id(
    practice: PracticeDiscord, client: Plain
) -> None:
    post = practice.forum_post("questions", LIN, "年假", "@Threadmate 有几天？", tags=["人事"])
    heard = await client.hears("有几天")
    assert str(heard.id) == str(heard.channel.id) == post
    forum = client.get_channel(int(QUESTIONS))
    assert isinstance(forum, discord.ForumChannel)
    made = await forum.create_thread(name="from the bot", content="hello")
    assert made.thread.id == made.message.id
    assert len(practice.threads("questions")) == 2


async def test_an_edit_a_file_a_reaction_and_a_deletion_are_seen(
    practice: PracticeDiscord, client: Plain
) -> None:
    sent = await channel(client).send("one", file=discord.File(io.BytesIO(b"12"), "a.txt"))
    await sent.edit(content="two")
    await sent.add_reaction("👀")
    seen = practice.messages("handbook")[0]
    assert (seen["content"], seen["attachments"][0]["size"]) == ("two", 2)
    assert seen["edited_timestamp"] and practice.reactions(seen["id"]) == {"👀": [BOT]}
    await sent.delete()
    assert practice.messages("handbook") == []
    assert practice.faults == []


async def test_the_same_nonce_is_one_message(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults
) -> None:
    faults.lose_answer("message.create")
    await channel(client).send("only once")
    assert faults.fired == ["message.create"]
    assert [m["content"] for m in practice.messages("handbook")] == ["only once"]


async def test_a_webhook_speaks_in_a_thread_under_a_name_of_its_own(
    practice: PracticeDiscord, client: Plain
) -> None:
    said = practice.say("handbook", NORA, "x")
    thread = await (await client.hears("x")).create_thread(name="x")
    hook = await channel(client).create_webhook(name="Teammate")
    face = "http://127.0.0.1/face.png"
    sent = await hook.send("found it", username="研究员", avatar_url=face, thread=thread, wait=True)
    await hook.edit_message(sent.id, content="found both", thread=thread)
    shown = practice.from_bot(said)[0]
    assert (shown["author"]["username"], shown["content"]) == ("研究员", "found both")
    assert shown["avatar_url"] == face
    assert (await client.hears("found it")).webhook_id == hook.id
    # Without its thread it is not found.
    with pytest.raises(discord.NotFound):
        await hook.fetch_message(sent.id)


async def test_a_webhook_repeats_a_message_whose_answer_was_lost(
    practice: PracticeDiscord, client: Plain, faults: DiscordFaults
) -> None:
    hook = await channel(client).create_webhook(name="Teammate")
    faults.lose_answer("webhook.execute")
    await hook.send("twice", wait=True)
    assert [m["content"] for m in practice.messages("handbook")] == ["twice", "twice"]


@pytest.mark.parametrize("name", ["Discord Dan", "x" * 81, ""])
async def test_a_webhook_is_not_called_just_anything(
    practice: PracticeDiscord, client: Plain, name: str
) -> None:
    with pytest.raises(discord.HTTPException) as caught:
        await channel(client).create_webhook(name=name)
    assert caught.value.code == 50035
    assert practice.faults


async def test_a_link_to_a_file_dies_and_the_message_has_a_fresh_one(
    practice: PracticeDiscord, client: Plain
) -> None:
    practice.say("handbook", NORA, "see", [("a.txt", b"abc")])
    heard = await client.hears("see")
    practice.skip(25 * 3600)
    with pytest.raises(discord.NotFound):
        await heard.attachments[0].read()
    again = await heard.channel.fetch_message(heard.id)
    assert await again.attachments[0].read() == b"abc"


async def test_what_is_forbidden_is_refused_with_discords_codes(
    practice: PracticeDiscord, client: Plain
) -> None:
    practice.deny("random", "SEND_MESSAGES")
    with pytest.raises(discord.Forbidden) as sending:
        await channel(client, RANDOM).send("x")
    practice.deny("random", "VIEW_CHANNEL")
    with pytest.raises(discord.Forbidden) as seeing:
        await client.fetch_channel(int(RANDOM))
    practice.permit("random")
    await channel(client, RANDOM).send("now")
    assert (sending.value.code, seeing.value.code) == (50013, 50001)
    assert [m["content"] for m in practice.messages("random")] == ["now"]


async def test_a_deleted_channel_and_a_deleted_thread_are_unknown(
    practice: PracticeDiscord, client: Plain
) -> None:
    practice.say("random", NORA, "x")
    thread = await (await client.hears("x")).create_thread(name="x")
    practice.remove(str(thread.id))
    with pytest.raises(discord.NotFound) as caught:
        await thread.send("late")
    assert caught.value.code == 10003


async def test_an_archived_thread_wakes_when_something_is_sent_unless_it_is_locked(
    practice: PracticeDiscord, client: Plain
) -> None:
    said = practice.say("random", NORA, "x")
    thread = await (await client.hears("x")).create_thread(name="x")
    first = await thread.send("one")
    practice.archive(said)
    with pytest.raises(discord.HTTPException) as editing:
        await first.edit(content="no")
    await thread.send("two")
    assert not practice.threads("random")[0]["thread_metadata"]["archived"]
    practice.archive(said, locked=True)
    with pytest.raises(discord.HTTPException) as sending:
        await thread.send("three")
    assert (editing.value.code, sending.value.code) == (50083, 160005)


async def test_history_goes_forward_from_a_message(
    practice: PracticeDiscord, client: Plain
) -> None:
    first, *_ = (practice.say("random", NORA, str(number)) for number in range(130))
    after = discord.Object(int(first))
    texts = [m.content async for m in channel(client, RANDOM).history(after=after, limit=None)]
    assert texts == [str(number) for number in range(1, 130)]


async def test_a_forwarded_message_comes_as_a_snapshot(
    practice: PracticeDiscord, client: Plain
) -> None:
    said = practice.say("handbook", NORA, "the original", [("a.txt", b"abc")])
    practice.forward("random", OMAR, said)
    practice.say("random", OMAR, "after it")
    await client.hears("after it")
    forwarded = next(m for m in client.heard if m.message_snapshots)
    snapshot = forwarded.message_snapshots[0]
    assert (forwarded.content, snapshot.content) == ("", "the original")
    assert await snapshot.attachments[0].read() == b"abc"


async def test_a_bare_token_is_refused(practice: PracticeDiscord) -> None:
    from tests.rigs.discord_client import addresses

    with addresses(practice):
        client = Plain()
        with pytest.raises(discord.LoginFailure):
            await client.login("wrong")
        await client.close()
