"""The five questions that an agentic knowledge base is asked first."""

from __future__ import annotations

import json
import re

import pytest

from core.texts import LANGUAGES, say
from tests.e2e.stories.town import ASKER, Asked, Tongue, Town, shown
from tests.rigs.model_server import Answer, call, text

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

DOCUMENTS: dict[Tongue, tuple[tuple[str, str], ...]] = {
    "zh": (
        ("请假制度.md", "# 请假制度\n\n入职满五年后每年有 15 天带薪年假。\n"),
        (
            "故障手册.md",
            "# 故障手册\n\n出现 ImagePullBackOff 时，先核对镜像名，再检查 imagePullSecrets。\n",
        ),
        ("发布说明.md", "# 2.4 发布说明\n\n这一版新增了审批按钮，并修复了重复通知。\n"),
    ),
    "en": (
        ("leave.md", "# Leave\n\nAfter five years everyone has 15 days of paid annual leave.\n"),
        (
            "runbook.md",
            "# Runbook\n\nOn ImagePullBackOff check name and tag of the image, then"
            " imagePullSecrets.\n",
        ),
        ("release.md", "# Release 2.4\n\nThis release adds approval buttons.\n"),
    ),
}
NEWEST: dict[Tongue, str] = {
    "zh": "最新的文档有哪些，讲了什么？",
    "en": "What are the newest documents and what do they say?",
}
COUNT: dict[Tongue, str] = {
    "zh": "知识库里有多少文档？从第一篇到现在多少天了？",
    "en": "How many documents are there, and how many days since the first one?",
}
ERROR: dict[Tongue, str] = {
    "zh": "报错 ImagePullBackOff 怎么解决？",
    "en": "What does the error ImagePullBackOff mean?",
}
OUTSIDE: dict[Tongue, str] = {
    "zh": "贝多芬的第九交响曲写于哪一年？",
    "en": "In which year did Beethoven write his ninth symphony?",
}
REFUSAL: dict[Tongue, str] = {"zh": "暂无相关内容", "en": "Nothing relevant in the documents"}
DAYS = 12
_LINE = re.compile(r"\[(\d+)\] [^\n]*?(?:）：|\): )([^\n]+)")
_PASSAGE = re.compile(r"\[(\d+)\] [^\n]+\n([^\n]+)")


def reader(made: Asked) -> Answer:
    """Says what it was given, each with its mark; refuses where it was given nothing."""
    if made.plans:
        tool = "latest_documents" if made.last.endswith((NEWEST["zh"], NEWEST["en"])) else ""
        node = {"id": "n1", "title": "look", "tool": tool or "knowledge_stats", "arguments": {}}
        return text(json.dumps({"nodes": [node]}))
    given = "\n".join([made.last, *made.results])
    told = [
        f"{words} [{mark}]" for mark, words in (_LINE.findall(given) or _PASSAGE.findall(given))
    ]
    counted = re.search(r"(\d+) (?:个文档|documents).*?(\d+) ?(?:天|days)", given, re.S)
    if counted:
        return text(f"documents: {counted[1]}, days: {counted[2]}")
    if told and not any(say("tool.search.weak", one) in given for one in LANGUAGES):
        return text("\n".join(told))
    if not made.results:
        exact = "ImagePullBackOff" in made.last
        wanted = ("search_documents", "ImagePullBackOff") if exact else ("semantic_search", given)
        return call(wanted[0], query=wanted[1])
    tongue: Tongue = "zh" if OUTSIDE["zh"] in made.whole else "en"
    return text(f"{REFUSAL[tongue]}。")


@pytest.fixture(scope="module", params=["zh", "en"])
def tongue(request: pytest.FixtureRequest) -> Tongue:
    return request.param


@pytest.fixture(scope="module")
def places() -> dict[Tongue, str]:
    """The channel of each language, filled by the first test that needs it."""
    return {}


async def settled(town: Town, tongue: Tongue, places: dict[Tongue, str]) -> str:
    """A channel with the documents, the first of them old."""
    town.think(reader)
    if tongue not in places:
        places[tongue] = town.channel()
        for name, words in DOCUMENTS[tongue]:
            await town.shared(places[tongue], ASKER[tongue], name, words)
        town.aged(DOCUMENTS[tongue][0][0], DAYS)
    return places[tongue]


async def test_the_newest_documents_and_what_they_say(
    town: Town, tongue: Tongue, places: dict[Tongue, str]
) -> None:
    channel = await settled(town, tongue, places)
    thread = await town.ask(channel, ASKER[tongue], NEWEST[tongue])
    told = town.told(channel, thread)
    for name, words in DOCUMENTS[tongue]:
        assert name in told
        assert words.splitlines()[2] in told
    newest, _, oldest = (told.index(name) for name, _ in reversed(DOCUMENTS[tongue]))
    assert newest < oldest


async def test_how_many_there_are_and_for_how_long(
    town: Town, tongue: Tongue, places: dict[Tongue, str]
) -> None:
    channel = await settled(town, tongue, places)
    thread = await town.ask(channel, ASKER[tongue], COUNT[tongue])
    assert f"documents: 3, days: {DAYS}" in town.told(channel, thread)


async def test_an_error_string_is_found_as_it_stands_and_twice_the_same(
    town: Town, tongue: Tongue, places: dict[Tongue, str]
) -> None:
    channel = await settled(town, tongue, places)
    name, words = DOCUMENTS[tongue][1]
    told: list[str] = []
    for _ in range(2):
        thread = await town.ask(channel, ASKER[tongue], ERROR[tongue])
        answer = await town.post(channel, thread, words.splitlines()[2])
        told.append(str(answer["blocks"][0]["text"]))
        assert f"|{name}>" in shown(answer)
    # Word for word the same, and said to be: from when, and from which version of what.
    assert told[1].endswith(told[0])
    assert f"{name} v1" in told[1].removesuffix(told[0])
    # The tool that finds words as they stand is at hand; the second time no model was asked.
    first, second = town.asked
    assert "search_documents" in first.tools
    assert words.splitlines()[2] in second.results[0]


async def test_what_is_outside_is_looked_up_and_refused(
    town: Town, tongue: Tongue, places: dict[Tongue, str]
) -> None:
    channel = await settled(town, tongue, places)
    thread = await town.ask(channel, ASKER[tongue], OUTSIDE[tongue])
    told = town.told(channel, thread)
    assert REFUSAL[tongue] in told
    for name, _ in DOCUMENTS[tongue]:
        assert f"|{name}>" not in told
    first, second = town.asked
    assert "semantic_search" in first.tools
    assert "search_web" not in f"{first.tools} {first.system}"
    assert len(second.results) == 1
