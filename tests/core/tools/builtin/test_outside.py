"""Web search, weather and mail, against servers on loopback that the operator named."""

import json
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from core.context import NeedsPerson
from core.errors import ThreadmateError, ToolFailed, WrongConfig
from core.http import Blocked, GuardedClient
from core.messages import Language
from core.model.protocol import ToolCall
from core.request import Picks, TeammateCard
from core.texts import told
from core.tools.builtin import BUILTIN
from core.tools.builtin.web import asks_for_web
from core.tools.execute import Outcome, run_calls
from core.tools.outside import Outside
from core.tools.outside.open_meteo import OpenMeteo
from core.tools.outside.search import Ddgs, hits_of, rows_in
from core.tools.outside.smtp import Smtp
from core.tools.services import Services, WebHit
from core.tools.toolbox import Bound
from tests.core.runs_of_one import Run, a_run
from tests.core.tools.builtin.test_builtin import bound, use
from tests.rigs.outside import Web, forecast, geocoding, mail_server, serving

ROWS = [
    {
        "title": "K8s <b>Service</b> [1]",
        "url": "https://k8s.example.com/a",
        "content": "Four\ntypes.",
    },
    {"title": "Inside", "url": "http://10.0.0.8/", "content": "private"},
    {"title": "Again", "url": "https://k8s.example.com/a", "content": "twice"},
    {"title": "", "url": "https://b.example.com/", "content": ""},
    {"title": "Trick", "url": "javascript:alert(1)", "content": ""},
]


