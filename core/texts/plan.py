"""Lines of plans: what a step does where the planner did not say it."""

TEXTS: dict[str, tuple[str, str]] = {
    "plan.title.tool": ("使用 {name}", "Use {name}"),
    "plan.title.teammate": ("请 {name} 处理", "Ask {name}"),
    "plan.title.research": ("查找资料：{words}", "Look up: {words}"),
    "plan.title.save": ("写成文档并保存：{words}", "Write and save: {words}"),
    "plan.document": ("{words}：资料整理", "Notes on {words}"),
}
