"""Typed functions become tools: schema, descriptions, results, titles, and what is refused."""

import json
import threading
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from core.journal import MemoryJournal
from core.messages import Language
from core.model.protocol import ToolCall
from core.tools.arguments import Rejected, validated
from core.tools.definition import ToolMaker, as_result, described_by, tool
from core.tools.execute import Outcome, run_calls
from core.tools.sources import SourceBook
from core.tools.tool import Tool, ToolResult
from core.tools.toolbox import Bound
from tests.core.fake_library import FakeLibrary
from tests.core.runs_of_one import a_request, a_run


class Position(BaseModel):
    code: str
    shares: int = 100


@tool(keywords=("股价",), allowed={"market": ("sh", "sz")}, timeout_s=3.0)
async def get_stock_price(
    code: Annotated[str, Field(pattern=r"^\d{6}$")],
    market: Literal["sh", "sz"] = "sh",
    held: list[Position] | None = None,
) -> str:
    """The latest price of one share. For yearly
    figures take get_financial_report.

    Args:
        code: Six digits, as 600519.
        market (str): Where it is traded,
            Shanghai or Shenzhen.
        held：自己的持仓。
    """
    return f"{market}{code}: {len(held or [])}"


@tool(effect="external", needs_approval=lambda bound, given: given.amount > 10)
def recharge(bound: Bound, amount: int) -> dict[str, Any]:
    """Tops an account up.

    amount: Yuan.
    """
    return {"who": bound.request.asker.name, "amount": amount, "thread": threading.get_ident()}


def bound(language: Language = "en") -> Bound:
    return Bound(a_request(language=language), FakeLibrary(), SourceBook(MemoryJournal()))


def made(maker: ToolMaker, language: Language = "en") -> Tool:
    found = maker(bound(language))
    assert found is not None
    return found


async def outcome(given: Tool, arguments: str) -> Outcome:
    call = ToolCall(id="a", name=given.name, arguments=arguments)
    [(_, done)] = await run_calls(a_run().ctx, {given.name: given}, [call], "r")
    return done


def test_the_card_comes_from_signature_and_docstring() -> None:
    card = made(get_stock_price)
    assert card.name == "get_stock_price"
    expected = "The latest price of one share. For yearly figures take get_financial_report."
    assert card.description == expected
    fields = card.parameters["properties"]
    assert fields["code"]["description"] == "Six digits, as 600519."
    assert fields["code"]["pattern"] == r"^\d{6}$"
    assert fields["market"]["description"] == "Where it is traded, Shanghai or Shenzhen."
    assert fields["market"]["enum"] == ["sh", "sz"]
    assert fields["held"]["description"] == "自己的持仓。"
    assert card.parameters["required"] == ["code"]
    assert (card.keywords, card.allowed, card.timeout_s) == (
        ("股价",),
        {"market": ("sh", "sz")},
        3.0,
    )
    assert (card.effect, card.cacheable, card.origin) == ("read", True, "builtin")


async def test_it_runs_with_checked_and_typed_arguments() -> None:
    raw = '{"code": "600519", "held": [{"code": "1"}, {"code": "2", "shares": 5}]}'
    assert (await outcome(made(get_stock_price), raw)).text == "sh600519: 2"
    refused = await outcome(made(get_stock_price), '{"code": "茅台", "market": "us", "x": 1}')
    assert refused.kind == "bad_arguments"
    assert all(f"wrong: {field}" in refused.error for field in ("code", "market", "x"))


async def test_the_bound_is_no_parameter_and_a_plain_function_runs_in_a_thread() -> None:
    card = made(recharge)
    assert list(card.parameters["properties"]) == ["amount"]
    done = await outcome(card, '{"amount": 5}')
    assert done.result is not None
    assert '"who": "Ann"' in done.text and '"amount": 5' in done.text
    assert f'"thread": {threading.get_ident()}' not in done.text


