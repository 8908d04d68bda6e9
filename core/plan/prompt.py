"""What the planner is told: the tools and teammates there are, the form of a plan, the question.

What never changes stands first, so that a provider's prompt cache can hold it. Memory and earlier
turns are data between fences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from core.context import PlanKnobs
from core.language.zones import first_zone
from core.messages import Language
from core.model.protocol import ModelMessage
from core.plan.schema import Node
from core.prompt import data_section, fence
from core.request import Request, TeammateCard
from core.texts import say
from core.tools.tool import Tool

TURNS = 3
"""Earlier turns that a planner reads."""
TURN_CHARACTERS = 600
DESCRIPTION_CHARACTERS = 300
VALUES = 30
"""Allowed values that are listed of one parameter."""
SHOWN_ERRORS = 12
SHOWN_ANSWER = 6_000
"""Characters of a broken plan that the planner sees again."""

RULES: tuple[str, str] = (
    "你是规划器：把请求拆成节点，由程序执行，最后另有一步根据结果写回答。\n"
    "只输出一个 JSON 对象，不要解释、不要代码块、不要调用工具。\n"
    "规则：\n"
    "- 每个节点要么有 tool 和 arguments，要么有 teammate 和 task，二者只选其一。\n"
    "- tool、teammate 只能用下面列出的名称；参数照说明填，有可选值的只能取其一，不知道就不要编。\n"
    "- id 为 n1、n2……；title 用中文写一句短话，说明这一步做什么，给人看。\n"
    "- 互不依赖的节点并行。depends_on 只写真正需要其结果的节点；要用结果时在字符串里写"
    " ${{n1.text}}，并把 n1 写进 depends_on。不能成环，不能依赖自己。\n"
    "- 同一件事可以从几个地方查时，给这些只读节点同一个 race_group：先查到的为准。有副作用的节点"
    "不能竞速，组内不能互相依赖。\n"
    "- teammate 的 task 写完整的话：他看不到这次对话，只看到 task 和所依赖节点的结果；太长的结果"
    "他只看到开头，除非 task 里写了 ${{n1.text}}。\n"
    "- 保存文档用 write_document 节点，text 原样写 \"${{n1.text}}\"：整篇由程序填入，不要交给"
    " teammate 转抄；列表里没有这个工具时才交给 teammate。\n"
    "- 有副作用的工具，只有请求明确要求时才用，放在它所需结果之后。\n"
    "- 计划里没有“如果”。最多 {nodes} 个节点，够用就好；写最终回答不需要节点。\n"
    "- 什么都不用查、不用做（寒暄、闲聊、常识）时输出 []。",
    "You are the planner: split the request into nodes. Code works them, and another step writes"
    " the answer from their results.\n"
    "Output one JSON object only: no explanation, no code fence, no tool calls.\n"
    "Rules:\n"
    "- A node has either tool and arguments, or teammate and task; exactly one of the two.\n"
    "- tool and teammate are names from the lists below; fill parameters as described, take listed"
    " values where there are any, and invent nothing that you do not know.\n"
    "- ids are n1, n2, …; title is one short line in English that tells people what the"
    " step does.\n"
    "- Nodes that do not need each other run side by side. depends_on names only nodes whose result"
    " is really needed; to use a result write ${{n1.text}} inside a string and put n1 into"
    " depends_on. No cycles, no node that depends on itself.\n"
    "- Where one thing can be looked up in several places, give those reading nodes the same"
    " race_group: the first that finds something counts. Nodes with effects cannot race, and"
    " members of a group cannot depend on each other.\n"
    "- The task of a teammate is whole sentences: they do not see this conversation, only the task"
    " and the results of the nodes it depends on; of a very long result only the beginning, unless"
    " the task holds ${{n1.text}}.\n"
    "- To save a document take a write_document node whose text is just \"${{n1.text}}\": code"
    " fills in the whole of it. Leave saving to a teammate only if that tool is not listed.\n"
    "- Use tools with effects only if the request asks for it, after the results they need.\n"
    "- A plan has no \"if\". At most {nodes} nodes, as few as will do; writing the final answer"
    " needs no node.\n"
    "- When nothing has to be looked up or done (small talk, common knowledge) output [].",
)  # fmt: skip

WORDS: Mapping[str, tuple[str, str]] = {
    "tools": ("工具：", "Tools:"),
    "team": (
        "队友（各有自己的工具和知识）：",
        "Teammates (each with tools and knowledge of their own):",
    ),
    "none": ("（没有）", "(none)"),
    "effect": ("有副作用", "has effects"),
    "approval": ("需要人点头", "a person is asked first"),
    "one_of": ("可选值", "one of"),
    "optional": ("可省", "optional"),
    "example": ("例子（只示范格式）：", "An example (for the form only):"),
    "asked": ("请求：", "The request:"),
    "now": ("那里现在：{time}（{weekday}，{zone}）", "Time there now: {time} ({weekday}, {zone})"),
    "memory": ("关于提问者，已知：", "Known about the asker:"),
    "turns": ("这个讨论串里先前的对话：", "Earlier in this thread:"),
    "named": ("请求点名的队友：{names}", "Teammates named in the request: {names}"),
    "failed": (
        "前一个计划里有节点失败。换一条路，只计划还缺的部分；已完成的不要重做。"
        "没有别的办法就输出 []。\n结果：",
        "Nodes of the plan before this one failed. Find another way and plan only what is missing;"
        " do nothing again that was done. If there is no other way, output [].\nWhat came of it:",
    ),
    "again": (
        "这个计划不能执行：\n{errors}\n改正后重新输出完整的 JSON，只输出 JSON。",
        "This plan cannot be worked:\n{errors}\nOutput the whole JSON anew with this corrected, and"
        " nothing but JSON.",
    ),
}  # fmt: skip


def word(name: str, language: Language, **values: object) -> str:
    """A text of this module in the asker's language."""
    zh, en = WORDS[name]
    return (zh if language == "zh" else en).format(**values)


