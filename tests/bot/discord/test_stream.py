"""Answers as they are written, on a Discord that enforces its limits: whole in the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.discord import ids, render
from bot.outbox import Outbox
from bot.platform import Draft
from bot.playground.discord.seed import NORA
from bot.presenter import Presenter
from bot.presenter import presenter as timing
from bot.text.outbound import clean
from bot.text.split import split
from core.events import Answer, Body, Done, Event, RunStarted, TextDelta, event
from core.journal import Claim, claim_run
from core.messages import Message, Place
from core.settings import Settings
from core.store.sqlite import SqliteStore
from tests.bot.discord.conftest import Rig

FAST = replace(render.LIMITS, post_gap_s=0.0, edit_gap_s=0.12)
"""The practice server's windows are a tenth of Discord's here."""


@pytest.fixture
async def outbox(rig: Rig, store: SqliteStore) -> AsyncIterator[Outbox]:
    rig.adapter.limits = FAST
    outbox = Outbox(store, {"discord": rig.adapter}, clean)
    yield outbox
    await outbox.close()


async def claimed(store: SqliteStore, run: str, place: Place) -> Claim:
    values = {"thread": place.thread, "scope": f"channel:{place.channel}", "person": "p"}
    return await store.write(lambda tx: claim_run(tx, run, "test", **values))


async def asked(rig: Rig, text: str = "hello") -> Message:
    before = len(rig.inbox.all)
    rig.practice.say("handbook", NORA, f"@Threadmate {text}")
    return (await rig.taken(before + 1))[-1]


async def written(text: str, deltas: int) -> AsyncIterator[Event]:
    """A run that writes `text` in so many parts and ends with it."""
    size = -(-len(text) // deltas)
    bodies: list[Body] = [RunStarted(language="en", question="?")]
    bodies += [TextDelta(text=text[at : at + size]) for at in range(0, len(text), size)]
    bodies.append(Done(answer=Answer(text=text, language="en", mode="chat", teammate="t")))
    for number, body in enumerate(bodies, 1):
        await asyncio.sleep(0.01)
        yield event("run", number, "threadmate", "", body)


def said(rig: Rig, thread: str) -> str:
    return "".join(one["content"] for one in rig.practice.from_bot(thread))


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("text", "deltas"),
    [("字句。" * 1_700, 60), ("A sentence of words. " * 120, 50)],
    ids=["5,100 Chinese characters", "2,520 characters in 50 deltas"],
)
async def test_a_long_answer_is_shown_as_it_grows_and_split_whole_at_the_end(
    rig: Rig,
    outbox: Outbox,
    store: SqliteStore,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    deltas: int,
):
    monkeypatch.setattr(timing, "TEXT_S", 0.05)
    monkeypatch.setattr(timing, "REFRESH_S", 0.02)
    message = await asked(rig)
    claim = await claimed(store, message.key, message.place)
    presenter = Presenter(outbox, {"discord": rig.adapter})
    await presenter.present(claim, message, written(text, deltas), Settings())
    thread = ids.raw(message.place.thread)
    assert bare(said(rig, thread)) == bare(text)
    assert all(len(one["content"]) <= 2_000 for one in rig.practice.from_bot(thread))
    assert rig.calls("message.edit") > 0
    assert rig.practice.faults == [] and rig.practice.rest.limited == []


async def test_a_part_that_fails_on_the_way_is_sent_again_and_none_after_it_is_lost(
    rig: Rig, outbox: Outbox, store: SqliteStore
):
    message = await asked(rig)
    claim = await claimed(store, message.key, message.place)
    sent = 0

    def third(call: object) -> None:
        nonlocal sent
        sent += 1
        if sent == 2:
            rig.faults.lose_answer("message.create")
            rig.faults.cut_before("message.create")

    rig.faults.call_before("message.create", third, times=2)
    text = "\n\n".join(f"Part {n}. " + "word " * 300 for n in range(5))
    await outbox.say(claim, "post:answer:1", message.place, Draft(text=text))
    assert bare(said(rig, ids.raw(message.place.thread))) == bare(text)


async def test_two_hundred_changes_in_three_threads_end_with_their_last_texts_and_no_refusal(
    rig: Rig, outbox: Outbox, store: SqliteStore
):
    runs: list[tuple[Claim, Place]] = []
    for number in range(3):
        message = await asked(rig, f"question {number}")
        runs.append((await claimed(store, message.key, message.place), message.place))
    for step in range(200):
        claim, place = runs[step % 3]
        await outbox.show(claim, "post:plan", place, Draft(text=f"▸ step {step}"))
        await asyncio.sleep(0.005)
    for claim, _ in runs:
        await outbox.settle(claim, "post:plan")
    shown = {said(rig, ids.raw(place.thread)) for _, place in runs}
    assert shown == {"▸ step 197", "▸ step 198", "▸ step 199"}
    assert rig.practice.rest.limited == []
    assert rig.calls("message.edit") < 100


def test_a_block_of_three_hundred_lines_is_closed_and_opened_again_in_every_post():
    code = "\n".join(f"    if x == {n}:  # 缩进" for n in range(300))
    posts = split(f"Look:\n```py\n{code}\n```", 2_000, utf16=True)
    assert len(posts) > 3
    for post in posts[1:]:
        assert post.startswith("```py\n    if") and post.endswith("\n```")
        assert render.units(post) <= 2_000
    assert bare(code) in bare("".join(posts).replace("```py", "").replace("```", ""))


@pytest.mark.parametrize("line", ["x" * 1_992, "x" * 1_998, "字" * 1_994])
def test_the_signs_that_close_and_open_a_block_are_counted(line: str):
    for post in split(f"```py\n{line}\n{line}\n```", 2_000, utf16=True):
        assert render.units(post) <= 2_000 and post.count("```") == 2


def test_a_long_word_behind_a_fence_is_repeated_only_in_short():
    posts = split("```" + "i" * 1_500 + "\n" + "line\n" * 400 + "```", 2_000, utf16=True)
    assert all(render.units(post) <= 2_000 for post in posts)
    assert posts[-1].startswith("```" + "i" * 30 + "\n")
