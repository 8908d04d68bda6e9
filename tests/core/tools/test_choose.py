"""The tools that are loaded for a question, and how the others are found."""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.embed import SentenceEncoder, Vectors
from core.messages import Language
from core.model.protocol import ToolCall
from core.tools.builtin import BUILTIN
from core.tools.choose import CHOSEN, LINE, Chooser, Shelf, catalog, line_of
from core.tools.execute import Outcome, run_calls
from core.tools.tool import Arguments, Tool
from tests.core.fake_library import FakeLibrary
from tests.core.runs_of_one import a_run, a_tool
from tests.core.tools.builtin.test_builtin import bound

ZH = {
    "get_financial_report": "查询上市公司的财务报告：营收、净利润、毛利率等，按年份或季度。",
    "get_stock_price": "查询股票的实时价格和涨跌幅。",
    "get_company_info": "查询公司的基本信息：法人、注册地、成立时间。",
    "get_weather": "查询某个城市的天气预报。",
    "get_exchange_rate": "查询两种货币之间的汇率。",
    "order_food": "帮用户点外卖、订餐。",
}
EN = {
    "get_financial_report": "Financial statements of a listed company: revenue, net profit,"
    " margins, by year or quarter.",
    "get_stock_price": "The current price of a share and its change today.",
    "get_company_info": "Basic facts of a company: legal person, seat, founding date.",
    "get_weather": "The weather forecast of a city.",
    "get_exchange_rate": "The exchange rate between two currencies.",
    "order_food": "Orders food for delivery from a restaurant.",
}
CARDS = {"zh": ZH, "en": EN}


class What(Arguments):
    query: str
    """What is wanted."""


def box(cards: dict[str, str]) -> dict[str, Tool]:
    return {
        name: replace(a_tool(name, arguments=What), description=text)
        for name, text in cards.items()
    }


@pytest.fixture(scope="module")
def encoder() -> Iterator[SentenceEncoder]:
    """The encoder that ships; its table is unpacked once for this file."""
    with tempfile.TemporaryDirectory() as folder:
        yield SentenceEncoder(Path(folder))


MOUTAI = "帮我查2025年贵州茅台的净利润"


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_question_about_profit_loads_the_report_first_and_neither_weather_nor_food(
    encoder: SentenceEncoder, language: Language
) -> None:
    loaded = await Chooser(encoder).choose(MOUTAI, box(CARDS[language]))
    assert loaded[0] == "get_financial_report"
    assert not {"get_weather", "order_food"} & set(loaded)


async def test_words_alone_find_it_too() -> None:
    assert (await Chooser(None).choose(MOUTAI, box(ZH)))[0] == "get_financial_report"
    found = await Chooser(None).choose("What was Moutai's net profit in 2025?", box(EN))
    assert found[0] == "get_financial_report"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("明天北京会下雨吗", "get_weather"),
        ("Will it rain in Paris tomorrow?", "get_weather"),
        ("我饿了，帮我订一份披萨", "order_food"),
        ("美元兑人民币是多少", "get_exchange_rate"),
        ("How much is a dollar in yen?", "get_exchange_rate"),
    ],
)
@pytest.mark.parametrize("language", ["zh", "en"])
async def test_the_language_of_the_cards_does_not_matter(
    encoder: SentenceEncoder, question: str, first: str, language: Language
) -> None:
    assert (await Chooser(encoder).choose(question, box(CARDS[language])))[0] == first


async def test_each_part_of_a_question_brings_its_own_tool(encoder: SentenceEncoder) -> None:
    tools = box({**ZH, "send_email": "Sends one mail to one address."})
    tools["send_email"] = replace(tools["send_email"], keywords=("邮箱", "邮件"))
    loaded = await Chooser(encoder).choose("我明天去北京旅游,查天气并发我邮箱", tools)
    assert {"get_weather", "send_email"} <= set(loaded)


async def test_a_keyword_finds_a_tool_whose_card_says_it_in_other_words() -> None:
    tools = box({"get_balance": "Account state.", "get_weather": "Weather."})
    tools["get_balance"] = replace(tools["get_balance"], keywords=("余额", "how much is left"))
    assert await Chooser().choose("皮卡的余额", tools) == ("get_balance",)
    assert await Chooser().choose("How much is left for Pika?", tools) == ("get_balance",)
    assert await Chooser().choose("show the rebalance", tools) == ()


async def test_pinned_tools_are_not_chosen_and_nothing_is_forced() -> None:
    tools = {name: replace(tool, pinned=True) for name, tool in box(ZH).items()}
    assert await Chooser().choose(MOUTAI, tools) == ()
    assert await Chooser().choose("", box(ZH)) == ()
    assert await Chooser().choose("???", box(ZH)) == ()


class Counting:
    """An encoder that counts what it is given."""

    model, dimension = "counting", 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> Vectors:
        self.texts += texts
        return np.ones((len(texts), 2), dtype=np.float32) / np.float32(2**0.5)