def planner_prompt(
    request: Request,
    tools: Mapping[str, Tool],
    team: Sequence[TeammateCard],
    knobs: PlanKnobs,
    nonce: str,
) -> str:
    """The system text."""
    language = request.language
    rules = RULES[0] if language == "zh" else RULES[1]
    none = word("none", language)
    cards = [_card(tool, language) for tool in tools.values()] or [none]
    mates = [f"- {card.name}: {_line(card.description)}" for card in team] or [none]
    return "\n\n".join(
        [
            rules.format(nodes=knobs.nodes),
            "\n".join([word("tools", language), *cards]),
            "\n".join([word("team", language), *mates]),
            f"{word('example', language)}\n{example(tools, team, language)}",
            data_section(language, nonce),
        ]
    )


def asked(request: Request, failures: Sequence[str], nonce: str) -> ModelMessage:
    """The question with what is known round it."""
    language = request.language
    zone = ZoneInfo(first_zone(request.time_zone))
    local = datetime.fromtimestamp(request.now, zone)
    weekday = say(f"date.weekday.{local.weekday()}", language)
    parts: list[str] = []
    if request.memory:
        parts.append(f"{word('memory', language)}\n{fence(request.memory, nonce)}")
    if turns := request.history[-TURNS:]:
        told = "\n".join(
            f"Q: {_line(turn.question)}\nA: {_line(turn.answer)}" for turn in turns
        )  # fmt: skip
        parts.append(f"{word('turns', language)}\n{fence(told, nonce)}")
    if failures:
        lines = "\n".join(failures)
        parts.append(f"{word('failed', language)}\n{fence(lines, nonce)}")
    if request.named:
        parts.append(word("named", language, names=", ".join(request.named)))
    time = local.strftime("%Y-%m-%d %H:%M")
    parts.append(word("now", language, time=time, weekday=weekday, zone=zone.key))
    parts.append(f"{word('asked', language)}\n{request.question}")
    return ModelMessage(role="user", text="\n\n".join(parts))


