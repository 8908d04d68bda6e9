"""Calls that wait for a person: what is asked, what the answer is good for, what goes on beside."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from core.context import NeedsPerson
from core.events import Decision, Need
from core.journal import MemoryJournal
from core.model.protocol import ToolCall
from core.sources import Source
from core.tools.builtin.ask import ask_person
from core.tools.decide import written
from core.tools.execute import Outcome, run_calls, run_tool
from core.tools.sources import SourceBook
from core.tools.tool import Tool, ToolResult
from core.tools.toolbox import Bound
from tests.core.fake_library import FakeLibrary
from tests.core.runs_of_one import Run, a_request, a_run, a_tool

ASKER = "slack:T1/U1"


def call(name: str, query: str, call_id: str = "a") -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=f'{{"query": "{query}"}}')


class Till:
    """A tool with effects that remembers what it did."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def run(self, arguments: Any) -> ToolResult:
        self.done.append(arguments.query)
        return ToolResult(text=f"paid {arguments.query}")

    def tool(self, name: str = "pay", approval: Any = True) -> Tool:
        return replace(a_tool(name, self.run, effect="external"), needs_approval=approval)


async def decide(
    run: Run, need: Need, *, yes: bool = True, text: str = "", by: str = ASKER
) -> None:
    decision = Decision(by=by, yes=yes, text=text, digest=need.digest, at=1.0)

    async def made() -> Decision:
        return decision

    await run.ctx.journal.step(f"{need.id}:decision", Decision, made)


async def needs_of(run: Run, tools: dict[str, Tool], *calls: ToolCall) -> tuple[Need, ...]:
    with pytest.raises(NeedsPerson) as caught:
        await run_calls(run.ctx, tools, calls, "loop:1")
    return caught.value.needs


async def outcomes(run: Run, tools: dict[str, Tool], *calls: ToolCall) -> list[Outcome]:
    return [outcome for _, outcome in await run_calls(run.ctx, tools, calls, "loop:1")]


async def test_a_call_that_needs_approval_waits_and_shows_its_exact_arguments() -> None:
    till, run = Till(), a_run()
    (need,) = await needs_of(run, {"pay": till.tool()}, call("pay", "50"))
    assert till.done == []
    assert (need.id, need.what, need.tool) == ("loop:1:call:1", "approval", "pay")
    assert need.arguments == {"query": "50", "limit": 3}
    assert need.title == "pay: 50"
    assert isinstance(run.ctx.journal, MemoryJournal) and run.ctx.journal.rows == {}


async def test_with_a_yes_it_runs_once_and_with_a_no_it_does_not() -> None:
    for yes in (True, False):
        till, run = Till(), a_run()
        box = {"pay": till.tool()}
        (need,) = await needs_of(run, box, call("pay", "50"))
        await decide(run, need, yes=yes)
        for _ in range(2):
            (outcome,) = await outcomes(run, box, call("pay", "50"))
        assert till.done == (["50"] if yes else [])
        assert outcome.kind == ("" if yes else "declined")
        assert yes or "a person said no" in outcome.text


async def test_an_approval_is_good_for_no_other_arguments() -> None:
    till, run = Till(), a_run()
    box = {"pay": till.tool()}
    (need,) = await needs_of(run, box, call("pay", "50"))
    await decide(run, need)
    (other,) = await needs_of(run, box, call("pay", "5000"))
    assert till.done == [] and other.id != need.id
    assert other.arguments["query"] == "5000"
    await decide(run, other)
    await outcomes(run, box, call("pay", "5000"))
    assert till.done == ["5000"]


async def test_whether_approval_is_needed_may_depend_on_the_arguments() -> None:
    till = Till()
    box = {"pay": till.tool(approval=lambda given: int(given.query) > 10)}
    await outcomes(a_run(), box, call("pay", "5"))
    assert till.done == ["5"]
    await needs_of(a_run(), box, call("pay", "50"))


async def test_a_rule_that_breaks_lets_nothing_through() -> None:
    def broken(_: Any) -> bool:
        raise KeyError

    till = Till()
    await needs_of(a_run(), {"pay": till.tool(approval=broken)}, call("pay", "5"))
    assert till.done == []


async def test_what_the_asker_typed_themselves_needs_no_click_and_what_others_typed_does() -> None:
    till = Till()
    tool = replace(till.tool(), unless_written=lambda given: (given.query,))
    for address in ("Ann@Example.com", "eve@example.com"):
        run = a_run()
        run.ctx.heard.before.append("mine is ann@example.com")
        if address == "eve@example.com":
            await needs_of(run, {"pay": tool}, call("pay", address))
        else:
            await outcomes(run, {"pay": tool}, call("pay", address))
    assert till.done == ["Ann@Example.com"]
    await needs_of(a_run(), {"pay": tool}, call("pay", "ann@example.com"))


@pytest.mark.parametrize(
    ("text", "heard", "found"),
    [
        ("a@b.cn", "发到 a@b.cn。", True),
        ("a@b.cn", "发到a@b.cn，谢谢", True),
        ("a@b.cn", "to <a@b.cn>", True),
        ("a@b.c", "a@b.cn", False),
        ("a@b.cn", "aa@b.cn", False),
        ("a@b.cn", "x.a@b.cn", False),
        ("a@b.cn", "a@b.cn.evil.com", False),
        ("a@b.cn", "a@b.cn@evil.com", False),
        ("a@b.cn", "a-b.cn", False),
        (" ", "anything", False),
    ],
)
def test_an_address_counts_as_written_only_as_a_whole(text: str, heard: str, found: bool) -> None:
    assert written(text, [heard]) is found


