"""Tools and texts that tests of plans share."""

from __future__ import annotations

import json
from typing import Any

from core.context import PlanKnobs
from core.tools.tool import Arguments, Tool, ToolResult
from tests.core.runs_of_one import a_tool

KNOBS = PlanKnobs()


class Search(Arguments):
    query: str
    n: int = 5


class Letter(Arguments):
    title: str
    text: str


class City(Arguments):
    city: str
    days: int = 1


class Zone(Arguments):
    zone: str = ""


class Nothing(Arguments):
    pass


class Mail(Arguments):
    to: str
    subject: str
    body: str


class Asking(Arguments):
    question: str
    expects: str = "text"


async def nothing(_: Any) -> ToolResult:
    return ToolResult(text="")


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        a_tool("semantic_search", nothing, arguments=Search),
        a_tool("search_web", nothing, arguments=Search),
        a_tool("get_time", nothing, arguments=Zone),
        a_tool("get_weather", nothing, arguments=City),
        a_tool("knowledge_stats", nothing, arguments=Nothing),
        a_tool("latest_documents", nothing, arguments=Nothing),
        a_tool("ask_person", nothing, arguments=Asking),
        a_tool("write_document", nothing, arguments=Letter, effect="write_shared"),
        a_tool("send_email", nothing, arguments=Mail, effect="external"),
    )
}
TEAM = ("researcher", "writer")


def only(*names: str) -> dict[str, Tool]:
    return {name: TOOLS[name] for name in names}


def written(*nodes: dict[str, Any]) -> str:
    """A plan as a good model writes it."""
    return json.dumps({"nodes": list(nodes)}, ensure_ascii=False)


def search(node: str = "n1", query: str = "leave", **more: Any) -> dict[str, Any]:
    asked = {"query": query}
    return {"id": node, "title": "Look", "tool": "semantic_search", "arguments": asked, **more}