def test_what_changes_something_is_not_cacheable_and_rules_see_the_bound() -> None:
    card = made(recharge)
    assert not card.cacheable and callable(card.needs_approval)
    for amount, needed in ((5, False), (50, True)):
        given = validated(card, {"amount": amount})
        assert not isinstance(given, Rejected)
        assert card.needs_approval(given) is needed


def test_a_tool_that_a_run_has_no_use_for_is_not_there() -> None:
    @tool(when=lambda bound: bound.request.language == "zh")
    async def lunar_date() -> str:
        """The date in the lunar calendar."""
        return ""

    assert lunar_date(bound()) is None


def test_the_title_is_a_sentence_of_the_catalogue_a_function_or_name_and_first_value() -> None:
    card = made(get_stock_price)
    given = validated(card, {"code": "600519"})
    assert card.title(given) == "get_stock_price: 600519"

    @tool(title="tool.weather.title")
    async def weather(city: str) -> str:
        """The weather."""
        return city

    @tool(title=lambda bound, given: f"{bound.request.asker.name} asks {given.city}")
    async def other(city: str) -> str:
        """The weather."""
        return city

    for maker, title in ((weather, "Look at the weather: Bonn"), (other, "Ann asks Bonn")):
        assert made(maker).title(validated(made(maker), {"city": "Bonn"})) == title


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        ("price: 5", "price: 5", True),
        ({"价格": 5}, '{"价格": 5}', True),
        ([1, 2], "[1, 2]", True),
        (Position(code="1"), '{"code": "1", "shares": 100}', True),
        (0, "0", True),
        (False, "false", True),
        (None, "null", False),
        ("", "", False),
        ([], "[]", False),
        (ToolResult(text="x", found=False), "x", False),
    ],
)
def test_whatever_a_function_gives_becomes_a_result(value: Any, text: str, found: bool) -> None:
    result = as_result(value)
    assert (result.text, result.found) == (text, found)


def test_lines_that_describe_no_parameter_stay_in_the_card() -> None:
    card, docs = described_by("Finds: a thing.\nNote: slow.\n\nquery: What.", {"query"})
    assert card == "Finds: a thing. Note: slow."
    assert docs == {"query": "What."}


def no_doc(query: str) -> str:
    return query


def untyped(query) -> str:  # type: ignore[no-untyped-def]
    """Finds."""
    return query


def many(*queries: str) -> str:
    """Finds."""
    return ""


def any_names(**queries: str) -> str:
    """Finds."""
    return ""


def strange(query: "Nowhere") -> str:  # type: ignore[name-defined] # noqa: F821
    """Finds."""
    return ""


def odd(query: threading.Lock) -> str:  # type: ignore[valid-type]
    """Finds."""
    return ""


@pytest.mark.parametrize("function", [no_doc, untyped, many, any_names, strange, odd])
def test_a_function_without_a_schema_is_refused_by_name(function: Any) -> None:
    with pytest.raises(TypeError, match=function.__name__):
        tool()(function)


def test_a_title_of_ones_own_has_two_languages() -> None:
    @tool(title=("{city} 的天气", "Weather of {city}"))
    async def local(city: str) -> dict[str, object]:
        """The weather."""
        return {"city": city, "days": [1, 2], "wind": None}

    given = validated(made(local), {"city": "Bonn"})
    assert made(local).title(given) == "Weather of Bonn"
    assert made(local, "zh").title(given) == "Bonn 的天气"
    with pytest.raises(TypeError, match="town"):
        tool(title=("{town} 的天气", "Weather of {town}"))(local.function)


async def test_people_read_a_result_without_the_signs_of_json() -> None:
    @tool()
    async def local(city: str) -> dict[str, object]:
        """The weather."""
        return {"city": city, "days": [1, 2], "wind": {"mean": 3}}

    result = await made(local).run(validated(made(local), {"city": "Bonn"}))
    assert json.loads(result.text) == {"city": "Bonn", "days": [1, 2], "wind": {"mean": 3}}
    assert result.summary == "city: Bonn, days: 1, 2, wind: mean: 3"


def test_a_title_without_a_sentence_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no\.such"):
        tool(title="no.such")(get_stock_price.function)
