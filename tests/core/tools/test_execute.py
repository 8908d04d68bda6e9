"""Calls of a model: what runs, what does not, what the model, people and the journal get."""

import asyncio
import contextlib
import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict

from core.errors import RunStopped, ToolFailed
from core.events import StepDone, StepFailed, StepStarted
from core.journal import MemoryJournal
from core.model.protocol import ToolCall
from core.tools.arguments import Rejected, checked
from core.tools.execute import RESULT_CHARACTERS, Outcome, bounded, run_calls, run_tool
from core.tools.tool import Arguments, Tool, ToolResult
from tests.core.runs_of_one import Query, Run, a_request, a_run, a_tool


def call(arguments: Any, name: str = "search", call_id: str = "a") -> ToolCall:
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(id=call_id, name=name, arguments=raw)


async def outcome(run: Run, tool: Tool, arguments: Any, name: str = "") -> Outcome:
    done = await run_calls(run.ctx, {tool.name: tool}, [call(arguments, name or tool.name)], "r")
    return done[0][1]


def box(*tools: Tool) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools}


async def test_a_call_is_a_step_that_people_see() -> None:
    run = a_run()
    done = await outcome(run, a_tool(), {"query": "leave"})
    assert done.text == "[1] leave"
    started, ended = (body for _, body in run.events)
    assert started == StepStarted(id="r:call:1", step="search", title="search: leave")
    assert isinstance(ended, StepDone)
    assert (ended.id, ended.summary, ended.replayed) == ("r:call:1", "leave", False)


@pytest.mark.parametrize(
    ("name", "near"), [("serach", "search"), ("Search", "search"), ("find_天气", "weather")]
)
async def test_an_unknown_tool_is_refused_with_near_names(name: str, near: str) -> None:
    run = a_run()
    weather = Tool("weather", "查天气", Query, a_tool().run, lambda _: "")
    done = await run_calls(run.ctx, box(a_tool(), weather), [call({}, name)], "r")
    assert done[0][1].error.startswith("error: unknown_tool")
    assert f"near names: {near}" in done[0][1].error
    assert isinstance(run.events[-1][1], StepFailed)


async def test_reasons_are_in_the_language_of_the_person() -> None:
    run = a_run(a_request(language="zh"))
    done = await run_calls(run.ctx, {}, [call({}, "weather")], "r")
    assert done[0][1].reason == "没有名为 weather 的工具"


async def test_missing_and_wrong_arguments_are_listed_and_nothing_runs() -> None:
    async def never(_: Any) -> ToolResult:
        raise AssertionError("ran")

    done = await outcome(a_run(), a_tool(run=never), {"limit": "many", "colour": 1})
    assert "error: bad_arguments" in done.error
    assert "missing: query" in done.error
    assert "wrong: limit" in done.error and "wrong: colour" in done.error
    assert "parameters: query, limit (optional)" in done.error
    assert "pydantic" not in done.error


@pytest.mark.parametrize(
    "raw",
    [
        '{"query": "leave",}',
        "{'query': 'leave'}",
        '```json\n{"query": "leave"}\n```',
        '{"query": "leave"',
        "{“query”：“leave”}",
        json.dumps(json.dumps({"query": "leave"})),
        '{"query": "leave", "limit": null}',
    ],
)
async def test_broken_arguments_are_repaired_for_a_reading_tool(raw: str) -> None:
    assert (await outcome(a_run(), a_tool(), raw)).text == "[1] leave"


@pytest.mark.parametrize("effect", ["write_own", "write_shared", "external"])
@pytest.mark.parametrize("raw", ['{"query": "leave",}', '{"query": "lea', "null", "[]"])
async def test_broken_arguments_of_a_tool_with_effects_never_run(effect: Any, raw: str) -> None:
    async def never(_: Any) -> ToolResult:
        raise AssertionError("ran")

    done = await outcome(a_run(), a_tool(run=never, effect=effect), raw)
    assert done.error.startswith("error: broken_arguments")


@pytest.mark.parametrize("raw", ["null", "0", "[]", "prose", '{"conte', '{"a":', "[" * 100_000])
async def test_what_holds_no_object_is_refused_also_for_a_reading_tool(raw: str) -> None:
    done = await outcome(a_run(), a_tool(), raw)
    assert done.result is None
    assert done.error.startswith("error: b")


