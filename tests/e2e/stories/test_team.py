"""Teammates over the wire of a model: called by name, handing over in mid-run, sharing a report."""

from __future__ import annotations

import json
from itertools import groupby

import pytest

from tests.e2e.stories.town import ASKER, PATIENCE_S, Asked, Tongue, Town, name_on, shown
from tests.rigs.model_server import Answer, call, text

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(240)]

TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
NAMED: dict[Tongue, str] = {
    "zh": "@researcher 如果有新消息就告诉我",
    "en": "@researcher if there is news, tell me",
}
SWITCH: dict[Tongue, str] = {
    "zh": "如果写手在，就换成写手来回答",
    "en": "if writer is here, please hand over to writer",
}
ORDER: dict[Tongue, str] = {
    "zh": "帮我调研一下 K8s service 的几种类型，写成报告保存",
    "en": "Please research the types of Kubernetes services, write a report and save it",
}
AFTER: dict[Tongue, str] = {
    "zh": "K8s Service 有哪几种类型？",
    "en": "Which types of Kubernetes services are there?",
}
TITLE: dict[Tongue, str] = {"zh": "K8s Service 的类型", "en": "Types of Kubernetes services"}
CREW = ("researcher", "writer", "librarian")
STEPS: dict[Tongue, tuple[str, ...]] = {
    "zh": ("查资料", "写报告", "保存到知识库"),
    "en": ("Look it up", "Write the report", "Save it"),
}
REPORT: dict[Tongue, str] = {
    "zh": f"K8s Service 有四种类型：{'、'.join(TYPES)}。",
    "en": f"There are four types of Kubernetes services: {', '.join(TYPES)}.",
}


def speaker(made: Asked) -> Answer:
    """Hands over where it is asked to; else says who it is."""
    wanted = "写手来回答" in made.last or "hand over to writer" in made.last
    if wanted and "switch_teammate" in made.tools and made.who != "writer":
        return call("switch_teammate", name="writer")
    return text(f"I am {made.who}.")


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_named_teammate_speaks_with_its_role_tools_and_name(
    town: Town, tongue: Tongue
) -> None:
    channel = town.channel()
    town.think(speaker)
    thread = await town.ask(channel, ASKER[tongue], NAMED[tongue])
    answer = await town.post(channel, thread, "I am researcher.")
    assert name_on(answer) == "researcher"
    (made,) = town.asked
    assert made.who == "researcher"
    assert not {"write_document", "send_email", "recharge"} & set(made.tools)


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_switch_in_mid_run_changes_prompt_tools_and_name(
    town: Town, tongue: Tongue
) -> None:
    channel = town.channel()
    town.think(speaker)
    thread = await town.ask(channel, ASKER[tongue], SWITCH[tongue])
    answer = await town.post(channel, thread, "I am writer.")
    assert name_on(answer) == "writer"
    first, second = town.asked
    assert (first.who, second.who) == ("generalist", "writer")
    assert first.system != second.system
    assert set(first.tools) != set(second.tools)
    assert not {"write_document", "send_email", "recharge"} & set(second.tools)
    # The same run: what was asked, the call that handed over and its result.
    assert [message["role"] for message in second.messages] == ["user", "assistant", "tool"]
    # It stays.
    again = await town.ask(channel, ASKER[tongue], NAMED[tongue].partition(" ")[2], thread)
    del again
    assert name_on(town.answer(channel, thread)) == "writer"


def crew(made: Asked) -> Answer:
    """A report is planned, researched, written and saved; and later read."""
    tongue: Tongue = "zh" if made.system.startswith("你") else "en"
    if made.plans:
        nodes = [
            {"id": f"n{n}", "title": title, "teammate": name, "task": TITLE[tongue],
             "depends_on": [f"n{n - 1}"] if n > 1 else []}
            for n, (name, title) in enumerate(zip(CREW, STEPS[tongue], strict=True), 1)
        ]  # fmt: skip
        return text(json.dumps({"nodes": nodes}, ensure_ascii=False))
    if made.who == "researcher":
        return text(", ".join(TYPES))
    if made.who == "writer":
        assert all(one in made.last for one in TYPES)
        return text(REPORT[tongue])
    if made.who == "librarian" and not made.results:
        assert REPORT[tongue] in made.last
        return call("write_document", title=TITLE[tongue], text=REPORT[tongue])
    if made.who == "librarian":
        return text(made.results[-1].split("\n")[1])
    held = [one for one in TYPES if one in made.last]
    return text(f"{len(held)}: {', '.join(held)}; {TITLE[tongue]}.md [1]")


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_a_report_is_researched_written_saved_and_answered_from(
    town: Town, tongue: Tongue
) -> None:
    channel, document = town.channel(), f"{TITLE[tongue]}.md"
    town.think(crew)
    thread = await town.ask(channel, ASKER[tongue], ORDER[tongue])
    answer = shown(await town.post(channel, thread, f"4: {', '.join(TYPES)}"))
    # Its name, and a link to where it came into being.
    assert document in answer
    assert f"/archives/{channel}/p{thread.replace('.', '')}|{document}>" in answer
    # Who does what; a quick run's steps are small print, without bold names.
    lines = [f"✓ {name} · {title}" for name, title in zip(CREW, STEPS[tongue], strict=True)]

    def named() -> bool:
        told = town.told(channel, thread).replace("**", "")
        return all(line in told for line in lines)

    await town.server.wait_for(named, PATIENCE_S)
    # Each with a history of its own, and only the librarian with the tool that saves.
    order = [name for name, _ in groupby(made.who for made in town.asked if not made.plans)]
    assert order == [*CREW, "generalist"]
    for made in town.asked[1:-1]:
        assert made.messages[0]["role"] == "user"
        assert ORDER[tongue] not in made.whole
        assert ("write_document" in made.tools) == (made.who == "librarian")
    town.think(crew)
    later = await town.ask(channel, ASKER[tongue], AFTER[tongue])
    told = town.told(channel, later)
    assert f"4: {', '.join(TYPES)}" in told
    assert f"|{document}>" in told
    # rag: one search by code, then one call without tools.
    (made,) = town.asked
    assert made.tools == []
    assert REPORT[tongue] in made.last
