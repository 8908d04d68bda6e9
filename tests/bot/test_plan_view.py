"""A plan as people see it: what is ahead, at work, done, lost in a race, or waiting for them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platform import Speaker
from bot.presenter import Presenter, View
from bot.presenter.plan import MOST_STEPS, plan_text, window
from bot.presenter.view import Step
from core.events import (
    Body,
    Event,
    Need,
    PlanNode,
    PlanReady,
    Repaired,
    RunStarted,
    StepDone,
    StepDropped,
    StepFailed,
    StepStarted,
    Stopped,
    Suspended,
    TeammateChanged,
    TextDelta,
    TextTakenBack,
    Thought,
    WillRetry,
    event,
)
from core.journal import Claim
from core.settings import Settings
from tests.bot.test_presenter import CLAIM, MESSAGE, RESUMED, Clock, FakeOutbox, done

NEED = Need(id="node:n2:call", what="approval", tool="recharge", title="Top up 50")


def begun() -> RunStarted:
    return RunStarted(language="en", question="?")


def node(number: int, title: str = "", work: str = "tool", race: str = "") -> PlanNode:
    fields = {"id": f"node:n{number}", "title": title or f"Step {number}", "work": work}
    return PlanNode.model_validate(fields | {"race_group": race})


def started(number: int, title: str = "", kind: str = "tool") -> StepStarted:
    fields = {"id": f"node:n{number}", "title": title or f"Step {number}", "step": kind}
    return StepStarted.model_validate(fields)


def ended(number: int, summary: str = "") -> StepDone:
    return StepDone(id=f"node:n{number}", title=f"Step {number}", ms=1000, summary=summary)


def told(*said: Body | tuple[str, str, Body]) -> View:
    """The view after bodies; a triple has its path and its teammate in front."""
    view = View()
    for number, one in enumerate(said, 1):
        path, who, body = one if isinstance(one, tuple) else ("", "threadmate", one)
        view = view.fold(event("r", number, who, path, body))
    return view


def lines(view: View) -> list[str]:
    return plan_text(view, 2.0).split("  \n")


def test_a_plan_shows_what_is_ahead_and_the_nodes_keep_their_titles_and_places() -> None:
    plan = PlanReady(nodes=(node(1, "Look up the balance"), node(2, "Top up")))
    view = told(begun(), plan, ("node:n1", "threadmate", started(1, "get_balance")))
    assert lines(view) == ["▸ Look up the balance", "○ Top up"]
    view = view.fold(event("r", 9, "threadmate", "node:n1", ended(1, "10")))
    assert lines(view)[:2] == ["✓ Look up the balance · 10 · 1.0 s", "○ Top up"]


def test_a_new_plan_replaces_what_had_not_begun_and_leaves_what_was_done() -> None:
    view = told(
        begun(),
        PlanReady(nodes=(node(1), node(2), node(3))),
        ("node:n1", "threadmate", started(1)),
        ("node:n1", "threadmate", ended(1)),
        PlanReady(nodes=(node(4, "Another way"), node(5)), attempt=2),
    )
    assert [step.id for step in view.steps] == ["node:n1", "node:n4", "node:n5"]
    assert lines(view)[1:3] == ["○ Another way", "○ Step 5"]


def test_nobody_fails_in_a_race_that_was_won() -> None:
    view = told(
        begun(),
        PlanReady(nodes=(node(1, race="g"), node(2, race="g"), node(3, race="g"))),
        *(("", "threadmate", started(number)) for number in (1, 2, 3)),
        StepFailed(id="node:n1", title="Step 1", ms=100, reason="nothing found"),
        ended(2, "3 hits"),
        StepDropped(id="node:n3", title="Step 3", reason=""),
    )
    assert lines(view)[:3] == [
        "· Step 1 · nothing found",
        "✓ Step 2 · 3 hits · 1.0 s",
        "· Step 3 · another was faster",
    ]


def test_a_race_that_nobody_won_shows_who_failed() -> None:
    view = told(
        begun(),
        PlanReady(nodes=(node(1, race="g"),)),
        started(1),
        StepFailed(id="node:n1", title="Step 1", ms=100, reason="nothing found"),
    )
    assert lines(view)[0].startswith("✗ Step 1 · nothing found")


def test_a_plan_names_its_teammates_before_they_begin() -> None:
    writing = node(1, "Write it", "agent").model_copy(update={"teammate": "writer"})
    view = told(begun(), PlanReady(nodes=(writing,)))
    assert lines(view)[0] == "○ **writer** · Write it"
    done = StepDone(id="node:n1", title="Write it", ms=1000)
    view = told(begun(), PlanReady(nodes=(writing,)), started(1, "Write it", "agent"), done)
    assert lines(view)[0] == "✓ **writer** · Write it · 1.0 s"


def test_a_teammates_step_is_one_line_that_says_what_it_is_at() -> None:
    inner = StepStarted(id="node:n1/loop:1:call:1", step="search", title="Searching the documents")
    found = StepDone(id="node:n1/loop:1:call:1", title="Searching", ms=5, summary="3 hits")
    view = told(
        begun(),
        PlanReady(nodes=(node(1, "Research K8s", "agent"),)),
        ("node:n1", "threadmate", started(1, "Research K8s", "agent")),
        ("node:n1/loop:1", "researcher", inner),
        ("node:n1/loop:1", "researcher", TextDelta(text="thinking aloud")),
    )
    assert lines(view) == ["▸ **researcher** · Research K8s · Searching the documents"]
    assert view.text == "", "its words are not the answer"
    view = view.fold(event("r", 8, "researcher", "node:n1/loop:1", found))
    view = view.fold(event("r", 9, "threadmate", "node:n1", ended(1, "4 types")))
    assert lines(view)[0] == "✓ **researcher** · Research K8s · 4 types · 1 step · 1.0 s"


def test_a_teammate_that_takes_its_words_back_takes_nothing_from_the_answer() -> None:
    view = told(
        begun(),
        PlanReady(nodes=(node(1, work="agent"),)),
        TextDelta(text="the answer"),
        ("node:n1/loop:1", "researcher", TextTakenBack(reason="thought")),
        ("node:n1/loop:1", "researcher", Thought(text="hm")),
    )
    assert (view.text, view.thought) == ("the answer", "")


def test_repairs_and_short_waits_are_not_shown_and_long_ones_are_one_calm_line() -> None:
    calm = told(begun(), Repaired(line="strip", what="fences"), WillRetry(model="m", reason="429"))
    assert lines(calm) == ["▸ Thinking"]
    waiting = told(begun(), WillRetry(model="m", reason="429", wait_s=20.0))
    assert lines(waiting) == ["▸ The model is busy; trying again in 20 s"]
    again = waiting.fold(event("r", 9, "threadmate", "", TextDelta(text="so")))
    assert lines(again) == ["▸ Thinking"]


def test_what_waits_for_a_person_stays_in_the_plan_and_says_so() -> None:
    view = told(
        begun(),
        PlanReady(nodes=(node(1), node(2, "Top up 50"), node(3, "Tell the new balance"))),
        started(1),
        ended(1),
        started(2, "Top up 50"),
        Suspended(needs=(NEED,)),
    )
    assert lines(view)[1:] == [
        "◇ Top up 50 · waiting for you",
        "○ Tell the new balance",
        "Goes on when a person has decided · 2.0 s so far",
    ]


def test_a_call_that_was_held_back_waits_in_the_plan_as_well() -> None:
    other = NEED.model_copy(update={"id": "loop:1:call:2", "title": "Top up 70"})
    one = StepStarted(id="loop:1:call:1", step="tool", title="Top up 50")
    mine = NEED.model_copy(update={"id": "loop:1:call:1"})
    view = told(begun(), one, Suspended(needs=(mine, other)))
    assert lines(view)[:2] == ["◇ Top up 50 · waiting for you", "◇ Top up 70 · waiting for you"]


def test_a_stopped_plan_has_nothing_open() -> None:
    view = told(begun(), PlanReady(nodes=(node(1), node(2))), started(1), Stopped(by="u"))
    assert lines(view)[:2] == ["· Step 1", "· Step 2"]


STATES = st.sampled_from(["ahead", "running", "done", "failed", "dropped", "asked"])


@settings(max_examples=60)
@given(st.lists(STATES, max_size=30))
def test_of_a_long_plan_the_part_is_shown_where_the_work_is(states: list[str]) -> None:
    steps = [Step(f"node:n{n}", f"{n}", "tool", state) for n, state in enumerate(states)]  # pyright: ignore
    before, after = window(steps)
    assert 0 <= before <= after <= len(steps)
    assert after - before == min(len(steps), MOST_STEPS)
    first = next((at for at, step in enumerate(steps) if step.open), None)
    assert first is None or before <= first < after
    view = View(language="en", steps=tuple(steps))
    assert len(lines(view)) <= MOST_STEPS + 3


class Cast:
    """A run's events with the one who speaks, as the worker tells it."""

    def __init__(self, *bodies: Body | float, clock: Clock) -> None:
        self._bodies = bodies
        self._clock = clock
        self.speaker: Speaker | None = None

    async def events(self) -> AsyncIterator[Event]:
        for number, body in enumerate(self._bodies, 1):
            if isinstance(body, float):
                self._clock.now += body
                continue
            if isinstance(body, TeammateChanged):
                self.speaker = Speaker(name=body.name, avatar=body.avatar)
            yield event("r", number, "threadmate", "", body)


