"""The line of a node that people see, where the planner wrote none."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from core.messages import Language
from core.plan.schema import Node, Plan, references
from core.texts import say
from core.tools.tool import Tool

TITLE_CHARACTERS = 120


def title(node: Node, tools: Mapping[str, Tool], language: Language) -> str:
    """The tool's own line where its arguments are known; else who is at work."""
    if node.teammate:
        return say("plan.title.teammate", language, name=node.teammate)
    tool = tools[node.tool]
    if not any(references(node.arguments)):
        try:
            return tool.title(tool.arguments.model_validate(node.arguments))[:TITLE_CHARACTERS]
        except ValidationError:
            pass
    return say("plan.title.tool", language, name=node.tool)


def titled(plan: Plan, tools: Mapping[str, Tool], language: Language) -> Plan:
    """The plan with a line on every node."""
    nodes = tuple(
        node if node.title else node.model_copy(update={"title": title(node, tools, language)})
        for node in plan.nodes
    )
    return plan.model_copy(update={"nodes": nodes})
