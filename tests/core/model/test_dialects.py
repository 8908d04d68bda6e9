"""Calls that models write as text are read the same at every cut, and their marks never show."""

# ruff: noqa: E501  (dialects stand here as models write them)

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.model_calls import calls_of, check, read_cut
from core.model.dialects import Called, CutCall, Piece, Reader, Thinking, Words, read

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "exact": {"type": "boolean"},
        "tags": {"type": "array"},
        "unit": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "near": {"$ref": "#/$defs/Near"},
    },
    "required": ["city"],
    "$defs": {"Near": {"type": "object"}},
}
TOOLS: dict[str, dict[str, Any]] = {"weather": WEATHER, "search": {}}
PARIS = [("weather", {"city": "Paris"})]
CALL = '{"name": "weather", "arguments": {"city": "Paris"}}'

DIALECTS = {
    "ours": f"<tool_use>{CALL}</tool_use>",
    "ours, nested": '<tool_use>\n<name>weather</name>\n<arguments>{"city": "Paris"}</arguments>\n</tool_use>',
    "ours, nested tags": "<tool_use><name>weather</name><arguments><city>Paris</city></arguments></tool_use>",
    "ours, named": '<tool_use name="weather">{"city": "Paris"}</tool_use>',
    "hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "hermes without an end": f"<tool_call>{CALL}",
    "qwen coder": "<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
    "function": "<function=weather>\n<parameter=city>Paris</parameter>\n</function>",
    "llama": '<function=weather>{"city": "Paris"}</function>',
    "invoke": '<function_calls><invoke name="weather"><parameter name="city">Paris</parameter></invoke></function_calls>',
    "minimax": '<minimax:tool_call><invoke name="weather"><parameter name="city">Paris</parameter></invoke></minimax:tool_call>',
    "list in a tag": f"<tool_calls>[{CALL}]</tool_calls>",
    "mistral": f"[TOOL_CALLS] [{CALL}][/TOOL_CALLS]",
    "mistral, new": '[TOOL_CALLS]weather[ARGS]{"city": "Paris"}',
    "mistral, with an id": '[TOOL_CALLS]weather[CALL_ID]abc123[ARGS]{"city": "Paris"}',
    "phi": f"functools[{CALL}]",
    "kimi": '<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>',
    "deepseek": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    "deepseek, new": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "deepseek, tags": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "glm": "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
    "doubao": f"<|FunctionCallBegin|>[{CALL}]<|FunctionCallEnd|>",
    "doubao, tags": "<seed:tool_call><function=weather><parameter=city>Paris</parameter></function></seed:tool_call>",
    "cohere": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
    "gigachat": f"<|message_sep|>\n\nfunction call<|role_sep|>\n{CALL}",
    "gpt-oss": '<|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Paris"}<|call|>',
    "python": "<|tool_call_start|>[weather(city='Paris')]<|tool_call_end|>",
    "bare python": "[weather(city='Paris')]",
    "bare JSON": CALL,
    "bare list": f"[{CALL}]",
    "fence": f"```json\n{CALL}\n```",
    "openai": '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}]}',
}  # fmt: skip


def words(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Words))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_is_read_in_every_dialect(dialect: str) -> None:
    text = DIALECTS[dialect]
    pieces = read_cut(f"I look.\n{text}", [], TOOLS)
    assert calls_of(pieces) == PARIS
    assert words(pieces).strip() == "I look."


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_that_is_cut_anywhere_is_done_only_if_it_is_whole(dialect: str) -> None:
    text = DIALECTS[dialect]
    done = [calls_of(read(text[:at], TOOLS)) for at in range(len(text) + 1)]
    assert all(calls in ([], PARIS) for calls in done)
    # Once it is whole, what follows takes it back no more.
    assert done == sorted(done, key=len)
    assert done[-1] == PARIS


UNMARKED = {"bare JSON", "bare list", "bare python", "fence", "openai"}


@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - UNMARKED))
def test_marks_of_a_cut_call_do_not_show(dialect: str) -> None:
    text = DIALECTS[dialect]
    for at in range(len(text)):
        shown = words(read(f"I look. {text[:at]}", TOOLS)).removeprefix("I look. ")
        assert len(shown.strip()) < 6, (text[:at], shown)


