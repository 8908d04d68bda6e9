"""Tools in whole runs: which are loaded, an address that is missing, a report found again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.agent import Agent
from core.events import Decision, Event, Need, Suspended
from core.journal import MemoryJournal
from core.messages import Language
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, calling
from core.request import Picks, TeammateCard
from core.tools.builtin import BUILTIN
from core.tools.choose import Chooser
from core.tools.outside import Outside
from core.tools.outside.smtp import Smtp
from core.tools.services import Services
from tests.core.agent.test_agent import answer, assert_sound, events_of
from tests.core.fake_library import FakeLibrary, handbook, request
from tests.core.knowledge.rigs import SCOPE, Desk, opened
from tests.core.runs_of_one import a_tool
from tests.core.tools.test_choose import CARDS, MOUTAI
from tests.rigs.outside import Web, forecast, geocoding, mail_server, serving

LOOP = Picks(mode="loop")


@pytest.fixture
async def weather() -> AsyncIterator[Web]:
    async with serving({"/geo": geocoding, "/forecast": forecast}) as held:
        yield held


def needs_of(events: list[Event]) -> tuple[Need, ...]:
    assert_sound(events)
    body = events[-1].body
    assert isinstance(body, Suspended), body
    return body.needs


async def decide(journal: MemoryJournal, need: Need, **values: Any) -> None:
    given = {"by": "slack:T1/U1", "yes": True, "digest": need.digest, "at": 1.0} | values

    async def made() -> Decision:
        return Decision.model_validate(given)

    await journal.step(f"{need.id}:decision", Decision, made)


def named(asked: ModelRequest) -> list[str]:
    return [tool.name for tool in asked.tools]


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_of_six_strange_tools_the_right_one_is_loaded_and_the_others_are_one_line_each(
    language: Language,
) -> None:
    toolbox = BUILTIN.copy()
    for name, text in CARDS[language].items():
        made = replace(a_tool(name), description=text, keywords=())
        if name == "get_financial_report":
            made = replace(made, keywords=("净利润",))
        toolbox.register(name, lambda _, made=made: made)
    model = ScriptedModel([calling(("get_financial_report", {"query": "600519"})), "862 亿元。"])
    agent = Agent(handbook(), model, toolbox, chooser=Chooser())
    asked = request(MOUTAI, tools=toolbox.names, picks=LOOP)
    told = answer(await events_of(agent, asked))
    assert told.text == "862 亿元。"
    loaded = named(model.calls[0])
    assert "get_financial_report" in loaded and "tool_search" in loaded
    assert not {"get_weather", "order_food"} & set(loaded)
    system = model.calls[0].messages[0].text
    assert "get_weather: " in system and "order_food: " in system


async def test_the_weather_is_mailed_to_the_address_that_the_asker_gives_on_demand(
    weather: Web,
) -> None:
    outside = Outside(
        geocoding_url=f"{weather.origin}/geo", forecast_url=f"{weather.origin}/forecast"
    )
    async with outside.client() as client, mail_server() as server:
        mailer = Smtp(f"smtp://127.0.0.1:{server.port}", "bot@example.com")
        services = replace(outside.services(client, None), mailer=mailer)
        assert services.weather is not None
        # The connection, and the server's task for it, are there before the run.
        await services.weather.forecast("Paris", 1, "en")
        journal = MemoryJournal()
        card = TeammateCard(name="generalist", tools=("@read", "send_email"))
        asked = request(
            "我明天去北京旅游,查天气并发我邮箱",
            tools=BUILTIN.names,
            teammate=card,
            picks=LOOP,
        )
        first = ScriptedModel(
            [
                calling(("get_weather", {"city": "北京", "days": 2})),
                calling(("ask_person", {"question": "发到哪个邮箱？", "expects": "email"})),
            ]
        )
        (need,) = needs_of(
            await events_of(Agent(FakeLibrary(), first, services=services), asked, journal)
        )
        assert (need.what, need.expects, need.question) == ("answer", "email", "发到哪个邮箱？")
        looked = len(weather.asked)
        await decide(journal, need, text="发到 me@example.com 吧")
        mail = {"to": "me@example.com", "subject": "北京天气", "body": "小雨，带伞。"}
        second = ScriptedModel([calling(("send_email", mail)), "已发到 me@example.com。"])
        agent = Agent(FakeLibrary(), second, services=services)
        told = answer(await events_of(agent, asked, journal))
        assert told.text == "已发到 me@example.com。"
        assert len(weather.asked) == looked, "what was fetched is not fetched again"
        [sent] = server.mails
        assert (sent["To"], sent["Subject"]) == ("me@example.com", "北京天气")
        results = [each.text for each in second.calls[0].messages if each.role == "tool"]
        assert "小雨" in results[0] and "me@example.com" in results[1]


async def test_a_mail_to_an_address_from_a_document_waits_and_is_sent_after_the_click() -> None:
    async with mail_server() as server:
        services = Services(mailer=Smtp(f"smtp://127.0.0.1:{server.port}", "bot@example.com"))
        card = TeammateCard(name="generalist", tools=("@read", "send_email"))
        asked = request("把年假制度发给人事", tools=BUILTIN.names, teammate=card, picks=LOOP)
        mail = {"to": "hr@example.com", "subject": "年假", "body": "15 天。"}
        for yes in (True, False):
            journal = MemoryJournal()
            first = ScriptedModel([calling(("send_email", mail))])
            agent = Agent(handbook(), first, services=services)
            (need,) = needs_of(await events_of(agent, asked, journal))
            assert need.arguments == mail and server.mails == []
            await decide(journal, need, yes=yes)
            agent = Agent(handbook(), ScriptedModel(["好了。"]), services=services)
            assert answer(await events_of(agent, asked, journal)).text == "好了。"
            assert len(server.mails) == yes
            server.mails.clear()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with opened(tmp_path) as held:
        yield held


async def test_a_saved_report_is_named_with_its_link_and_found_by_the_next_question(
    desk: Desk,
) -> None:
    kb = await desk.library.kb_for(SCOPE)
    services = Services(writer=desk.library, links={"slack": lambda *_: "https://chat.test/1"})
    card = TeammateCard(name="librarian", tools=("@read", "write_document"))
    report = "# K8s Service\n\nClusterIP、NodePort、LoadBalancer、ExternalName 四种类型。"
    write = calling(("write_document", {"title": "K8s Service 类型", "text": report}))
    model = ScriptedModel([write, "已保存：K8s Service 类型.md [1]"])
    asked = request("把 K8s service 的类型写成报告保存", kbs=(kb,), tools=BUILTIN.names)
    asked = asked.model_copy(update={"teammate": card, "picks": LOOP})
    told = answer(await events_of(Agent(desk.library, model, services=services), asked))
    (source,) = told.sources
    assert (source.document, source.link) == ("K8s Service 类型.md", "https://chat.test/1")
    result = model.calls[1].messages[-1].text
    assert "K8s Service 类型.md" in result and "https://chat.test/1" in result
    question = request("NodePort 是什么类型？", kbs=(kb,), run="run-2")
    told = answer(await events_of(Agent(desk.library, None), question))
    assert "NodePort" in told.text
    assert [one.document for one in told.sources] == ["K8s Service 类型.md"]
