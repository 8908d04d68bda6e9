"""The real litellm against a scripted server on loopback: the only module that imports it.

The import takes seconds, so model and server live as long as the module.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from core.context import Limits
from core.errors import ContextTooLong, ModelDown, ModelRefused, RunStopped, ToolsRefused
from core.events import Body
from core.model import make_model
from core.model.auto import AutoModel
from core.model.calls import Assembler
from core.model.litellm import LitellmModel
from core.model.protocol import Model, ModelMessage, ModelRequest, Reply, ToolSchema
from core.modes import loop
from core.modes.loop import LoopAnswer
from core.prompt import system_prompt, thread_messages
from core.request import Picture
from core.tools.hand import FixedHand
from core.tools.tool import ToolResult
from tests.core.runs_of_one import Run, a_run, a_tool
from tests.rigs import model_server as says
from tests.rigs.model_server import ModelServer

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    # litellm's own code, on import and while it runs.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

TOOL = ToolSchema(name="search", description="Looks things up.", parameters={"type": "object"})
REQUEST = ModelRequest(messages=(ModelMessage(role="user", text="请假?"),), tools=(TOOL,))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncGenerator[ModelServer]:
    made = ModelServer()
    await made.start()
    yield made
    await made.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(server: ModelServer) -> AsyncGenerator[LitellmModel]:
    made = LitellmModel("qwen-local", server.api_base, SecretStr("sk-secret"))
    await made.warm()
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.model.retry._backoff", lambda _: 0.0)


async def reply_of(model: Model, **values: Any) -> Reply:
    said = Assembler()
    async for delta in model.stream(REQUEST.model_copy(update=values)):
        said.add(delta)
    return said.reply()


async def work(model: Model, limits: Limits | None = None) -> tuple[LoopAnswer, Run]:
    run = a_run(limits=limits)
    tools = {"search": a_tool()}
    system = system_prompt(run.ctx.request, list(tools.values()))
    answer = await loop.run(
        run.ctx, model, FixedHand(system, tools), thread_messages(run.ctx.request)
    )
    return answer, run


async def test_text_streams_and_usage_is_taken(server: ModelServer, model: LitellmModel) -> None:
    server.script(says.text("年假 15 天。", size=2))
    deltas = [delta async for delta in model.stream(REQUEST)]
    assert [delta.text for delta in deltas if delta.text] == ["年假", " 1", "5 ", "天。"]
    assert deltas[-1].usage is not None and deltas[-1].usage.input_tokens == 11
    sent = server.requests[0]
    assert sent["model"] == "qwen-local"
    assert sent["tools"][0]["function"]["name"] == "search"
    assert server.keys == ["Bearer sk-secret"]


async def test_a_whole_answer_is_cut_into_the_same_deltas(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(says.text("Fifteen."), says.call("search", query="请假"))
    assert (await reply_of(model, stream=False)).text == "Fifteen."
    assert (await reply_of(model, stream=False)).calls[0].arguments == '{"query": "请假"}'
    assert not server.requests[0].get("stream")


def function(arguments: Any, name: str = "search") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


CHUNK = json.dumps(
    {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": "The"}, "finish_reason": None}],
    }
)
A, B = '{"query": "a"}', '{"query": "b"}'


@pytest.mark.parametrize(
    "answer",
    [
        says.parallel(says.raw_call("search", A, "x", 0), says.raw_call("search", B, "y", 1)),
        says.calls({"index": 0, "id": "x"} | function(A), {"index": 0, "id": "y"} | function(B)),
        says.calls({"index": 0} | function(A), {"index": 0} | function(B)),
        says.calls({"id": "x"} | function(A), {"id": "y"} | function(B)),
        says.calls(
            *({"index": 0, "id": "x"} | function(piece) for piece in (A[:4], A[4:])),
            {"index": 1, "id": "y"} | function({"query": "b"}),
        ),
    ],
    ids=["interleaved", "index 0", "no ids", "no index", "repeated and dict"],
)
async def test_two_calls_of_any_shape_stay_two(
    server: ModelServer, model: LitellmModel, answer: says.Answer
) -> None:
    server.script(answer)
    made = (await reply_of(model)).calls
    assert [(call.name, call.arguments) for call in made] == [("search", A), ("search", B)]
    assert len({call.id for call in made}) == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (says.status(500), ModelDown),
        (says.status(503), ModelDown),
        (says.status(429), ModelDown),
        (says.status(408), ModelDown),
        (says.status(401, error="wrong key sk-secret"), ModelRefused),
        (says.status(403), ModelRefused),
        (says.status(404), ModelRefused),
        (says.status(400), ModelRefused),
        (says.status(400, error="maximum context length is 4096 tokens"), ContextTooLong),
        (says.cut(says.text("The leave is")), ModelDown),
        (says.cut(says.call("search", query="x")), ModelDown),
        (says.Answer(says.text("The leave is").deltas, finish=None), ModelDown),
        (says.raw_stream(CHUNK, "{not json"), ModelDown),
        (says.raw_stream(CHUNK, '{"error": {"message": "overloaded", "code": 503}}'), ModelDown),
    ],
)
async def test_errors_are_ours_and_carry_no_secret(
    server: ModelServer, model: LitellmModel, answer: says.Answer, error: type[Exception]
) -> None:
    server.script(answer)
    with pytest.raises(error) as caught:
        await reply_of(model)
    assert "sk-secret" not in str(caught.value)
    assert "qwen-local" in str(caught.value)
    assert len(server.requests) == 1


async def test_a_stream_that_falls_silent_is_down(server: ModelServer, model: LitellmModel) -> None:
    # Only here is the patience short: a slow machine pauses by itself.
    impatient = LitellmModel("qwen-local", server.api_base, idle_s=0.3)
    server.script(says.silent(says.text("The leave is")))
    with pytest.raises(ModelDown):
        await reply_of(impatient)
    assert len(server.requests) == 1


async def test_a_login_page_instead_of_an_answer_is_down(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(forever=says.page("<html>Please log in</html>"))
    with pytest.raises(ModelDown):
        await work(model)


async def test_the_pause_that_the_provider_asks_for_is_kept(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(says.status(429, retry_after="7"))
    with pytest.raises(ModelDown, match="qwen-local: HTTP 429") as caught:
        await reply_of(model)
    assert caught.value.retry_after == 7.0


async def test_a_server_that_knows_no_usage_in_streams_is_asked_without(
    server: ModelServer,
) -> None:
    model = LitellmModel("qwen-local", server.api_base)
    server.script(says.status(400, error="unknown field: stream_options"), says.text("Hi."))
    assert (await reply_of(model)).text == "Hi."
    assert "stream_options" not in server.requests[1]


async def test_a_server_that_is_not_there_is_down() -> None:
    model = LitellmModel("openai/x", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelDown, match="openai/x: no connection"):
        await reply_of(model)


async def test_a_litellm_that_cannot_be_imported_is_a_model_that_is_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> None:
        raise ImportError("no module named litellm")

    monkeypatch.setattr("core.model.litellm._import", broken)
    with pytest.raises(ModelDown, match="ImportError"):
        await reply_of(LitellmModel("openai/x"))


async def test_names_with_a_slash_reach_a_server_of_ones_own(server: ModelServer) -> None:
    server.script(says.text("Hi."), says.text("Hi."))
    await reply_of(LitellmModel("Qwen/Qwen2.5-7B", server.api_base))
    await reply_of(LitellmModel("openai/gpt-x", server.api_base))
    assert [request["model"] for request in server.requests] == ["Qwen/Qwen2.5-7B", "gpt-x"]


async def test_the_loop_works_through_every_fault(server: ModelServer, model: LitellmModel) -> None:
    server.script(
        says.status(500),
        says.parallel(says.raw_call("search", A, "x", 0), says.raw_call("search", B, "y", 1)),
        says.cut(says.text("The lea")),
        says.raw_call("search", '{"limit": 2'),
        says.status(429, retry_after="0"),
        says.call("serach", query="c"),
        says.text("15 days [1]."),
    )
    answer, run = await work(model)
    assert answer.text == run.shown() == "15 days [1]."
    assert answer.usage.tool_calls == 4
    last = server.requests[-1]["messages"]
    calls = [call["id"] for message in last for call in message.get("tool_calls") or ()]
    results = [message["tool_call_id"] for message in last if message["role"] == "tool"]
    assert calls == results and len(set(calls)) == 4
    text = "\n".join(str(message.get("content")) for message in last)
    assert "missing: query" in text and "near names: search" in text


async def test_a_model_that_never_stops_calling_ends_in_an_answer(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(forever=says.call("search", query="again"))
    answer, run = await work(model, Limits(rounds=5))
    assert answer.stopped_by_limit and answer.by_code
    assert run.shown() == answer.text
    assert "tools" not in server.requests[-1]
    assert "tools" in server.requests[0]


async def test_streams_that_always_break_are_called_whole(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(says.cut(says.text("15")), says.cut(says.text("15")), says.text("15 days."))
    answer, run = await work(model)
    assert answer.text == run.shown() == "15 days."
    assert not server.requests[-1].get("stream")


async def test_a_stop_closes_the_request_to_the_server(
    server: ModelServer, model: LitellmModel
) -> None:
    slow = LitellmModel("qwen-local", server.api_base)
    server.script(says.silent(says.text("The leave is")))
    run = a_run()

    async def stop_at_the_first_words(path: str, body: Body) -> None:
        run.ctx.stop.set("slack:T1/U1")

    ctx = replace(run.ctx, emit=stop_at_the_first_words)
    with pytest.raises(RunStopped):
        await loop.run(
            ctx, slow, FixedHand("s", {"search": a_tool()}), thread_messages(ctx.request)
        )
    await server.client_gone()


async def test_a_huge_tool_result_is_not_sent(server: ModelServer, model: LitellmModel) -> None:
    async def huge(_: Any) -> ToolResult:
        return ToolResult(text="x" * 30_000_000)

    server.script(says.call("search", query="x"), says.text("Done."))
    run = a_run()
    tools = {"search": a_tool(run=huge)}
    await loop.run(run.ctx, model, FixedHand("s", tools), thread_messages(run.ctx.request))
    assert len(server.requests[-1]["messages"][-1]["content"]) < 25_000


async def test_litellm_has_no_log_of_its_own(model: LitellmModel) -> None:
    loggers = [logging.getLogger(name) for name in ("LiteLLM", "LiteLLM Router")]
    assert [logger.handlers for logger in loggers] == [[], []]
    assert all(logger.propagate for logger in loggers)


async def test_nothing_is_left_running_after_close(server: ModelServer) -> None:
    before = asyncio.all_tasks()
    model = LitellmModel("qwen-local", server.api_base)
    server.script(says.text("Hi."))
    await reply_of(model)
    await model.close()
    left = {task for task in asyncio.all_tasks() - before if "litellm" in repr(task)}
    assert left == set()


async def test_making_a_model_imports_nothing_heavy() -> None:
    code = (
        "import sys; from core.model import make_model; make_model('openai/x', 'http://h', None);"
        "sys.exit('litellm' in sys.modules or 'openai' in sys.modules)"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], env=dict(os.environ), timeout=60, check=False
    )
    assert done.returncode == 0
    assert make_model("openai/x").name == "openai/x"


async def test_a_server_that_wants_no_tools_gets_them_in_the_text(
    server: ModelServer, model: LitellmModel
) -> None:
    written = '<tool_use>{"name": "search", "arguments": {"query": "请假"}}</tool_use>'
    refusal = (
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    )
    server.script(says.status(400, error=refusal), says.text(f"I look. {written}", size=3))
    auto, said = AutoModel(model), Assembler()
    async for delta in auto.stream(REQUEST):
        said.add(delta)
    reply = said.reply()
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("search", {"query": "请假"})
    ]
    assert reply.text == "I look. "
    assert "tools" not in server.requests[1]
    assert written.split("{")[0] in server.requests[1]["messages"][0]["content"]


async def test_a_bad_history_is_no_refusal_of_tools(
    server: ModelServer, model: LitellmModel
) -> None:
    error = "tool_call_ids did not have response messages; unexpected tool_call_id"
    server.script(says.status(400, error=error))
    with pytest.raises(ModelRefused) as caught:
        await reply_of(model)
    assert not isinstance(caught.value, ToolsRefused)


async def test_a_loop_reads_calls_that_a_server_left_in_the_text(
    server: ModelServer, model: LitellmModel
) -> None:
    written = '<tool_call>\n{"name": "search", "arguments": {"query": "leave"}}\n</tool_call>'
    server.script(says.text(written, size=4), says.text("It is 15 days [1]."))
    answer, run = await work(AutoModel(model))
    assert answer.text == run.shown() == "It is 15 days [1]."
    assert server.requests[1]["messages"][-1]["role"] == "tool"
    assert not any("tool_call>" in str(body) for _, body in run.events)


async def test_a_model_that_is_not_streamed_gives_the_same(server: ModelServer) -> None:
    whole = LitellmModel("qwen-local", server.api_base, streams=False)
    server.script(says.text("Fifteen."))
    assert (await reply_of(whole)).text == "Fifteen."
    assert not server.requests[0].get("stream")


async def test_a_known_model_has_its_price_and_an_unknown_one_costs_nothing(
    server: ModelServer, model: LitellmModel
) -> None:
    server.script(says.text("Hi."), says.text("Hi."))
    known = LitellmModel("openai/gpt-4o-mini", server.api_base)
    assert 0 < (await reply_of(known)).usage.usd < 0.001
    assert (await reply_of(model)).usage.usd == 0


def seeing(path: Path) -> ModelRequest:
    picture = Picture(path=str(path), mime="image/png")
    return ModelRequest(
        messages=(ModelMessage(role="user", text="What is it?", pictures=(picture,)),)
    )


async def test_a_model_that_can_see_gets_the_picture(server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "cat.png"
    path.write_bytes(b"\x89PNG")
    server.script(forever=says.text("A cat."))
    for model in (
        LitellmModel("qwen-local", server.api_base, sees=True),
        LitellmModel("openai/gpt-4o-mini", server.api_base),
    ):
        async for _ in model.stream(seeing(path)):
            pass
    for sent in server.requests:
        text, image = sent["messages"][0]["content"]
        assert text == {"type": "text", "text": "What is it?"}
        assert image["image_url"]["url"] == "data:image/png;base64,iVBORw=="


async def test_a_model_that_cannot_see_is_told_so_and_so_is_one_whose_picture_is_gone(
    server: ModelServer, model: LitellmModel, tmp_path: Path
) -> None:
    server.script(forever=says.text("I cannot see it."))
    (tmp_path / "cat.png").write_bytes(b"\x89PNG")
    request = seeing(tmp_path / "cat.png")
    for asked, given in (
        (model, request),
        (LitellmModel("qwen-local", server.api_base, sees=True), seeing(tmp_path / "gone.png")),
    ):
        async for _ in asked.stream(given):
            pass
    names = [sent["messages"][0]["content"] for sent in server.requests]
    assert all("you cannot see pictures" in name for name in names)
    assert "cat.png" in names[0] and "gone.png" in names[1]
