"""Slash commands, menus and buttons: answered at once, worked once."""

from __future__ import annotations

import pytest

from bot.discord import ids
from bot.discord.render import custom_id
from bot.platform import Button, Draft
from bot.playground.discord.seed import LIN, NORA
from core.errors import StoreFull
from core.messages import Message
from tests.bot.discord.conftest import Rig


async def asked(rig: Rig, question: str = "how many days?", **options: object) -> Message:
    rig.practice.slash(NORA, "handbook", "ask", {"question": question, **options})
    return (await rig.taken())[-1]


def mark(message: Message, key: str = "post:answer:1") -> str:
    return f"{message.key}#{key}"


async def test_a_command_is_answered_at_once_with_what_was_asked_and_the_thread_begins_there(
    rig: Rig,
):
    message = await asked(rig, file=("a.md", b"# A"))
    assert (message.kind, message.command, message.text) == ("command", "ask", "how many days?")
    assert message.author.language == "en"
    assert [file.name for file in message.attachments] == ["a.md"]
    (root,) = rig.practice.from_bot("handbook")
    assert root["content"] == f"<@{NORA}>\n> /ask how many days?\n> 📎 a.md"
    assert root["mentions"] == [] or [one["id"] for one in root["mentions"]] == [NORA]
    await rig.adapter.post(message.place, Draft(text="Ten."), mark(message))
    assert [one["content"] for one in rig.practice.from_bot(root["id"])] == ["Ten."]
    assert rig.practice.threads("handbook")[0]["name"].startswith("how many days?")


async def test_a_follow_up_in_a_commands_thread_belongs_to_its_run(rig: Rig):
    message = await asked(rig)
    await rig.adapter.post(message.place, Draft(text="Ten."), mark(message))
    (root,) = rig.practice.from_bot("handbook")
    rig.practice.say(root["id"], NORA, "@Threadmate and then?")
    assert (await rig.taken(2))[-1].place == message.place


async def test_a_secret_typed_into_a_command_is_not_shown_in_the_channel(rig: Rig):
    secret = "sk-" + "a1B2c3D4e5F6g7H8" * 3
    await asked(rig, f"is {secret} still valid?")
    (root,) = rig.practice.from_bot("handbook")
    assert secret not in root["content"]


async def test_an_answer_that_comes_too_late_does_not_lose_the_work(rig: Rig):
    rig.faults.error("interaction.callback", 404, 10062)
    message = await asked(rig)
    await rig.adapter.post(message.place, Draft(text="Ten."), mark(message))
    (root,) = rig.practice.from_bot("handbook")
    assert root["content"] == f"<@{NORA}>\n> /ask how many days?"
    assert [one["content"] for one in rig.practice.from_bot(root["id"])] == ["Ten."]


async def test_after_a_quarter_of_an_hour_it_goes_on_in_the_thread(rig: Rig):
    message = await asked(rig)
    said = await rig.adapter.post(message.place, Draft(text="▸"), mark(message, "post:plan"))
    rig.faults.expire_tokens()
    rig.practice.skip(16 * 60)
    rig.adapter.origins.clock = lambda: rig.practice.clock.now()
    await rig.adapter.edit(message.place, said, Draft(text="✓"))
    await rig.adapter.post(message.place, Draft(text="Ten."), mark(message))
    (root,) = rig.practice.from_bot("handbook")
    assert [one["content"] for one in rig.practice.from_bot(root["id"])] == ["✓", "Ten."]


async def test_a_short_command_is_answered_in_place_and_a_late_one_in_the_channel(rig: Rig):
    rig.practice.slash(NORA, "handbook", "kb list", {})
    (message,) = await rig.taken()
    assert (message.command, message.text) == ("kb", "list")
    await rig.adapter.post(message.place, Draft(text="No documents."), mark(message))
    await rig.adapter.post(message.place, Draft(text="More."), mark(message, "post:answer:1:2"))
    first, second = rig.practice.from_bot("handbook")
    assert first["content"] == "No documents."
    assert second["content"] == "More."
    rig.practice.slash(NORA, "handbook", "help", {})
    message = (await rig.taken(2))[-1]
    rig.faults.expire_tokens()
    await rig.adapter.post(message.place, Draft(text="Help."), mark(message))
    assert rig.practice.from_bot("handbook")[-1]["content"] == "Help."


