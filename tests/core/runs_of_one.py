"""What a test needs to run one thing: a request, a context that keeps its events, small tools."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from core.context import Limits, Purse, RunContext, StopSignal
from core.events import Body
from core.journal import Journal, MemoryJournal
from core.messages import Person, Place
from core.request import Request
from core.tools.tool import Arguments, Effect, Tool, ToolResult


def a_request(
    *, name: str = "Ann", question: str = "How long is the leave?", **values: Any
) -> Request:
    """A request in English and UTC, unless `values` say otherwise."""
    defaults: dict[str, Any] = {
        "run": "slack:T1/C1/1",
        "place": Place(
            platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1"
        ),
        "asker": Person(id="slack:T1/U1", name=name),
        "question": question,
        "language": "en",
        "time_zone": "UTC",
        "now": 1_700_000_000.0,
        "audience": ("channel:slack:T1/C1",),
    }
    return Request.model_validate(defaults | values)


@dataclass
class Run:
    """A run context and the events that came out of it."""

    ctx: RunContext
    events: list[tuple[str, Body]] = field(default_factory=list[tuple[str, Body]])

    def kinds(self) -> list[str]:
        return [body.kind for _, body in self.events]

    def shown(self) -> str:
        """The text on screen: deltas since text was last taken back."""
        text = ""
        for _, body in self.events:
            if body.kind == "text_taken_back":
                text = ""
            elif body.kind == "text_delta":
                text += body.text
        return text


def a_run(
    request: Request | None = None, *, journal: Journal | None = None, limits: Limits | None = None
) -> Run:
    """A run that keeps its journal in memory."""
    events: list[tuple[str, Body]] = []

    async def emit(path: str, body: Body) -> None:
        await asyncio.sleep(0)
        events.append((path, body))

    ctx = RunContext(
        request=request or a_request(),
        journal=journal or MemoryJournal(),
        emit=emit,
        stop=StopSignal(),
        limits=limits or Limits(),
        purse=Purse(limits or Limits()),
    )
    return Run(ctx, events)


class Query(Arguments):
    query: str
    limit: int = 3


async def echo(arguments: Any) -> ToolResult:
    return ToolResult(text=f"[1] {arguments.query}", summary=arguments.query)


def a_tool(
    name: str = "search",
    run: Callable[[Any], Awaitable[ToolResult]] = echo,
    *,
    arguments: type[Arguments] = Query,
    effect: Effect = "read",
    timeout_s: float = 5.0,
) -> Tool:
    return Tool(
        name=name,
        description=f"Looks things up: {name}.",
        arguments=arguments,
        run=run,
        title=lambda arguments: f"{name}: {getattr(arguments, 'query', '')}",
        effect=effect,
        timeout_s=timeout_s,
    )
