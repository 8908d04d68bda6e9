"""我明天去北京旅游,查天气并发我邮箱: the address is asked for, and the next message goes on."""

from __future__ import annotations

import json

import pytest

from tests.e2e.stories.town import ASKER, Asked, Tongue, Town, shown
from tests.rigs.model_server import Answer, text

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

QUESTION: dict[Tongue, str] = {
    "zh": "我明天去北京旅游,查天气并发我邮箱",
    "en": "I am travelling to Paris tomorrow: check the weather and email it to me",
}
CITY: dict[Tongue, str] = {"zh": "北京", "en": "Paris"}
ASKING: dict[Tongue, str] = {"zh": "发到哪个邮箱？", "en": "Which address shall I send it to?"}
TITLES: dict[Tongue, tuple[str, str, str]] = {
    "zh": ("查明天的天气", "问清邮箱", "发送邮件"),
    "en": ("Look at tomorrow's weather", "Ask for the address", "Send the mail"),
}
ANSWERED: dict[Tongue, str] = {"zh": "✓ 已回复", "en": "✓ Answered"}
DAY: dict[Tongue, str] = {"zh": "晴，2 至 10.5 °C", "en": "2 to 10.5 °C"}


def guide(made: Asked) -> Answer:
    """Plans the trip; then tells what came of it."""
    tongue: Tongue = "zh" if CITY["zh"] in made.whole else "en"
    if not made.plans:
        mailed = "someone@example.com" in made.last and DAY[tongue] in made.last
        return text("done: mailed" if mailed else "done: not mailed")
    asks = {"question": ASKING[tongue], "expects": "email"}
    mail = {"to": "${n2.text}", "subject": CITY[tongue], "body": "${n1.text}"}
    nodes = [
        {"id": "n1", "title": TITLES[tongue][0], "tool": "get_weather",
         "arguments": {"city": CITY[tongue], "days": 2}},
        {"id": "n2", "title": TITLES[tongue][1], "tool": "ask_person", "arguments": asks},
        {"id": "n3", "title": TITLES[tongue][2], "tool": "send_email", "arguments": mail,
         "depends_on": ["n1", "n2"]},
    ]  # fmt: skip
    return text(json.dumps({"nodes": nodes}, ensure_ascii=False))


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_the_weather_is_mailed_to_the_address_that_was_asked_for(
    town: Town, tongue: Tongue
) -> None:
    channel, asker = town.channel(), ASKER[tongue]
    town.think(guide)
    asked, mailed = len(town.outside.asked), len(town.mail.mails)
    thread = town.say(channel, asker, QUESTION[tongue])
    await town.post(channel, thread, ASKING[tongue])
    assert town.mail.mails[mailed:] == []
    # No mention: it is the answer to a question.
    town.server.say(channel, asker, "someone@example.com", thread)
    await town.post(channel, thread, "done: mailed")
    await town.done(channel, thread)
    (mail,) = town.mail.mails[mailed:]
    assert (mail["To"], mail["Subject"]) == ("someone@example.com", CITY[tongue])
    assert DAY[tongue] in mail.get_content()
    # The asker wrote the address: no click. What was fetched is not fetched again, nor planned.
    assert town.labels(channel, thread) == []
    assert ANSWERED[tongue] in shown(await town.post(channel, thread, ASKING[tongue]))
    paths = [request.path for request in town.outside.asked[asked:]]
    assert paths == ["/geo", "/forecast"]
    assert [made.plans for made in town.asked] == [True, False]