async def test_the_answer_to_help_is_for_the_askers_eyes_from_the_first_sign_on(rig: Rig):
    rig.practice.slash(NORA, "handbook", "help", {})
    (message,) = await rig.taken()
    await rig.adapter.whisper(message.place, message.author.id, Draft(text="Help."))
    assert [one["content"] for one in rig.practice.whispers(NORA)] == ["Help."]
    assert rig.practice.whispers(LIN) == []
    assert rig.practice.from_bot("handbook") == []


async def test_a_commands_answer_that_was_begun_is_given_again_and_stands_once(rig: Rig):
    rig.practice.slash(NORA, "handbook", "kb list", {})
    (message,) = await rig.taken()
    rig.faults.cut_after("interaction.edit")
    with pytest.raises(Exception, match="Disconnected"):
        await rig.adapter.post(message.place, Draft(text="No documents."), mark(message))
    assert await rig.adapter.find(message.place, mark(message)) is None
    await rig.adapter.post(message.place, Draft(text="No documents."), mark(message))
    assert [one["content"] for one in rig.practice.from_bot("handbook")] == ["No documents."]


async def test_in_a_thread_a_command_belongs_to_that_thread(rig: Rig):
    number = rig.practice.say("handbook", LIN, "hm")
    rig.practice.open_thread(LIN, number, "talk")
    rig.practice.slash(NORA, number, "ask", {"question": "how many?"})
    (message,) = await rig.taken()
    assert message.place == rig.place("handbook", number)
    await rig.adapter.post(message.place, Draft(text="Ten."), mark(message))
    root, answer = rig.practice.from_bot(number)
    assert "> /ask how many?" in root["content"] and answer["content"] == "Ten."


async def test_stop_answers_only_its_person_and_asks_to_stop(rig: Rig):
    number = rig.practice.say("handbook", LIN, "hm")
    rig.practice.open_thread(LIN, number, "talk")
    rig.practice.slash(LIN, number, "stop", {})
    (message,) = await rig.taken()
    assert message.command == "stop"
    (whisper,) = rig.practice.whispers(LIN)
    assert whisper["content"] == "收到，这就停下。"
    await rig.adapter.whisper(message.place, message.author.id, Draft(text="不是你的。"))
    assert [one["content"] for one in rig.practice.whispers(LIN)][-1] == "不是你的。"


async def test_a_file_is_added_by_command_with_a_receipt_in_place(rig: Rig):
    rig.practice.slash(LIN, "handbook", "kb add", {"file": ("制度.md", b"# A")})
    (message,) = await rig.taken()
    assert (message.kind, message.text) == ("ask", "")
    assert [file.name for file in message.attachments] == ["制度.md"]
    await rig.adapter.post(message.place, Draft(text="已读入。"), mark(message, "post:receipt"))
    assert [one["content"] for one in rig.practice.from_bot("handbook")] == ["已读入。"]


async def test_the_menu_asks_about_a_message_in_a_thread_at_it(rig: Rig):
    number = rig.practice.say("random", LIN, "明天放假吗？", [("a.md", b"# A")])
    await rig.taken()
    rig.practice.context_menu(NORA, number, "Ask about this")
    message = (await rig.taken(2))[-1]
    assert message.place == rig.place("random", number)
    assert message.text == "明天放假吗？"
    assert ids.raw(message.id) == number
    assert [file.name for file in message.attachments] == ["a.md"]
    await rig.adapter.post(message.place, Draft(text="不放。"), mark(message))
    assert [one["content"] for one in rig.practice.from_bot(number)] == ["不放。"]


async def test_the_menu_adds_files_or_else_the_words_of_a_message(rig: Rig, tmp_path):
    number = rig.practice.say("random", LIN, "门禁密码在蓝盒子里。")
    rig.practice.context_menu(NORA, number, "Add to knowledge base")
    (message,) = await rig.taken()
    (file,) = message.attachments
    assert file.name.startswith("Message ") and file.name.endswith(" 林悦.md")
    found = await rig.adapter.download(file, tmp_path, 1_000)
    assert found.path.read_text() == "门禁密码在蓝盒子里。"
    assert message.author.id == f"discord:user/{NORA}"