def test_text_before_between_and_after_is_kept() -> None:
    one, two = DIALECTS["ours"], DIALECTS["invoke"]
    pieces = read_cut(f"Head {one} middle {two} tail", [], TOOLS)
    assert words(pieces) == "Head  middle  tail"
    assert [type(piece) for piece in pieces] == [Words, Called, Words, Called, Words]
    assert [piece.call.id for piece in pieces if isinstance(piece, Called)] == ["call_1", "call_2"]


def test_what_stands_inside_arguments_ends_nothing() -> None:
    inside = "</tool_use> <tool_use>{} ```"
    text = json.dumps({"name": "search", "arguments": {"query": inside}})
    pieces = read_cut(f"<tool_use>{text}</tool_use> done", [], TOOLS)
    assert calls_of(pieces) == [("search", {"query": inside})]
    assert words(pieces) == " done"


def test_a_good_call_survives_a_bad_neighbour() -> None:
    for bad in (
        "<tool_call>not json</tool_call>",
        '<tool_call>{"name": "weather", "arguments": {"city": "open}</tool_call>',
        "<tool_call>\n<function=weather\n</function>\n</tool_call>",
        "<tool_call><function=weather><parameter=city>Rome",
    ):
        assert calls_of(read(f"{bad}\n{DIALECTS['hermes']}", TOOLS)) == PARIS
        assert calls_of(read(f"{DIALECTS['hermes']}\n{bad}", TOOLS)) == PARIS
    assert calls_of(read(f'[{CALL}, {{"name": "nothing"}}]', TOOLS)) == PARIS


def test_what_may_not_be_done_says_why() -> None:
    def why(text: str) -> tuple[str, str, str]:
        (piece,) = [each for each in read(text, TOOLS) if not isinstance(each, Words)]
        assert isinstance(piece, CutCall)
        return piece.name, piece.why, piece.what

    twice = (
        "<function=weather><parameter=city>a</parameter><parameter=city>b</parameter></function>"
    )
    assert why(twice) == ("weather", "broken", "a parameter stands there twice")
    missing = "<function=weather><parameter=days>3</parameter></function>"
    assert why(missing) == ("weather", "broken", "missing: city")
    assert why('<tool_use>{"name": "weather", "arguments": "x"}</tool_use>')[1] == "broken"
    assert why('<tool_use>{"name": "weather", "arguments": {"ci')[:2] == ("weather", "cut")
    assert why("<function=weather><parameter=city>Par")[:2] == ("weather", "cut")
    assert why('<tool_use>{"name": "nothing", "arguments": {}}</tool_use>')[:2] == (
        "nothing",
        "unknown",
    )
    doubled = '<tool_use>{"name": "search", "arguments": {"a": 1, "a": 2}}</tool_use>'
    assert why(doubled)[1] == "broken"


def test_values_in_marks_are_typed_by_the_schema() -> None:
    values = {
        "city": "5",
        "days": "3",
        "exact": "True",
        "tags": "['a', 'b']",
        "unit": "null",
        "near": '{"lat": 1}',
        "free": "7",
    }
    marked = "".join(f"<parameter={key}>{value}</parameter>" for key, value in values.items())
    ((_, typed),) = calls_of(read(f"<function=weather>{marked}</function>", TOOLS))
    assert typed == {
        "city": "5",
        "days": 3,
        "exact": True,
        "tags": ["a", "b"],
        "unit": None,
        "near": {"lat": 1},
        "free": "7",
    }