@pytest.fixture
async def server() -> AsyncIterator[Web]:
    answers = {
        "/geo": geocoding,
        "/forecast": forecast,
        "/search": lambda _: web.json_response({"query": "x", "results": ROWS}),
        "/brave": lambda _: web.json_response({"web": {"results": ROWS}, "type": "search"}),
        "/broken": lambda _: web.Response(text="<html>"),
        "/down": lambda _: web.Response(status=503),
        "/away": lambda _: web.Response(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    }
    async with serving(answers) as held:
        yield held


def outside(server: Web, **fields: Any) -> Outside:
    values = {
        "provider": "searxng",
        "url": server.origin,
        "geocoding_url": f"{server.origin}/geo",
        "forecast_url": f"{server.origin}/forecast",
    }
    return Outside(**(values | fields))


def at(services: Services, question: str = "上网查一下", **fields: Any) -> Bound:
    mine = bound(question=question, tools=BUILTIN.names, **fields)
    mine.heard.now.append(question)
    return replace(mine, services=services)


@pytest.fixture
async def services(server: Web) -> AsyncIterator[Services]:
    set_up = outside(server)
    async with set_up.client() as client:
        yield set_up.services(client, None)


@pytest.mark.parametrize(
    ("city", "language", "head", "day"),
    [
        (
            "北京",
            "zh",
            "北京，中国现在 3.4 °C，小雪。",
            "2026-11-29：小雨，-1 至 8 °C，降水概率 80%",
        ),
        ("北京市", "zh", "北京，中国现在 3.4 °C，小雪。", "2026-11-29：小雨，-1 至 8 °C"),
        ("Paris", "en", "Paris, Île-de-France, France: 3.4 °C now", "light rain, -1 to 8 °C"),
    ],
)
async def test_the_weather_of_a_city_in_both_languages(
    services: Services, city: str, language: Language, head: str, day: str
) -> None:
    result = await use(at(services, language=language), "get_weather", city=city)
    assert result.text.startswith(head)
    assert day in result.text
    assert result.details["sentence"] == result.text


async def test_days_without_figures_are_left_out(services: Services, server: Web) -> None:
    result = await use(at(services), "get_weather", city="北京", days=3)
    assert len(result.text.splitlines()) == 1 + 2
    assert server.asked[-1].query["forecast_days"] == "3"
    assert server.asked[-1].query["latitude"] == "39.9"


async def test_an_unknown_city_is_named_with_the_way_out(services: Services) -> None:
    with pytest.raises(ToolFailed) as caught:
        await use(at(services), "get_weather", city="亚特兰蒂斯")
    assert "亚特兰蒂斯" in told(caught.value, "zh") and "Paris" in told(caught.value, "zh")


@pytest.mark.parametrize("path", ["broken", "down", "nothing", "search"])
async def test_a_weather_service_that_answers_nonsense_is_a_sentence(
    server: Web, path: str
) -> None:
    set_up = outside(server, forecast_url=f"{server.origin}/{path}")
    async with set_up.client() as client:
        services = set_up.services(client, None)
        with pytest.raises(ToolFailed) as caught:
            await use(at(services), "get_weather", city="北京")
    assert caught.value.key.startswith(("tool.weather", "tool.outside"))
    assert told(caught.value, "zh") and told(caught.value, "en")


async def test_an_address_that_no_operator_named_stays_closed(server: Web) -> None:
    """Loopback is open only for the origins of the config, also behind a redirect."""
    async with GuardedClient() as client:
        with pytest.raises(Blocked):
            await OpenMeteo(client, f"{server.origin}/geo").forecast("北京", 1, "zh")
    set_up = outside(server, geocoding_url=f"{server.origin}/away")
    async with set_up.client() as client:
        with pytest.raises(Blocked):
            await use(at(set_up.services(client, None)), "get_weather", city="北京")


async def test_web_results_are_numbered_data_with_sources(services: Services, server: Web) -> None:
    mine = at(services)
    result = await use(mine, "search_web", query="K8s service 类型", limit=3)
    assert result.text == (
        "[1] K8s Service ［1］ (k8s.example.com)\nFour types.\n\n"
        "[2] https://b.example.com/ (b.example.com)\n"
    )
    assert [source.link for source in result.sources] == [
        "https://k8s.example.com/a",
        "https://b.example.com/",
    ]
    assert result.sources[0].document == "K8s Service [1]"
    assert mine.book.by_mark(2) == result.sources[1]
    asked = server.asked[-1].query
    assert (asked["q"], asked["format"], asked["language"]) == ("K8s service 类型", "json", "zh-CN")


async def test_nothing_on_the_web_is_nothing_found(server: Web) -> None:
    server.answers["/search"] = lambda _: web.json_response({"results": []})
    set_up = outside(server)
    async with set_up.client() as client:
        result = await use(at(set_up.services(client, None)), "search_web", query="qqqq")
    assert not result.found and "qqqq" in result.text


async def test_a_search_api_gets_its_key_as_it_wants_it(server: Web) -> None:
    address = f"{server.origin}/brave?q={{query}}&count={{limit}}"
    for header, sent in (("X-Key", "s3&cret"), ("Authorization", "Bearer s3&cret"), ("", None)):
        url = address if header else f"{address}&key={{key}}"
        key = SecretStr("s3&cret")
        set_up = outside(server, provider="api", url=url, key_header=header, web_key=key)
        async with set_up.client() as client:
            result = await use(at(set_up.services(client, None)), "search_web", query="a&b=c")
        asked = server.asked[-1]
        assert asked.query["q"] == "a&b=c" and asked.query["count"] == "5"
        assert asked.headers.get(header or "X-Key") == sent
        assert asked.query.get("key") == (None if header else "s3&cret")
        assert len(result.sources) == 2


@pytest.mark.parametrize("path", ["broken", "down"])
async def test_a_search_server_that_is_down_is_a_sentence(server: Web, path: str) -> None:
    set_up = outside(server, provider="api", url=f"{server.origin}/{path}?q={{query}}")
    async with set_up.client() as client:
        with pytest.raises(ThreadmateError) as caught:
            await use(at(set_up.services(client, None)), "search_web", query="x")
    assert "127.0.0.1" in told(caught.value, "zh")


async def test_ddgs_is_asked_in_the_persons_region_and_its_failures_are_sentences() -> None:
    seen: list[tuple[str, int, str]] = []

    def find(query: str, limit: int, region: str) -> list[dict[str, Any]]:
        seen.append((query, limit, region))
        if query == "none":
            raise RuntimeError("No results found.")
        if query == "boom":
            raise RuntimeError("202 Ratelimit")
        return [{"title": "T", "href": "https://a.example.com/", "body": "B"}]

    search = Ddgs(find)
    hit = WebHit(title="T", url="https://a.example.com/", text="B")
    assert await search.search("x", 3, "zh") == [hit]
    assert await search.search("none", 3, "en") == []
    with pytest.raises(ToolFailed, match="web"):
        await search.search("boom", 3, "en")
    assert [region for _, _, region in seen] == ["cn-zh", "us-en", "us-en"]


@pytest.mark.parametrize(
    "answer",
    [
        {"webPages": {"value": [{"name": "T", "url": "https://a.example.com/", "snippet": "B"}]}},
        {"items": [{"title": "T", "link": "https://a.example.com/", "snippet": "B"}]},
        {"meta": [1, 2], "data": {"x": [{"title": "T", "url": "https://a.example.com/"}]}},
    ],
)
def test_results_are_found_in_the_answers_of_many_apis(answer: dict[str, Any]) -> None:
    [hit] = hits_of(rows_in(answer), 5)
    assert (hit.title, hit.url) == ("T", "https://a.example.com/")


@pytest.mark.parametrize(
    "answer", [None, 5, "x", [], {}, [[[[[[[[[1]]]]]]]]], {"a": {"title": "T"}}]
)
def test_an_answer_without_results_has_none(answer: Any) -> None:
    assert rows_in(answer) == []


@pytest.mark.parametrize(
    ("web_setting", "question", "named", "there"),
    [
        ("off", "上网查一下茅台股价", ("search_web",), False),
        ("on", "年假几天？", None, True),
        ("when_asked", "年假几天？", None, False),
        ("when_asked", "上网查一下茅台股价", None, True),
        ("when_asked", "Search the web for K8s news", None, True),
        ("when_asked", "What port does our web server use?", None, False),
        ("when_asked", "年假几天？", ("search_web", "@read"), True),
    ],
)
async def test_the_web_is_there_only_where_the_channel_and_the_asker_want_it(
    services: Services, web_setting: str, question: str, named: Any, there: bool
) -> None:
    card = TeammateCard(tools=named)
    mine = at(services, question, web=web_setting, teammate=card)
    assert ("search_web" in BUILTIN.of(mine)) is there


async def test_a_models_words_do_not_open_the_web_but_a_pick_does(services: Services) -> None:
    mine = at(services, "年假几天？")
    task = mine.request.model_copy(update={"question": "Search the web for it"})
    assert "search_web" not in BUILTIN.of(replace(mine, request=task))
    picked = mine.request.model_copy(update={"picks": Picks(tools=("search_web",))})
    assert "search_web" in BUILTIN.of(replace(mine, request=picked))


@pytest.mark.parametrize("text", ["帮我联网搜索", "网上怎么说", "有什么新闻", "look it up online"])
def test_ways_to_ask_for_the_web(text: str) -> None:
    assert asks_for_web([text])


SEND = {"to": "ann@example.com", "subject": "天气", "body": "北京，晴。\n带伞。"}


async def mailing(run: Run, port: int, arguments: dict[str, str]) -> Outcome:
    mine = Bound(
        run.ctx.request.model_copy(update={"tools": ("send_email",)}),
        bound().knowledge,
        bound().book,
        services=Services(mailer=Smtp(f"smtp://127.0.0.1:{port}", "Bot <bot@example.com>")),
        heard=run.ctx.heard,
    )
    call = ToolCall(id="a", name="send_email", arguments=json.dumps(arguments))
    [(_, outcome)] = await run_calls(run.ctx, BUILTIN.of(mine), [call], "loop:1")
    return outcome


async def test_a_mail_to_an_address_that_the_asker_wrote_is_sent() -> None:
    async with mail_server() as server:
        run = a_run()
        run.ctx.heard.now.append("mail it to ann@example.com")
        outcome = await mailing(run, server.port, SEND)
        assert outcome.text == "The mail “天气” was sent to ann@example.com."
        [mail] = server.mails
        assert server.envelopes == [("bot@example.com", ["ann@example.com"])]
        assert (mail["Subject"], mail["From"]) == ("天气", "Bot <bot@example.com>")
        assert mail.get_content().splitlines() == ["北京，晴。", "带伞。"]
        assert mail["Message-ID"].endswith("@example.com>")


async def test_a_mail_to_any_other_address_waits_for_a_click() -> None:
    async with mail_server() as server:
        with pytest.raises(NeedsPerson) as caught:
            await mailing(a_run(), server.port, SEND)
        assert server.mails == []
    assert caught.value.needs[0].arguments == SEND


@pytest.mark.parametrize(
    "wrong",
    [
        {"to": "ann"},
        {"to": "a@example.com, b@example.com"},
        {"to": "a@example.com\nBcc: b@example.com"},
        {"subject": "x\r\nBcc: eve@example.com"},
        {"body": ""},
    ],
)
async def test_no_line_of_a_model_becomes_a_header_or_a_second_address(
    wrong: dict[str, str],
) -> None:
    outcome = await mailing(a_run(), 1, SEND | wrong)
    assert outcome.kind == "bad_arguments"


async def test_a_server_that_refuses_is_told_with_its_reason() -> None:
    async with mail_server() as server:
        server.refuse = "550 no such user"
        with pytest.raises(ToolFailed) as caught:
            await Smtp(f"smtp://127.0.0.1:{server.port}", "b@example.com").send("a@b.cn", "s", "b")
    assert "550 no such user" in told(caught.value, "zh")


async def test_a_login_is_used_and_a_wrong_one_is_named_without_the_password() -> None:
    async with mail_server({"bot@example.com": "p@ss"}) as server:
        for password, works in (("p%40ss", True), ("wrong", False)):
            url = f"smtp://bot%40example.com:{password}@127.0.0.1:{server.port}"
            smtp = Smtp(url, "bot@example.com")
            if works:
                await smtp.send("a@b.cn", "s", "b")
                continue
            with pytest.raises(ToolFailed) as caught:
                await smtp.send("a@b.cn", "s", "b")
            assert "THREADMATE_SMTP_URL" in told(caught.value, "en")
            assert "wrong" not in told(caught.value, "en")
        assert len(server.mails) == 1


async def test_a_mail_server_that_is_not_there_is_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ToolFailed) as caught:
        await Smtp(f"smtp://127.0.0.1:{port}", "b@example.com").send("a@b.cn", "s", "b")
    assert caught.value.key == "tool.mail.unreachable"


@pytest.mark.parametrize(
    ("url", "sender"),
    [
        ("http://x", "a@b.cn"),
        ("smtp://", "a@b.cn"),
        ("smtp://h", ""),
        ("smtp://h", "a@b.cn\nBcc: x@y.z"),
    ],
)
def test_a_mail_server_that_cannot_be_is_refused_at_the_start(url: str, sender: str) -> None:
    with pytest.raises(WrongConfig):
        Smtp(url, sender)


async def test_services_that_are_not_set_up_are_none(server: Web) -> None:
    nothing = Outside(geocoding_url="")
    async with nothing.client() as client:
        services = nothing.services(client, None)
    assert (services.web, services.weather, services.mailer) == (None, None, None)
    with_mail = Outside(smtp_url=SecretStr("smtp://bot%40example.com:x@mail.example.com"))
    assert with_mail.services(client, None).mailer is not None
