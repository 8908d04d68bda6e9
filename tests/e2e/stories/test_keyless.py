"""The same words without a key: rules plan, tools work, documents are quoted, and one sentence says
what only a model can do."""

from __future__ import annotations

import pytest

from tests.e2e.stories.test_balance import ALLOW
from tests.e2e.stories.test_balance import QUESTION as BALANCE
from tests.e2e.stories.test_choice import QUESTION as FIGURES
from tests.e2e.stories.test_knowledge import (
    COUNT,
    DAYS,
    DOCUMENTS,
    ERROR,
    NEWEST,
    OUTSIDE,
    REFUSAL,
)
from tests.e2e.stories.test_team import ORDER
from tests.e2e.stories.test_trip import CITY, DAY
from tests.e2e.stories.test_trip import QUESTION as TRIP
from tests.e2e.stories.town import ASKER, Tongue, Town, name_on, shown

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

AS_THEY_ARE: dict[Tongue, str] = {
    "zh": "没有配置语言模型，以下是各步的结果，原样给出。",
    "en": "No language model is configured; these are the results of the steps as they are.",
}
ONLY_A_MODEL: dict[Tongue, str] = {
    "zh": "这件事要有语言模型才能做：请管理员设置 THREADMATE_MODEL。",
    "en": "Only a language model can do this: ask your operator to set THREADMATE_MODEL.",
}
COUNTED: dict[Tongue, tuple[str, str]] = {
    "zh": ("3 个文档", f"{DAYS} 天前"),
    "en": ("3 documents", f"{DAYS} days ago"),
}
NOTES: dict[Tongue, str] = {"zh": "资料整理", "en": "Notes on"}
ADDRESS: dict[Tongue, str] = {"zh": "发到哪个邮箱？", "en": "Which mail address"}
SENT: dict[Tongue, str] = {"zh": "邮件已发给", "en": "was sent to"}
RESEARCHER: dict[Tongue, str] = {
    "zh": "@researcher 年假有几天？",
    "en": "@researcher how many days of annual leave?",
}


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_five_questions_are_answered_by_tools_and_quotes(
    keyless: Town, tongue: Tongue
) -> None:
    channel, asker = keyless.channel(), ASKER[tongue]
    for name, words in DOCUMENTS[tongue]:
        await keyless.shared(channel, asker, name, words)
    keyless.aged(DOCUMENTS[tongue][0][0], DAYS)

    async def told(question: str) -> str:
        return keyless.told(channel, await keyless.ask(channel, asker, question))

    newest = await told(NEWEST[tongue])
    assert AS_THEY_ARE[tongue] in newest
    assert all(words.splitlines()[2] in newest for _, words in DOCUMENTS[tongue])
    # One list, and no search for the words "what do they say".
    assert newest.count("✓") == 1
    counted = await told(COUNT[tongue])
    assert all(words in counted for words in COUNTED[tongue])
    assert counted.count("✓") == 1
    name, words = DOCUMENTS[tongue][1]
    for _ in range(2):
        quoted = await told(ERROR[tongue])
        assert f"> {words.splitlines()[2]} [1]" in quoted
        assert f"|{name}>" in quoted
    refused = await told(OUTSIDE[tongue])
    assert REFUSAL[tongue] in refused
    assert not any(f"|{name}>" in refused for name, _ in DOCUMENTS[tongue])
    # Figures that no document has are refused as well, by whatever tool a model would take.
    assert REFUSAL[tongue] in await told(FIGURES[tongue])
    spoken = await keyless.ask(channel, asker, RESEARCHER[tongue])
    answer = await keyless.post(channel, spoken, DOCUMENTS[tongue][0][1].splitlines()[2])
    assert name_on(answer) == "researcher"


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_condition_is_a_models_and_one_sentence_says_so(
    keyless: Town, tongue: Tongue
) -> None:
    keyless.balances({"皮卡": 10, "Pika": 10})
    channel = keyless.channel()
    thread = await keyless.ask(channel, ASKER[tongue], BALANCE[tongue])
    assert keyless.told(channel, thread).count(ONLY_A_MODEL[tongue]) == 1
    assert ALLOW[tongue] not in keyless.labels(channel, thread)
    assert keyless.payments == []


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_the_trip_is_planned_by_rules_and_mailed(keyless: Town, tongue: Tongue) -> None:
    channel, asker, mailed = keyless.channel(), ASKER[tongue], len(keyless.mail.mails)
    thread = keyless.say(channel, asker, TRIP[tongue])
    await keyless.post(channel, thread, ADDRESS[tongue])
    keyless.server.say(channel, asker, "someone@example.com", thread)
    answer = shown(await keyless.post(channel, thread, AS_THEY_ARE[tongue]))
    (mail,) = keyless.mail.mails[mailed:]
    assert mail["To"] == "someone@example.com"
    assert DAY[tongue] in mail.get_content()
    assert DAY[tongue] in answer
    assert f"{SENT[tongue]} someone@example.com" in answer
    told = keyless.told(channel, thread)
    assert CITY[tongue] in told
    # No names of tools on the screen.
    assert not any(name in told for name in ("send_email", "ask_person", "get_weather"))


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_report_of_nothing_is_not_written(keyless: Town, tongue: Tongue) -> None:
    channel, asker = keyless.channel(), ASKER[tongue]
    for name, words in DOCUMENTS[tongue]:
        await keyless.shared(channel, asker, name, words)
    thread = await keyless.ask(channel, asker, ORDER[tongue])
    assert REFUSAL[tongue] in keyless.told(channel, thread)
    asked = await keyless.ask(channel, asker, NEWEST[tongue])
    assert NOTES[tongue] not in keyless.told(channel, asked)


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_report_of_passages_is_saved_and_quotes_them_not_itself(
    keyless: Town, tongue: Tongue
) -> None:
    channel, asker = keyless.channel(), ASKER[tongue]
    types = {
        "zh": "K8s service 的几种类型：ClusterIP、NodePort、LoadBalancer 和 ExternalName。",
        "en": "The types of Kubernetes services are ClusterIP, NodePort and LoadBalancer.",
    }[tongue]
    await keyless.shared(channel, asker, "k8s.md", f"# K8s\n\n{types}\n")
    thread = await keyless.ask(channel, asker, ORDER[tongue])
    answer = shown(await keyless.post(channel, thread, AS_THEY_ARE[tongue]))
    assert f"> {types} [1]" in answer
    assert answer.count("\n> ") == 1
    assert f"{NOTES[tongue]}" in answer
    # No raw ids of runs, in either language.
    assert "slack:" not in answer
