"""Who speaks, what it may use, and who is present in a thread afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.assemble import Assembler
from core.errors import WrongUse
from core.memory.conversation import Conversation
from core.request import Picks, Request
from core.settings import SettingsBook
from core.store.sqlite import SqliteStore
from core.teammates import Presence, Roster
from tests.core.fake_library import NOON, PLACE
from tests.core.test_assemble import library, message

CARDS = {
    "generalist": ("tools: [read, write_document, recharge]", "ROLE-G"),
    "researcher": (
        "aliases: [研究员]\nknowledge: [handbook]\ntools: [semantic_search]\nverbosity: short",
        "ROLE-R",
    ),
    "writer": ("language: en\nmode: loop\nstyle: Plain.\nmodel: x/y\nmax_rounds: 3", "ROLE-W"),
}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "data.db")
    yield store
    await store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "teammates"
    folder.mkdir()
    for name, (front, role) in CARDS.items():
        text = f"---\n{front}\n---\n<!-- zh -->\n{role} 中\n<!-- en -->\n{role} en\n"
        (folder / f"{name}.md").write_text(text, "utf-8")
    return folder


class Desk:
    def __init__(self, store: SqliteStore, folder: Path, **channel: Any) -> None:
        self.presence = Presence(store)
        self.assembler = Assembler(
            library(),
            SettingsBook({}, {"C1": channel}),
            Conversation(store),
            model="base/model",
            roster=Roster(folder, None),
            presence=self.presence,
            clock=lambda: NOON,
        )

    async def asked(self, text: str, picks: Picks | None = None, **place: Any) -> Request:
        asked = message(text)
        if place:
            asked = asked.model_copy(update={"place": PLACE.model_copy(update=place)})
        return await self.assembler.assemble(asked, picks)


async def test_the_default_teammate_answers_where_nobody_is_named(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    made = await desk.asked("年假几天？")
    assert made.teammate.name == "generalist"
    assert made.teammate.role == "ROLE-G 中"
    assert [card.name for card in made.team] == ["researcher", "writer"]
    assert made.named == ()
    assert await desk.presence.present(PLACE) == ""
    assert Request.model_validate_json(made.model_dump_json()) == made


async def test_the_first_named_one_speaks_and_the_others_come_first(
    store: SqliteStore, folder: Path
) -> None:
    made = await Desk(store, folder).asked("@writer 写报告，先请@研究员查资料")
    assert made.teammate.name == "writer"
    assert made.named == ("writer", "researcher")
    assert [card.name for card in made.team] == ["researcher", "generalist"]
    assert made.question == "写报告，先请@研究员查资料"


async def test_a_card_narrows_tools_and_knowledge_and_sets_the_way_to_write(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    made = await desk.asked("@研究员 年假几天？")
    assert (made.tools, made.kbs) == (("semantic_search",), (2,))
    assert "几句话" in made.style
    # What the others may use in this place is kept for a switch.
    assert made.reach is not None
    assert made.reach.kbs == ((1, ""), (2, "handbook"), (3, "法务"))
    made = await desk.asked("@writer 写一段")
    assert (made.language, made.picks.mode, made.model) == ("en", "loop", "x/y")
    assert (made.style, made.teammate.role) == ("Plain.", "ROLE-W en")


async def test_tools_with_effects_need_the_card_and_the_channel(
    store: SqliteStore, folder: Path
) -> None:
    made = await Desk(store, folder).asked("存一下")
    assert "write_document" in made.tools and "send_email" not in made.tools
    made = await Desk(store, folder, effects=()).asked("存一下")
    assert "write_document" not in made.tools
    made = await Desk(store, folder).asked("@writer save it")
    assert "write_document" not in made.tools and "semantic_search" in made.tools


async def test_who_was_named_goes_on_in_the_thread_and_only_there(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    await desk.asked("@研究员 年假几天？")
    assert (await desk.asked("病假呢？")).teammate.name == "researcher"
    elsewhere = await desk.asked("病假呢？", thread="slack:T1/C1/2.0")
    assert elsewhere.teammate.name == "generalist"
    made = await desk.asked("@writer 写下来")
    assert [card.name for card in made.team][0] == "researcher"  # It was present before.
    assert (await desk.asked("再短一点")).teammate.name == "writer"


async def test_presence_outlives_the_process(store: SqliteStore, folder: Path) -> None:
    await Desk(store, folder).asked("@writer 写")
    assert (await Desk(store, folder).asked("继续")).teammate.name == "writer"


async def test_a_teammate_that_is_gone_leaves_the_thread_to_the_default_one(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    await desk.asked("@writer 写")
    (folder / "writer.md").unlink()
    assert (await desk.asked("继续")).teammate.name == "generalist"


async def test_a_picked_teammate_wins_and_an_unknown_one_is_named(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    made = await desk.asked("@研究员 写的那份", Picks(teammate="Writer"))
    assert made.teammate.name == "writer"
    with pytest.raises(WrongUse) as refused:
        await desk.asked("hi", Picks(teammate="lawyer"))
    assert "researcher" in str(refused.value) and "lawyer" in str(refused.value)


async def test_a_pick_narrows_what_a_teammate_may_use(store: SqliteStore, folder: Path) -> None:
    desk = Desk(store, folder)
    made = await desk.asked("@研究员 查", Picks(tools=("get_time",)))
    assert made.tools == ()
    made = await desk.asked("@研究员 查", Picks(kb=("法务",)))
    assert made.kbs == ()
    assert made.reach is not None and made.reach.kbs == ((3, "法务"),)


async def test_an_unknown_name_and_a_name_in_code_change_nobody(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder)
    made = await desk.asked("@nobody `@writer` 查一下 writer@writer.example")
    assert (made.teammate.name, made.named) == ("generalist", ())
    assert made.question == "@nobody `@writer` 查一下 writer@writer.example"


async def test_without_teammates_the_bot_answers_itself(store: SqliteStore, tmp_path: Path) -> None:
    made = await Desk(store, tmp_path / "none").asked("@writer hi")
    assert (made.teammate.name, made.team) == ("threadmate", ())
    assert "semantic_search" in made.tools and "write_document" not in made.tools


async def test_a_channel_may_have_another_default_teammate(
    store: SqliteStore, folder: Path
) -> None:
    desk = Desk(store, folder, teammate="writer")
    assert (await desk.asked("hi")).teammate.name == "writer"
    desk = Desk(store, folder, teammate="nobody")
    assert (await desk.asked("hi")).teammate.name == "threadmate"


async def test_a_big_team_is_offered_in_part_and_whoever_is_named_always(
    store: SqliteStore, folder: Path
) -> None:
    for number in range(30):
        (folder / f"x{number:02}.md").write_text("---\ntools: read\n---\nrole", "utf-8")
    made = await Desk(store, folder).asked("@writer ask @x29 and @x28")
    assert [card.name for card in made.team][:2] == ["x29", "x28"]
    assert len(made.team) == 12
    assert (await Desk(store, folder).asked("@x17 hi")).teammate.name == "x17"