async def shown(*bodies: Body | float, claim: Claim = CLAIM, leg: int = 0) -> FakeOutbox:
    outbox, clock = FakeOutbox(), Clock()
    cast = Cast(*bodies, clock=clock)
    await Presenter(outbox, clock=clock).present(
        claim, MESSAGE, cast.events(), Settings(), leg=leg, speaker=lambda: cast.speaker
    )
    return outbox


async def test_after_a_switch_the_answer_comes_under_the_new_name() -> None:
    said = "I bring in the writer for this. " * 8
    outbox = await shown(
        begun(),
        0.5,
        TextDelta(text=said),
        1.0,
        TextTakenBack(reason="thought"),
        Thought(text=said),
        TeammateChanged(name="writer", avatar="✍️"),
        TextDelta(text="Here is the report."),
        done("Here is the report."),
    )
    early, late = outbox.last("post:answer:1"), outbox.last("post:answer:0.1:1")
    assert early.speaker is None and early.text == said.strip()
    assert late.speaker == Speaker(name="writer", avatar="✍️")
    assert late.text == "Here is the report."


async def test_a_post_keeps_the_speaker_that_it_was_made_with() -> None:
    outbox = await shown(
        begun(),
        StepStarted(id="s1", step="tool", title="Look"),
        3.0,
        StepDone(id="s1", title="Look", ms=5),
        TeammateChanged(name="writer"),
        1.0,
        StepStarted(id="s2", step="tool", title="Write"),
        1.0,
        StepDone(id="s2", title="Write", ms=5),
        done(),
    )
    assert {draft.speaker for draft in outbox.drafts["post:plan"]} == {None}


