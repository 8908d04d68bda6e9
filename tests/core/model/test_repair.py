"""Reading JSON as models write it: what is forgiven, what is guessed, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.model.frames import bare
from core.model.lenient import NotPlain, Open, OpenList, Reader
from core.model.repair import REPAIR_LIMIT, read_arguments, read_json

TEXTS = st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
OBJECTS = st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4)
NAMES = st.text(st.characters(exclude_characters="{}[]:,", codec="utf-8"), max_size=12)
"""A name that was cut inside of `a:b` looks like one that lacks its quote."""
FRAMES = [
    ("```json\n", "\n```"),
    ('<think>maybe {"a": 2}</think>\n', ""),
    ("Here it is:\n", "\nThat is all."),
    ("", "<|im_end|>"),
]
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["query"],
    "additionalProperties": False,
}


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), st.integers(0, 200))
def test_an_object_that_was_cut_is_told_and_holds_nothing_that_was_not_written(
    value: dict[str, Any], at: int
) -> None:
    text = dumped(value)
    at = min(at, len(text) - 1)
    read = read_arguments(text[:at])
    if at == 0:
        assert read.value == {}
        return
    assert read.cut or read.value is None
    assert set(read.value or {}) <= set(value)
    for name, held in (read.value or {}).items():
        if isinstance(held, str):
            assert isinstance(value[name], str) and value[name].startswith(held)


@given(OBJECTS, st.sampled_from(FRAMES))
@example({"<|0|>": None}, FRAMES[0])
def test_what_stands_round_one_value_is_taken_off(
    value: dict[str, Any], frame: tuple[str, str]
) -> None:
    read = read_json(frame[0] + dumped(value) + frame[1])
    assert read.value == value
    assert read.lines == ("strip",) and not read.repaired and not read.cut


@given(st.text(max_size=80) | st.text(alphabet='{}[]",:\\ab1“”：，\n`<>/think', max_size=60))
@example('{"a": 1e999}')
@example('{"a": "\\ud83d"}')
@example("[" * 5000)
@example('{"a":' * 3000)
@example("{'a': NaN}")
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_value_that_can_be_written_down_or_a_named_error(text: str) -> None:
    for read in (read_json(text), read_json(text, schema=SCHEMA), read_arguments(text, SCHEMA)):
        json.dumps(read.value, allow_nan=False).encode()
        assert json.dumps(read.value, ensure_ascii=False, allow_nan=False).encode() is not None
        assert all(":" in error for error in read.errors)
    assert isinstance(read_arguments(text).value, dict | None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x", "b":', {"a": "x"}),
        ('{"a": "x", "b', {"a": "x"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\u4e', {"a": "x"}),
        ('{"a": [1, 2', {"a": [1, 2]}),
        ('{"a": tru', {}),
        ('{"a": "一行\n两行"}', {"a": "一行\n两行"}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ("{“a”：“甲”，“b”：[“乙”，“丙”]}", {"a": "甲", "b": ["乙", "丙"]}),
        ("{“a”: “他说“好”，就走”}", {"a": "他说“好”，就走"}),
    ],
)
def test_little_things_are_forgiven(text: str, value: Any) -> None:
    assert Reader(text).read() == value


@pytest.mark.parametrize(
    "text", ['{"a": "b" c}', '{"a" "b"}', '{"a": [1, 2}', "{a: 1}", '{"a": 1.2.3}']
)
def test_what_must_be_guessed_is_not_plain(text: str) -> None:
    with pytest.raises(NotPlain):
        Reader(text).read()


def test_what_the_text_left_open_is_known() -> None:
    value = Reader('{"done": {"a": 1}, "list": [{"b": 2}, {"c": "x').read()
    assert isinstance(value, Open) and not isinstance(value["done"], Open)
    assert isinstance(value["list"], OpenList)
    assert [isinstance(one, Open) for one in value["list"]] == [False, True]


def test_text_in_curly_quotes_cannot_overwrite_what_stands_beside_it() -> None:
    text = '{"to": "ann", "text": “hello ”, “to”: “bob””}'
    assert read_arguments(text).value == {"to": "ann", "text": "hello ”, “to”: “bob”"}
    all_curly = "{“to”: “ann”, “text”: “hello ”, “to”: “bob””}"
    assert read_arguments(all_curly).value == {"to": "ann", "text": "hello ”, “to”: “bob”"}


@pytest.mark.parametrize(
    "text", ["null", "0", "false", '["a"]', '"text"', "not json", '{"a":', '{"na']
)
def test_arguments_are_an_object_or_nothing(text: str) -> None:
    read = read_arguments(text)
    assert read.value is None and read.errors


def test_no_arguments_are_no_arguments() -> None:
    assert read_arguments(" \n").value == {}


@pytest.mark.parametrize(
    "text", ['{"a": 1}{"a": 2}', '{"a": "x", "a": "y"}', "{'a': 'x', 'a': 'y'}"]
)
def test_a_call_that_says_two_things_is_refused(text: str) -> None:
    assert read_arguments(text).value is None


@pytest.mark.parametrize("text", ['{"a": 1} oops', 'so: {"a": 1}', "{a: 1}", '{"a": 1}}'])
def test_arguments_with_anything_else_round_them_count_as_repaired(text: str) -> None:
    read = read_arguments(text)
    assert read.value == {"a": 1} and read.repaired


def test_arguments_that_are_encoded_twice_are_read() -> None:
    read = read_arguments(json.dumps(dumped({"query": "年假"})), SCHEMA)
    assert read.value == {"query": "年假"} and not read.repaired and not read.errors


def test_a_lone_wrapper_is_taken_off_unless_the_tool_has_such_a_parameter() -> None:
    text = '{"arguments": {"query": "x"}}'
    assert read_arguments(text, SCHEMA).value == {"query": "x"}
    assert read_arguments('{"input": "{\\"query\\": \\"x\\"}"}', SCHEMA).value == {"query": "x"}
    known = {"type": "object", "properties": {"arguments": {"type": "object"}}}
    assert read_arguments(text, known).value == {"arguments": {"query": "x"}}


def test_names_are_the_schemas_and_what_lacks_is_named() -> None:
    aliases = {"query": ("q", "关键词")}
    read = read_arguments('{"关键词": "x", "N": 3}', SCHEMA, aliases=aliases)
    assert read.value == {"query": "x", "n": 3} and "alias" in read.lines and not read.errors
    wrong = read_arguments('{"n": 3, "z": 1}', SCHEMA, aliases=aliases)
    assert wrong.errors == ("missing_argument: query", "unknown_argument: z")


def test_an_alias_never_overwrites_a_parameter() -> None:
    read = read_arguments('{"query": "x", "q": "y"}', SCHEMA, aliases={"query": ("q",)})
    assert read.value == {"query": "x", "q": "y"} and read.errors == ("unknown_argument: q",)


def test_of_several_values_the_last_that_fits_is_taken() -> None:
    text = 'A draft {"query": "a"}, then {"other": 1}, then {"query": "b"} and [1].'
    assert read_json(text, schema=SCHEMA).value == {"query": "b"}


def test_a_piece_of_a_broken_value_is_not_taken_for_the_whole() -> None:
    read = read_json('{"a": {"b": 1}, oops: "c"}')
    assert read.value == {"a": {"b": 1}, "oops": "c"} and read.repaired


def test_a_model_that_was_cut_while_it_thought_said_nothing() -> None:
    read = read_json('<think>maybe {"a": 1}')
    assert read.value is None and read.cut and read.errors
    assert bare('{"a": 2} was wrong</think>{"a": 1}') == '{"a": 1}'


def test_a_fence_inside_a_string_is_text() -> None:
    assert read_json('```json\n{"a": "```b```"}\n```').value == {"a": "```b```"}


def test_marks_of_sources_in_prose_are_no_json() -> None:
    assert read_json('As [1] says: {"a": 1}').value == {"a": 1}


def test_what_is_broken_and_too_long_is_not_guessed_at() -> None:
    read = read_json('{"a": oops ' + "x" * REPAIR_LIMIT)
    assert read.value is None and read.errors[0].startswith("too_long")


@pytest.mark.parametrize("text", ["{" * 30_000, "<think>" * 5_000, "[]" * 20_000, "x {a} " * 500])
def test_hostile_texts_end_in_a_named_error_or_a_value_at_once(text: str) -> None:
    read = read_json('{"a": ' + text)
    assert read.value is not None or read.errors


def test_what_the_guessing_parser_stumbles_over_is_an_error_of_ours() -> None:
    def stumbles(_: str) -> Any:
        raise AssertionError("inside a library")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("json_repair.loads", stumbles)
        assert read_json('{"a" "b"}').errors[0].startswith("no_json")
