"""The hand of a loop: tools that come, go, are loaded and asked for; one purse for all."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from core.context import Limits, NeedsPerson, Purse
from core.events import Decision, Usage
from core.journal import MemoryJournal
from core.model.protocol import ModelRequest, Reply, ToolCall
from core.model.scripted import ScriptedModel, Step, calling
from core.modes import loop
from core.modes.loop import LoopAnswer
from core.prompt import thread_messages
from core.tools.choose import Chooser, Shelf
from core.tools.execute import Outcome
from core.tools.hand import FixedHand, Held
from core.tools.tool import Tool, ToolResult
from tests.core.runs_of_one import Run, a_run, a_tool


@dataclass
class ShelfHand:
    """A hand with a shelf, as a teammate has one; `tools` may be changed by a test."""

    tools: dict[str, Tool]
    question: str = "leave"
    teammate: str = "threadmate"
    shelf: Shelf = field(init=False)
    lasts: list[bool] = field(default_factory=list[bool])

    def __post_init__(self) -> None:
        self.shelf = Shelf(Chooser(), self.question, "en", limit=1)

    async def hold(self, last: bool) -> Held:
        self.lasts.append(last)
        loaded, unloaded = await self.shelf.split(self.tools)
        return Held(f"You are {self.teammate}.", loaded, unloaded)

    def saw(self, call: ToolCall, outcome: Outcome) -> None:
        self.shelf.saw(outcome)
        self.teammate = outcome.teammate or self.teammate


def box(*names: str) -> dict[str, Tool]:
    return {name: a_tool(name) for name in names}


async def work(run: Run, model: ScriptedModel, hand: Any, **more: Any) -> LoopAnswer:
    return await loop.run(run.ctx, model, hand, thread_messages(run.ctx.request), **more)


def names(request: ModelRequest) -> list[str]:
    return [tool.name for tool in request.tools]


def said(name: str, query: str = "x") -> Reply:
    return calling((name, {"query": query}))


async def test_a_call_of_a_tool_that_is_not_loaded_is_refused_once_for_free_and_loads_it() -> None:
    model = ScriptedModel([said("weather"), said("weather"), "Dry."])
    run, hand = a_run(), ShelfHand(box("leave", "weather", "food"))
    answer = await work(run, model, hand)
    assert answer.text == "Dry."
    assert "weather" not in names(model.calls[0])
    refusal = model.calls[1].messages[-1].text
    assert "error: not_loaded" in refusal and "parameters: query, limit (optional)" in refusal
    assert "weather" in names(model.calls[1]) and "food" not in names(model.calls[1])
    assert run.ctx.purse.usage.tool_calls == answer.usage.tool_calls == 1
    assert run.kinds().count("step_started") == 1


async def test_a_resumed_run_has_the_same_tools_loaded() -> None:
    journal = MemoryJournal()
    tools = box("leave", "weather", "food")
    first = ScriptedModel([said("weather"), said("weather"), asyncio.CancelledError()])
    with pytest.raises(asyncio.CancelledError):
        await work(a_run(journal=journal), first, ShelfHand(tools))
    second = ScriptedModel(["Dry."])
    await work(a_run(journal=journal), second, ShelfHand(tools))
    assert names(second.calls[0]) == names(first.calls[2])


async def test_tools_that_come_and_go_are_seen_at_the_next_call_of_the_model() -> None:
    hand = ShelfHand(box("leave"))

    def changes(_: ModelRequest) -> Step:
        hand.tools = box("news")
        return said("leave")

    model = ScriptedModel([changes, said("leave"), said("news"), "Done."])
    run = a_run()
    assert (await work(run, model, hand)).text == "Done."
    assert [names(request) for request in model.calls] == [["leave"], ["news"], ["news"], ["news"]]
    # The snapshot of its own call still holds; one call later the tool is unknown.
    assert "[1] x" in model.calls[1].messages[-1].text
    assert "unknown_tool" in model.calls[2].messages[-1].text


async def test_a_switch_of_teammate_changes_the_system_text_of_the_next_call() -> None:
    async def switch(_: Any) -> ToolResult:
        return ToolResult(text="ok", details={"teammate": "writer"})

    hand = ShelfHand({"switch": a_tool("switch", switch)})
    model = ScriptedModel([said("switch"), "Hello."])
    await work(a_run(), model, hand)
    texts = [request.messages[0].text for request in model.calls]
    assert texts[0].startswith("You are threadmate.") and texts[1].startswith("You are writer.")


async def test_a_call_written_as_text_is_known_also_when_the_hand_is_empty_in_the_last_round() -> (
    None
):
    class Empty(ShelfHand):
        async def hold(self, last: bool) -> Held:
            return Held("s", {}) if last else await super().hold(last)

    bare = '{"name": "leave", "arguments": {"query": "x"}}'
    run = a_run()
    answer = await work(run, ScriptedModel([said("leave"), bare]), Empty(box("leave")), rounds=2)
    assert "arguments" not in answer.text and run.shown() == answer.text


async def test_the_hand_is_told_of_the_last_round() -> None:
    hand = ShelfHand(box("leave"))
    model = ScriptedModel([said("leave"), "15."])
    await work(a_run(), model, hand, rounds=2)
    assert hand.lasts[-1] is True and model.calls[-1].tools == ()


@pytest.mark.parametrize(("own", "run_wide", "asked"), [(2, 10, 2), (10, 3, 3), (None, 4, 4)])
async def test_rounds_of_a_teammate_only_narrow_those_of_the_run(
    own: int | None, run_wide: int, asked: int
) -> None:
    steps: Sequence[Step] = [said("leave", str(number)) for number in range(asked - 1)]
    model = ScriptedModel([*steps, "Enough."])
    run = a_run(limits=Limits(rounds=run_wide))
    answer = await work(run, model, FixedHand("s", box("leave")), rounds=own)
    model.assert_complete()
    assert answer.stopped_by_limit


async def test_what_others_spent_counts_against_the_same_purse() -> None:
    run = a_run(limits=Limits(requests=6, tool_calls=5))
    run.ctx.purse.spend(Usage(requests=4, tool_calls=4))
    model = ScriptedModel([said("leave"), "Enough."])
    answer = await work(run, model, FixedHand("s", box("leave")))
    assert answer.stopped_by_limit
    assert (answer.usage.requests, answer.usage.tool_calls) == (2, 1)
    assert (run.ctx.purse.usage.requests, run.ctx.purse.usage.tool_calls) == (6, 5)


@pytest.mark.parametrize(
    ("spent", "limits", "sentence"),
    [
        (Usage(requests=50), Limits(), "all 50 model calls are used up"),
        (Usage(usd=2.0), Limits(usd=1.0), "the budget of money is used up"),
        (Usage(input_tokens=9_999), Limits(tokens=10_000), "the budget of text is used up"),
    ],
)
async def test_an_empty_purse_asks_no_model_and_says_which_limit_it_was(
    spent: Usage, limits: Limits, sentence: str
) -> None:
    run = a_run(limits=limits)
    run.ctx.purse.spend(spent)
    answer = await work(run, ScriptedModel([]), FixedHand("s", box("leave")))
    assert answer.by_code and answer.stopped_by_limit and sentence in answer.text


async def test_keys_and_events_of_a_sub_agent_begin_with_its_path() -> None:
    run = a_run()
    model = ScriptedModel([said("leave"), "15."])
    await work(run, model, FixedHand("s", box("leave")), path="node:n2/loop")
    assert isinstance(run.ctx.journal, MemoryJournal)
    assert list(run.ctx.journal.rows) == [
        "node:n2/loop:1:model",
        "node:n2/loop:1:call:1",
        "node:n2/loop:2:model",
    ]
    assert all(path.startswith("node:n2/loop") for path, _ in run.events)


async def test_equal_calls_are_equal_whatever_their_spaces() -> None:
    ways = ['{"query": "a", "limit": 1}', '{"limit":1,"query":"a"}', '{ "query":"a","limit":1 }']
    model = ScriptedModel([*(calling(("leave", way)) for way in ways), "Nothing new."])
    answer = await work(a_run(), model, FixedHand("s", box("leave")))
    assert answer.stopped_by_limit and model.calls[-1].tools == ()


def paying(done: list[str]) -> Mapping[str, Tool]:
    async def pay(arguments: Any) -> ToolResult:
        done.append(arguments.query)
        return ToolResult(text=f"paid {arguments.query}")

    tool = replace(a_tool("pay", pay, effect="external"), needs_approval=True)
    return {"pay": tool, "leave": a_tool("leave")}


async def test_a_loop_that_waits_for_a_click_goes_on_where_it_was_and_pays_once() -> None:
    done: list[str] = []
    journal = MemoryJournal()
    hand = FixedHand("s", paying(done))
    model = ScriptedModel([calling(("leave", {"query": "a"}), ("pay", {"query": "50"}))])
    run = a_run(journal=journal)
    with pytest.raises(NeedsPerson) as caught:
        await work(run, model, hand)
    (need,) = caught.value.needs
    assert done == [] and "loop:1:call:1" in journal.rows

    async def yes() -> Decision:
        return Decision(by="slack:T1/U1", yes=True, digest=need.digest, at=1.0)

    await journal.step(f"{need.id}:decision", Decision, yes)
    later = ScriptedModel(["Paid."])
    answer = await work(a_run(journal=journal), later, hand)
    assert (answer.text, done) == ("Paid.", ["50"])
    results = [message.text for message in later.calls[0].messages if message.role == "tool"]
    assert "[1] a" in results[0] and "paid 50" in results[1]


async def test_a_no_goes_back_to_the_model_which_answers() -> None:
    done: list[str] = []
    journal = MemoryJournal()
    hand = FixedHand("s", paying(done))
    with pytest.raises(NeedsPerson) as caught:
        await work(a_run(journal=journal), ScriptedModel([said("pay", "50")]), hand)
    (need,) = caught.value.needs

    async def no() -> Decision:
        return Decision(by="slack:T1/U1", yes=False, digest=need.digest, at=1.0)

    await journal.step(f"{need.id}:decision", Decision, no)
    later = ScriptedModel(["Then not."])
    run = a_run(journal=journal)
    answer = await work(run, later, hand)
    assert (answer.text, done) == ("Then not.", [])
    assert "error: declined" in later.calls[0].messages[-1].text
    assert "step_failed" in run.kinds()


async def test_a_purse_shared_by_two_loops_is_never_overdrawn() -> None:
    run = a_run(limits=Limits(tool_calls=3))
    tools = box("leave")
    many = calling(*(("leave", {"query": str(number)}) for number in range(3)))
    for path in ("node:n1/loop", "node:n2/loop"):
        model = ScriptedModel([many, "Done."])
        await work(run, model, FixedHand("s", tools), path=path)
    assert run.ctx.purse.usage.tool_calls == 3
    assert run.kinds().count("step_started") == 3
    assert isinstance(run.ctx.purse, Purse)