async def test_a_huge_broken_text_is_not_parsed_tolerantly() -> None:
    raw = '{"query": "' + "x" * 70_000
    assert (await outcome(a_run(), a_tool(), raw)).error.startswith("error: broken_arguments")


class Anything(Arguments):
    model_config = ConfigDict(extra="allow")


async def test_arguments_of_real_models_are_read_right_or_refused() -> None:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS names no corpus folder")
    lines = (Path(folder) / "model-output" / "llm-outputs.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["kind"] == "args"]
    read = 0
    for row in rows:
        raw = row.get("output", "".join(row.get("chunks", ())))
        made = await checked(a_tool(arguments=Anything), raw)
        if not isinstance(made, Rejected):
            assert made.model_dump() == row["expected"]["arguments"], row["id"]
            read += 1
        never = await checked(a_tool(arguments=Anything, effect="external"), raw)
        assert isinstance(never, Rejected) or raw == ""
    assert read >= 7


class Nothing(Arguments):
    pass


async def test_a_tool_without_arguments_takes_an_empty_text() -> None:
    async def now(_: Any) -> ToolResult:
        return ToolResult(text="noon")

    assert (await outcome(a_run(), a_tool("now", now, arguments=Nothing), "")).text == "noon"


async def test_a_slow_tool_is_cut_and_says_so() -> None:
    never = asyncio.Event()

    async def slow(_: Any) -> ToolResult:
        await never.wait()
        raise AssertionError

    done = await outcome(a_run(), a_tool(run=slow, timeout_s=0.05), {"query": "x"})
    assert done.error == "error: timed_out\nreason: search did not finish within 0.05 seconds"


async def test_a_hanging_call_with_effects_ends_in_time_also_after_a_stop() -> None:
    run, never = a_run(), asyncio.Event()

    async def slow(_: Any) -> ToolResult:
        run.ctx.stop.set("slack:T1/U1")
        await never.wait()
        raise AssertionError

    tool = a_tool(run=slow, timeout_s=0.05, effect="external")
    async with asyncio.timeout(60):
        with contextlib.suppress(RunStopped):
            await outcome(run, tool, {"query": "x"})
    kept = await run.ctx.journal.kept("r:call:1", Outcome)
    assert kept is not None and kept.error.startswith("error: timed_out")


async def test_a_bug_in_a_tool_goes_to_the_log_and_not_to_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def bug(_: Any) -> ToolResult:
        raise KeyError("/secret/path")

    with caplog.at_level(logging.ERROR):
        done = await outcome(a_run(), a_tool(run=bug), {"query": "x"})
    assert done.error == "error: tool_failed\nreason: it broke (KeyError)"
    assert "secret" not in done.reason
    assert "tool search broke" in caplog.text


async def test_the_sentence_of_a_failed_tool_reaches_model_and_person() -> None:
    async def fail(_: Any) -> ToolResult:
        raise ToolFailed("no such zone")

    run = a_run()
    done = await outcome(run, a_tool(run=fail), {"query": "x"})
    assert "no such zone" in done.error
    ended = run.events[-1][1]
    assert isinstance(ended, StepFailed) and "no such zone" in ended.reason


async def test_a_huge_result_goes_neither_into_the_prompt_nor_into_the_journal() -> None:
    async def huge(_: Any) -> ToolResult:
        return ToolResult(text="字" * 30_000_000, details={"rows": ["x" * 100] * 10_000})

    run = a_run()
    done = await outcome(run, a_tool(run=huge), {"query": "x"})
    assert done.text.endswith("[cut here: 24,000 of 30,000,000 characters are shown]")
    assert len(done.text) < RESULT_CHARACTERS + 100
    assert isinstance(run.ctx.journal, MemoryJournal)
    assert len(run.ctx.journal.rows["r:call:1"]) < RESULT_CHARACTERS + 1_000


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.dictionaries(st.text(), st.text()))
def test_every_result_can_be_stored(text: str, details: dict[str, str]) -> None:
    result = bounded(ToolResult(text=text, summary=text, details=details))
    assert ToolResult.model_validate_json(result.model_dump_json()) == result


