"""帮我查皮卡的余额,如果不足 100 就充值 50: a condition, a click, and money that moves once."""

from __future__ import annotations

import pytest

from tests.e2e.stories.town import ASKER, Asked, Tongue, Town, number_in
from tests.rigs.model_server import Answer, call, text

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

QUESTION: dict[Tongue, str] = {
    "zh": "帮我查皮卡的余额,如果不足 100 就充值 50",
    "en": "Check Pika's balance, and if it is under 100, top up 50",
}
NAME: dict[Tongue, str] = {"zh": "皮卡", "en": "Pika"}
ALLOW: dict[Tongue, str] = {"zh": "同意", "en": "Approve"}


def teller(made: Asked) -> Answer:
    """Looks, pays at need, looks again, and tells what it saw."""
    name = NAME["zh"] if NAME["zh"] in made.whole else NAME["en"]
    seen = [number_in(one, "balance") for one in made.results if "balance" in one]
    paid = [number_in(one, "paid") for one in made.results if "paid" in one]
    if not seen:
        return call("get_balance", "call_1", name=name)
    if seen[0] >= 100:
        return text(f"{name}: {seen[0]}")
    if not paid:
        return call("recharge", "call_2", name=name, amount=50)
    if len(seen) < 2:
        return call("get_balance", "call_3", name=name)
    return text(f"{name}: {seen[0]} + {paid[0]} = {seen[1]}")


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_low_balance_is_topped_up_once_after_a_click(town: Town, tongue: Tongue) -> None:
    name, channel, asker = NAME[tongue], town.channel(), ASKER[tongue]
    town.balances({name: 10})
    town.think(teller)
    thread = town.say(channel, asker, QUESTION[tongue])
    asking = await town.post(channel, thread, "amount: 50")
    assert name in str(asking)
    assert town.payments == []
    await town.press(channel, thread, ALLOW[tongue], asker)
    await town.post(channel, thread, f"{name}: 10 + 50 = 60")
    await town.done(channel, thread)
    assert town.payments == [f"{name} 50"]
    assert ALLOW[tongue] not in town.labels(channel, thread)
    # People read lines, not what programs tell each other.
    told = town.told(channel, thread)
    assert f"name: {name}, balance: 60" in told
    assert not any(sign in told for sign in ("{", "get_balance"))
    # What was looked at before the click is not asked for again, and every call has its result.
    looked, paying, looking, told = town.asked
    assert len(looked.messages) == 1
    assert [message["role"] for message in told.messages] == ["user", *["assistant", "tool"] * 3]
    assert (len(paying.results), len(looking.results)) == (1, 2)
    assert {"get_balance", "recharge"} <= set(looked.tools)


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_balance_that_is_high_enough_costs_nothing(town: Town, tongue: Tongue) -> None:
    name, channel = NAME[tongue], town.channel()
    town.balances({name: 120})
    town.think(teller)
    thread = await town.ask(channel, ASKER[tongue], QUESTION[tongue])
    assert f"{name}: 120" in town.told(channel, thread)
    assert ALLOW[tongue] not in town.labels(channel, thread)
    assert town.payments == []
    assert "recharge" not in str([made.messages for made in town.asked])
