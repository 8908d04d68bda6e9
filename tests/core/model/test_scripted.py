"""The scripted models: precise when a test is wrong, useful for a bot without a provider."""

import json
from pathlib import Path

import pytest

from core.errors import ModelDown, WrongConfig
from core.model import make_model
from core.model.calls import whole_reply
from core.model.protocol import ModelMessage, ModelRequest, Reply, ToolSchema
from core.model.scripted import ScriptedModel, UnexpectedCall

TOOLS = (ToolSchema(name="search", description="", parameters={}),)


def request(*messages: ModelMessage, tools: tuple[ToolSchema, ...] = TOOLS) -> ModelRequest:
    return ModelRequest(messages=messages, tools=tools)


def user(text: str) -> ModelMessage:
    return ModelMessage(role="user", text=text)


RESULT = ModelMessage(role="tool", call_id="call_1", text="[1] 15 days")


async def say(path: Path, asked: ModelRequest) -> Reply:
    model = make_model(f"scripted:{path}")
    return whole_reply([delta async for delta in model.stream(asked)])


def script(folder: Path, *rules: dict[str, object]) -> Path:
    path = folder / "script.json"
    path.write_text(json.dumps({"rules": rules, "otherwise": "?"}), "utf-8")
    return path


async def test_one_call_too_many_names_itself() -> None:
    model = ScriptedModel([])
    with pytest.raises(UnexpectedCall, match="call 1 came, the script has 0 steps.*'Hello'"):
        async for _ in model.stream(request(user("Hello"))):
            pass


def test_unused_steps_are_told() -> None:
    with pytest.raises(AssertionError, match="1 of 1 steps"):
        ScriptedModel(["Hi"]).assert_complete()


async def test_a_script_calls_a_tool_and_then_answers_from_its_result(tmp_path: Path) -> None:
    call = {"name": "search", "arguments": {"query": "leave"}}
    path = script(
        tmp_path,
        {"user": "leave", "tool": "days", "text": "It says: {results} [1]"},
        {"user": "LEAVE", "calls": [call]},
    )
    first = await say(path, request(user("How long is the leave?")))
    assert [(made.name, json.loads(made.arguments)) for made in first.calls] == [
        ("search", {"query": "leave"})
    ]
    second = await say(path, request(user("How long is the leave?"), RESULT))
    assert (second.text, second.calls) == ("It says: [1] 15 days [1]", ())
    assert (await say(path, request(user("Weather?")))).text == "?"


async def test_a_script_without_tools_in_the_request_calls_none(tmp_path: Path) -> None:
    path = script(tmp_path, {"calls": [{"name": "search"}], "again": True})
    assert (await say(path, request(user("x"), RESULT))).calls
    assert (await say(path, request(user("x"), RESULT, tools=()))).text == "?"


async def test_a_script_can_be_down(tmp_path: Path) -> None:
    with pytest.raises(ModelDown):
        await say(script(tmp_path, {"error": "down"}), request(user("x")))


def test_a_script_that_cannot_be_read_is_a_config_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(WrongConfig, match=r"none\.json"):
        make_model(f"scripted:{tmp_path / 'none.json'}")
    bad = script(tmp_path, {"colour": "red"})
    with pytest.raises(WrongConfig, match=r"rules\.0\.colour"):
        make_model(f"scripted:{bad}")
