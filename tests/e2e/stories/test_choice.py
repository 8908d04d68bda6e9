"""帮我查2025年贵州茅台的净利润: of tools for money, weather and food, the right one is at hand."""

from __future__ import annotations

import pytest

from tests.e2e.stories.town import ASKER, Asked, Tongue, Town
from tests.rigs.model_server import Answer, call, text

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

QUESTION: dict[Tongue, str] = {
    "zh": "帮我查2025年贵州茅台的净利润",
    "en": "Look up the net profit of Kweichow Moutai in 2025",
}
NOT_NEEDED = {"get_weather", "get_weather_warnings", "get_air_quality", "find_restaurants",
              "get_recipe"}  # fmt: skip


def analyst(made: Asked) -> Answer:
    """Calls what it has at hand, and says what that gave."""
    if not made.results:
        assert "get_financial_report" in made.tools
        return call("get_financial_report", company="贵州茅台", year=2025)
    figure = made.results[0].partition('"net_profit": "')[2].partition('"')[0]
    return text(f"2025: {figure}")


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_the_tool_for_figures_is_loaded_first_and_those_for_food_are_not(
    town: Town, tongue: Tongue
) -> None:
    channel = town.channel()
    town.think(analyst)
    thread = await town.ask(channel, ASKER[tongue], QUESTION[tongue])
    assert "2025: 86,228,000,000" in town.told(channel, thread)
    first, _ = town.asked
    # The tools that are always there and those that find others come before the chosen ones.
    chosen = first.tools[first.tools.index("tool_search") + 1 :]
    assert chosen[0] == "get_financial_report"
    assert not NOT_NEEDED & set(first.tools)
    # They can be found: a line each.
    assert all(f"- {name}: " in first.system for name in NOT_NEEDED)
