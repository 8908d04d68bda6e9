"""An installation's own tools, as its people would write them: a module named in the settings.

Accounts are kept in `accounts.json`, where Threadmate was started.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.tools.definition import tool

ACCOUNTS = Path("accounts.json")


@tool(
    title=("查 {name} 的余额", "Look at the balance of {name}"),
    keywords=("余额", "balance"),
    cacheable=False,
)
async def get_balance(name: str) -> dict[str, object]:
    """The balance of an account in yuan.

    name: Whose account.
    """
    return {"name": name, "balance": _accounts()[name]}


@tool(
    effect="external",
    title=("给 {name} 充值 {amount} 元", "Top up {amount} for {name}"),
    needs_approval=True,
    keywords=("充值", "top up", "recharge"),
)
async def recharge(name: str, amount: int) -> dict[str, object]:
    """Tops up an account. Look at its balance with get_balance first.

    name: Whose account.
    amount: How much, in yuan.
    """
    held = _accounts()
    held[name] += amount
    ACCOUNTS.write_text(json.dumps(held, ensure_ascii=False), "utf-8")
    with Path("payments.txt").open("a", encoding="utf-8") as payments:
        payments.write(f"{name} {amount}\n")
    return {"name": name, "paid": amount}


def _accounts() -> dict[str, int]:
    return json.loads(ACCOUNTS.read_text("utf-8"))


@tool(keywords=("净利润", "营收", "财报", "net profit", "revenue", "annual report"))
async def get_financial_report(company: str, year: int) -> dict[str, object]:
    """Figures of a listed company's annual report: revenue, net profit, cash flow.

    company: Its name.
    year: The year of the report.
    """
    return {"company": company, "year": year, "net_profit": "86,228,000,000"}


@tool(keywords=("股价", "stock price"))
async def get_stock_price(code: str) -> dict[str, object]:
    """The price of one share now.

    code: Six digits.
    """
    return {"code": code, "price": 1450.5}


@tool(keywords=("空气质量", "air quality"))
async def get_air_quality(city: str) -> dict[str, object]:
    """How clean the air of a city is today.

    city: Its name.
    """
    return {"city": city, "index": 42}


@tool(keywords=("天气预警", "storm warning"))
async def get_weather_warnings(city: str) -> dict[str, object]:
    """Warnings of storms, heat and frost for a city.

    city: Its name.
    """
    return {"city": city, "warnings": []}


@tool(keywords=("餐厅", "吃饭", "restaurant"))
async def find_restaurants(city: str, dish: str) -> list[str]:
    """Restaurants of a city that serve a dish.

    city: Where.
    dish: What one would like to eat.
    """
    return [f"{dish} in {city}"]


@tool(keywords=("菜谱", "recipe"))
async def get_recipe(dish: str) -> str:
    """How a dish is cooked, step by step.

    dish: Its name.
    """
    return f"{dish}: boil for ten minutes."
