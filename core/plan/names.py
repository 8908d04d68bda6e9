"""The other names and shapes by which models write the fields of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

CONTAINERS = (
    "nodes", "plan", "steps", "tasks", "actions", "tool_calls", "calls", "graph", "dag", "workflow",
    "subtasks", "sub_tasks", "todo", "todos", "node_list", "task_list", "step_list",
    "function_calls", "result", "output", "节点", "计划", "步骤", "任务", "方案",
    "流程", "子任务", "工具调用", "调用", "动作",
    "节点列表", "任务列表", "步骤列表", "执行计划", "计划节点",
)  # fmt: skip
"""Names under which the nodes stand."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": (
        "id", "node_id", "task_id", "step_id", "index", "idx", "number", "no", "num", "key", "编号",
        "序号", "标识", "节点编号", "步骤编号", "任务编号", "节点id", "任务id", "步骤id",
    ),
    "tool": (
        "tool", "tool_name", "toolname", "action", "function", "function_name", "func", "api",
        "api_name", "tool_id", "call", "method", "skill", "command", "工具", "工具名",
        "工具名称", "动作",
        "函数", "函数名", "使用工具", "调用工具", "操作",
    ),
    "teammate": (
        "teammate", "agent", "agent_name", "sub_agent", "subagent", "assignee", "assigned_to",
        "worker", "executor", "persona", "member", "队友", "同事", "智能体", "子智能体", "代理",
        "助手",
        "执行者", "负责人", "成员",
    ),
    "arguments": (
        "arguments", "args", "parameters", "params", "param", "parameter", "input", "inputs",
        "action_input", "tool_input", "tool_args", "tool_params", "kwargs", "arg", "payload",
        "参数",
        "入参", "输入", "工具参数", "参数列表", "输入参数", "调用参数",
    ),
    "task": (
        "task", "instruction", "instructions", "prompt", "goal", "objective", "request", "question",
        "query", "任务", "指令", "目标", "任务描述", "任务内容", "要求",
    ),
    "title": (
        "title", "label", "summary", "description", "desc", "purpose", "step_name", "task_name",
        "标题", "描述", "说明", "目的", "摘要", "名称", "步骤名称", "任务名称",
    ),
    "depends_on": (
        "depends_on", "dependencies", "dependency", "deps", "dep", "depends", "depend_on",
        "depend", "requires", "required", "after", "needs", "prerequisites", "prerequisite",
        "parents", "parent", "upstream", "predecessors", "previous", "wait_for", "waits_for",
        "依赖", "依赖于", "依赖项", "依赖节点", "依赖步骤", "依赖任务", "依赖关系", "前置",
        "前置节点", "前置步骤", "前置任务", "前置条件", "上游",
    ),
    "race_group": (
        "race_group", "race", "race_id", "racing_group", "race_groups", "竞速组", "竞速", "竞争组",
        "竞赛组", "竞态组", "赛组", "抢答组", "竞速分组",
    ),
}  # fmt: skip
"""Field -> its names, ours first; an earlier name wins over a later one."""

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "query": (
        "q", "question", "keyword", "keywords", "search_query", "search_term", "search", "text",
        "input", "查询", "关键词", "关键字", "问题", "搜索词", "查询词",
    ),
    "n": ("limit", "count", "top_k", "k", "max_results", "num", "number", "数量", "条数"),
    "zone": ("timezone", "time_zone", "tz", "location", "city", "place", "时区", "地点", "城市"),
    "city": ("location", "place", "city_name", "where", "城市", "地点", "地区"),
    "title": ("name", "heading", "document_title", "标题", "名称"),
    "text": ("content", "body", "markdown", "document", "内容", "正文"),
    "to": ("email", "address", "recipient", "recipients", "mail_to", "收件人", "邮箱"),
    "subject": ("title", "主题", "标题"),
    "body": ("content", "text", "message", "正文", "内容"),
}  # fmt: skip
"""Parameter -> other names of it; only for parameters that a tool has and lacks."""

NONE = frozenset(
    ("", "none", "null", "nil", "n/a", "na", "-", "[]", "{}", "无", "没有", "空", "false")
)
_FIELD_OF = {name: field for field, names in FIELDS.items() for name in names}


def plain(name: str) -> str:
    """A name without case, spaces, `_` and `-`: `dependsOn` and `depends_on` are one."""
    return re.sub(r"[\s_-]+", "", name).casefold()


class Item:
    """One node as the model wrote it; remembers whether other names than ours were read."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        self.written = written
        self.drifted = False
        self._plain = {plain(str(name)): str(name) for name in reversed(list(written))}

    def take(self, field: str) -> Any:
        """The value under the best name of a field; None if there is none."""
        for name in FIELDS[field]:
            found = self._plain.get(plain(name))
            if found is not None and self.written[found] is not None:
                self.drifted |= found != FIELDS[field][0]
                return self.written[found]
        return None

    def named(self, *names: str) -> Any:
        """The value under one of these very names, which is a drift."""
        for name in names:
            found = self._plain.get(plain(name))
            if found is not None and self.written[found] is not None:
                self.drifted = True
                return self.written[found]
        return None

    @property
    def works(self) -> bool:
        """True if it says who is to do something: it is a node, not a frame round nodes."""
        who = (*FIELDS["tool"], *FIELDS["teammate"])
        if any(plain(name) in self._plain for name in who):
            return True
        inputs = (*FIELDS["arguments"], *FIELDS["id"])
        return "name" in self._plain and any(plain(name) in self._plain for name in inputs)


def resolved(name: str, known: Iterable[str]) -> str:
    """The known name that is meant; the name as written if there is none or more than one."""
    written = name.strip().strip("`'\"").lstrip("@").strip()
    names = list(known)
    if written in names:
        return written
    last = re.split(r"[./:]", written.removesuffix("()"))[-1]
    for candidate in (written, last):
        fitting = [one for one in names if plain(one) == plain(candidate)]
        if len(fitting) == 1:
            return fitting[0]
    return written


def clean_id(value: Any) -> str:
    """An id as text without what journal keys and references cannot hold; empty if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    text = text.strip().strip("${}<>").strip()
    return re.sub(r"[^\w-]+", "_", text)[:40].strip("_") or ""


def group(value: Any) -> str:
    """The name of a race group in any of its shapes."""
    match value:
        case None | False:
            return ""
        case True:
            return "race"
        case list():
            names = [name for one in cast(list[Any], value) if (name := group(one))]
            return "+".join(names)
        case dict():
            held = Item(cast(dict[str, Any], value))
            return group(held.take("id") or held.named("name", "group"))
        case _:
            text = str(value).strip()
            return "" if text.casefold() in NONE else clean_id(text) or ""