async def test_a_run_that_waits_leaves_its_plan_and_no_answer() -> None:
    outbox = await shown(
        begun(),
        PlanReady(nodes=(node(2, "Top up 50"),)),
        started(2),
        Suspended(needs=(NEED,)),
    )
    assert list(outbox.drafts) == ["post:plan"]
    assert "waiting for you" in outbox.last("post:plan").text
    assert outbox.last("post:plan").buttons == ()
    assert outbox.settled == ["post:plan"]


@pytest.mark.parametrize("leg", [1, 2])
async def test_what_is_said_after_a_decision_stands_below_what_was_said_before(leg: int) -> None:
    outbox = await shown(begun(), done("Topped up."), claim=RESUMED, leg=leg)
    assert outbox.last(f"post:answer:{leg}.0:1").text == "Topped up."


async def test_a_run_that_goes_on_does_not_show_its_repetition() -> None:
    outbox = await shown(
        begun(),
        0.1,
        PlanReady(nodes=(node(1), node(2))),
        0.1,
        ended(1),
        0.5,
        ended(2),
        done(),
        claim=RESUMED,
        leg=1,
    )
    first = outbox.drafts["post:plan"][0].text
    assert "✓ Step 1" in first and "✓ Step 2" in first


async def test_a_partly_written_answer_that_was_stopped_has_no_marks_without_sources() -> None:
    outbox = await shown(begun(), TextDelta(text="Twelve days [1], so far [2"), Stopped(by="x"))
    text = outbox.last("post:answer:1").text
    assert text.startswith("Twelve days, so far") and "[1]" not in text
