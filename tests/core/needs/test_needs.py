"""The table of needs: asked once, decided once, by whoever owns what brings the decision."""

from __future__ import annotations

import pytest

from core.errors import LostRun
from core.events import Decision, Need
from core.journal import Claim, StoredJournal, claim_run, end_run
from core.needs import Asked, Needs, fits, need_id
from core.runs.queue import forget_runs
from core.store.sqlite import SqliteStore
from tests.rigs.platform import a_message

TOP_UP = Need(id="loop:1:call:1", what="approval", tool="t", title="T", arguments={"amount": 50})
QUESTION = Need(id="loop:1:call:2", what="answer", tool="ask", title="A", question="Where to?")
YES = Decision(by="memory:T1/U1", yes=True, digest=TOP_UP.digest, at=1.0)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def claimed(store: SqliteStore, run: str) -> Claim:
    return await store.write(
        lambda tx: claim_run(tx, run, "me", thread="th", scope="channel:c", person="memory:T1/U1")
    )


async def asked(store: SqliteStore, *needs: Need) -> tuple[Needs, Claim, list[Asked]]:
    room, claim = Needs(store, Clock()), await claimed(store, "m:1")
    message = a_message("top up")
    kept = await room.ask(claim, message, needs or (TOP_UP,), "en", "UTC", 60.0)
    return room, claim, kept


async def test_a_decision_is_written_into_the_journal_of_the_run_that_waits(
    store: SqliteStore,
) -> None:
    room, before, (need,) = await asked(store)
    click = await claimed(store, "c:1")
    now, theirs = await room.decide(click, need, YES, "other")
    assert now.state == "decided" and theirs is not None
    assert theirs.epoch == before.epoch + 1
    kept = await StoredJournal(store, theirs).kept(f"{TOP_UP.id}:decision", Decision)
    assert kept == YES


async def test_only_the_first_decision_counts_and_its_bringer_may_bring_it_again(
    store: SqliteStore,
) -> None:
    room, _, (need,) = await asked(store)
    first, second = await claimed(store, "c:1"), await claimed(store, "c:2")
    await room.decide(first, need, YES, "me")
    no = YES.model_copy(update={"yes": False})
    now, theirs = await room.decide(second, need, no, "me")
    assert theirs is None and now.decision == YES
    _, again = await room.decide(first, need, YES, "me")
    assert again is not None and again.epoch == 3


async def test_a_decision_whose_bringer_has_lost_its_run_is_not_written(
    store: SqliteStore,
) -> None:
    room, _, (need,) = await asked(store)
    click = await claimed(store, "c:1")
    await claimed(store, "c:1")
    with pytest.raises(LostRun):
        await room.decide(click, need, YES, "me")
    found = await room.get(need.body.id)
    assert found is not None and found.state == "open"


async def test_a_run_that_has_ended_is_not_woken(store: SqliteStore) -> None:
    room, claim, (need,) = await asked(store)
    await store.write(lambda tx: end_run(tx, claim, "stopped"))
    _, theirs = await room.decide(await claimed(store, "c:1"), need, YES, "me")
    assert theirs is None


async def test_what_is_asked_again_keeps_its_time_and_its_decision(store: SqliteStore) -> None:
    room, _, (need,) = await asked(store)
    _, theirs = await room.decide(await claimed(store, "c:1"), need, YES, "me")
    assert theirs is not None
    again, other = await room.ask(theirs, a_message("x"), [TOP_UP, QUESTION], "en", "UTC", 999.0)
    assert (again.state, again.body.expires_at) == ("decided", need.body.expires_at)
    assert other.state == "open"


def test_other_arguments_and_other_runs_are_other_needs() -> None:
    other = TOP_UP.model_copy(update={"arguments": {"amount": 51}})
    ids = {need_id("m:1", TOP_UP), need_id("m:1", other), need_id("m:2", TOP_UP)}
    assert len(ids) == 3
    assert max(map(len, ids)) <= 32, "they travel in buttons"


async def test_a_question_is_for_its_asker_in_its_thread_and_in_time(store: SqliteStore) -> None:
    room, _, _ = await asked(store, QUESTION)

    async def found(**changes: object) -> int:
        fields: dict[str, object] = {"key": "m:2", "sent_at": 1_010.0}
        return len(await room.questions_to(a_message("home", **(fields | changes))))

    assert await found() == 1
    assert await found(thread="2") == 0
    assert await found(author={"id": "memory:T1/U2"}) == 0
    assert await found(sent_at=990.0) == 0, "said before it was asked"
    assert await found(sent_at=1_061.0) == 0, "too late"
    assert await found(key="m:1") == 0, "a question does not answer itself"


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("ann@example.com", True),
        ("发到 ann.lee+x@mail.example.cn 吧", True),
        ("my usual address", False),
        ("@threadmate hello", False),
        ("a@b", False),
    ],
)
def test_an_address_is_wanted_where_an_address_is_asked_for(text: str, ok: bool) -> None:
    assert fits(text, QUESTION.model_copy(update={"expects": "email"})) is ok
    assert fits(text, QUESTION)


async def test_what_a_run_does_not_wait_for_any_more_is_void(store: SqliteStore) -> None:
    room, claim, (first, second) = await asked(store, TOP_UP, QUESTION)
    (left,) = await room.leave(claim, [second.body.id])
    assert (left.body.id, left.state) == (first.body.id, "void")
    assert [one.body.id for one in await room.open_in("memory:T1/C1/1")] == [second.body.id]


async def test_a_run_that_is_given_up_remembers_who_did_it(store: SqliteStore) -> None:
    room, _, _ = await asked(store)
    stop = await claimed(store, "m:2")
    assert await room.give_up(stop, "m:1", "me") is not None
    (void,) = await room.of("m:1")
    assert void.state == "void" and void.decision is not None
    assert void.decision.by == "memory:T1/U1"
    assert [one.body.run for one in await room.decided_in("m:2")] == ["m:1"]


async def test_old_runs_take_their_needs_with_them(store: SqliteStore) -> None:
    room, _, _ = await asked(store)
    await store.write(lambda tx: forget_runs(tx, ["m:1"]))
    assert await room.of("m:1") == []
