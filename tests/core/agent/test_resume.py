"""A run that is killed anywhere and resumed says what it would have said, and repeats no step."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from core.agent import Agent
from core.context import StopSignal
from core.events import Event
from core.journal import MemoryJournal
from core.model.protocol import ModelRequest
from core.model.scripted import ScriptedModel, Step, calling
from core.request import Request
from tests.core.fake_library import handbook, request


class Counting(MemoryJournal):
    """Counts how often the work of a step came to its end."""

    def __init__(self) -> None:
        super().__init__()
        self.done: Counter[str] = Counter()

    async def step(self, key: str, kind: Any, work: Any) -> Any:
        async def counted() -> Any:
            result = await work()
            self.done[key] += 1
            return result

        return await super().step(key, kind, counted)


def thinking(sent: ModelRequest) -> Step:
    """Two searches side by side, a page, then the answer: by what the conversation holds."""
    results = [message for message in sent.messages if message.role == "tool"]
    if not results:
        return calling(
            ("search_documents", {"query": "VPN"}), ("semantic_search", {"query": "年假"})
        )
    if len(results) == 2:
        return calling(("get_document", {"id": "请假制度.pdf", "page": 2}))
    return "VPN [1]，年假 [2]，加班 [3]。"


async def events_until(
    asked: Request, journal: Counting, model: ScriptedModel | None, kill_at: int | None
) -> list[Event]:
    async def assemble() -> Request:
        return asked

    seen: list[Event] = []
    agent = Agent(handbook(), model, clock=lambda: 1_795_953_600.0)
    async with agent.run(asked.run, assemble, journal, StopSignal()) as events:
        async for event in events:
            seen.append(event)
            if event.number == kill_at:
                break
    return seen


@pytest.mark.parametrize(
    ("question", "with_model"),
    [
        ("年假有几天？", False),
        ("现在几点", False),
        ("如果有规定，就列出年假、VPN 和加班", True),
    ],
)
async def test_killed_at_any_event_and_resumed(question: str, with_model: bool) -> None:
    def model() -> ScriptedModel | None:
        return ScriptedModel([thinking] * 9) if with_model else None

    asked = request(question)
    whole = await events_until(asked, Counting(), model(), None)
    for kill_at in range(1, len(whole)):
        journal = Counting()
        await events_until(asked, journal, model(), kill_at)
        again = await events_until(asked, journal, model(), None)
        assert again[-1].kind == "done"
        assert again[-1].body == whole[-1].body, kill_at
        assert set(journal.done.values()) == {1}, kill_at