async def test_reads_run_side_by_side_and_results_keep_the_order_of_the_calls() -> None:
    started: list[str] = []
    both = asyncio.Event()

    async def meet(arguments: Any) -> ToolResult:
        started.append(arguments.query)
        if len(started) == 2:
            both.set()
        await both.wait()
        if arguments.query == "first":
            await asyncio.sleep(0.01)
        return ToolResult(text=arguments.query)

    calls = [call({"query": "first"}), call({"query": "second"}, call_id="b")]
    done = await run_calls(a_run().ctx, box(a_tool(run=meet)), calls, "r")
    assert [(made.id, given.text) for made, given in done] == [("a", "first"), ("b", "second")]


async def test_calls_with_effects_run_alone_and_in_order() -> None:
    running: set[str] = set()
    order: list[str] = []

    async def work(arguments: Any) -> ToolResult:
        running.add(arguments.query)
        alone = running == {arguments.query}
        order.append(f"{arguments.query}:{alone}")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.discard(arguments.query)
        return ToolResult(text="")

    read, write = a_tool("read", work), a_tool("write", work, effect="external")
    calls = [
        call({"query": "w1"}, "write"),
        call({"query": "w2"}, "write"),
        call({"query": "r1"}, "read"),
        call({"query": "r2"}, "read"),
        call({"query": "w3"}, "write"),
    ]
    await run_calls(a_run().ctx, box(read, write), calls, "r")
    assert order[:3] == ["w1:True", "w2:True", "r1:True"]
    assert order[-1] == "w3:True"


async def test_a_kept_call_is_not_done_again_also_when_it_failed() -> None:
    journal = MemoryJournal()
    runs: list[str] = []

    async def once(arguments: Any) -> ToolResult:
        runs.append(arguments.query)
        raise ToolFailed("gone")

    tool = a_tool(run=once)
    first = await outcome(a_run(journal=journal), tool, {"query": "x"})
    second = await outcome(a_run(journal=journal), tool, {"query": "x"})
    assert first == second
    assert runs == ["x"]


async def test_a_kept_result_is_shown_as_replayed() -> None:
    journal = MemoryJournal()
    await outcome(a_run(journal=journal), a_tool(), {"query": "x"})
    again = a_run(journal=journal)
    await outcome(again, a_tool(), {"query": "x"})
    ended = again.events[-1][1]
    assert isinstance(ended, StepDone) and ended.replayed


async def test_an_effect_whose_end_is_not_known_is_not_done_again() -> None:
    journal = MemoryJournal()

    async def dies(_: Any) -> ToolResult:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await outcome(a_run(journal=journal), a_tool(run=dies, effect="external"), {"query": "x"})
    done = await outcome(a_run(journal=journal), a_tool(effect="external"), {"query": "x"})
    assert done.error.startswith("error: unknown_outcome")
    assert "was not run again" in done.reason


async def test_a_stop_cancels_all_running_calls_and_awaits_them() -> None:
    run = a_run()
    never = asyncio.Event()
    ended: list[str] = []

    async def slow(arguments: Any) -> ToolResult:
        try:
            if arguments.query == "b":
                run.ctx.stop.set("slack:T1/U1")
            await never.wait()
        finally:
            ended.append(arguments.query)
        raise AssertionError

    calls = [call({"query": "a"}), call({"query": "b"}, call_id="b")]
    with pytest.raises(RunStopped):
        await run_calls(run.ctx, box(a_tool(run=slow)), calls, "r")
    assert sorted(ended) == ["a", "b"]
    assert len(asyncio.all_tasks()) == 1
    assert isinstance(run.ctx.journal, MemoryJournal)
    assert run.ctx.journal.rows == {}


async def test_one_tool_for_a_mode_raises_the_sentence() -> None:
    run = a_run()
    result = await run_tool(run.ctx, a_tool(), {"query": "x"}, key="tool:call:1")
    assert result.text == "[1] x"
    with pytest.raises(ToolFailed) as caught:
        await run_tool(run.ctx, a_tool(), {}, key="tool:call:2")
    assert "query" in caught.value.detail
