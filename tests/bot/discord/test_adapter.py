"""What comes in: from the practice Discord to the inbox."""

from __future__ import annotations

from bot.playground.discord.seed import LIN, NORA
from tests.bot.discord.conftest import Rig


async def test_a_mention_in_a_channel_asks_and_its_thread_is_named_by_the_message(rig: Rig):
    number = rig.practice.say("handbook", NORA, "@Threadmate how many days of leave?")
    (message,) = await rig.taken()
    assert message.key == f"discord:{number}"
    assert message.kind == "ask"
    assert message.text == "how many days of leave?"
    assert message.place == rig.place("handbook", number)
    assert message.author.name == "Nora Ellis"


async def test_the_first_post_opens_the_thread_at_the_question(rig: Rig):
    number = rig.practice.say("handbook", LIN, "@Threadmate 年假有几天？")
    await rig.taken()
    said = await rig.say(rig.place("handbook", number), "十天。", f"discord:{number}#post:answer:1")
    assert said.split("/")[-2] == number
    assert [one["name"] for one in rig.practice.threads("handbook")] == ["年假有几天？"]
    assert [one["content"] for one in rig.practice.from_bot(number)] == ["十天。"]
