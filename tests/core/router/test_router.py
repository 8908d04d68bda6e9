"""The router: every way is chosen by a rule that a reader can look up."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.routes import OUTSIDE, OWN, language, missed, read
from core.request import Picks, Request
from core.router import Facts, Route, route, tool_of
from core.router.needs import needs_of
from core.router.rule import Rule, bare
from core.router.rules import RULES
from core.tools.builtin import BUILTIN
from tests.core import fake_library

FULL = Facts(has_model=True, documents=9, coverage=1.0)
NO_KEY = Facts(has_model=False, documents=9, coverage=1.0)
EMPTY = Facts(has_model=True, documents=0, coverage=0.0)
ROWS = read(OWN)
SENTENCES = [(row["text"], row["mode"], row.get("tool", "")) for row in ROWS]
TOOLS = (*BUILTIN.names, *OUTSIDE)


def request(question: str, **values: Any) -> Request:
    return fake_library.request(question, **({"tools": TOOLS} | values))


def test_there_are_sentences_enough_in_both_languages() -> None:
    languages = Counter(map(language, ROWS))
    assert len({row["text"] for row in ROWS}) == len(ROWS) >= 160
    assert languages["zh"] + languages["mixed"] >= 80
    assert languages["en"] >= 70
    assert languages["mixed"] >= 12


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_a_sentence_goes_its_way(row: dict[str, Any]) -> None:
    assert missed(row) is None


def test_a_sentence_that_goes_astray_is_told() -> None:
    miss = missed({"text": "现在几点", "mode": "rag"})
    assert miss is not None
    assert (miss["got"], miss["rule"]) == ("tool", "time")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_catches_its_own_examples(rule: Rule) -> None:
    for example in (*rule.zh, *rule.en):
        assert route(request(example), FULL).reason == rule.id, example


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("现在几点", {}),
        ("what time is it in Tokyo?", {"zone": "Tokyo"}),
        ("东京现在几点了", {"zone": "东京"}),
        ("纽约时间", {"zone": "纽约"}),
        ("latest 3 documents", {"n": 3}),
        ("列出最近的五份资料", {"n": 5}),
        ("newest documents", {}),
        ("find the string ECONNREFUSED", {"query": "ECONNREFUSED"}),
        ("搜一下“不可抗力”", {"query": "不可抗力"}),
        ('search for "net 30 days"', {"query": "net 30 days"}),
    ],
)
def test_the_parameters_of_a_tool_are_read_from_the_text(
    sentence: str, arguments: dict[str, object]
) -> None:
    assert route(request(sentence), FULL).arguments == arguments


@pytest.mark.parametrize(("sentence", "mode", "tool"), SENTENCES)
def test_without_a_model_only_tools_plans_and_small_talk_keep_their_way(
    sentence: str, mode: str, tool: str
) -> None:
    chosen = route(request(sentence), NO_KEY)
    assert chosen.mode == (mode if mode in ("tool", "chat", "react") else "quotes")
    assert chosen.tool == tool


@pytest.mark.parametrize(("sentence", "mode", "tool"), SENTENCES)
def test_nothing_is_looked_up_while_there_are_no_documents(
    sentence: str, mode: str, tool: str
) -> None:
    assert route(request(sentence), EMPTY).mode != "rag"
    assert route(request(sentence, picks=Picks(mode="rag")), EMPTY).mode != "rag"


def test_words_that_the_documents_do_not_hold_leave_it_to_the_loop() -> None:
    facts = Facts(has_model=True, documents=9, coverage=0.1)
    assert route(request("How far away is the moon?"), facts).mode == "loop"


def test_a_picked_mode_is_honoured() -> None:
    for mode in ("chat", "rag", "react", "loop"):
        assert route(request("你好", picks=Picks(mode=mode)), FULL).mode == mode
    assert route(request("现在几点", picks=Picks(mode="tool")), FULL).tool == "get_time"


def test_a_picked_tool_mode_without_a_clear_tool_goes_on_as_a_loop() -> None:
    chosen = route(request("讲讲请假", picks=Picks(mode="tool")), FULL)
    assert (chosen.mode, chosen.wanted) == ("loop", "tool")


def test_a_tool_that_was_not_picked_is_not_taken() -> None:
    narrowed = request("现在几点", tools=("semantic_search",))
    assert tool_of(narrowed) is None
    assert route(narrowed, FULL).mode != "tool"
    assert route(request("现在几点", tools=(), picks=Picks(mode="tool")), FULL).mode == "loop"


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("北京今天天气怎么样", {"city": "北京"}),
        ("广州未来三天天气", {"city": "广州", "days": 3}),
        ("weather in Paris", {"city": "Paris"}),
        ("What's the weather like in New York tomorrow?", {"city": "New York", "days": 2}),
        ("Berlin weather", {"city": "Berlin"}),
        ("上网搜一下今年的诺贝尔物理学奖", {"query": "今年的诺贝尔物理学奖"}),
        ("google the capital of Bhutan", {"query": "the capital of Bhutan"}),
    ],
)
def test_a_city_and_a_query_are_read_from_the_text(
    sentence: str, arguments: dict[str, object]
) -> None:
    assert route(request(sentence), FULL).arguments == arguments


def test_a_city_that_is_remembered_fills_the_tool_and_one_that_is_said_goes_before_it() -> None:
    known = {"known": {"city": "杭州"}}
    assert route(request("今天会下雨吗", **known), FULL).arguments == {"city": "杭州"}
    assert route(request("北京今天会下雨吗", **known), FULL).arguments == {"city": "北京"}
    assert route(request("今天会下雨吗"), FULL).mode == "loop"


def test_picked_tools_and_knowledge_narrow_the_way() -> None:
    both = Picks(tools=("get_time", "get_weather"))
    assert route(request("看看情况", picks=both, tools=both.tools), FULL).mode == "react"
    one = Picks(tools=("get_time",))
    assert route(request("现在几点", picks=one, tools=one.tools), FULL).mode == "tool"
    assert route(request("看看情况", picks=one, tools=one.tools), FULL).mode == "loop"
    several = request("现在几点？东京几点？", picks=one, tools=one.tools)
    assert route(several, FULL).mode == "react"
    assert route(request("说说看", picks=Picks(kb=("policies",))), FULL).mode == "rag"
    assert route(request("说说看", picks=Picks(kb=("policies",))), EMPTY).mode == "loop"
    nothing = Picks(tools=(), kb=())
    assert route(request("说说看", picks=nothing, tools=()), FULL).mode == "chat"


def test_two_clauses_about_one_thing_are_one_need() -> None:
    assert needs_of("会议几点开始，在哪个会议室？") == ()
    assert needs_of("现在几点？知识库里有多少文档？") == ("现在几点？", "知识库里有多少文档？")


def test_what_only_a_model_can_do_is_marked_without_one() -> None:
    assert route(request("写一首诗"), NO_KEY).needs_model
    assert route(request("如果没有就告诉我"), NO_KEY).needs_model
    assert not route(request("请假流程是什么？"), NO_KEY).needs_model
    assert not route(request("如果请假超过三天，就需要谁审批？"), NO_KEY).needs_model
    assert not route(request("写一首诗"), FULL).needs_model


def test_a_mention_without_a_word_is_greeted() -> None:
    for facts in (FULL, NO_KEY, EMPTY):
        assert route(request("  "), facts) == Route(mode="chat", reason="empty")


def test_politeness_does_not_change_the_way() -> None:
    for polite in ("请问{}？", "你好，{}", "麻烦帮我{}，谢谢", "please {}", "Hi, {} thanks!"):
        assert bare(polite.format("现在几点")) == "现在几点", polite


def test_a_very_long_text_is_routed_quickly() -> None:
    for text in (
        "如果" * 10_000,
        "a " * 10_000,
        "find the " * 2_000,
        "查" * 20_000,
        "我们" * 9_999,
    ):
        begun = time.process_time()
        route(request(text), FULL)
        # A catastrophic pattern takes minutes here; the bound is far from both.
        assert time.process_time() - begun < 5


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200) | st.sampled_from([s for s, _, _ in SENTENCES]), st.booleans())
def test_any_text_has_a_way(text: str, has_model: bool) -> None:
    chosen = route(request("x").model_copy(update={"question": text}), Facts(has_model, 3, 0.6))
    assert chosen.mode in {"chat", "tool", "react"} | ({"rag", "loop"} if has_model else {"quotes"})
    assert bool(chosen.tool) == (chosen.mode == "tool")
