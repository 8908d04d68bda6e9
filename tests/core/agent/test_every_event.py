"""Whole runs, stopped at every event, and killed at every event and begun again.

One run of each kind: a plan with a race, an effect, a sub-agent and a click; a loop of three rounds
with an effect; a tool with a click; a loop that asks a teammate.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.agent import Agent
from core.context import DEPTHS, Depth, StopSignal
from core.events import Decision, Event, Suspended
from core.model.calls import deltas_of
from core.model.protocol import Delta, ModelRequest, Reply
from core.model.scripted import calling
from core.request import Request, TeammateCard
from core.router import Route
from core.tools.tool import Arguments, Effect, Tool, ToolResult
from core.tools.toolbox import Bound, Maker, Toolbox
from tests.core.agent.test_resume import Counting
from tests.core.fake_library import handbook, request

ONCE = ("send", "pay")


class Word(Arguments):
    word: str


@dataclass
class Desk:
    """Tools that count what they did, over all lives of a run."""

    calls: Counter[str] = field(default_factory=Counter[str])

    def box(self) -> Toolbox:
        makers = {
            "read": self.maker("read"),
            "slow": self.maker("slow", ticks=40),
            "send": self.maker("send", "external"),
            "pay": self.maker("pay", "external", needs_approval=True),
        }
        return Toolbox(makers)

    def maker(
        self, name: str, effect: Effect = "read", ticks: int = 2, needs_approval: bool = False
    ) -> Maker:
        async def work(given: Word) -> ToolResult:
            for _ in range(ticks):
                await asyncio.sleep(0)
            self.calls[f"{name} {given.word}"] += 1
            await asyncio.sleep(0)
            return ToolResult(text=f"{name} of {given.word}", summary=given.word)

        def make(bound: Bound) -> Tool:
            del bound
            return Tool(
                name=name,
                description=f"Does {name}.",
                arguments=Word,
                run=work,
                title=lambda given: f"{name} {given.word}",
                effect=effect,
                needs_approval=needs_approval,
                pinned=True,
            )

        make.effect = effect  # type: ignore[attr-defined]
        return make


@dataclass
class Mind:
    """A model that answers by what it is shown, so that a resumed run gets the same words."""

    says: Callable[[ModelRequest], str | Reply]
    name: str = "mind"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        said = self.says(request)
        for delta in deltas_of(Reply(text=said) if isinstance(said, str) else said):
            await asyncio.sleep(0)
            yield delta

    async def close(self) -> None:
        """Nothing is held open."""


def results(sent: ModelRequest) -> int:
    return sum(message.role == "tool" for message in sent.messages)


def node(name: str, tool: str, *needs: str, race: str = "") -> dict[str, Any]:
    given = {"word": f"${{{needs[0]}}}" if needs and tool != "pay" else name}
    return {
        "id": name, "title": f"T {name}", "tool": tool, "arguments": given,
        "depends_on": list(needs), "race_group": race,
    }  # fmt: skip


PLAN = [
    node("a", "read", race="r"),
    node("b", "slow", race="r"),
    node("c", "send", "a"),
    {"id": "d", "title": "T d", "teammate": "writer", "task": "Write it.", "depends_on": ["a"]},
    node("e", "pay", "c"),
]


def planning(sent: ModelRequest) -> str | Reply:
    asked = sent.messages[-1].text
    if "WRITER" in sent.messages[0].text:
        return "Written." if results(sent) else calling(("read", {"word": "w"}))
    if "T a" in asked:
        return "All done."
    return json.dumps({"nodes": PLAN})


def looping(sent: ModelRequest) -> str | Reply:
    steps = [
        calling(("read", {"word": "x"}), ("slow", {"word": "y"}), text="First I look."),
        calling(("send", {"word": "x"}), ("pay", {"word": "y"})),
    ]
    count = results(sent)
    return "All done." if count >= 4 else steps[count // 2]


def asking(sent: ModelRequest) -> str | Reply:
    if "WRITER" in sent.messages[0].text:
        steps = ("read", "send")
        count = results(sent)
        return "Written." if count >= 2 else calling((steps[count], {"word": "w"}))
    ask = calling(("ask_teammate", {"name": "writer", "task": "Write it."}))
    return "All done." if results(sent) else ask


def phrasing(sent: ModelRequest) -> str:
    return "All done."


MINDS: dict[str, Callable[[ModelRequest], str | Reply]] = {
    "react": planning, "loop": looping, "tool": phrasing, "sub-agent": asking,
}  # fmt: skip


@dataclass
class Story:
    """One run of a kind, over all its lives."""

    kind: str
    desk: Desk = field(default_factory=Desk)
    journal: Counting = field(default_factory=Counting)

    async def live(
        self, *, stop_at: int = 0, depth: Depth = "soon", kill_at: int = 0
    ) -> list[Event]:
        """One life; afterwards nothing of it is alive."""
        before, stop, seen = asyncio.all_tasks(), StopSignal(), list[Event]()
        agent = Agent(handbook(), Mind(MINDS[self.kind]), self.desk.box())
        route = Route(mode="loop", reason="test")
        if self.kind in ("react", "tool"):
            mode: Any = self.kind
            route = Route(mode=mode, reason="test", tool="pay", arguments={"word": "t"})
        self.journal.rows.setdefault("route", route.model_dump_json())

        async def assemble() -> Request:
            team = (TeammateCard(name="writer", role="WRITER", tools=("read", "send")),)
            tools = ("read", "slow", "send", "pay")
            return request("Do it.", tools=tools, team=team, reach=REACH)

        async with agent.run("run-1", assemble, self.journal, stop) as events:
            async for event in events:
                seen.append(event)
                if event.number == stop_at:
                    stop.set("slack:T1/U1", depth)
                if event.number == kill_at:
                    break
        assert asyncio.all_tasks() <= before
        return seen

    async def on(self) -> list[Event]:
        """Lives until it has ended, with a yes to all that is asked."""
        while True:
            seen = await self.live()
            assert_sound(seen)
            last = seen[-1].body
            if not isinstance(last, Suspended):
                return seen
            for need in last.needs:
                said = Decision(by="slack:T1/U1", yes=True, digest=need.digest, at=1.0)
                self.journal.rows[f"{need.id}:decision"] = said.model_dump_json()

    def twice(self) -> dict[str, int]:
        """Effects that happened more than once."""
        return {
            call: count
            for call, count in self.desk.calls.items()
            if call.split()[0] in ONCE and count > 1
        }


REACH = {"effects": ("send", "pay")}


def assert_sound(seen: list[Event]) -> None:
    assert [event.number for event in seen] == list(range(1, len(seen) + 1))
    assert [event.terminal for event in seen] == [False] * (len(seen) - 1) + [True]


KINDS = pytest.mark.parametrize("kind", list(MINDS))


@KINDS
async def test_the_run_does_what_it_is_to_do(kind: str) -> None:
    story = Story(kind)
    seen = await story.on()
    assert seen[-1].kind == "done", seen[-1]
    assert seen[-1].body.answer.text == "All done."  # type: ignore[union-attr]
    done = {
        "react": {"read a", "send read of a", "read w", "pay e"},
        "loop": {"read x", "slow y", "send x", "pay y"},
        "tool": {"pay t"},
        "sub-agent": {"read w", "send w"},
    }
    assert set(story.desk.calls) == done[kind]
    assert set(story.desk.calls.values()) == {1}


@KINDS
@pytest.mark.parametrize("depth", DEPTHS)
async def test_stopped_at_any_event_it_ends_and_nothing_lives_on(kind: str, depth: Depth) -> None:
    whole = await Story(kind).live()
    for at in range(1, len(whole)):
        story = Story(kind)
        seen = await story.live(stop_at=at, depth=depth)
        assert_sound(seen)
        assert seen[-1].kind in ("stopped", "done", "suspended"), (at, seen[-1])
        # The tool's run asks for its click before anyone can have read its first event.
        if at < len(whole) - 2 and depth == "now" and kind != "tool":
            assert seen[-1].kind == "stopped", at
        assert story.twice() == {}


@KINDS
async def test_killed_at_any_event_it_goes_on_and_no_effect_happens_twice(kind: str) -> None:
    whole = await Story(kind).on()
    count = len(await Story(kind).live())
    for at in range(1, count):
        story = Story(kind)
        await story.live(kill_at=at)
        again = await story.on()
        assert again[-1].kind == "done", at
        if any("unknown_outcome" in row for row in story.journal.rows.values()):
            # Killed in the middle of an effect: it is not repeated, and the model is told.
            assert again[-1].body.answer.text == "All done."  # type: ignore[union-attr]
        else:
            assert again[-1].body == whole[-1].body, at
        assert story.twice() == {}
        assert set(story.journal.done.values()) == {1}, at


@KINDS
async def test_killed_again_and_again_a_little_later_each_time_it_still_comes_to_its_end(
    kind: str,
) -> None:
    story = Story(kind)
    for at in range(2, 30, 3):
        await story.live(kill_at=at)
    assert (await story.on())[-1].kind == "done"
    assert story.twice() == {}
