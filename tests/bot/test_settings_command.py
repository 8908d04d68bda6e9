"""`/settings`: what holds, why, and who may change it; and rights at the moment of use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.commands import Commands
from core.events import Answer, Usage
from core.feedback import Feedback
from core.messages import Message, Person
from core.quota import Amount, Asker, Quota
from core.request import Request
from core.settings import SettingsBook, SettingsStore
from core.store.sqlite import SqliteStore
from tests.core.fake_library import FakeLibrary
from tests.rigs.bank import another_person, open_bank, open_library
from tests.rigs.platform import a_message

ANN = Person(id="memory:T1/U1", language="en")
BOSS = Person(id="memory:T1/U9", language="en")


@dataclass
class Office:
    commands: Commands
    kept: SettingsStore
    quota: Quota
    feedback: Feedback

    async def say(self, text: str, person: Person = ANN, **changes: object) -> str:
        (draft,) = await self.commands.run(asked(text, person, **changes))
        return draft.text


def asked(text: str, person: Person = ANN, **changes: object) -> Message:
    fields = {"kind": "command", "command": "settings", "author": person} | changes
    return a_message(text, **fields)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def office(store: SqliteStore) -> Office:
    channel = asked("").place.channel
    book = SettingsBook(
        {"admins": (BOSS.id,), "web": "when_asked"}, {channel: {"steps": "replies"}}
    )
    kept, feedback = SettingsStore(store, book), Feedback(store)
    quota = Quota(store, {"person": Amount(requests=10)})
    commands = Commands(FakeLibrary(), book, kept=kept, quota=quota, feedback=feedback)
    return Office(commands, kept, quota, feedback)


async def test_each_value_names_its_layer(office: Office) -> None:
    await office.say("language zh")
    await office.say("channel mode rag", BOSS)
    rows = [line.split(" | ") for line in (await office.say("")).splitlines() if "`" in line]
    layers = {row[0].strip("| `"): row[2].rstrip(" |") for row in rows if len(row) == 3}
    assert layers["language"] == "you"
    assert layers["mode"] == "this channel"
    assert "[channels." in layers["steps"]
    assert layers["web"] == "threadmate.toml [defaults]"
    assert layers["cache"] == "built-in"


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("language 中文", "language", "zh"),
        ("语言 英文", "language", "en"),
        ("verbosity short", "verbosity", "short"),
        ("篇幅：详细", "verbosity", "long"),
        ("style 结构化，少用口语", "style", "结构化，少用口语"),
        ("time_zone 上海", "time_zone", "Asia/Shanghai"),
        ("web off", "web", "off"),
        ("model cheap", "model", "cheap"),
    ],
)
async def test_people_set_their_own_in_words_of_theirs(
    office: Office, text: str, name: str, value: str
) -> None:
    assert f"`{name}` is" in await office.say(text)
    place = asked("").place
    merged = office.kept.book.merged(place, ANN.id)
    assert (getattr(merged.settings, name), merged.layer(name)) == (value, "person")
    assert office.kept.book.merged(place, BOSS.id).layer(name) != "person"
    await office.say(f"reset {name}")
    assert office.kept.book.merged(place, ANN.id).layer(name) != "person"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lnguage zh", "no setting “lnguage”"),
        ("language", "needs a value"),
        ("language klingon", "cannot be “klingon”"),
        ("time_zone Narnia", "cannot be “Narnia”"),
        ("mode rag", "an admin sets it"),
        ("web on", "narrowed, not widened"),
        ("channel web off", "Only an admin"),
        ("quota @U2 100", "Only an admin"),
        ("feedback", "Only an admin"),
    ],
)
async def test_what_cannot_be_is_answered_with_the_way_out(
    office: Office, text: str, words: str
) -> None:
    assert words in await office.say(text)


async def test_an_admin_narrows_a_channel_and_its_people_cannot_widen_it(office: Office) -> None:
    await office.say("channel web off", BOSS)
    assert "`web` is off here (this channel)" in await office.say("web when_asked")
    await office.say("channel reset web", BOSS)
    assert office.kept.book.of(asked("").place).web == "when_asked"
    assert "on" in await office.say("channel feedback on", BOSS)
    assert office.kept.book.of(asked("").place).feedback


async def test_rights_are_listed(office: Office) -> None:
    text = await office.say("rights")
    assert "- ask: everybody" in text and "- approve: the asker" in text
    assert "- admin: <@U9>" in text


async def test_an_admin_sees_who_used_what_and_gives_more(office: Office) -> None:
    place = asked("").place
    asker = Asker(
        run="r1",
        thread="t",
        person=ANN.id,
        channel=place.channel,
        workspace=place.workspace,
        zone="UTC",
        place_zone="UTC",
    )
    await office.quota.reserve(asker)
    await office.quota.settle("r1", Usage(input_tokens=1_200, output_tokens=34, usd=0.5))
    mine = await office.say("quota")
    assert "| you | 1 / 10 | 1,234 | $0.50 |" in mine and "<@U1>" not in mine
    assert "| <@U1> | 1 / 10 | 1,234 | $0.50 |" in await office.say("quota", BOSS)
    assert "<@U1> may ask 200" in await office.say("quota @U1 200", BOSS, mentions=(ANN.id,))
    assert "/ 200 |" in await office.say("quota")
    assert "this channel may ask 5" in await office.say("quota channel 5", BOSS)
    await office.say("quota U1 reset", BOSS)
    assert "| you | 1 / 10 |" in await office.say("quota")
    assert "Write `/settings quota" in await office.say("quota much", BOSS)


async def test_feedback_is_shown_to_admins_with_question_and_run(office: Office) -> None:
    message = asked("")
    request = Request(
        run="m:7",
        place=message.place,
        asker=ANN,
        question="How many days?",
        language="en",
        time_zone="UTC",
        now=0.0,
        audience=(),
    )
    answer = Answer(text="15.", language="en", mode="rag", teammate="threadmate")
    await office.feedback.put(request, answer, ANN.id, "unhelpful")
    await office.feedback.put(request, answer, ANN.id, "helpful")
    text = await office.say("feedback", BOSS)
    assert "👍 1, 👎 0" in text and "How many days?" in text and "`m:7`" in text


@pytest.mark.parametrize("right", ["chat", "tools"])
async def test_a_right_that_was_taken_is_gone_at_once_and_says_who_has_it(
    store: SqliteStore, tmp_path: Path, right: str
) -> None:
    library = await open_library(store, tmp_path)
    bank = open_bank(
        store, library, tmp_path, approve=False, rights={right: (another_person().id,)}
    )
    await bank.say("recharge 50")
    assert bank.purse.paid == []
    ((person, told),) = bank.platform.whispers
    assert person == ANN.id and "<@U2>" in told
    await bank.say("recharge 50", "m:2", author=another_person())
    assert bank.purse.paid == [50]
    await bank.close()
    await library.close()