def again(answer: str, errors: Sequence[str], language: Language) -> list[ModelMessage]:
    """The broken plan and what is wrong with it."""
    lines = "\n".join(f"- {error}" for error in errors[:SHOWN_ERRORS])
    return [
        ModelMessage(role="assistant", text=answer[:SHOWN_ANSWER] or "-"),
        ModelMessage(role="user", text=word("again", language, errors=lines)),
    ]


def example(tools: Mapping[str, Tool], team: Sequence[TeammateCard], language: Language) -> str:
    """A plan made of what is really there: names of an invented one would be copied."""
    reading = [tool for tool in tools.values() if tool.effect == "read" and not tool.needs_approval]
    zh = language == "zh"
    nodes: list[Node] = []
    for number, tool in enumerate(reading[:2], 1):
        title = f"用 {tool.name} 查 X" if zh else f"Look up X with {tool.name}"
        nodes.append(
            Node(id=f"n{number}", title=title, tool=tool.name, arguments=_filled(tool, "X"))
        )
    if team:
        before = tuple(node.id for node in nodes)
        uses = " ".join(f"${{{one}.text}}" for one in before)
        lead = "把关于 X 的结果整理成一段话：" if zh else "Sum up what is known of X: "
        title = "整理结果" if zh else "Sum up"
        nodes.append(
            Node(
                id=f"n{len(nodes) + 1}",
                title=title,
                teammate=team[-1].name,
                task=f"{lead}{uses}",
                depends_on=before,
            )
        )
    shown = [_shown(node) for node in nodes]
    return json.dumps({"nodes": shown}, ensure_ascii=False)


def _shown(node: Node) -> dict[str, Any]:
    who = (
        {"tool": node.tool, "arguments": node.arguments}
        if node.tool
        else {"teammate": node.teammate, "task": node.task}
    )
    depends = list(node.depends_on)
    return {"id": node.id, "title": node.title, **who, "depends_on": depends, "race_group": ""}


def _filled(tool: Tool, thing: str) -> dict[str, Any]:
    """The parameters that a tool needs, with values of the right kind."""
    filled: dict[str, Any] = {}
    for name in cast(Sequence[str], tool.parameters.get("required") or ()):
        kind = str(_parameter(tool, name).get("type", "string"))
        values: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": [thing]}
        filled[name] = tool.allowed[name][0] if tool.allowed.get(name) else values.get(kind, thing)
    return filled


def _card(tool: Tool, language: Language) -> str:
    notes = [word("effect", language)] if tool.effect != "read" else []
    notes += [word("approval", language)] if tool.needs_approval else []
    head = f"{tool.name} [{', '.join(notes)}]" if notes else tool.name
    lines = [f"- {head}: {_line(tool.description, DESCRIPTION_CHARACTERS)}"]
    required = cast(Sequence[str], tool.parameters.get("required") or ())
    for name in cast(Mapping[str, Any], tool.parameters.get("properties") or {}):
        schema = _parameter(tool, name)
        kind = str(schema.get("type") or "any")
        if name not in required:
            kind = f"{kind}, {word('optional', language)}"
        if values := tool.allowed.get(name) or schema.get("enum"):
            listed = " | ".join(str(value) for value in values[:VALUES])
            kind = f"{kind}, {word('one_of', language)}: {listed}"
        about = _line(str(schema.get("description") or ""), 160)
        lines.append(f"    {name} ({kind}){': ' + about if about else ''}")
    return "\n".join(lines)


def _parameter(tool: Tool, name: str) -> Mapping[str, Any]:
    properties = cast(Mapping[str, Any], tool.parameters.get("properties") or {})
    schema = cast(Mapping[str, Any], properties.get(name) or {})
    choices = cast(Sequence[Mapping[str, Any]], schema.get("anyOf") or ())
    kinds = [str(one["type"]) for one in choices if one.get("type") not in (None, "null")]
    return {**schema, "type": " or ".join(kinds)} if kinds else schema


def _line(text: str, limit: int = TURN_CHARACTERS) -> str:
    """A text on one line: line breaks in it could pass for a part of ours."""
    return " ".join(text.split())[:limit]