async def test_a_card_is_embedded_once() -> None:
    encoder = Counting()
    chooser = Chooser(encoder)  # type: ignore[arg-type]
    for question in ("a", "b", "c"):
        await chooser.choose(question, box(EN))
    assert len(encoder.texts) == 3 + len(EN)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.integers(0, 8), st.dictionaries(st.text(max_size=9), st.text()))
def test_any_question_and_any_cards_give_names_that_are_there(
    question: str, limit: int, cards: dict[str, str]
) -> None:
    tools = box(cards)
    loaded = asyncio.run(Chooser().choose(question, tools, limit))
    assert len(loaded) == len(set(loaded)) <= limit
    assert set(loaded) <= set(tools)
    assert len(catalog(tools, loaded)) == len(tools) - len(loaded)


def test_a_catalog_line_is_the_first_sentence_of_a_card() -> None:
    tools = box({"a": "Finds things. Slowly.", "b": "找东西。很慢。", "c": "x" * 500})
    assert catalog(tools, ["c"]) == ["a: Finds things.", "b: 找东西。"]
    assert len(line_of(tools["c"])) == LINE


def shelf(question: str = MOUTAI) -> Shelf:
    return Shelf(Chooser(), question, "zh")


async def used(tool: Tool, arguments: str) -> Outcome:
    call = ToolCall(id="a", name=tool.name, arguments=arguments)
    [(_, outcome)] = await run_calls(a_run().ctx, {tool.name: tool}, [call], "r")
    return outcome


async def test_few_tools_are_all_loaded() -> None:
    tools = dict(list(box(ZH).items())[:CHOSEN])
    assert await shelf().split(tools) == (tools, {})


async def test_many_tools_are_split_and_the_finders_stand_beside_the_loaded() -> None:
    loaded, unloaded = await shelf().split(box(ZH))
    assert list(loaded) == ["lookup_tool_arguments", "tool_search", "get_financial_report"]
    assert set(unloaded) == set(ZH) - {"get_financial_report"}


async def test_what_was_looked_up_is_loaded_from_then_on() -> None:
    mine = shelf()
    loaded, _ = await mine.split(box(ZH))
    outcome = await used(loaded["lookup_tool_arguments"], '{"names": ["order_food", "nope"]}')
    assert "order_food: 帮用户点外卖、订餐。" in outcome.text
    assert '"query"' in outcome.text and "What is wanted." in outcome.text
    mine.saw(outcome)
    loaded, unloaded = await mine.split(box(ZH))
    assert list(loaded)[-2:] == ["get_financial_report", "order_food"]
    assert "order_food" not in unloaded


@pytest.mark.parametrize(
    ("query", "loads"),
    [
        ("select:get_weather,order_food", ["get_weather", "order_food"]),
        ("select: get_weather、nope", ["get_weather"]),
        ("天气预报", ["get_weather"]),
        ("exchange rate", ["get_exchange_rate"]),
    ],
)
async def test_tools_are_found_in_both_languages_and_by_exact_names(
    query: str, loads: list[str]
) -> None:
    loaded, _ = await shelf().split({**box(ZH), **box({"get_exchange_rate": "Exchange rate."})})
    outcome = await used(loaded["tool_search"], f'{{"query": "{query}"}}')
    assert list(outcome.load)[: len(loads)] == loads


async def test_names_that_nobody_has_go_back_with_near_ones() -> None:
    loaded, _ = await shelf().split(box(ZH))
    for name, arguments in (
        ("lookup_tool_arguments", '{"names": ["get_wether"]}'),
        ("tool_search", '{"query": "select:get_wether"}'),
    ):
        outcome = await used(loaded[name], arguments)
        assert outcome.kind == "tool_failed" and "get_weather" in outcome.text
    nothing = await used(loaded["tool_search"], '{"query": "量子纠缠"}')
    assert nothing.text == "没有合适的工具。" and nothing.load == ()


async def test_a_tool_that_comes_later_is_chosen_too_and_nothing_loaded_is_lost() -> None:
    mine = shelf()
    tools = box({name: text for name, text in ZH.items() if name != "get_stock_price"})
    first, _ = await mine.split({**tools, **box({"get_time": "现在几点。"})})
    again, _ = await mine.split({**box(ZH), **box({"net_profit": "净利润"})})
    assert "get_financial_report" in first
    assert {"get_financial_report", "net_profit"} <= set(again)


async def test_of_what_ships_the_searches_and_the_question_to_the_person_are_always_loaded(
    encoder: SentenceEncoder,
) -> None:
    mine = Shelf(Chooser(encoder), "现在几点了", "zh")
    tools = {**BUILTIN.of(bound(FakeLibrary())), **box(ZH)}
    loaded, unloaded = await mine.split(tools)
    assert {"semantic_search", "get_document", "ask_person", "get_time"} <= set(loaded)
    assert "order_food" in unloaded
