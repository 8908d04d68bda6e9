"""Plans without a model: what the words of an order become."""

from __future__ import annotations

from typing import Any

import pytest

from core.plan.rules import rule_plan
from core.plan.schema import Plan, check, races
from core.plan.wishes import place_in, topic_of, without_mail
from tests.core.plan.things import KNOBS, TOOLS, only
from tests.core.runs_of_one import a_request

LOCAL = {name: tool for name, tool in TOOLS.items() if name != "search_web"}


def plan_of(question: str, tools: Any = LOCAL, **values: Any) -> Plan:
    zh = any("\u4e00" <= character <= "\u9fff" for character in question)
    request = a_request(question=question, language="zh" if zh else "en", **values)
    plan = rule_plan(request, tools)
    assert check(plan, tools, (), KNOBS) == []
    assert all(node.title for node in plan.nodes)
    return plan


def steps(plan: Plan) -> list[tuple[str, dict[str, Any]]]:
    return [(node.tool, node.arguments) for node in plan.nodes]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("北京和上海明天的天气", [("get_weather", "上海"), ("get_weather", "北京")]),
        (
            "weather in Paris and London, and the newest documents",
            [("get_weather", "Paris"), ("get_weather", "London"), ("latest_documents", "")],
        ),
        (
            "北京和上海明天的天气，还有最新的文档",
            [("get_weather", "上海"), ("get_weather", "北京"), ("latest_documents", "")],
        ),
        ("查一下年假规定和报销标准", [("semantic_search", "年假规定和报销标准")]),
        (
            "what's the weather and the time in Paris",
            [("get_weather", "Paris"), ("get_time", "Paris")],
        ),
        ("现在几点，有多少文档", [("get_time", ""), ("knowledge_stats", "")]),
        ("有多少文档？最近上传了什么？", [("knowledge_stats", ""), ("latest_documents", "")]),
        (
            "How many documents are there? What is the refund window?",
            [("knowledge_stats", ""), ("semantic_search", "What is the refund window")],
        ),
        (
            "年假几天？病假怎么请？",
            [("semantic_search", "年假几天"), ("semantic_search", "病假怎么请")],
        ),
        ("最新的文档有哪些，它们讲了什么", [("latest_documents", "")]),
        ("先找请假制度，最后整理成要点发给我", [("semantic_search", "请假制度")]),
        ("帮我总结这些文档", [("latest_documents", "")]),
        ("research the types of Kubernetes services",
         [("semantic_search", "the types of Kubernetes services")]),
        ("最新的文档有哪些，讲了什么？", [("latest_documents", "")]),
        ("What are the newest documents and what do they say?", [("latest_documents", "")]),
        ("知识库里有多少文档？从第一篇到现在多少天了？", [("knowledge_stats", "")]),
        (
            "How many documents are there, and how many days since the first one?",
            [("knowledge_stats", "")],
        ),
        ("hello", []),
        ("谢谢", []),
    ],
)  # fmt: skip
def test_needs_become_nodes_side_by_side(question: str, expected: list[tuple[str, str]]) -> None:
    plan = plan_of(question)
    found = [
        (tool, next((str(v) for k, v in values.items() if k in ("city", "zone", "query")), ""))
        for tool, values in steps(plan)
    ]
    assert found == expected
    assert all(not node.depends_on for node in plan.nodes)


def test_documents_and_web_race_when_the_web_is_on() -> None:
    plan = plan_of("年假几天？病假怎么请？", TOOLS)
    assert sorted(len(members) for members in races(plan).values()) == [2, 2]
    alone = plan_of("年假几天？病假怎么请？", only("search_web"))
    assert races(alone) == {} and {node.tool for node in alone.nodes} == {"search_web"}


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("帮我调研一下 K8s service 的几种类型，写成报告保存", "K8s service 的几种类型"),
        ("写一份关于 K8s 网络的报告", "K8s 网络"),
        ("把今天的讨论整理成会议纪要", "今天的讨论"),
        ("write a report about our refund policy", "our refund policy"),
    ],
)
def test_a_report_is_looked_up_written_and_saved(question: str, topic: str) -> None:
    plan = plan_of(question, TOOLS)
    *search, save = plan.nodes
    assert topic_of(question) == topic
    assert [node.tool for node in search] == ["semantic_search", "search_web"]
    assert all(node.arguments == {"query": topic} for node in search)
    assert save.tool == "write_document" and save.depends_on == ("n1", "n2")
    assert topic in save.arguments["title"] and "${n1.text}" in save.arguments["text"]


def test_without_a_writer_a_report_is_only_looked_up() -> None:
    plan = plan_of("写一份关于 K8s 网络的报告", only("semantic_search"))
    assert steps(plan) == [("semantic_search", {"query": "K8s 网络"})]


def test_the_place_and_day_of_a_journey_are_those_of_the_weather_and_the_address_is_asked() -> None:
    plan = plan_of("我明天去北京旅游,查天气并发我邮箱")
    weather, asked, mail = plan.nodes
    assert weather.arguments == {"city": "北京", "days": 2}
    assert asked.tool == "ask_person" and asked.arguments["expects"] == "email"
    assert mail.tool == "send_email" and mail.arguments["to"] == "${n2.text}"
    assert mail.arguments["body"] == "${n1.text}" and set(mail.depends_on) == {"n1", "n2"}


def test_an_address_that_was_said_is_used() -> None:
    plan = plan_of("Please send the newest documents to ann@example.com by email")
    newest, mail = plan.nodes
    assert newest.tool == "latest_documents" and mail.arguments["to"] == "ann@example.com"


def test_a_city_that_is_remembered_is_used_and_one_that_nobody_knows_is_asked_for() -> None:
    known = plan_of("查天气和时间", known={"city": "杭州"})
    assert steps(known)[0] == ("get_weather", {"city": "杭州"})
    asked, weather, _ = plan_of("查天气和时间").nodes
    assert asked.arguments == {"question": "哪个城市？"} and weather.depends_on == (asked.id,)


def test_only_tools_that_are_there_get_nodes() -> None:
    assert plan_of("查天气和时间", {}).nodes == ()
    assert steps(plan_of("查天气和时间", only("get_time"))) == [("get_time", {})]


@pytest.mark.parametrize(
    ("text", "place"),
    [("我明天去北京旅游", "北京"), ("the time in New York now", "New York"), ("查天气", "")],
)
def test_a_known_place_is_found_in_a_text(text: str, place: str) -> None:
    assert place_in(text) == place


def test_the_wish_for_a_mail_is_taken_off() -> None:
    assert without_mail("email the refund rules to me") == "the refund rules"
    assert without_mail("发我邮箱") == ""
    assert without_mail("年假几天") == "年假几天"


def test_what_is_sent_has_a_line_for_people_and_a_whole_subject() -> None:
    plan = plan_of("I am travelling to Paris tomorrow: check the weather and email it to me")
    weather, asking, mail = plan.nodes
    assert (weather.tool, weather.arguments) == ("get_weather", {"city": "Paris", "days": 2})
    assert (asking.tool, mail.tool) == ("ask_person", "send_email")
    assert mail.title == "Send the results by mail"
    subject = mail.arguments["subject"]
    assert subject == "I am travelling to Paris tomorrow: check the weather and…"