LOOK_ALIKES = [
    "Write `<tool_call>` to call a tool, and `x` is code.",
    'An example:\n```json\n{"name": "other", "arguments": {}}\n```\nDone.',
    'An example:\n```xml\n<tool_call>{"name": "other", "arguments": {}}</tool_call>\n```\nDone.',
    'It is {"name": "Ann", "arguments": []} and {a, b} and [1] and [x](http://y) and [f(x)].',
    '{"name": "other", "arguments": {"x": 1}}',
    '[{"name": "Ann", "age": 3}, {"name": "Bob"}]',
    "foo <｜DSM some text",
    "If a < b then <b>bold</b>, List<int> and x<y; functions[0] is a name.",
    "for { fmt.Println() }",
    '```python\nd = {"name": "weather", "arguments": {"city": "Paris"}}\n```',
    '```json\n{"name": "weather", "arguments": {"city": "Paris"}}\n# that is how it looks\n```',
    "`` ` `` and ``` in a line, and\n~~~\n",
    "",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_call_stays_as_it_is(text: str) -> None:
    assert read_cut(text, [], TOOLS) == ([Words(text)] if text else [])
    assert words(read_cut(text, range(len(text)), TOOLS)) == text


def test_a_mark_that_is_only_mentioned_loses_nothing_but_itself() -> None:
    text = "The <tool_call> tag is what Qwen writes, says the manual."
    assert words(read(text, TOOLS)) == "The  tag is what Qwen writes, says the manual."


def test_thinking_is_no_text_and_its_calls_are_not_done() -> None:
    pieces = read_cut(f"<think>{DIALECTS['hermes']}</think>Yes.", [], TOOLS)
    assert words(pieces) == "Yes."
    assert isinstance(pieces[0], Thinking)
    assert calls_of(pieces) == []


def test_a_result_that_the_model_made_up_does_not_show() -> None:
    text = "<tool_use_result>[1] 15 days</tool_use_result>Fifteen."
    assert words(read(text, TOOLS)) == "Fifteen."


def test_text_is_given_as_soon_as_it_can_be_nothing_else() -> None:
    reader = Reader(TOOLS)
    assert reader.feed("[1] says 15 <b") == [Words("[1] says 15 ")]
    assert reader.feed("r> days {") == [Words("<br> days ")]
    assert reader.feed('"a": 1') == [Words('{"a": 1')]


def test_a_call_is_given_as_soon_as_it_is_whole() -> None:
    reader = Reader(TOOLS)
    (piece,) = reader.feed(f"<tool_use>{CALL}")
    assert isinstance(piece, Called)


def test_without_a_list_of_tools_every_name_is_good() -> None:
    assert calls_of(read('<tool_use>{"name": "any", "arguments": {}}</tool_use>')) == [("any", {})]


PARTS = st.sampled_from(
    [
        *DIALECTS.values(),
        *LOOK_ALIKES,
        *("<tool_call>", "</tool_call>", "<tool_use>", "</tool_use>", "<think>", "</think>"),
        *("[TOOL_CALLS]", "functools[", "`", "```", "\n```json\n", "<", "<|im_end|>", "[1]", "{"),
        *("<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>", "<function=weather>", "</function>", "fun", ">"),
        *('<parameter=city>', "</parameter>", "<arg_key>", "</arg_key>", "<arg_value>", "\n\n"),
        *("<invoke name=", '"weather">', "<|channel|>", "<|message|>", "<tool_response>", "]", "}"),
        *('{"name": ', '"weather"', ', "arguments": ', '{"city": ', "weather", "(", ")", "请假", " "),
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PARTS | st.text(max_size=4), max_size=10),
    st.lists(st.integers(0, 600), max_size=20),
    st.sampled_from([TOOLS, {}, None]),
)
def test_every_cut_of_a_text_gives_the_same(
    parts: list[str], cuts: list[int], tools: dict[str, dict[str, Any]] | None
) -> None:
    text = "".join(parts)
    whole = read_cut(text, [], tools)
    assert read_cut(text, cuts, tools) == whole
    assert read_cut(text, range(len(text)), tools) == whole


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS | st.text(max_size=4), max_size=10))
def test_what_was_read_does_not_change_when_more_comes(parts: list[str]) -> None:
    reader, text = Reader(TOOLS), "".join(parts)
    pieces = [piece for sign in text for piece in reader.feed(sign)]
    so_far = words(pieces), calls_of(pieces)
    pieces += reader.close()
    assert words(pieces).startswith(so_far[0])
    assert calls_of(pieces)[: len(so_far[1])] == so_far[1]


def corpus() -> list[dict[str, Any]]:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS names no corpus folder")
    lines = (Path(folder) / "model-output" / "llm-outputs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["kind"] == "tool_calls"]


def test_every_row_of_the_corpus_is_read_as_expected() -> None:
    rng = random.Random(7)
    wrong = {row["id"]: found for row in corpus() if (found := check(row, rng, 10))}
    assert wrong == {}


def test_every_single_cut_of_the_corpus_gives_the_same() -> None:
    for row in corpus():
        text = "".join(row["chunks"]) if "chunks" in row else row["output"]
        tools = {name: {} for name in row["tools"]} if "tools" in row else row.get("schema")
        whole = read_cut(text, [], tools)
        for at in range(len(text)):
            assert read_cut(text, [at], tools) == whole, (row["id"], at)