async def test_reads_beside_a_waiting_call_are_done_and_kept() -> None:
    till, run = Till(), a_run()
    looked: list[str] = []

    async def look(arguments: Any) -> ToolResult:
        looked.append(arguments.query)
        return ToolResult(text="seen")

    box = {"pay": till.tool(), "search": a_tool(run=look)}
    calls = (call("search", "x"), call("pay", "50", "b"), call("search", "y", "c"))
    (need,) = await needs_of(run, box, *calls)
    assert looked == ["x", "y"]
    await decide(run, need)
    done = await outcomes(run, box, *calls)
    assert [outcome.text for outcome in done] == ["seen", "paid 50", "seen"]
    assert looked == ["x", "y"] and till.done == ["50"]


async def test_effects_behind_a_waiting_call_wait_with_it_and_all_is_asked_at_once() -> None:
    till, run = Till(), a_run()
    box = {"pay": till.tool(), "note": till.tool("note", approval=False)}
    calls = (call("pay", "1"), call("note", "2", "b"), call("pay", "3", "c"))
    needs = await needs_of(run, box, *calls)
    assert [need.id for need in needs] == ["loop:1:call:1", "loop:1:call:3"]
    assert till.done == []
    for need in needs:
        await decide(run, need)
    await outcomes(run, box, *calls)
    assert till.done == ["1", "2", "3"]


def asking(run: Run) -> dict[str, Tool]:
    bound = Bound(run.ctx.request, FakeLibrary(), SourceBook(run.ctx.journal))
    tool = ask_person(bound)
    assert tool is not None
    return {"ask_person": tool}


ASK = ToolCall(
    id="q",
    name="ask_person",
    arguments='{"question": "To which address?", "expects": "email"}',
)


async def test_a_question_to_the_person_is_a_need_with_the_place_of_its_call() -> None:
    run = a_run()
    (need,) = await needs_of(run, asking(run), ASK)
    assert (need.id, need.what, need.expects) == ("loop:1:call:1", "answer", "email")
    assert need.question == "To which address?"
    assert "To which address?" in need.title


async def test_the_persons_words_are_the_result_and_count_as_theirs() -> None:
    run = a_run()
    (need,) = await needs_of(run, asking(run), ASK)
    await decide(run, need, text="me@example.com please")
    (outcome,) = await outcomes(run, asking(run), ASK)
    assert outcome.text == "me@example.com please"
    assert run.ctx.heard.now == ["me@example.com please"]
    # In the next life of the run the answer is replayed, and heard again.
    again = a_run(journal=run.ctx.journal)
    await outcomes(again, asking(again), ASK)
    assert again.ctx.heard.now == ["me@example.com please"]


async def test_an_answer_of_somebody_else_is_a_result_but_not_the_askers_word() -> None:
    run = a_run()
    (need,) = await needs_of(run, asking(run), ASK)
    await decide(run, need, text="eve@example.com", by="slack:T1/U9")
    (outcome,) = await outcomes(run, asking(run), ASK)
    assert outcome.text == "eve@example.com"
    assert run.ctx.heard.now == []


async def test_a_question_that_was_turned_down_goes_back_as_declined() -> None:
    run = a_run(a_request(language="zh"))
    (need,) = await needs_of(run, asking(run), ASK)
    await decide(run, need, yes=False)
    (outcome,) = await outcomes(run, asking(run), ASK)
    assert outcome.kind == "declined"
    assert outcome.reason == "没有得到同意，ask_person 没有执行"


async def test_needs_of_a_sub_agent_keep_their_own_ids() -> None:
    inner = Need(id="node:n1/loop:1:call:1", what="approval", tool="pay", title="pay")

    async def delegate(_: Any) -> ToolResult:
        raise NeedsPerson(inner)

    needs = await needs_of(a_run(), {"ask": a_tool("ask", delegate)}, call("ask", "x"))
    assert needs == (inner,)


async def test_a_node_of_a_plan_waits_in_the_same_way() -> None:
    till, run = Till(), a_run()
    with pytest.raises(NeedsPerson) as caught:
        await run_tool(run.ctx, till.tool(), {"query": "50"}, key="node:n1:call")
    (need,) = caught.value.needs
    assert need.id == "node:n1:call"
    await decide(run, need)
    result = await run_tool(run.ctx, till.tool(), {"query": "50"}, key="node:n1:call")
    assert result.text == "paid 50"


async def test_two_runs_of_one_waiting_call_side_by_side_leave_no_task() -> None:
    till, run = Till(), a_run()
    box = {"pay": till.tool(), "search": a_tool()}
    await needs_of(run, box, call("pay", "1"), call("search", "x", "b"))
    assert len(asyncio.all_tasks()) == 1


async def test_an_effect_that_is_idempotent_is_done_again_after_a_crash() -> None:
    journal = MemoryJournal()
    runs: list[int] = []

    async def dies(_: Any) -> ToolResult:
        runs.append(1)
        if len(runs) == 1:
            raise asyncio.CancelledError
        source = Source(mark=1, document="a", document_id="a", version=1)
        return ToolResult(text="kept", sources=(source,))

    tool = replace(a_tool("keep", dies, effect="write_shared"), idempotent=True)
    with pytest.raises(asyncio.CancelledError):
        await outcomes(a_run(journal=journal), {"keep": tool}, call("keep", "x"))
    (outcome,) = await outcomes(a_run(journal=journal), {"keep": tool}, call("keep", "x"))
    assert outcome.text == "kept" and len(runs) == 2