async def test_a_message_with_nothing_in_it_is_told_so(rig: Rig):
    said = await rig.say(rig.place("random"), "\u200b", "x#post:1")
    rig.practice.context_menu(LIN, ids.raw(said), "Add to knowledge base")
    await rig.practice.wait_for(lambda: rig.practice.whispers(LIN))
    assert "没有可以加入的内容" in rig.practice.whispers(LIN)[0]["content"]


async def with_buttons(rig: Rig) -> tuple[Message, str, list[str]]:
    number = rig.practice.say("handbook", NORA, "@Threadmate hello")
    (message,) = await rig.taken()
    buttons = (
        Button(action="stop", label="Stop", value=message.key),
        Button(action="remove", label="Remove", value="doc1", danger=True, confirm="Sure?"),
    )
    said = await rig.adapter.post(
        message.place, Draft(text="▸", buttons=buttons), mark(message, "post:plan")
    )
    (shown,) = rig.practice.from_bot(number)
    held = [button["custom_id"] for row in shown["components"] for button in row["components"]]
    return message, ids.raw(said), held


async def test_a_click_names_who_clicked_what_and_where(rig: Rig):
    message, said, (stop, _) = await with_buttons(rig)
    rig.practice.click(LIN, said, stop)
    click = (await rig.taken(2))[-1]
    assert click.kind == "click" and click.click is not None
    assert (click.click.action, click.click.value) == ("stop", message.key)
    assert click.author.id == f"discord:user/{LIN}"
    assert click.place == message.place


async def test_a_dangerous_click_is_confirmed_first_and_may_be_taken_back(rig: Rig):
    message, said, (_, remove) = await with_buttons(rig)
    rig.practice.click(LIN, said, remove)
    await rig.practice.wait_for(lambda: rig.practice.whispers(LIN))
    assert len(rig.inbox.all) == 1
    (question,) = rig.practice.whispers(LIN)
    assert question["content"] == "确定要“Remove”吗？"
    yes, no = (one["custom_id"] for one in question["components"][0]["components"])
    rig.practice.click(LIN, question["id"], no)
    await rig.practice.wait_for(
        lambda: rig.practice.whispers(LIN)[0]["content"] == "好的，什么都没有改变。"
    )
    assert len(rig.inbox.all) == 1
    rig.practice.click(LIN, said, remove)
    await rig.practice.wait_for(lambda: len(rig.practice.whispers(LIN)) == 2)
    again = rig.practice.whispers(LIN)[-1]
    rig.practice.click(LIN, again["id"], again["components"][0]["components"][0]["custom_id"])
    click = (await rig.taken(2))[-1]
    assert click.click is not None
    assert (click.click.action, click.click.value) == ("remove", "doc1")
    assert ids.raw(click.click.message) == said
    assert click.place == message.place
    assert yes != no


async def test_a_command_that_cannot_be_kept_is_told_to_its_person(rig: Rig):
    rig.inbox.refuse, rig.inbox.refusals = StoreFull("disk"), 1
    rig.practice.slash(NORA, "handbook", "kb list", {})
    await rig.practice.wait_for(
        lambda: [m for m in rig.practice.from_bot("handbook") if m["content"]]
    )
    (told,) = rig.practice.from_bot("handbook")
    assert told["content"].startswith("This command could not be taken")


async def test_a_command_works_where_we_may_not_write(rig: Rig):
    message = await asked(rig)
    rig.practice.deny("handbook", "SEND_MESSAGES", "CREATE_PUBLIC_THREADS")
    said = await rig.adapter.post(message.place, Draft(text="▸"), mark(message))
    await rig.adapter.edit(message.place, said, Draft(text="Ten."))
    assert [one["content"] for one in rig.practice.from_bot("handbook")][1:] == ["Ten."]


async def test_picks_of_the_command_are_those_that_can_be_typed(rig: Rig):
    message = await asked(rig, "how many?", mode="rag", kb="HR rules")
    assert message.text == 'mode: rag kb: "HR rules" how many?'


def test_what_a_button_brings_back_fits():
    assert len(custom_id("approve", "x" * 300, 12, asks=True, held="1" * 20)) == 100
