"""Leaked calls, thinking and special tokens never reach people, however a stream is cut."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.screen import Screen, visible

LEAKS = [
    "Let me look. <tool_call>\n{}\n</tool_call>",
    'Let me look. <minimax:tool_call><invoke name="a"></invoke></minimax:tool_call>',
    "Let me look. <function=run>\n<parameter=x>1</parameter>\n</function>",
    "Let me look. <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁calls▁end｜>",
    "Let me look. <|tool_calls_section_begin|>x<|tool_calls_section_end|>",
    "Let me look. <|python_tag|>print(1)",
    'Let me look. [TOOL_CALLS] [{"name": "a"}][/TOOL_CALLS]',
    'Let me look. functools[{"name": "a"}]',
    "Let me look. <tool_call>{",
]
HARMLESS = [
    "If a < b then [1] holds; f(x) is fun, <b>bold</b> and List<int> too.",
    "[1] says so.\n```json\n{}\n```",
    "如果 a<b，则见 [2]。functions[0] 是名字。",
    "Write `<tool_call>` to call a tool.",
    '{"name": "Ann", "age": 3}',
    "",
]


def cut(text: str, cuts: list[int]) -> str:
    """`text` as a screen shows it when it comes in pieces."""
    screen = Screen({"search"})
    edges = [0, *sorted(min(at, len(text)) for at in cuts), len(text)]
    pieces = [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    return "".join(screen.feed(piece) for piece in pieces) + screen.flush()


@pytest.mark.parametrize("text", LEAKS)
def test_a_leaked_call_is_hidden_and_reported(text: str) -> None:
    assert visible(text) == ("Let me look.", True)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert visible(text, {"search"}) == (text, False)


def test_text_after_a_closed_call_is_shown() -> None:
    assert visible("A <tool_call>x</tool_call>B") == ("A B", True)


def test_thinking_is_hidden_but_is_no_leak() -> None:
    assert visible("<think>hm <b></think>Yes.") == ("Yes.", False)
    assert visible("I wonder.\n</think>\n\nYes.") == ("Yes.", False)


def test_json_alone_is_a_call_only_if_it_names_a_tool() -> None:
    assert visible('{"name": "search", "arguments": {"q": 1}}', {"search"}) == ("", True)
    assert visible("[search(q='x')]", {"search"}) == ("", True)
    other = '{"name": "Ann", "arguments": []}'
    assert visible(other, {"search"}) == (other, False)


def test_an_answer_that_begins_with_a_mark_is_shown_at_once() -> None:
    assert Screen({"search"}).feed("[1] says") == "[1] says"


MARKS = st.sampled_from(
    ["<tool_call>", "</tool_call>", "<think>", "</think>", "[TOOL_CALLS]", "functools[", "`", "<",
     "<|im_end|>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "[1]", "{", ">", "\n", "fun",
     "请假"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.lists(MARKS | st.text(max_size=4), max_size=12), st.lists(st.integers(0, 80), max_size=30)
)
def test_every_cut_of_a_text_shows_the_same(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    assert cut(text, cuts) == cut(text, [])


def corpus() -> list[dict[str, object]]:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS names no corpus folder")
    lines = (Path(folder) / "model-output" / "llm-outputs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_no_known_dialect_of_tool_calls_is_shown() -> None:
    shown: list[str] = []
    for row in corpus():
        expected = row["expected"]
        assert isinstance(expected, dict)
        if row["kind"] != "tool_calls" or not expected.get("calls"):
            continue
        names = [call["name"] for call in expected["calls"]]
        chunks = row.get("chunks") or [row["output"]]
        assert isinstance(chunks, list)
        screen = Screen(names)
        text = "".join(screen.feed(chunk) for chunk in chunks) + screen.flush()
        if any(name in text for name in names) and "say_hello tool" not in text:
            shown.append(f"{row['id']}: {text!r}")
    assert shown == []
